// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, frame, clumps in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. A patch of particles or edges
// finds the clumps around it; each clump of it looks into those that its box meets, and most items of two such clumps are far from each
// other along one of a few lines (slabs.h). Each particle and each edge counts what it finds, the counts are summed up, and what was found is written
// in that order, so that the list is the same on any number of threads. Where there is no room left the particles are marked:
// without knowing what is near they stay where they are among the others.
#include <string.h>

#include "calm.h"
#include "parallel.h"
#include "tiles.h"

#define MOST_CELLS 8u // along an axis that a patch looks into
#define PATCHES 4u // that a thread takes at a time: in some there is much to find, in most nothing

// Eight pairs of the same kind that are looked at together.
typedef struct Batch
{
    uint32_t count;
    uint32_t query[SLICE]; // items that look for others
    uint32_t item[SLICE];  // what they look at
    uint32_t corner[4][SLICE];
} Batch;

// Clumps around others; where a clump has chosen them, for each of its items a byte that says at whom it looks.
typedef struct Surroundings
{
    uint32_t *clumps, count;
    uint64_t *lanes;
} Surroundings;

// What a thread has found: items, as many as there is room for.
typedef struct Search
{
    uint32_t    *found, used;
    Batch        batch;
    Surroundings around, chosen; // of a patch; of one of its clumps
    Crowd       *crowd;
    uint32_t     patch, *home_mark;
    real         skin;    // m, what is nearer than it need be by less is looked at, too
    bool         is_calm; // its home has nothing to look at
} Search;

// The cells around some clumps.
typedef struct Cells
{
    int32_t  low[3], high[3];
    uint32_t count; // most along an axis
    bool     fits;  // there are as many in the grid
} Cells;

// A clump of which all items look around.
typedef struct Looker
{
    uint32_t clump, size, held; // the latter two with a bit for each item
    Bounds   bounds;
    Extents  extents[2]; // second, with room for what is held
} Looker;

// The corners of the pairs of a batch: where they were, and how near they let others come.
typedef struct Corners
{
    Lanes from[4][3], radius[4];
} Corners;

static inline void read_corners(const PairList *pairs, const Batch *batch, Corners *corners)
{
    for (int k = 0; k < 4; k++)
    {
        Lanes record[SLICE];
        read_records(pairs, batch->corner[k], record);
        for (int axis = 0; axis < 3; axis++)
            corners->from[k][axis] = record[RECORD_FROM + axis];
        corners->radius[k] = record[RECORD_RADIUS];
    }
}

WEFT_INLINE Nearest nearest_before(const Corners *corners, const int split)
{
    return nearest_points(split == 2, false, corners->from);
}

// How far apart the two sides of a pair may be at the beginning of the step and still have to be listed: by their ways against
// each other.
WEFT_INLINE Lanes reach_of(const EngineData *data, const Batch *batch, const Corners *corners,
                           const int split)
{
    const real share = split == 2 ? EDGE_SHARE : 1;
    Lanes      keep[2] = {{0}, {0}}, apart2 = {0}, way[4][3];
    for (int k = 0; k < 4; k++)
    {
        Lanes radius = RADIUS_SHARE * share * corners->radius[k];
        keep[k >= split] = lanes_most(keep[k >= split], radius);
        for (int axis = 0; axis < 3; axis++)
            way[k][axis] = lanes_gather(data->x[axis], batch->corner[k]) - corners->from[k][axis];
    }
    for (int a = 0; a < split; a++)
        for (int b = split; b < 4; b++)
        {
            Lanes against[3];
            for (int axis = 0; axis < 3; axis++)
                against[axis] = way[a][axis] - way[b][axis];
            apart2 = lanes_most(apart2, lanes_dot(against, against));
        }
    return keep[0] + keep[1] + WAY_SHARE * lanes_sqrt(apart2);
}

// The same for a pair of which a corner is held and so goes another way than it wished: by their ways against the frame.
static real wide_reach_of(const EngineData *data, const Batch *batch, uint32_t lane, int split)
{
    const PairList *pairs = &data->pairs;
    real            keep[2] = {0, 0}, side[2] = {0, 0}, share = split == 2 ? EDGE_SHARE : 1;
    for (int k = 0; k < 4; k++)
    {
        uint32_t i = batch->corner[k][lane];
        real     way[3], size, radius = RADIUS_SHARE * share * pairs->radius[i];
        for (int axis = 0; axis < 3; axis++)
            way[axis] = data->x[axis][i] - data->kept_x[axis][i] - pairs->frame[axis];
        size = size_of(way);
        keep[k >= split] = radius > keep[k >= split] ? radius : keep[k >= split];
        side[k >= split] = size > side[k >= split] ? size : side[k >= split];
    }
    return keep[0] + keep[1] + side[0] + side[1];
}

