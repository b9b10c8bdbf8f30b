// engine_items.c: particles, edges and triangles as near looks at them: in clumps of eight that lie side by side in the cloth.
//
// The items of a kind are halved across their longest extent, at the start of the run, until there are no more than a clump of them. What no
// triangle joins goes its own ways: it shares no clump. A clump that is not full repeats its last item. Halves that are few clumps
// together are a patch.
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"
#include "sim/item_fans.h"

typedef struct Item
{
    double   center[3];
    uint32_t piece; // lowest particle of the cloth that it is joined to
    uint32_t corner[3];
    bool     begins_patch;
} Item;

static int compare_pieces(const void *a, const void *b)
{
    const Item *left = a, *right = b;
    if (left->piece != right->piece)
        return left->piece < right->piece ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (left->corner[k] != right->corner[k])
            return left->corner[k] < right->corner[k] ? -1 : 1;
    return 0;
}

// Whether one item comes before another along an axis.
static bool is_before(const Item *a, const Item *b, int axis)
{
    return a->center[axis] != b->center[axis] ? a->center[axis] < b->center[axis]
                                              : compare_pieces(a, b) < 0;
}

static int longest_axis(const Item *items, size_t count)
{
    int    longest = 0;
    double most = -1;
    for (int axis = 0; axis < 3; axis++)
    {
        double low = items->center[axis], high = low;
        for (size_t k = 1; k < count; k++)
        {
            low = items[k].center[axis] < low ? items[k].center[axis] : low;
            high = items[k].center[axis] > high ? items[k].center[axis] : high;
        }
        if (high - low > most)
        {
            most = high - low;
            longest = axis;
        }
    }
    return longest;
}

// Hoare 1961: the first `part` items come before all others along the axis.
static void divide(Item *items, size_t count, size_t part, int axis)
{
    size_t low = 0, high = count - 1;
    while (low < high)
    {
        Item   pivot = items[low + (high - low) / 2];
        size_t from = low, to = high;
        for (;; from++, to--)
        {
            while (is_before(&items[from], &pivot, axis))
                from++;
            while (is_before(&pivot, &items[to], axis))
                to--;
            if (from >= to)
                break;
            Item kept = items[from];
            items[from] = items[to];
            items[to] = kept;
        }
        // All of low..to come before or are the pivot; all behind come after it or are it.
        if (part <= to)
            high = to;
        else
            low = to + 1;
    }
}

static void make_clumps(Item *items, size_t count)
{
    if (count <= CLUMP)
    {
        items->begins_patch = true;
        return;
    }
    size_t part = (count + CLUMP - 1) / CLUMP / 2 * CLUMP;
    divide(items, count, part, longest_axis(items, count));
    make_clumps(items, part);
    make_clumps(items + part, count - part);
    if (count <= PATCH_MOST * CLUMP)
        items[part].begins_patch = false;
}

static uint32_t root_of(uint32_t *joined, uint32_t i)
{
    for (; joined[i] != i; i = joined[i])
        joined[i] = joined[joined[i]];
    return i;
}

// The lowest particle that each one is joined to by triangles.
static void find_pieces(const EngineData *data, uint32_t *joined)
{
    for (uint32_t i = 0; i < data->particle_count; i++)
        joined[i] = i;
    for (uint32_t triangle = 0; triangle < data->triangle_count; triangle++)
        for (int k = 1; k < 3; k++)
        {
            uint32_t a = root_of(joined, data->corners[0][triangle]),
                     b = root_of(joined, data->corners[k][triangle]);
            joined[a < b ? b : a] = a < b ? a : b;
        }
}

// All particles, edges (the lower end first) or triangles, by how many corners they have; edges as often as triangles have them.
static size_t list_items(const EngineData *data, int corner_count, Item *items)
{
    size_t count = 0;
    if (corner_count == 1)
        for (uint32_t i = 0; i < data->particle_count; i++)
            items[count++] = (Item){.corner = {i}};
    for (uint32_t t = 0; t < data->triangle_count && corner_count == 2; t++)
        for (int k = 0; k < 3; k++)
        {
            uint32_t a = data->corners[k][t], b = data->corners[(k + 1) % 3][t];
            items[count++] = (Item){.corner = {a < b ? a : b, a < b ? b : a}};
        }
    for (uint32_t t = 0; t < data->triangle_count && corner_count == 3; t++)
        items[count++] =
            (Item){.corner = {data->corners[0][t], data->corners[1][t], data->corners[2][t]}};
    return count;
}

