// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, wish, items in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. Each particle and each edge counts what it finds, the counts are summed up, and what was
// found is written in that order, so that the list is the same on any number of threads. Where there is no room left the
// particles are marked: without knowing what is near they stay where they are among the others.
#include <string.h>

#include "cells.h"
#include "parallel.h"
#include "tiles.h"

#define RUN 64 // items that are looked at together

typedef struct Query
{
    uint32_t index; // a particle, or particle_count + place of an edge in items
    uint32_t first; // places before this one are not looked at: two edges are one pair
    uint32_t corner[2];
    int      corner_count;
    Ball     ball;
    uint32_t found;
} Query;

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

// Whether the sides are apart by more than `limit` along the line between their centres.
static bool is_apart(const real x[4][3], int split, real limit)
{
    real line[3], size2 = 0, low = INFINITY, high = -INFINITY;
    for (int axis = 0; axis < 3; axis++)
    {
        line[axis] = split == 2 ? (x[0][axis] + x[1][axis] - x[2][axis] - x[3][axis]) / 2
                                : x[0][axis] - (x[1][axis] + x[2][axis] + x[3][axis]) / 3;
        size2 += line[axis] * line[axis];
    }
    for (int k = 0; k < 4; k++)
    {
        real along = 0;
        for (int axis = 0; axis < 3; axis++)
            along += line[axis] * (x[k][axis] - x[0][axis]);
        if (k < split)
            low = along < low ? along : low;
        else
            high = along > high ? along : high;
    }
    return low > high && (low - high) * (low - high) > limit * limit * size2;
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

// Looks at one item; counts it, and writes it if there is a place for it.
static void look_at(EngineData *data, Query *query, uint32_t place, bool writes)
{
    const PairList *pairs = &data->pairs;
    const int       split = query->corner_count;
    uint32_t        item = pairs->items[place];
    uint32_t        corner[4] = {query->corner[0], query->corner[1]};
    if (split == 2)
    {
        edge_corners(data, item, corner + 2);
        if (corner[0] == corner[2] || corner[0] == corner[3] || corner[1] == corner[2] ||
            corner[1] == corner[3])
            return;
    }
    else
    {
        triangle_corners(data, item - pairs->edge_count, corner + 1);
        if (corner[0] == corner[1] || corner[0] == corner[2] || corner[0] == corner[3])
            return;
    }
    real x[4][3], limit = reach_of(data, corner, split);

    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            x[k][axis] = data->kept_x[axis][corner[k]];
    if (is_apart((const real(*)[3])x, split, limit))
        return;
    Nearest found = nearest_points(split == 2, false, (const real(*)[3])x);
    if (!(found.gap <= limit))
        return;
    if (writes)
    {
        uint32_t pair = pairs->query_begin[query->index] + query->found;
        if (pair < pairs->capacity)
            write_pair(data, pair, corner, split == 2, &found);
        else
            for (int k = 0; k < 4; k++)
                __atomic_store_n(&data->pairs.blind[corner[k]], 1, __ATOMIC_RELAXED);
    }
    query->found++;
}

// Items that lie side by side: the balls of most do not meet.
static void look_along(EngineData *data, Query *query, uint32_t begin, uint32_t end, bool writes)
{
    const PairList *pairs = &data->pairs;
    const Ball     *ball = &query->ball;
    const real x = ball->center[0], y = ball->center[1], z = ball->center[2], radius = ball->radius;
    const real way0 = ball->way[0], way1 = ball->way[1], way2 = ball->way[2];
    // As wide as a number, so that eight go through at once; the last eight may reach behind the end, where there is room.
#ifdef WEFT_DOUBLE
    uint64_t meets[RUN];
#else
    uint32_t meets[RUN];
#endif
    begin = begin > query->first ? begin : query->first;
    for (uint32_t first = begin; first < end; first += RUN)
    {
        const real *restrict center0 = pairs->ball[0] + first,
                             *restrict center1 = pairs->ball[1] + first,
                             *restrict center2 = pairs->ball[2] + first,
                             *restrict radii = pairs->ball[3] + first;
        const real *restrict ways0 = pairs->ball[4] + first,
                             *restrict ways1 = pairs->ball[5] + first,
                             *restrict ways2 = pairs->ball[6] + first;
        uint32_t count = end - first < RUN ? end - first : RUN;
        uint32_t whole = (count + SLICE - 1) / SLICE * SLICE;
#pragma omp simd
        for (uint32_t k = 0; k < whole; k++)
        {
            real d0 = center0[k] - x, d1 = center1[k] - y, d2 = center2[k] - z;
            real w0 = ways0[k] - way0, w1 = ways1[k] - way1, w2 = ways2[k] - way2;
            real most = radii[k] + radius + WEFT_REAL_SQRT(w0 * w0 + w1 * w1 + w2 * w2);
            meets[k] = d0 * d0 + d1 * d1 + d2 * d2 <= most * most ? 1 : 0;
        }
        for (uint32_t k = 0; k < count; k++)
            if (meets[k])
                look_at(data, query, first + k, writes);
    }
}

// All items in the cells around. Three cells in a row along x are buckets side by side, but for the grid's end.
static void look_around(EngineData *data, Query *query, bool writes)
{
    const PairList *pairs = &data->pairs;
    const uint32_t *begin =
        pairs->bucket_begin + (query->corner_count == 2 ? 0 : pairs->bucket_count);
    const uint32_t last = (1u << pairs->bits[0]) - 1;
    int32_t        cell[3];
    cell_of(pairs, query->ball.center, cell);
    for (int k = 0; k < 9; k++)
    {
        int32_t  there[3] = {cell[0], cell[1] + k % 3 - 1, cell[2] + k / 3 - 1};
        uint32_t middle = bucket_of(pairs, there), column = middle & last;
        uint32_t low = column > 0 ? middle - 1 : middle;
        uint32_t high = column < last ? middle + 1 : middle;
        if (column == 0)
            look_along(data, query, begin[middle + last], begin[middle + last + 1], writes);
        look_along(data, query, begin[low], begin[high + 1], writes);
        if (column == last)
            look_along(data, query, begin[middle - last], begin[middle - last + 1], writes);
    }
}

static Query query_of(const EngineData *data, uint32_t index)
{
    Query query = {.index = index, .corner_count = 1};
    if (index >= data->particle_count)
    {
        query.corner_count = 2;
        query.first = index - data->particle_count + 1;
        edge_corners(data, data->pairs.items[query.first - 1], query.corner);
    }
    else
        query.corner[0] = index;
    query.ball = ball_around(data, query.corner, query.corner_count);

    // What is held may meet all around.
    for (int k = 0; data->pairs.wide && k < query.corner_count; k++)
        if (data->pairs.held[query.corner[k]])
            query.ball.radius = 2 * data->pairs.cell_size;
    return query;
}

#define PORTION 64u // queries

static uint32_t portion_end(const EngineData *data, uint32_t portion)
{
    uint32_t count = data->particle_count + data->pairs.edge_count, end = (portion + 1) * PORTION;
    return end < count ? end : count;
}

static void count_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    (void)tally;
    for (uint32_t index = portion * PORTION; index < portion_end(data, portion); index++)
    {
        Query query = query_of(data, index);
        look_around(data, &query, false);
        data->pairs.query_begin[index + 1] = query.found;
    }
}

static void write_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    const uint32_t *begin = data->pairs.query_begin;
    (void)tally;
    for (uint32_t index = portion * PORTION; index < portion_end(data, portion); index++)
    {
        if (begin[index] == begin[index + 1])
            continue;
        Query query = query_of(data, index);
        look_around(data, &query, true);
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
    uint32_t queries = data->particle_count + pairs->edge_count;
    uint32_t portions = (queries + PORTION - 1) / PORTION, *begin = pairs->query_begin;
    if (!pairs->wide)
        memset(pairs->held, 0, data->padded_count);
    memset(pairs->blind, 0, data->padded_count);
    parallel_tiles(data, portions, count_pairs);
    begin[0] = 0;
    for (uint32_t index = 0; index < queries; index++)
        begin[index + 1] += begin[index];
    uint32_t found = begin[queries];
    pairs->count = found < pairs->capacity ? found : pairs->capacity;
    pairs->lost = found - pairs->count;
    parallel_tiles(data, portions, write_pairs);
    list_touches(data);
}
