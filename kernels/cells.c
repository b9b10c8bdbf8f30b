// cells: clumps of edges and of triangles sorted into the cells of a grid, for near to find what could meet.
// Reads kept_x, radius, solids, frame. Reads and writes x, v. Writes drift, ball, spot, clump, box, cell_size, clump_key,
// bucket_begin, sorted, record. One thread per item.
//
// Lengths of ways are measured against their mean, which moves nothing towards anything. A clump is a few neighbours in the
// cloth; its ball meets whatever one of theirs meets. A cell is so large that two clumps that could meet are in the same or
// in neighbouring cells. Within a bucket clumps are in rising order.
#include <math.h>
#include <string.h>

#include "cells.h"
#include "parallel.h"
#include "solid_distance.h"
#include "tiles.h"

#define EMERGE ((real)0.25) // part of its radius that a particle comes out of a solid by in a step
#define MOST_WAY ((real)4)  // longest way of a particle in a step, in longest edges
#define COARSE ((real)4e-7) // what rounding may take from a place, as a part of it

static void sum_ways(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    for (int axis = 0; axis < 3; axis++)
    {
        double sum = 0;
        for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
            sum += (double)data->x[axis][i] - (double)data->kept_x[axis][i];
        data->way_sum[3 * tile + (uint32_t)axis] = sum;
    }
}

static void find_drift(EngineData *data)
{
    PairList *pairs = &data->pairs;
    parallel_tiles(data, data->tile_count, sum_ways);
    for (int axis = 0; axis < 3; axis++)
    {
        double sum = 0;
        for (uint32_t tile = 0; tile < data->tile_count; tile++)
            sum += data->way_sum[3 * tile + (uint32_t)axis];
        // A step that went wrong is taken back later.
        pairs->drift[axis] = isfinite(sum) ? (real)(sum / data->particle_count) : 0;
    }
}

// Whether the particle was in a solid before the step.
static bool was_inside(const EngineData *data, uint32_t i)
{
    real x[3] = {data->kept_x[0][i], data->kept_x[1][i], data->kept_x[2][i]};
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const SolidData *solid = &data->solids[k];
        if (solid_is_near(solid, x, data->thickness[i]) &&
            solid_surface(solid, &solid->before, x).distance <
                data->thickness[i] - EMERGE * data->pairs.radius[i])
            return true;
    }
    return false;
}

// Ways that are too long for a grid are cut. What cloth has pressed into a solid comes out bit by bit: at once, it would throw
// the cloth over it.
static void cut_ways(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    (void)tally;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
    {
        real way[3], v[3], most = MOST_WAY * pairs->longest_edge;
        for (int axis = 0; axis < 3; axis++)
        {
            way[axis] = data->x[axis][i] - data->kept_x[axis][i] - pairs->drift[axis];
            v[axis] = data->h * data->v[axis][i] - pairs->drift[axis];
        }
        real size = size_of(way), usual = size_of(v) + EMERGE * pairs->radius[i];
        if (data->contact[i] != CONTACT_NONE && size > usual && usual < most && was_inside(data, i))
            most = usual;
        if (!(size > most) || !isfinite(size))
            continue;
        for (int axis = 0; axis < 3; axis++)
        {
            real cut = way[axis] * (most / size - 1);
            data->x[axis][i] += cut;
            data->v[axis][i] += cut / data->h;
        }
    }
}

static void write_records(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    (void)tally;
    for (uint32_t first = tile_begin(tile); first < tile_end(data, tile); first += SLICE)
    {
        Lanes record[SLICE] = {{0}};
        record[RECORD_RADIUS] = lanes_load(pairs->radius + first);
        for (int axis = 0; axis < 3; axis++)
        {
            Lanes from = lanes_load(data->kept_x[axis] + first);
            record[RECORD_FROM + axis] = from;
            record[RECORD_WAY + axis] =
                WAY_SHARE / 2 * (lanes_load(data->x[axis] + first) - from - pairs->drift[axis]);
        }
        lanes_transpose(record);
        for (uint32_t lane = 0; lane < SLICE; lane++)
            lanes_store(pairs->record + (size_t)(first + lane) * SLICE, record[lane]);
    }
}