// Every item of a kind once, in clumps. Returns their number.
static size_t order_items(Engine *engine, int corner_count, uint32_t *joined, Item *items)
{
    const double *positions = engine->model->positions;
    size_t        count = list_items(&engine->data, corner_count, items), kept = 0, first = 0;
    for (size_t k = 0; k < count; k++)
    {
        items[k].piece = root_of(joined, items[k].corner[0]);
        for (int corner = 0; corner < corner_count; corner++)
            for (size_t axis = 0; axis < 3; axis++)
                items[k].center[axis] +=
                    positions[3 * (size_t)items[k].corner[corner] + axis] / corner_count;
    }
    qsort(items, count, sizeof(*items), compare_pieces);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || compare_pieces(&items[k], &items[kept - 1]) != 0)
            items[kept++] = items[k];
    for (size_t k = 1; k <= kept; k++)
        if (k == kept || items[k].piece != items[first].piece)
        {
            make_clumps(items + first, k - first);
            first = k;
        }
    return kept;
}

// Lays items down from a place on, clump by clump, or only counts the places. Returns the next free place.
static uint32_t lay_down(PairList *pairs, const Item *items, size_t count, uint32_t place,
                         bool lays)
{
    for (size_t k = 0, size; k < count; k += size, place += CLUMP)
    {
        for (size = 1; size < CLUMP && k + size < count && items[k + size].piece == items[k].piece;)
            size++;
        if (!lays)
            continue;
        pairs->clump_size[place / CLUMP] = (uint32_t)size;
        if (items[k].begins_patch && place < pairs->item_begin[2])
            pairs->patch_begin[pairs->patch_count++] = place / CLUMP;
        for (size_t lane = 0; lane < CLUMP; lane++)
            for (int corner = 0; corner < 3; corner++)
                pairs->item_corner[corner][place + lane] =
                    items[k + (lane < size ? lane : size - 1)].corner[corner];
    }
    return place;
}

// Room to find the kin of clumps.
typedef struct KinSearch
{
    Fans      fans;
    uint64_t *lanes;  // (clumps) zeroed
    uint32_t *clumps; // those of which lanes are set
} KinSearch;

// The kin of a clump of items with `split` corners, as data.h has it. Returns how many clumps that are.
static uint32_t find_kin(const PairList *pairs, KinSearch *search, uint32_t own, int split)
{
    const Fans *fans = &search->fans;
    uint32_t    count = 0;
    for (uint32_t lane = 0; lane < pairs->clump_size[own]; lane++)
        for (int k = 0; k < split; k++)
        {
            uint32_t i = pairs->item_corner[k][own * CLUMP + lane];
            for (uint32_t at = fans->begin[i]; at < fans->begin[i + 1]; at++)
            {
                uint32_t clump = fans->item[at] / CLUMP, other = fans->item[at] % CLUMP;
                if (split == 2 && clump < own)
                    continue;
                if (search->lanes[clump] == 0)
                    search->clumps[count++] = clump;
                search->lanes[clump] |= 1ull << (8 * lane + other);
            }
        }
    // Of two edges in a clump, the first looks.
    for (uint32_t lane = 0; lane < pairs->clump_size[own] && split == 2; lane++)
        search->lanes[own] |= ((2ull << lane) - 1) << 8 * lane;
    return count;
}

