// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, wish, clumps in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. A clump of particles or edges
// looks into the clumps around that its ball meets; most items of two such clumps are far from each other by their balls, or
// by their corners. Each particle and each edge counts what it finds, the counts are summed up, and what was found is written
// in that order, so that the list is the same on any number of threads. Where there is no room left the particles are marked:
// without knowing what is near they stay where they are among the others.
#include <string.h>

#include "cells.h"
#include "parallel.h"
#include "slices.h"
#include "tiles.h"

#define ROUNDING ((real)1.0001) // what is near enough by less than this is tried
#define LINES 3                 // along which items can be found to be apart

// An item that looks for others.
typedef struct Query
{
    uint32_t  item, corner[2];
    int       corner_count;
    Ball      ball;
    real      margin;
    real      spot[2][3]; // of its corners
    uint32_t *found;      // items, as many as there is room for
    uint32_t  found_count, room;
} Query;

// The clumps that some items of a clump may find something in, and for each of its items in whom.
typedef struct Surroundings
{
    uint32_t *clumps, count;
    uint8_t  *lanes; // (CLUMP x stride)
    size_t    stride;
} Surroundings;

// The way of a particle against another way.
static real way_against(const EngineData *data, uint32_t i, const real other[3])
{
    real way[3];
    for (int axis = 0; axis < 3; axis++)
        way[axis] = data->pairs.wish[axis][i] - data->kept_x[axis][i] - other[axis];
    return size_of(way);
}

// How far apart the two sides of a pair may be at the beginning of the step and still have to be listed: by their ways against
// each other or, if a corner is held and so goes another way than it wished, by their ways against the frame.
static real reach_of(const EngineData *data, const uint32_t corner[4], int split)
{
    const PairList *pairs = &data->pairs;
    real            keep[2] = {0, 0}, apart2 = 0, share = split == 2 ? EDGE_SHARE : 1;
    bool            is_wide = false;
    for (int k = 0; k < 4; k++)
    {
        real radius = RADIUS_SHARE * share * pairs->radius[corner[k]];
        keep[k >= split] = radius > keep[k >= split] ? radius : keep[k >= split];
        is_wide = is_wide || (pairs->wide && pairs->held[corner[k]]);
    }
    if (is_wide)
    {
        real side[2] = {0, 0};
        for (int k = 0; k < 4; k++)
        {
            real way = way_against(data, corner[k], pairs->frame);
            side[k >= split] = way > side[k >= split] ? way : side[k >= split];
        }
        return keep[0] + keep[1] + side[0] + side[1];
    }
    for (int a = 0; a < split; a++)
        for (int b = split; b < 4; b++)
        {
            real sum = 0;
            for (int axis = 0; axis < 3; axis++)
            {
                real way = data->x[axis][corner[a]] - data->kept_x[axis][corner[a]] -
                           (data->x[axis][corner[b]] - data->kept_x[axis][corner[b]]);
                sum += way * way;
            }
            apart2 = sum > apart2 ? sum : apart2;
        }
    return keep[0] + keep[1] + WAY_SHARE * WEFT_REAL_SQRT(apart2);
}

static void write_pair(EngineData *data, uint32_t pair, const uint32_t corner[4], bool is_edges,
                       const Nearest *found)
{
    PairList *pairs = &data->pairs;
    for (int k = 0; k < 4; k++)
        pairs->corner[k][pair] = corner[k];
    for (int axis = 0; axis < 3; axis++)
        pairs->normal[axis][pair] = found->normal[axis];
    pairs->gap[pair] = found->gap;
    pairs->flags[pair] = is_edges ? PAIR_EDGES : 0;
}

// The corners of the query and of another item.
static void pair_of(const EngineData *data, const Query *query, uint32_t item, uint32_t corner[4])
{
    corner[0] = query->corner[0];
    corner[1] = query->corner[1];
    for (int k = query->corner_count; k < 4; k++)
        corner[k] = data->pairs.item_corner[k - query->corner_count][item];
}