// Eight items with the same number of corners. Of the ways of what is held, all between its own and the frame's count.
WEFT_INLINE Balls balls_around(const EngineData *data, uint32_t first, const int count)
{
    const PairList *pairs = &data->pairs;
    const real      share = (real)1 / (real)count;
    Balls           balls = {.side = {0}};
    Lanes           from[3][3], way[3][3], away = {0}, apart = {0}, keep = {0};
    for (int k = 0; k < count; k++)
    {
        const uint32_t *corner = pairs->item_corner[k] + first;
        Lanes           record[SLICE];
        read_records(pairs, corner, record);
        for (int axis = 0; axis < 3; axis++)
        {
            from[k][axis] = record[RECORD_FROM + axis];
            way[k][axis] = record[RECORD_WAY + axis];
            lanes_store(pairs->spot[3 * k + axis] + first, from[k][axis]);
            balls.low[axis] = k == 0 ? from[k][axis] : lanes_least(balls.low[axis], from[k][axis]);
            balls.high[axis] = k == 0 ? from[k][axis] : lanes_most(balls.high[axis], from[k][axis]);
            balls.center[axis] += share * from[k][axis];
            balls.way[axis] += share * way[k][axis];
        }
        keep = lanes_most(keep, record[RECORD_RADIUS]);
        if (pairs->wide)
        {
            Lanes against[3];
            for (int axis = 0; axis < 3; axis++)
                against[axis] =
                    lanes_gather(data->x[axis], corner) - from[k][axis] - pairs->frame[axis];
            balls.side = lanes_most(balls.side, lanes_size(against));
        }
    }
    for (int k = 0; k < count; k++)
    {
        Lanes to[3], off[3];
        for (int axis = 0; axis < 3; axis++)
        {
            to[axis] = from[k][axis] - balls.center[axis];
            off[axis] = way[k][axis] - balls.way[axis];
        }
        away = lanes_most(away, lanes_size(to));
        apart = lanes_most(apart, lanes_size(off));
    }
    balls.radius = away + 2 * apart + RADIUS_SHARE * keep + balls.side;
    balls.margin = 2 * apart + RADIUS_SHARE * (count == 2 ? EDGE_SHARE : 1) * keep + balls.side;
    for (int axis = 0; axis < 3; axis++)
        balls.center[axis] += balls.way[axis];
    return balls;
}

// A ball that meets whatever one of the eight meets.
static Ball ball_around_balls(const Balls *balls)
{
    Ball  ball = {.radius = 0};
    Lanes off[3], way[3];
    for (int axis = 0; axis < 3; axis++)
    {
        ball.center[axis] = (real)(lanes_sum(balls->center[axis]) / SLICE);
        ball.way[axis] = (real)(lanes_sum(balls->way[axis]) / SLICE);
        off[axis] = balls->center[axis] - ball.center[axis];
        way[axis] = balls->way[axis] - ball.way[axis];
    }
    Lanes radius = lanes_size(off) + lanes_size(way) + balls->radius;
    ball.radius = lanes_largest(radius);
    return ball;
}

// Two clumps whose boxes are apart along an axis by more than twice their ways are have nothing that could meet: the boxes have room
// for the rest of what reach_of says, also after rounding.
static void store_box(PairList *pairs, uint32_t clump, const Balls *balls, const Ball *ball)
{
    Lanes way[3];
    for (int axis = 0; axis < 3; axis++)
        way[axis] = balls->way[axis] - ball->way[axis];
    Lanes room = (balls->margin + 2 * lanes_size(way)) * ROUNDING;
    for (int axis = 0; axis < 3; axis++)
    {
        real low = -lanes_largest(room - balls->low[axis]),
             high = lanes_largest(balls->high[axis] + room);
        pairs->box[axis][clump] = low - COARSE * WEFT_REAL_FABS(low);
        pairs->box[3 + axis][clump] = high + COARSE * WEFT_REAL_FABS(high);
    }
}

