// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, wish, clumps in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. A clump of particles or edges
// looks into the clumps around that its box meets; most items of two such clumps are far from each other along one of a few
// lines (slabs.h). Each particle and each edge counts what it finds, the counts are summed up, and what was found is written
// in that order, so that the list is the same on any number of threads. Where there is no room left the particles are marked:
// without knowing what is near they stay where they are among the others.
#include <string.h>

#include "parallel.h"
#include "slabs.h"
#include "tiles.h"

// Eight pairs of the same kind that are looked at together.
typedef struct Batch
{
    uint32_t count;
    uint32_t query[SLICE]; // items that look for others
    uint32_t item[SLICE];  // what they look at
    uint32_t corner[4][SLICE];
} Batch;

// What a thread has found: items, as many as there is room for.
typedef struct Search
{
    uint32_t *found, used;
    Batch     batch;
} Search;

// The clumps that some items of a clump may find something in, and for each of its items a byte that says in whom.
typedef struct Surroundings
{
    uint32_t *clumps, count;
    uint64_t *lanes;
} Surroundings;

WEFT_INLINE Nearest nearest_before(const EngineData *data, const Batch *batch, const int split)
{
    Lanes x[4][3];
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            x[k][axis] = lanes_gather(data->kept_x[axis], batch->corner[k]);
    return nearest_points(split == 2, false, (const Lanes(*)[3])x);
}