// Without knowing what is near, a particle stays where it is among the others.
static void go_blind(EngineData *data, const Batch *batch, uint32_t lane)
{
    for (int k = 0; k < 4; k++)
        __atomic_store_n(&data->pairs.blind[batch->corner[k][lane]], 1, __ATOMIC_RELAXED);
}

// While particles are held, balls have room for all the ways that these could go. Pairs in which nobody is held have to meet without that.
static bool meets_only_held(const PairList *pairs, uint32_t query, uint32_t item)
{
    Ball own = ball_load(pairs->ball, query), other = ball_load(pairs->ball, item);
    real to[3], way[3], most = own.radius - pairs->ball[8][query];
    for (int axis = 0; axis < 3; axis++)
    {
        to[axis] = other.center[axis] - own.center[axis];
        way[axis] = other.way[axis] - own.way[axis];
    }
    most += other.radius - pairs->ball[8][item] + size_of(way);
    return !(pair_dot(to, to) <= most * most);
}

// Adds the items of a pair; the batch must not be full. `split` is the number of corners of the first.
static void batch_add(const PairList *pairs, Batch *batch, uint32_t query, uint32_t item, int split)
{
    uint32_t lane = batch->count++;
    batch->query[lane] = query;
    batch->item[lane] = item;
    for (int k = 0; k < 4; k++)
        batch->corner[k][lane] =
            k < split ? pairs->item_corner[k][query] : pairs->item_corner[k - split][item];
}

// The lanes behind the last pair look at particle 0.
static void batch_fill(Batch *batch)
{
    for (uint32_t lane = batch->count; lane < SLICE; lane++)
        for (int k = 0; k < 4; k++)
            batch->corner[k][lane] = 0;
}

// Looks at the pairs of a batch and notes those that are near.
WEFT_INLINE void look_at(EngineData *data, Search *search, const int split)
{
    PairList *pairs = &data->pairs;
    Batch    *batch = &search->batch;
    batch_fill(batch);
    Corners corners;
    read_corners(pairs, batch, &corners);
    Lanes gap = nearest_before(&corners, split).gap, reach = reach_of(data, batch, &corners, split);
    for (uint32_t lane = 0; lane < batch->count && pairs->wide; lane++)
    {
        bool is_held = false;
        for (int k = 0; k < 4; k++)
            is_held = is_held || pairs->held[batch->corner[k][lane]];
        if (is_held)
            reach[lane] = wide_reach_of(data, batch, lane, split);
        else if (meets_only_held(pairs, batch->query[lane], batch->item[lane]))
            reach[lane] = -1;
    }
    uint32_t near = lanes_bits(gap <= reach) & ((1u << batch->count) - 1);
    for (; near != 0; near &= near - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(near);
        pairs->query_begin[batch->query[lane] + 1]++;
        if (search->used < pairs->capacity)
            search->found[search->used++] = batch->item[lane];
        else
            go_blind(data, batch, lane);
    }
    batch->count = 0;
}

// Eight balls: which of them another one meets on their ways.
static LaneMask meets(const Ball *own, const Balls *balls)
{
    Lanes distance2 = {0}, way[3];
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes to = balls->center[axis] - own->center[axis];
        distance2 += to * to;
        way[axis] = balls->way[axis] - own->way[axis];
    }
    Lanes most = balls->radius + own->radius + lanes_size(way);
    return distance2 <= most * most;
}

// Adds the clumps among some of one bucket that a patch meets. Two edges are one pair: clumps before its first have looked already.
static void add_clumps(const PairList *pairs, Surroundings *around, const Bounds *bounds,
                       uint32_t first, uint32_t begin, uint32_t end)
{
    for (uint32_t place = begin; place < end; place += SLICE)
    {
        uint32_t near = clumps_meet(bounds, (const real *const *)pairs->sorted_box,
                                    (const real *const *)pairs->sorted_ball + 4, place);
        for (near &= lanes_before(place, end); near != 0; near &= near - 1)
        {
            uint32_t clump =
                pairs->item_begin[1] / CLUMP + pairs->sorted[place + (uint32_t)__builtin_ctz(near)];
            if (clump >= first)
                around->clumps[around->count++] = clump;
        }
    }
}

