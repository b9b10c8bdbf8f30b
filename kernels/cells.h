// cells.h: particles, edges and triangles as balls, and the cells of the grid that clumps of them are sorted into.
#pragma once

#include <math.h>

#include "pairs.h"

#define ROUNDING ((real)1.0001) // what is near enough by less than this is tried

// Part of the radius that counts as reach, and how often the way of this step does: cloth that will touch in the next step is
// found in this one.
#define RADIUS_SHARE ((real)1.25)
#define WAY_SHARE ((real)2)

// A ball around an item, and how it moves. It stands half of the way on, counted WAY_SHARE times: two parts that
// could meet are then apart by no more than their radii and half of that way against each other.
typedef struct Ball
{
    real center[3];
    real way[3]; // m, that half: mean of its corners, against the drift
    real
        radius; // m, with the distance that the cloth keeps and the ways of the corners against the mean
} Ball;

// Eight of them side by side.
typedef struct Balls
{
    Lanes center[3], way[3], radius;
    Lanes
          margin; // m, the part of the radius that is not the item's own size; for edges, with the distance that edges keep
    Lanes side;   // m, the part that is room for what is held
    Lanes low[3], high[3]; // m, where the corners were
} Balls;

static inline real size_of(const real v[3])
{
    return WEFT_REAL_SQRT(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static inline Lanes lanes_size(const Lanes v[3])
{
    return lanes_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// How many corners an item has.
static inline int corner_count(const PairList *pairs, uint32_t item)
{
    return item < pairs->item_begin[1] ? 1 : item < pairs->item_begin[2] ? 2 : 3;
}

// Balls as they are stored: centre, radius, way.
static inline Balls balls_load(real *const array[], uint32_t first)
{
    Balls balls = {.radius = lanes_load(array[3] + first)};
    for (int axis = 0; axis < 3; axis++)
    {
        balls.center[axis] = lanes_load(array[axis] + first);
        balls.way[axis] = lanes_load(array[4 + axis] + first);
    }
    return balls;
}

static inline Ball ball_load(real *const array[], uint32_t place)
{
    Ball ball = {.radius = array[3][place]};
    for (int axis = 0; axis < 3; axis++)
    {
        ball.center[axis] = array[axis][place];
        ball.way[axis] = array[4 + axis][place];
    }
    return ball;
}

static inline void ball_store(real *const array[], uint32_t place, const Ball *ball)
{
    for (int axis = 0; axis < 3; axis++)
    {
        array[axis][place] = ball->center[axis];
        array[4 + axis][place] = ball->way[axis];
    }
    array[3][place] = ball->radius;
}

// The cell of a place along one axis.
static inline int32_t cell_of(const PairList *pairs, real x)
{
    const real most = 1000000000;
    real       place = x / pairs->cell_size;
    return place > -most && place < most ? (int32_t)floor((double)place) : 0;
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

// What items ask for of each particle, side by side: where it was, its radius, and its way against the mean. A corner is then read at
// once instead of in seven places.
enum
{
    RECORD_FROM = 0,
    RECORD_RADIUS = 3,
    RECORD_WAY = 4
};

// Of eight particles, each part by itself.
static inline void read_records(const PairList *pairs, const uint32_t *particles,
                                Lanes record[SLICE])
{
    for (int lane = 0; lane < SLICE; lane++)
        record[lane] = lanes_load(pairs->record + (size_t)particles[lane] * SLICE);
    lanes_transpose(record);
}