// How far apart the two sides of a pair may be at the beginning of the step and still have to be listed: by their ways against
// each other.
WEFT_INLINE Lanes reach_of(const EngineData *data, const Batch *batch, const int split)
{
    const real share = split == 2 ? EDGE_SHARE : 1;
    Lanes      keep[2] = {{0}, {0}}, apart2 = {0}, way[4][3];
    for (int k = 0; k < 4; k++)
    {
        Lanes radius = RADIUS_SHARE * share * lanes_gather(data->pairs.radius, batch->corner[k]);
        keep[k >= split] = lanes_most(keep[k >= split], radius);
        for (int axis = 0; axis < 3; axis++)
            way[k][axis] = lanes_gather(data->x[axis], batch->corner[k]) -
                           lanes_gather(data->kept_x[axis], batch->corner[k]);
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
            way[axis] = pairs->wish[axis][i] - data->kept_x[axis][i] - pairs->frame[axis];
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
    Lanes gap = nearest_before(data, batch, split).gap, reach = reach_of(data, batch, split);
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

// Eight clumps in their buckets: which of them another one may find something in.
static uint32_t clumps_meet(const PairList *pairs, const real box[6], const real own_way[3],
                            uint32_t place)
{
    Lanes    way[3];
    LaneMask apart = {0};
    for (int axis = 0; axis < 3; axis++)
        way[axis] = lanes_load(pairs->sorted_ball[4 + axis] + place) - own_way[axis];
    Lanes room = 2 * ROUNDING * lanes_size(way);
    for (int axis = 0; axis < 3; axis++)
    {
        apart |= lanes_load(pairs->sorted_box[axis] + place) - box[3 + axis] > room;
        apart |= box[axis] - lanes_load(pairs->sorted_box[3 + axis] + place) > room;
    }
    return ~lanes_bits(apart);
}

// Adds the clumps among some of one bucket that another one meets. Two edges are one pair: clumps before its own have looked already.
static void add_clumps(const PairList *pairs, Surroundings *around, const real box[6],
                       const real way[3], uint32_t own, uint32_t begin, uint32_t end)
{
    for (uint32_t place = begin; place < end; place += SLICE)
    {
        uint32_t near = clumps_meet(pairs, box, way, place);
        near &= end - place < SLICE ? (1u << (end - place)) - 1 : 0xFF;
        for (; near != 0; near &= near - 1)
        {
            uint32_t clump =
                pairs->item_begin[1] / CLUMP + pairs->sorted[place + (uint32_t)__builtin_ctz(near)];
            if (clump >= own)
                around->clumps[around->count++] = clump;
        }
    }
}

// The clumps around. No other clump reaches farther than half of a cell.
static void find_clumps(const PairList *pairs, Surroundings *around, uint32_t own)
{
    const uint32_t *begin =
        pairs->bucket_begin + (own < pairs->item_begin[1] / CLUMP ? pairs->bucket_count : 0);
    Ball    ball = ball_load(pairs->clump, own);
    real    reach = ROUNDING * (ball.radius + size_of(ball.way) + pairs->cell_size / 2);
    real    box[6];
    int32_t low[3], high[3], cell[3];
    for (int side = 0; side < 6; side++)
        box[side] = pairs->box[side][own];
    for (int axis = 0; axis < 3; axis++)
    {
        low[axis] = cell_of(pairs, ball.center[axis] - reach);
        high[axis] = cell_of(pairs, ball.center[axis] + reach);
    }
    around->count = 0;
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
            {
                uint32_t bucket = bucket_of(pairs, cell);
                add_clumps(pairs, around, box, ball.way, own, begin[bucket], begin[bucket + 1]);
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

// At whom of a clump around the items of another one have to look: a byte for each of them. `split` is the number of their
// corners. Where none of two items is held, they meet without room for that.
WEFT_INLINE uint64_t find_lanes(const PairList *pairs, const Frame *frame, const Extents extents[2],
                                uint32_t own, uint32_t own_held, uint32_t clump, const int split)
{
    const uint32_t size = pairs->clump_size[own], held = held_lanes(pairs, clump);
    uint64_t       lanes = 0;
    for (int wide = 0; wide <= ((own_held | held) != 0); wide++)
    {
        Slabs others;
        set_slabs(pairs, frame, clump, wide, 4 - split, &others);
        uint32_t some = slabs_meet(&extents[wide], CLUMP, &others);
        some &= (1u << pairs->clump_size[clump]) - 1;
        for (uint32_t lane = 0; lane < size && some != 0; lane++)
        {
            uint32_t counts = wide && !(own_held >> lane & 1) ? held : 0xFF;
            lanes |= (uint64_t)(slabs_meet(&extents[wide], lane, &others) & some & counts)
                     << 8 * lane;
        }
    }
    return lanes != 0 ? lanes & ~kin_of(pairs, own, clump) : 0;
}

// Leaves those of the clumps around that some item has to look into.
WEFT_INLINE void choose_clumps(const EngineData *data, Surroundings *around, uint32_t own,
                               const int split)
{
    const PairList *pairs = &data->pairs;
    const uint32_t  held = held_lanes(pairs, own), count = around->count;
    Frame           frame;
    Extents         extents[2];
    set_frame(data, own, &frame);
    for (int wide = 0; wide <= pairs->wide; wide++)
    {
        Slabs slabs;
        set_slabs(pairs, &frame, own, wide, split, &slabs);
        set_extents(&slabs, pairs->clump_size[own], &extents[wide]);
    }
    around->count = 0;
    for (uint32_t k = 0; k < count; k++)
    {
        uint32_t clump = around->clumps[k];
        uint64_t lanes = find_lanes(pairs, &frame, extents, own, held, clump, split);
        around->clumps[around->count] = clump;
        around->lanes[around->count] = lanes;
        around->count += lanes != 0;
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
WEFT_INLINE void search_clump(EngineData *data, Search *search, Surroundings *around,
                              uint32_t clump, const int split)
{
    PairList *pairs = &data->pairs;
    find_clumps(pairs, around, clump);
    choose_clumps(data, around, clump, split);
    for (uint32_t lane = 0; lane < CLUMP; lane++)
        pairs->query_begin[clump * CLUMP + lane + 1] = 0;
    for (uint32_t lane = 0; lane < pairs->clump_size[clump] && around->count > 0; lane++)
        look_around(data, search, clump * CLUMP + lane, around, split);
    if (search->batch.count > 0)
        look_at(data, search, split);
}

static uint32_t portion_end(const EngineData *data, uint32_t portion)
{
    uint32_t count = data->pairs.item_begin[2] / CLUMP, end = (portion + 1) * QUERY_PORTION;
    return end < count ? end : count;
}

// Every thread notes what it finds in a list of its own. Its portions come in rising order: when there is no room left in the
// list, there is none for the pair either.
static void find_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    PairList    *pairs = &data->pairs;
    size_t       place = around_stride(pairs) * (size_t)tally->thread;
    Search       search = {.found = pairs->found + found_stride(pairs) * (size_t)tally->thread,
                           .used = (uint32_t)tally->count[0]};
    Surroundings around = {.clumps = pairs->around + place, .lanes = pairs->around_lanes + place};
    pairs->portion_found[portion] = (size_t)(search.found - pairs->found) + search.used;
    for (uint32_t clump = portion * QUERY_PORTION; clump < portion_end(data, portion); clump++)
        if (corner_count(pairs, clump * CLUMP) == 2)
            search_clump(data, &search, &around, clump, 2);
        else
            search_clump(data, &search, &around, clump, 1);
    tally->count[0] = search.used;
}

// Writes the pairs of a batch from a place on, as far as there is room.
static void write_batch(EngineData *data, Batch *batch, uint32_t first, int split)
{
    PairList *pairs = &data->pairs;
    batch_fill(batch);
    Nearest found = split == 2 ? nearest_before(data, batch, 2) : nearest_before(data, batch, 1);
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

static void write_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    const uint32_t *begin = pairs->query_begin;
    size_t          at = pairs->portion_found[portion];
    size_t          end = at / found_stride(pairs) * found_stride(pairs) + pairs->capacity;
    uint32_t        last = portion_end(data, portion) * CLUMP, first = 0;
    Batch           batch = {.count = 0};
    (void)tally;
    for (uint32_t item = portion * QUERY_PORTION * CLUMP; item < last; item++)
    {
        const int split = corner_count(pairs, item);
        for (uint32_t pair = begin[item]; pair < begin[item + 1] && at < end; pair++)
        {
            first = batch.count == 0 ? pair : first;
            batch_add(pairs, &batch, item, pairs->found[at++], split);
            if (batch.count == SLICE)
                write_batch(data, &batch, first, split);
        }
        if (batch.count > 0 && (item + 1 == last || corner_count(pairs, item + 1) != split))
            write_batch(data, &batch, first, split);
    }
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
    uint32_t queries = pairs->item_begin[2], portion = QUERY_PORTION * CLUMP;
    uint32_t portions = (queries + portion - 1) / portion, *begin = pairs->query_begin;
    if (!pairs->wide)
        memset(pairs->held, 0, data->padded_count);
    memset(pairs->blind, 0, data->padded_count);
    parallel_tiles(data, portions, find_pairs);
    begin[0] = 0;
    for (uint32_t index = 0; index < queries; index++)
        begin[index + 1] += begin[index];
    uint32_t found = begin[queries];
    pairs->count = found < pairs->capacity ? found : pairs->capacity;
    pairs->lost = found - pairs->count;
    parallel_tiles(data, portions, write_pairs);
    list_touches(data);
}
