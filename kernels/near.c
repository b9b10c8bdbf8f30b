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
#include "slices.h"
#include "tiles.h"

typedef struct Query
{
    uint32_t  first; // places before this one are not looked at: two edges are one pair
    uint32_t  corner[2];
    int       corner_count;
    Ball      ball;
    real      reach;      // m, radius and way of the ball, and a little for rounding
    real      spot[2][3]; // of its corners
    uint32_t *places;     // that it has found, as many as there is room for
    uint32_t  found, room;
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

// The corners of the query and of the item at a place.
static void pair_of(const EngineData *data, const Query *query, uint32_t place, uint32_t corner[4])
{
    corner[0] = query->corner[0];
    corner[1] = query->corner[1];
    item_corners(data, data->pairs.items[place], corner + query->corner_count);
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

// Looks at one item and notes it if it is near.
static void look_at(EngineData *data, Query *query, uint32_t place)
{
    const int split = query->corner_count;
    uint32_t  corner[4];
    pair_of(data, query, place, corner);
    for (int k = 0; k < split; k++)
        for (int other = split; other < 4; other++)
            if (corner[k] == corner[other])
                return;
    if (!(nearest_before(data, corner, split).gap <= reach_of(data, corner, split)))
        return;
    if (query->found < query->room)
        query->places[query->found] = place;
    else
        go_blind(data, corner);
    query->found++;
}

// Eight items: whether they are apart by more than they could come near, along the line between the centres.
static LaneMask are_apart(const PairList *pairs, const Query *query, uint32_t first, Lanes way)
{
    const bool is_edges = query->corner_count == 2;
    const int  corner_count = is_edges ? 2 : 3;
    Lanes      to[3][3], line[3], along[3] = {{0}, {0}, {0}}, low = {0}, size2 = {0};
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes sum = {0};
        for (int k = 0; k < corner_count; k++)
        {
            to[k][axis] = lanes_load(pairs->spot[3 * k + axis] + first) - query->spot[0][axis];
            sum += to[k][axis];
        }
        // From the centre of the items to that of the query, whose first corner is the origin.
        real own = is_edges ? (query->spot[1][axis] - query->spot[0][axis]) / 2 : 0;
        line[axis] = own - sum * ((real)1 / (real)corner_count);
        size2 += line[axis] * line[axis];
        low += line[axis] * (2 * own);
        for (int k = 0; k < corner_count; k++)
            along[k] += line[axis] * to[k][axis];
    }
    const Lanes none = {0};
    Lanes       high = lanes_select(along[0] > along[1], along[0], along[1]);
    if (!is_edges)
        high = lanes_select(along[2] > high, along[2], high);
    low = lanes_select(low < none, low, none);
    // More than reach_of says, also after rounding.
    Lanes limit = lanes_load(pairs->ball[7] + first) + query->ball.margin + 2 * way;
    limit *= (real)1.0001;
    return (low > high) & ((low - high) * (low - high) > limit * limit * size2);
}

// Eight items: which of them are near as far as their balls, on their ways, and then their corners tell.
static LaneMask are_near(const PairList *pairs, const Query *query, uint32_t first)
{
    const Ball *ball = &query->ball;
    Lanes       distance2 = {0}, way2 = {0}, way;
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes to = lanes_load(pairs->ball[axis] + first) - ball->center[axis];
        distance2 += to * to;
    }
    if (!pairs->wide)
    {
        // Most are far, whatever the directions of the ways.
        Lanes most = lanes_load(pairs->ball[8] + first) + query->reach;
        if (!lanes_any(distance2 <= most * most))
            return (LaneMask){0};
    }
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes against = lanes_load(pairs->ball[4 + axis] + first) - ball->way[axis];
        way2 += against * against;
    }
    for (int lane = 0; lane < SLICE; lane++)
        way[lane] = WEFT_REAL_SQRT(way2[lane]);
    Lanes    most = lanes_load(pairs->ball[3] + first) + ball->radius + way;
    LaneMask near = distance2 <= most * most;
    return pairs->wide || !lanes_any(near) ? near : near & ~are_apart(pairs, query, first, way);
}

// Items that lie side by side. The last eight may reach behind the end, where there is room.
static void look_along(EngineData *data, Query *query, uint32_t begin, uint32_t end)
{
    begin = begin > query->first ? begin : query->first;
    for (uint32_t first = begin; first < end; first += SLICE)
    {
        LaneMask near = are_near(&data->pairs, query, first);
        if (!lanes_any(near))
            continue;
        for (uint32_t lane = 0; lane < SLICE && first + lane < end; lane++)
            if (near[lane])
                look_at(data, query, first + lane);
    }
}

// All items in the cells around. Three cells in a row along x are buckets side by side, but for the grid's end.
static void look_around(EngineData *data, Query *query)
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
            look_along(data, query, begin[middle + last], begin[middle + last + 1]);
        look_along(data, query, begin[low], begin[high + 1]);
        if (column == last)
            look_along(data, query, begin[middle - last], begin[middle - last + 1]);
    }
}

static Query corners_of(const EngineData *data, uint32_t index)
{
    Query query = {.corner_count = 1};
    if (index >= data->particle_count)
    {
        query.corner_count = 2;
        query.first = index - data->particle_count + 1;
        edge_corners(data, data->pairs.items[query.first - 1], query.corner);
    }
    else
        query.corner[0] = index;
    return query;
}

static Query query_of(const EngineData *data, uint32_t index)
{
    Query query = corners_of(data, index);
    query.ball = ball_around(data, query.corner, query.corner_count);
    query.reach = (real)1.0001 * (query.ball.radius + size_of(query.ball.way));
    for (int k = 0; k < query.corner_count; k++)
        for (int axis = 0; axis < 3; axis++)
            query.spot[k][axis] = data->kept_x[axis][query.corner[k]];

    // What is held may meet all around.
    for (int k = 0; data->pairs.wide && k < query.corner_count; k++)
        if (data->pairs.held[query.corner[k]])
            query.ball.radius = 2 * data->pairs.cell_size;
    return query;
}

static uint32_t portion_end(const EngineData *data, uint32_t portion)
{
    uint32_t count = data->particle_count + data->pairs.edge_count,
             end = (portion + 1) * QUERY_PORTION;
    return end < count ? end : count;
}

// Every thread notes what it finds in a list of its own. Its portions come in rising order: when there is no room left in the
// list, there is none for the pair either.
static void find_pairs(EngineData *data, uint32_t portion, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t *found = pairs->found + found_stride(pairs) * (size_t)tally->thread;
    uint32_t  used = (uint32_t)tally->count[0];
    pairs->portion_found[portion] = (size_t)(found - pairs->found) + used;
    for (uint32_t index = portion * QUERY_PORTION; index < portion_end(data, portion); index++)
    {
        Query query = query_of(data, index);
        query.places = found + used;
        query.room = pairs->capacity - used;
        look_around(data, &query);
        used += query.found < query.room ? query.found : query.room;
        pairs->query_begin[index + 1] = query.found;
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
    for (uint32_t index = portion * QUERY_PORTION; index < portion_end(data, portion); index++)
    {
        if (begin[index] == begin[index + 1])
            continue;
        Query query = corners_of(data, index);
        for (uint32_t pair = begin[index]; pair < begin[index + 1] && at < end; pair++)
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
    uint32_t queries = data->particle_count + pairs->edge_count;
    uint32_t portions = (queries + QUERY_PORTION - 1) / QUERY_PORTION, *begin = pairs->query_begin;
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
