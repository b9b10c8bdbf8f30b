// cells.h: edges and triangles as balls, and the cells of the grid that they are sorted into.
#pragma once

#include <math.h>

#include "pairs.h"

// Part of the radius that counts as reach, and how often the way of this step does: cloth that will touch in the next step is
// found in this one.
#define RADIUS_SHARE ((real)1.25)
#define WAY_SHARE ((real)2)

// A ball around an edge or a triangle, and how it moves. It stands half of the way on, counted WAY_SHARE times: two parts that
// could meet are then apart by no more than their radii and half of that way against each other.
typedef struct Ball
{
    real center[3];
    real way[3]; // m, that half: mean of its corners, against the drift
    real
        radius; // m, with the distance that the cloth keeps and the ways of the corners against the mean
    real
        margin; // m, the part of the radius that is not the item's own size; for edges, with the distance that edges keep
} Ball;

static inline real size_of(const real v[3])
{
    return WEFT_REAL_SQRT(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline Ball ball_around(const EngineData *data, const uint32_t corner[], int count)
{
    Ball ball = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    real share = (real)1 / (real)count, away = 0, apart = 0, keep = 0;
    real way[3][3];
    for (int axis = 0; axis < 3; axis++)
    {
        for (int k = 0; k < count; k++)
        {
            way[k][axis] = WAY_SHARE / 2 *
                           (data->x[axis][corner[k]] - data->kept_x[axis][corner[k]] -
                            data->pairs.drift[axis]);
            ball.center[axis] += share * data->kept_x[axis][corner[k]];
            ball.way[axis] += share * way[k][axis];
        }
    }
    for (int k = 0; k < count; k++)
    {
        real to[3], off[3], radius = data->pairs.radius[corner[k]];
        for (int axis = 0; axis < 3; axis++)
        {
            to[axis] = data->kept_x[axis][corner[k]] - ball.center[axis];
            off[axis] = way[k][axis] - ball.way[axis];
        }
        real size = size_of(to), other = size_of(off);
        away = size > away ? size : away;
        apart = other > apart ? other : apart;
        keep = radius > keep ? radius : keep;
    }
    ball.radius = away + 2 * apart + RADIUS_SHARE * keep;
    ball.margin = 2 * apart + RADIUS_SHARE * (count == 2 ? EDGE_SHARE : 1) * keep;
    for (int axis = 0; axis < 3; axis++)
        ball.center[axis] += ball.way[axis];
    return ball;
}

static inline void edge_corners(const EngineData *data, uint32_t edge, uint32_t corner[2])
{
    corner[0] = data->pairs.edge[0][edge];
    corner[1] = data->pairs.edge[1][edge];
}

static inline void triangle_corners(const EngineData *data, uint32_t triangle, uint32_t corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = data->corners[k][triangle];
}

// Returns how many corners the item has.
static inline int item_corners(const EngineData *data, uint32_t item, uint32_t corner[3])
{
    uint32_t edges = data->pairs.edge_count;
    if (item < edges)
    {
        edge_corners(data, item, corner);
        return 2;
    }
    triangle_corners(data, item - edges, corner);
    return 3;
}

static inline Ball item_ball(const EngineData *data, uint32_t item)
{
    uint32_t corner[3];
    int      count = item_corners(data, item, corner);
    return ball_around(data, corner, count);
}

static inline void cell_of(const PairList *pairs, const real x[3], int32_t cell[3])
{
    const real most = 1000000000;
    for (int axis = 0; axis < 3; axis++)
    {
        real place = x[axis] / pairs->cell_size;
        cell[axis] = place > -most && place < most ? (int32_t)floor((double)place) : 0;
    }
}

static inline uint32_t bucket_of(const PairList *pairs, const int32_t cell[3])
{
    uint32_t bucket = 0, shift = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        bucket |= ((uint32_t)cell[axis] & ((1u << pairs->bits[axis]) - 1)) << shift;
        shift += pairs->bits[axis];
    }
    return bucket;
}