// Lays the kin of all clumps of a kind down from a place on, or only counts it. Returns the next free place.
static uint32_t lay_kin(const EngineData *data, KinSearch *search, int split, uint32_t place,
                        bool lays)
{
    const PairList *pairs = &data->pairs;
    fill_fans(data, 4 - split, &search->fans);
    for (uint32_t own = pairs->item_begin[split - 1] / CLUMP;
         own < pairs->item_begin[split] / CLUMP; own++)
    {
        uint32_t count = find_kin(pairs, search, own, split);
        for (uint32_t k = 0; k < count; k++, place++)
        {
            uint32_t clump = search->clumps[k];
            if (lays)
            {
                pairs->kin_clump[place] = clump;
                pairs->kin_lanes[place] = search->lanes[clump];
            }
            search->lanes[clump] = 0;
        }
        if (lays)
            pairs->kin_begin[own + 1] = place;
    }
    return place;
}

static void take_kin(Engine *engine)
{
    EngineData *data = &engine->data;
    PairList   *pairs = &data->pairs;
    Arena      *arena = &engine->arena;
    size_t      clumps = pairs->item_begin[3] / CLUMP, queries = pairs->item_begin[2] / CLUMP;
    KinSearch   search = {
          .fans.begin = malloc(((size_t)data->particle_count + 2) * sizeof(uint32_t)),
          .fans.item = malloc(2 * (size_t)pairs->item_begin[3] * sizeof(uint32_t)),
          .lanes = calloc(clumps, sizeof(uint64_t)),
          .clumps = malloc(clumps * sizeof(uint32_t)),
    };
    arena->failed = arena->failed || search.fans.begin == NULL || search.fans.item == NULL ||
                    search.lanes == NULL || search.clumps == NULL;
    for (int lays = 0; lays < 2 && !arena->failed; lays++)
    {
        uint32_t place = lay_kin(data, &search, 1, 0, lays);
        place = lay_kin(data, &search, 2, place, lays);
        if (lays)
            break;
        pairs->kin_begin = WEFT_PRECISE(weft_arena_take)(arena, queries + 1, sizeof(uint32_t));
        pairs->kin_clump = WEFT_PRECISE(weft_arena_take)(arena, place, sizeof(uint32_t));
        pairs->kin_lanes = WEFT_PRECISE(weft_arena_take)(arena, place, sizeof(uint64_t));
    }
    free(search.fans.begin);
    free(search.fans.item);
    free(search.lanes);
    free(search.clumps);
}

void WEFT_PRECISE(weft_engine_take_items)(Engine *engine)
{
    EngineData *data = &engine->data;
    PairList   *pairs = &data->pairs;
    Arena      *arena = &engine->arena;
    size_t      triangles = data->triangle_count, particles = data->particle_count, count[3];
    size_t      begin[3] = {0, particles, particles + 3 * triangles};
    Item       *items = malloc((particles + 4 * triangles) * sizeof(*items));
    uint32_t   *joined = malloc(particles * sizeof(*joined));
    arena->failed = arena->failed || items == NULL || joined == NULL;
    if (!arena->failed)
    {
        find_pieces(data, joined);
        pairs->item_begin[0] = 0;
        for (int kind = 0; kind < 3; kind++)
        {
            count[kind] = order_items(engine, kind + 1, joined, items + begin[kind]);
            pairs->item_begin[kind + 1] =
                lay_down(pairs, items + begin[kind], count[kind], pairs->item_begin[kind], false);
        }
        size_t places = pairs->item_begin[3];
        for (int k = 0; k < 3; k++)
            pairs->item_corner[k] = WEFT_PRECISE(weft_arena_take)(arena, places, sizeof(uint32_t));
        pairs->clump_size = WEFT_PRECISE(weft_arena_take)(arena, places / CLUMP, sizeof(uint32_t));
        pairs->patch_begin = WEFT_PRECISE(weft_arena_take)(arena, pairs->item_begin[2] / CLUMP + 1,
                                                           sizeof(uint32_t));
    }
    for (int kind = 0; kind < 3 && !arena->failed; kind++)
        lay_down(pairs, items + begin[kind], count[kind], pairs->item_begin[kind], true);
    free(items);
    free(joined);
    if (arena->failed)
        return;
    pairs->patch_begin[pairs->patch_count] = pairs->item_begin[2] / CLUMP;
    take_kin(engine);
    WEFT_PRECISE(weft_engine_take_homes)(engine);
}
