// cells: edges and triangles of the cloths sorted into the cells of a grid, for near to find what could meet.
// Reads kept_x, radius, solids. Reads and writes x, v. Writes drift, cell_size, item_key, bucket_begin, items, ball, spot. One thread per item.
//
// Lengths of ways are measured against their mean, which moves nothing towards anything. A cell is so large that two parts
// that could meet are in the same or in neighbouring cells. Within a bucket items are in rising order.
#include <math.h>
#include <string.h>

#include "cells.h"
#include "parallel.h"
#include "solid_distance.h"
#include "tiles.h"

#define EMERGE ((real)0.25) // part of its radius that a particle comes out of a solid by in a step
#define MOST_WAY ((real)4)  // longest way of a particle in a step, in longest edges

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
        if (!solid_is_far(solid, x, data->thickness[i]) &&
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

// The largest ball with its way.
static void find_size(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    uint32_t        count = pairs->edge_count + data->triangle_count;
    uint32_t        end = (tile + 1) * TILE < count ? (tile + 1) * TILE : count;
    for (uint32_t item = tile * TILE; item < end; item++)
    {
        Ball ball = item_ball(data, item);
        // What is held goes back to where it came from, and on with the others.
        double reach = (double)(ball.radius + (pairs->wide ? 3 : 1) * size_of(ball.way));
        if (reach > tally->largest)
            tally->largest = reach;
    }
}

// Balls and corners in the order of their buckets, so that those of a cell lie side by side.
static void sort_balls(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t  count = pairs->edge_count + data->triangle_count;
    uint32_t  end = (tile + 1) * TILE < count ? (tile + 1) * TILE : count;
    (void)tally;
    for (uint32_t place = tile * TILE; place < end; place++)
    {
        uint32_t corner[3];
        int      corner_count = item_corners(data, pairs->items[place], corner);
        Ball     ball = ball_around(data, corner, corner_count);
        for (int axis = 0; axis < 3; axis++)
        {
            pairs->ball[axis][place] = ball.center[axis];
            pairs->ball[4 + axis][place] = ball.way[axis];
            for (int k = 0; k < corner_count; k++)
                pairs->spot[3 * k + axis][place] = data->kept_x[axis][corner[k]];
        }
        pairs->ball[3][place] = ball.radius;
        pairs->ball[7][place] = ball.margin;
        pairs->ball[8][place] = ball.radius + size_of(ball.way);
    }
}

static void find_keys(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t  count = pairs->edge_count + data->triangle_count;
    uint32_t  end = (tile + 1) * TILE < count ? (tile + 1) * TILE : count;
    (void)tally;
    for (uint32_t item = tile * TILE; item < end; item++)
    {
        Ball    ball = item_ball(data, item);
        int32_t cell[3];
        cell_of(pairs, ball.center, cell);
        pairs->item_key[item] =
            bucket_of(pairs, cell) + (item < pairs->edge_count ? 0 : pairs->bucket_count);
    }
}

void WEFT_KERNEL(cells)(EngineData *data)
{
    PairList *pairs = &data->pairs;
    if (!pairs->on)
        return;
    uint32_t count = pairs->edge_count + data->triangle_count, tiles = (count + TILE - 1) / TILE;
    if (!pairs->wide)
    {
        find_drift(data);
        parallel_tiles(data, data->tile_count, cut_ways);
    }
    pairs->cell_size = 2 * (real)parallel_tiles(data, tiles, find_size).largest;
    if (!(pairs->cell_size > 0))
        pairs->cell_size = 1;
    parallel_tiles(data, tiles, find_keys);

    // Count, sum up, hand out.
    uint32_t *begin = pairs->bucket_begin, buckets = 2 * pairs->bucket_count;
    memset(begin, 0, ((size_t)buckets + 1) * sizeof(*begin));
    for (uint32_t item = 0; item < count; item++)
        begin[pairs->item_key[item] + 1]++;
    for (uint32_t bucket = 0; bucket < buckets; bucket++)
        begin[bucket + 1] += begin[bucket];
    for (uint32_t item = count; item-- > 0;)
        pairs->items[--begin[pairs->item_key[item] + 1]] = item;
    // Handing out from the end has moved every end to its beginning.
    memmove(begin, begin + 1, (size_t)buckets * sizeof(*begin));
    begin[buckets] = count;
    parallel_tiles(data, tiles, sort_balls);
}