static Nearest nearest_before(const EngineData *data, const uint32_t corner[4], int split)
{
    real x[4][3];
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            x[k][axis] = data->kept_x[axis][corner[k]];
    return nearest_points(split == 2, false, (const real(*)[3])x);
}

// Without knowing what is near, a particle stays where it is among the others.
static void go_blind(EngineData *data, const uint32_t corner[4])
{
    for (int k = 0; k < 4; k++)
        __atomic_store_n(&data->pairs.blind[corner[k]], 1, __ATOMIC_RELAXED);
}

// While particles are held, balls have room for all the ways that these could go. Pairs in which nobody is held have to meet without that.
static bool meets_only_held(const PairList *pairs, const Query *query, uint32_t item,
                            const uint32_t corner[4])
{
    Ball other = ball_load(pairs->ball, item);
    real to[3], way[3], most = query->ball.radius - pairs->ball[8][query->item];
    for (int k = 0; k < 4; k++)
        if (pairs->held[corner[k]])
            return false;
    for (int axis = 0; axis < 3; axis++)
    {
        to[axis] = other.center[axis] - query->ball.center[axis];
        way[axis] = other.way[axis] - query->ball.way[axis];
    }
    most += other.radius - pairs->ball[8][item] + size_of(way);
    return !(pair_dot(to, to) <= most * most);
}

// Looks at one item and notes it if it is near.
static void look_at(EngineData *data, Query *query, uint32_t item)
{
    const int split = query->corner_count;
    uint32_t  corner[4];
    pair_of(data, query, item, corner);
    if (data->pairs.wide && meets_only_held(&data->pairs, query, item, corner))
        return;
    if (!(nearest_before(data, corner, split).gap <= reach_of(data, corner, split)))
        return;
    if (query->found_count < query->room)
        query->found[query->found_count] = item;
    else
        go_blind(data, corner);
    query->found_count++;
}

// Eight items: those that have no corner of the query.
WEFT_INLINE uint32_t strangers(const PairList *pairs, const Query *query, uint32_t first,
                               const int split)
{
    typedef int32_t Words __attribute__((vector_size(SLICE * sizeof(int32_t))));
    Words           share = {0};
    for (int other = 0; other < 4 - split; other++)
    {
        Words corner;
        memcpy(&corner, pairs->item_corner[other] + first, sizeof(corner));
        for (int k = 0; k < split; k++)
            share |= corner == (int32_t)query->corner[k];
    }
    return ~lanes_bits(__builtin_convertvector(share, LaneMask));
}

// Eight balls: which of them another one meets on their ways.
static LaneMask meets(const Ball *own, const Balls *balls, real rounding)
{
    Lanes distance2 = {0}, way[3];
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes to = balls->center[axis] - own->center[axis];
        distance2 += to * to;
        way[axis] = balls->way[axis] - own->way[axis];
    }
    Lanes most = (balls->radius + own->radius + lanes_size(way)) * rounding;
    return distance2 <= most * most;
}