// The cells that hold the clumps around some others. No clump reaches farther than half of a cell.
static Cells cells_around(const PairList *pairs, uint32_t first, uint32_t end, real skin)
{
    real  low[3], high[3];
    Cells cells = {.fits = true};
    for (uint32_t clump = first; clump < end; clump++)
    {
        Ball ball = ball_load(pairs->clump, clump);
        real reach = ROUNDING * (ball.radius + size_of(ball.way) + pairs->cell_size / 2 + 2 * skin);
        for (int axis = 0; axis < 3; axis++)
        {
            real from = ball.center[axis] - reach, to = ball.center[axis] + reach;
            low[axis] = clump == first || from < low[axis] ? from : low[axis];
            high[axis] = clump == first || to > high[axis] ? to : high[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++)
    {
        cells.low[axis] = cell_of(pairs, low[axis]);
        cells.high[axis] = cell_of(pairs, high[axis]);
        uint32_t count = (uint32_t)(cells.high[axis] - cells.low[axis]) + 1;
        cells.fits = cells.fits && count <= 1u << pairs->bits[axis] && count <= MOST_CELLS;
        cells.count = count > cells.count ? count : cells.count;
    }
    return cells;
}

// The clumps around some others.
static void find_clumps(const PairList *pairs, Surroundings *around, const Cells *cells,
                        uint32_t first, uint32_t end, real skin)
{
    const uint32_t *begin =
        pairs->bucket_begin + (first < pairs->item_begin[1] / CLUMP ? pairs->bucket_count : 0);
    Bounds  bounds = patch_bounds(pairs, first, end);
    int32_t cell[3];
    bounds.spread += skin;
    around->count = 0;
    for (cell[2] = cells->low[2]; cell[2] <= cells->high[2]; cell[2]++)
        for (cell[1] = cells->low[1]; cell[1] <= cells->high[1]; cell[1]++)
            for (cell[0] = cells->low[0]; cell[0] <= cells->high[0]; cell[0]++)
            {
                uint32_t bucket = bucket_of(pairs, cell);
                add_clumps(pairs, around, &bounds, first, begin[bucket], begin[bucket + 1]);
            }
}

// The items of a clump that have a corner which is held.
static uint32_t held_lanes(const PairList *pairs, uint32_t clump)
{
    uint32_t held = 0, corners = (uint32_t)corner_count(pairs, clump * CLUMP);
    for (uint32_t k = 0; k < corners && pairs->wide; k++)
        for (uint32_t lane = 0; lane < CLUMP; lane++)
            held |= (uint32_t)pairs->held[pairs->item_corner[k][clump * CLUMP + lane]] << lane;
    return held;
}

// Which items of a clump around have a corner of another clump's items, or have looked at them themselves.
static uint64_t kin_of(const PairList *pairs, uint32_t own, uint32_t clump)
{
    for (uint32_t k = pairs->kin_begin[own]; k < pairs->kin_begin[own + 1]; k++)
        if (pairs->kin_clump[k] == clump)
            return pairs->kin_lanes[k];
    return 0;
}

// Bit `lane` of every byte, as the bits of one.
static uint32_t column_of(uint64_t bytes, uint32_t lane)
{
    return (uint32_t)((bytes >> lane & 0x0101010101010101ull) * 0x0102040810204080ull >> 56);
}

// At whom of a clump around the items of another one have to look: a byte for each of them. Where none of two items is held, they
// meet without room for that.
static uint64_t find_lanes(const PairList *pairs, const Looker *looker, const Frame *frame,
                           const Slabs *others, uint32_t clump)
{
    const uint32_t held = held_lanes(pairs, clump), own = looker->clump;
    const uint32_t size = (1u << pairs->clump_size[clump]) - 1;
    const uint64_t strangers = ~kin_of(pairs, own, clump);
    uint64_t       lanes = 0;
    for (int wide = 0; wide <= ((looker->held | held) != 0); wide++)
    {
        const Extents *extents = &looker->extents[wide];
        real           low[LINES][SLICE], high[LINES][SLICE];
        Lanes          room = slabs_room(others, frame, looker->bounds.way, wide);
        uint32_t       some = slabs_meet(extents, others, room, low, high) & size;
        for (; some != 0; some &= some - 1)
        {
            uint32_t lane = (uint32_t)__builtin_ctz(some);
            uint32_t near = slab_meets(extents, low, high, lane) & column_of(strangers, lane);
            if (wide && !(held >> lane & 1))
                near &= looker->held;
            for (near &= looker->size; near != 0; near &= near - 1)
                lanes |= 1ull << (8 * __builtin_ctz(near) + (int)lane);
        }
    }
    return lanes;
}

WEFT_INLINE void set_looker(const PairList *pairs, const Frame *frame, uint32_t clump, real skin,
                            const int split, Looker *looker)
{
    Slabs slabs;
    looker->clump = clump;
    looker->held = held_lanes(pairs, clump);
    looker->size = (1u << pairs->clump_size[clump]) - 1;
    looker->bounds = clump_bounds(pairs, clump);
    looker->bounds.spread = skin;
    set_slabs(pairs, frame, clump, split, &slabs);
    for (int wide = 0; wide <= pairs->wide; wide++)
        set_extents(&slabs, slabs_room(&slabs, frame, looker->bounds.way, wide),
                    &looker->extents[wide]);
}

// Adds those of a crowd that some item has to look into. `split` is the number of its corners.
WEFT_INLINE void choose_clumps(const PairList *pairs, Crowd *crowd, const uint32_t *clumps,
                               uint32_t count, const Looker *looker, const Frame *frame,
                               Surroundings *chosen, const int split)
{
    const real *box[6], *way[3];
    for (int side = 0; side < 6; side++)
        box[side] = crowd->box[side];
    for (int axis = 0; axis < 3; axis++)
        way[axis] = crowd->way[axis];
    for (uint32_t place = 0; place < count; place += SLICE)
    {
        uint32_t near = clumps_meet(&looker->bounds, box, way, place) & lanes_before(place, count);
        for (; near != 0; near &= near - 1)
        {
            uint32_t at = place + (uint32_t)__builtin_ctz(near);
            if (split == 2 && clumps[at] < looker->clump)
                continue;
            if (!crowd->has_slabs[at])
                set_slabs(pairs, frame, clumps[at], 4 - split, &crowd->slabs[at]);
            crowd->has_slabs[at] = true;
            chosen->clumps[chosen->count] = clumps[at];
            chosen->lanes[chosen->count] =
                find_lanes(pairs, looker, frame, &crowd->slabs[at], clumps[at]);
            chosen->count += chosen->lanes[chosen->count] != 0;
        }
    }
}

// At those items of the clumps around that slabs have left over. `split` is the number of the query's corners.
WEFT_INLINE void look_around(EngineData *data, Search *search, uint32_t query,
                             const Surroundings *around, const int split)
{
    const PairList *pairs = &data->pairs;
    for (uint32_t k = 0; k < around->count; k++)
    {
        uint32_t first = around->clumps[k] * CLUMP;
        uint32_t lanes = (uint32_t)(around->lanes[k] >> 8 * (query % CLUMP)) & 0xFF;
        if (lanes == 0)
            continue;
        Ball  ball = ball_load(pairs->ball, query);
        Balls balls = balls_load(pairs->ball, first);
        lanes &= lanes_bits(meets(&ball, &balls));
        for (; lanes != 0; lanes &= lanes - 1)
        {
            batch_add(pairs, &search->batch, query, first + (uint32_t)__builtin_ctz(lanes), split);
            if (search->batch.count == SLICE)
                look_at(data, search, split);
        }
    }
}

// All items of a clump look around.
WEFT_INLINE void search_clump(EngineData *data, Search *search, uint32_t clump,
                              const Surroundings *chosen, const int split)
{
    PairList *pairs = &data->pairs;
    for (uint32_t lane = 0; lane < CLUMP; lane++)
        pairs->query_begin[clump * CLUMP + lane + 1] = 0;
    for (uint32_t lane = 0; lane < pairs->clump_size[clump] && chosen->count > 0; lane++)
        look_around(data, search, clump * CLUMP + lane, chosen, split);
    if (search->batch.count > 0)
        look_at(data, search, split);
}

// Marks the clumps that are the home of the patch.
static void mark_home(const PairList *pairs, const Search *search)
{
    for (uint32_t k = pairs->home_begin[search->patch]; k < pairs->home_begin[search->patch + 1];
         k++)
        search->home_mark[pairs->home[k]] = search->patch + 1;
}

static bool is_home(const Search *search, uint32_t clump)
{
    return search->home_mark[clump] == search->patch + 1;
}

// Leaves only strangers around.
static void leave_home(const Search *search, Surroundings *around)
{
    uint32_t count = around->count;
    around->count = 0;
    for (uint32_t k = 0; k < count; k++)
        if (!is_home(search, around->clumps[k]))
            around->clumps[around->count++] = around->clumps[k];
}

// Chooses the clumps around that a clump of a patch has to look into.
WEFT_INLINE void choose_around(const PairList *pairs, Search *search, const Frame *frame,
                               uint32_t clump, bool is_first, const int split)
{
    const Surroundings *around = &search->around;
    Looker              looker;
    search->chosen.count = 0;
    if (around->count > 0)
        set_looker(pairs, frame, clump, search->skin, split, &looker);
    for (uint32_t begin = 0; begin < around->count; begin += CROWD_MOST)
    {
        uint32_t rest = around->count - begin, count = rest < CROWD_MOST ? rest : CROWD_MOST;
        if (is_first || around->count > CROWD_MOST)
            crowd_gather(pairs, search->crowd, around->clumps + begin, count);
        choose_clumps(pairs, search->crowd, around->clumps + begin, count, &looker, frame,
                      &search->chosen, split);
    }
}

// All clumps of a patch, or of a part of it, look around. Returns whether their home had nothing that they had to look at.
WEFT_INLINE bool search_part(EngineData *data, Search *search, const Cells *cells, uint32_t first,
                             uint32_t end, const int split)
{
    const PairList     *pairs = &data->pairs;
    const Surroundings *chosen = &search->chosen;
    Frame               frame;
    bool                is_alone = true;
    find_clumps(pairs, &search->around, cells, first, end, search->skin);
    if (search->is_calm)
        leave_home(search, &search->around);
    if (search->around.count > 0)
        set_frame(data, first + (end - first) / 2, cells->count, search->skin, &frame);
    for (uint32_t clump = first; clump < end; clump++)
    {
        choose_around(pairs, search, &frame, clump, clump == first, split);
        search_clump(data, search, clump, chosen, split);
        for (uint32_t k = 0; k < chosen->count && search->skin > 0; k++)
            is_alone = is_alone && !is_home(search, chosen->clumps[k]);
    }
    return is_alone;
}

// A patch that has come far apart, or around which the grid repeats itself, is looked at clump by clump; so are all while particles
// are held, because there is much around them then.
WEFT_INLINE void search_patch(EngineData *data, Search *search, uint32_t first, uint32_t end,
                              const int split)
{
    PairList *pairs = &data->pairs;
    Cells     cells = cells_around(pairs, first, end, search->skin);
    if (search->is_calm || search->skin > 0)
        mark_home(pairs, search);
    if (cells.fits && !pairs->wide)
    {
        bool is_alone = search_part(data, search, &cells, first, end, split);
        if (search->skin > 0)
            end_trial(pairs, search->patch, is_alone);
        return;
    }
    search->skin = 0;
    for (uint32_t clump = first; clump < end; clump++)
    {
        Cells few = cells_around(pairs, clump, clump + 1, 0);
        search_part(data, search, &few, clump, clump + 1, split);
    }
}

// Every thread notes what it finds in a list of its own. Its patches come in rising order: when there is no room left in the
// list, there is none for the pair either.
static void find_pairs(EngineData *data, uint32_t patch, Tally *tally)
{
    PairList *pairs = &data->pairs;
    size_t    thread = (size_t)tally->thread, place = around_stride(pairs) * thread;
    uint32_t  first = pairs->patch_begin[patch], end = pairs->patch_begin[patch + 1];
    Search    search = {.found = pairs->found + found_stride(pairs) * thread,
                        .used = (uint32_t)tally->count[0],
                        .around = {.clumps = pairs->around + place},
                        .chosen = {pairs->chosen + place, 0, pairs->chosen_lanes + place},
                        .crowd = &pairs->crowds[thread],
                        .home_mark = pairs->home_mark + place,
                        .patch = patch};
    pairs->patch_found[patch] = (size_t)(search.found - pairs->found) + search.used;
    if (!pairs->wide)
    {
        double needed = rest_needed(pairs, patch);
        search.is_calm = pairs->rest[patch] >= needed;
        if (!search.is_calm && tries_skin(pairs, patch, needed))
            search.skin = pairs->skin[patch];
    }
    if (corner_count(pairs, first * CLUMP) == 2)
        search_patch(data, &search, first, end, 2);
    else
        search_patch(data, &search, first, end, 1);
    tally->count[0] = search.used;
}

// How far the particles have gone since the last step.
static void note_motions(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t  end =
        (tile + 1) * TILE < pairs->item_begin[1] ? (tile + 1) * TILE : pairs->item_begin[1];
    (void)tally;
    for (uint32_t clump = tile * TILE / CLUMP; clump < end / CLUMP; clump++)
        note_motion(pairs, clump);
}

// Writes the pairs of a batch from a place on, as far as there is room.
static void write_batch(EngineData *data, Batch *batch, uint32_t first, int split)
{
    PairList *pairs = &data->pairs;
    batch_fill(batch);
    Corners corners;
    read_corners(pairs, batch, &corners);
    Nearest found = split == 2 ? nearest_before(&corners, 2) : nearest_before(&corners, 1);
    for (uint32_t lane = 0; lane < batch->count; lane++)
    {
        uint32_t pair = first + lane;
        if (pair >= pairs->capacity)
        {
            go_blind(data, batch, lane);
            continue;
        }
        for (int k = 0; k < 4; k++)
            pairs->corner[k][pair] = batch->corner[k][lane];
        for (int axis = 0; axis < 3; axis++)
            pairs->normal[axis][pair] = found.normal[axis][lane];
        pairs->gap[pair] = found.gap[lane];
        pairs->flags[pair] = split == 2 ? PAIR_EDGES : 0;
    }
    batch->count = 0;
}

static void write_pairs(EngineData *data, uint32_t patch, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    const uint32_t *begin = pairs->query_begin;
    size_t          at = pairs->patch_found[patch];
    size_t          end = at / found_stride(pairs) * found_stride(pairs) + pairs->capacity;
    uint32_t        item = pairs->patch_begin[patch] * CLUMP, first = 0;
    const int       split = corner_count(pairs, item);
    Batch           batch = {.count = 0};
    (void)tally;
    for (; item < pairs->patch_begin[patch + 1] * CLUMP; item++)
        for (uint32_t pair = begin[item]; pair < begin[item + 1] && at < end; pair++)
        {
            first = batch.count == 0 ? pair : first;
            batch_add(pairs, &batch, item, pairs->found[at++], split);
            if (batch.count == SLICE)
                write_batch(data, &batch, first, split);
        }
    if (batch.count > 0)
        write_batch(data, &batch, first, split);
}

// The pairs of each particle, in rising order.
static void list_touches(EngineData *data)
{
    PairList *pairs = &data->pairs;
    uint32_t *begin = pairs->touch_begin;
    memset(begin, 0, ((size_t)data->padded_count + 1) * sizeof(*begin));
    for (uint32_t pair = 0; pair < pairs->count; pair++)
        for (int k = 0; k < 4; k++)
            begin[pairs->corner[k][pair] + 1]++;
    for (uint32_t i = 0; i < data->padded_count; i++)
        begin[i + 1] += begin[i];
    for (uint32_t pair = pairs->count; pair-- > 0;)
        for (int k = 0; k < 4; k++)
            pairs->touch[--begin[pairs->corner[k][pair] + 1]] = 4 * pair + (uint32_t)k;
    memmove(begin, begin + 1, (size_t)data->padded_count * sizeof(*begin));
    begin[data->padded_count] = 4 * pairs->count;
}

void WEFT_KERNEL(near)(EngineData *data)
{
    PairList *pairs = &data->pairs;
    if (!pairs->on)
        return;
    uint32_t queries = pairs->item_begin[2], *begin = pairs->query_begin;
    if (!pairs->wide)
    {
        memset(pairs->held, 0, data->padded_count);
        parallel_tiles(data, (pairs->item_begin[1] + TILE - 1) / TILE, note_motions);
    }
    memset(pairs->blind, 0, data->padded_count);
    parallel_for(data, pairs->patch_count, PATCHES, find_pairs);
    begin[0] = 0;
    for (uint32_t index = 0; index < queries; index++)
        begin[index + 1] += begin[index];
    uint32_t found = begin[queries];
    pairs->count = found < pairs->capacity ? found : pairs->capacity;
    pairs->lost = found - pairs->count;
    parallel_tiles(data, pairs->patch_count, write_pairs);
    list_touches(data);
}