// The largest ball of a clump with its way decides how large cells are.
static void find_balls(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t  count = pairs->item_begin[3];
    uint32_t  end = (tile + 1) * TILE < count ? (tile + 1) * TILE : count;
    for (uint32_t first = tile * TILE; first < end; first += CLUMP)
    {
        const int corners = corner_count(pairs, first);
        Balls     balls = corners == 1   ? balls_around(data, first, 1)
                          : corners == 2 ? balls_around(data, first, 2)
                                         : balls_around(data, first, 3);
        Ball      ball = ball_around_balls(&balls);
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(pairs->ball[axis] + first, balls.center[axis]);
            lanes_store(pairs->ball[4 + axis] + first, balls.way[axis]);
        }
        lanes_store(pairs->ball[3] + first, balls.radius);
        lanes_store(pairs->ball[7] + first, balls.margin);
        lanes_store(pairs->ball[8] + first, balls.side);
        ball_store(pairs->clump, first / CLUMP, &ball);
        store_box(pairs, first / CLUMP, &balls, &ball);
        double reach = (double)(ball.radius + size_of(ball.way));
        tally->largest = reach > tally->largest ? reach : tally->largest;
    }
}

static uint32_t grid_tile_end(const PairList *pairs, uint32_t tile)
{
    uint32_t end = (tile + 1) * TILE, count = grid_clumps(pairs);
    return end < count ? end : count;
}

// Clumps of particles only look around.
static void find_keys(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList      *pairs = &data->pairs;
    const uint32_t first = pairs->item_begin[1] / CLUMP,
                   edges = (pairs->item_begin[2] - pairs->item_begin[1]) / CLUMP;
    (void)tally;
    for (uint32_t k = tile * TILE; k < grid_tile_end(pairs, tile); k++)
    {
        int32_t cell[3];
        for (int axis = 0; axis < 3; axis++)
            cell[axis] = cell_of(pairs, pairs->clump[axis][first + k]);
        pairs->clump_key[k] = bucket_of(pairs, cell) + (k < edges ? 0 : pairs->bucket_count);
    }
}

// Count, sum up, hand out.
static void sort_clumps(PairList *pairs)
{
    const uint32_t count = grid_clumps(pairs);
    uint32_t      *begin = pairs->bucket_begin, buckets = 2 * pairs->bucket_count;
    memset(begin, 0, ((size_t)buckets + 1) * sizeof(*begin));
    for (uint32_t k = 0; k < count; k++)
        begin[pairs->clump_key[k] + 1]++;
    for (uint32_t bucket = 0; bucket < buckets; bucket++)
        begin[bucket + 1] += begin[bucket];
    for (uint32_t k = count; k-- > 0;)
        pairs->sorted[--begin[pairs->clump_key[k] + 1]] = k;
    // Handing out from the end has moved every end to its beginning.
    memmove(begin, begin + 1, (size_t)buckets * sizeof(*begin));
    begin[buckets] = count;
}

// Balls and boxes in the order of the buckets.
static void bring_in_order(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList      *pairs = &data->pairs;
    const uint32_t first = pairs->item_begin[1] / CLUMP;
    (void)tally;
    for (uint32_t place = tile * TILE; place < grid_tile_end(pairs, tile); place++)
    {
        uint32_t clump = first + pairs->sorted[place];
        Ball     ball = ball_load(pairs->clump, clump);
        ball_store(pairs->sorted_ball, place, &ball);
        for (int side = 0; side < 6; side++)
            pairs->sorted_box[side][place] = pairs->box[side][clump];
    }
}

void WEFT_KERNEL(cells)(EngineData *data)
{
    PairList *pairs = &data->pairs;
    if (!pairs->on)
        return;
    if (!pairs->wide)
    {
        find_drift(data);
        parallel_tiles(data, data->tile_count, cut_ways);
    }
    parallel_tiles(data, data->tile_count, write_records);
    uint32_t tiles = (pairs->item_begin[3] + TILE - 1) / TILE;
    pairs->cell_size = 2 * (real)parallel_tiles(data, tiles, find_balls).largest;
    if (!(pairs->cell_size > 0))
        pairs->cell_size = 1;
    uint32_t grid_tiles = (grid_clumps(pairs) + TILE - 1) / TILE;
    parallel_tiles(data, grid_tiles, find_keys);
    sort_clumps(pairs);
    parallel_tiles(data, grid_tiles, bring_in_order);
}