// Eight items, of which some matter: those that are not apart by more than they could come near, along a line. The first line goes from
// centre to centre; the next ones turn towards the corners that lie farthest against the last one, so that they come near to
// the shortest way between the two (Frank and Wolfe 1956).
WEFT_INLINE uint32_t not_apart(const PairList *pairs, const Query *query, uint32_t first,
                               uint32_t lanes, const int split)
{
    const bool is_edges = split == 2;
    const int  count = 4 - split;
    Lanes      to[3][3], line[3], way[3];
    real       own[3];
    for (int axis = 0; axis < 3; axis++)
    {
        // The first corner of the query is the origin.
        Lanes sum = {0};
        own[axis] = is_edges ? query->spot[1][axis] - query->spot[0][axis] : 0;
        for (int k = 0; k < count; k++)
        {
            to[k][axis] = lanes_load(pairs->spot[3 * k + axis] + first) - query->spot[0][axis];
            sum += to[k][axis];
        }
        line[axis] = own[axis] / 2 - sum * ((real)1 / (real)count);
        way[axis] = lanes_load(pairs->ball[4 + axis] + first) - query->ball.way[axis];
    }
    // More than reach_of says, also after rounding.
    Lanes limit = lanes_load(pairs->ball[7] + first) + query->margin + 2 * lanes_size(way);
    limit *= ROUNDING;
    for (int round = 0; round < LINES; round++)
    {
        const Lanes none = {0};
        Lanes       size2 = {0}, low = {0}, along = {0}, turn2 = {0}, back = {0}, turn[3];
        Lanes       high = {0}, far[3];
        for (int axis = 0; axis < 3; axis++)
        {
            size2 += line[axis] * line[axis];
            low += line[axis] * own[axis];
            high += line[axis] * to[0][axis];
            far[axis] = to[0][axis];
        }
        for (int k = 1; k < count; k++)
        {
            along = line[0] * to[k][0] + line[1] * to[k][1] + line[2] * to[k][2];
            LaneMask farther = along > high;
            high = lanes_select(farther, along, high);
            for (int axis = 0; axis < 3; axis++)
                far[axis] = lanes_select(farther, to[k][axis], far[axis]);
        }
        LaneMask is_back = low < none;
        Lanes    gap = lanes_select(is_back, low, none) - high;
        lanes &= ~lanes_bits((gap > none) & (gap * gap > limit * limit * size2));
        if (lanes == 0)
            break;
        for (int axis = 0; axis < 3; axis++)
        {
            turn[axis] = lanes_select(is_back, none + own[axis], none) - far[axis] - line[axis];
            turn2 += turn[axis] * turn[axis];
            back -= turn[axis] * line[axis];
        }
        Lanes part = lanes_select(back < turn2, back / turn2, none + 1);
        for (int axis = 0; axis < 3; axis++)
            line[axis] += lanes_select(back > none, part, none) * turn[axis];
    }
    return lanes;
}

// Adds the clumps among some of one bucket that the ball meets. Two edges are one pair: clumps before its own have looked already.
static void add_clumps(const PairList *pairs, Surroundings *around, const Ball *ball, uint32_t own,
                       uint32_t begin, uint32_t end)
{
    for (uint32_t place = begin; place < end; place += SLICE)
    {
        Balls    balls = balls_load(pairs->sorted_ball, place);
        uint32_t near = lanes_bits(meets(ball, &balls, ROUNDING));
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
    int32_t low[3], high[3], cell[3];
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
                add_clumps(pairs, around, &ball, own, begin[bucket], begin[bucket + 1]);
            }
}

// For each item of a clump, at whom of the clumps around it has to look.
static void find_lanes(const PairList *pairs, Surroundings *around, uint32_t own)
{
    const uint32_t size = pairs->clump_size[own];
    Ball           balls[CLUMP];
    for (uint32_t lane = 0; lane < size; lane++)
        balls[lane] = ball_load(pairs->ball, own * CLUMP + lane);
    for (uint32_t k = 0; k < around->count; k++)
    {
        uint32_t clump = around->clumps[k];
        uint32_t there = (1u << pairs->clump_size[clump]) - 1;
        Balls    others = balls_load(pairs->ball, clump * CLUMP);
        for (uint32_t lane = 0; lane < size; lane++)
        {
            uint32_t behind = clump == own ? 0xFEu << lane : 0xFFu;
            around->lanes[lane * around->stride + k] =
                (uint8_t)(lanes_bits(meets(&balls[lane], &others, 1)) & there & behind);
        }
    }
    // Eight are read at a time.
    for (uint32_t lane = 0; lane < size; lane++)
        memset(around->lanes + lane * around->stride + around->count, 0, SLICE);
}

// Written in place: a query is made for every item, and copies of it would wait for each other.
static void set_query(const PairList *pairs, uint32_t item, Query *query)
{
    query->item = item;
    query->corner_count = corner_count(pairs, item);
    query->found_count = 0;
    query->margin = pairs->ball[7][item];
    query->ball.radius = pairs->ball[3][item];
    for (int axis = 0; axis < 3; axis++)
    {
        query->ball.center[axis] = pairs->ball[axis][item];
        query->ball.way[axis] = pairs->ball[4 + axis][item];
    }
    for (int k = 0; k < 2; k++)
    {
        query->corner[k] = pairs->item_corner[k][item];
        for (int axis = 0; axis < 3; axis++)
            query->spot[k][axis] = pairs->spot[3 * k + axis][item];
    }
}

// At those items of the clumps around that balls have left over. `split` is the number of the query's corners.
WEFT_INLINE void look_around(EngineData *data, Query *query, const Surroundings *around,
                             const int split)
{
    const PairList *pairs = &data->pairs;
    const uint8_t  *row = around->lanes + query->item % CLUMP * around->stride;
    for (uint32_t k = 0; k < around->count; k += SLICE)
    {
        uint64_t eight;
        memcpy(&eight, row + k, sizeof(eight));
        while (eight != 0)
        {
            uint32_t byte = (uint32_t)__builtin_ctzll(eight) / 8;
            uint32_t first = around->clumps[k + byte] * CLUMP;
            uint32_t lanes =
                (uint32_t)(eight >> 8 * byte) & 0xFF & strangers(pairs, query, first, split);
            eight &= ~(0xFFull << 8 * byte);
            if (lanes != 0)
                lanes = not_apart(pairs, query, first, lanes, split);
            for (; lanes != 0; lanes &= lanes - 1)
                look_at(data, query, first + (uint32_t)__builtin_ctz(lanes));
        }
    }
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
    uint32_t    *found = pairs->found + found_stride(pairs) * (size_t)tally->thread;
    uint32_t     used = (uint32_t)tally->count[0];
    size_t       stride = around_stride(pairs), place = stride * (size_t)tally->thread;
    Surroundings around = {.clumps = pairs->around + place,
                           .lanes = pairs->around_lanes + CLUMP * place,
                           .stride = stride};
    pairs->portion_found[portion] = (size_t)(found - pairs->found) + used;
    for (uint32_t clump = portion * QUERY_PORTION; clump < portion_end(data, portion); clump++)
    {
        find_clumps(pairs, &around, clump);
        find_lanes(pairs, &around, clump);
        for (uint32_t lane = 0; lane < CLUMP; lane++)
        {
            uint32_t item = clump * CLUMP + lane;
            pairs->query_begin[item + 1] = 0;
            if (lane >= pairs->clump_size[clump])
                continue;
            Query query;
            set_query(pairs, item, &query);
            query.found = found + used;
            query.room = pairs->capacity - used;
            if (query.corner_count == 2)
                look_around(data, &query, &around, 2);
            else
                look_around(data, &query, &around, 1);
            used += query.found_count < query.room ? query.found_count : query.room;
            pairs->query_begin[item + 1] = query.found_count;
        }
    }
    tally->count[0] = used;
}

static void write_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    const uint32_t *begin = pairs->query_begin;
    size_t          at = pairs->portion_found[portion];
    size_t          end = at / found_stride(pairs) * found_stride(pairs) + pairs->capacity;
    (void)tally;
    for (uint32_t item = portion * QUERY_PORTION * CLUMP; item < portion_end(data, portion) * CLUMP;
         item++)
    {
        if (begin[item] == begin[item + 1])
            continue;
        Query query;
        set_query(pairs, item, &query);
        for (uint32_t pair = begin[item]; pair < begin[item + 1] && at < end; pair++)
        {
            uint32_t corner[4];
            pair_of(data, &query, pairs->found[at++], corner);
            if (pair >= pairs->capacity)
            {
                go_blind(data, corner);
                continue;
            }
            Nearest found = nearest_before(data, corner, query.corner_count);
            write_pair(data, pair, corner, query.corner_count == 2, &found);
        }
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
