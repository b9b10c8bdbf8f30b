// groups.h: the groups of the system that the stages of large systems work on, in chunks of fixed
// size whose sums are added in order, so that the number of threads does not show in the result.
#pragma once

#include "multiply.h"

#define CHUNK 128u // groups
#define ALL_LANES 0xFFu

static inline uint32_t chunk_count(const System *system)
{
    return (system->group_count + CHUNK - 1) / CHUNK;
}

static inline uint32_t chunk_end(const System *system, uint32_t chunk)
{
    uint32_t end = (chunk + 1) * CHUNK;
    return system->group_begin + (end < system->group_count ? end : system->group_count);
}

static inline double sum_partial(const EngineData *data, uint32_t chunks, uint32_t which)
{
    double sum = 0;
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        sum += data->partial[2 * chunk + which];
    return sum;
}

// u <- Q r on a slice.
static inline void apply_inverse_slice(const EngineData *data, uint32_t first, const Lanes r[3],
                                       Lanes u[3])
{
    Lanes q[6];
    for (int entry = 0; entry < 6; entry++)
        q[entry] = lanes_load(data->inverse[entry] + first);
    u[0] = q[0] * r[0] + q[3] * r[1] + q[4] * r[2];
    u[1] = q[3] * r[0] + q[1] * r[1] + q[5] * r[2];
    u[2] = q[4] * r[0] + q[5] * r[1] + q[2] * r[2];
}

// S v on a slice, in place. Without it the forces that hold contacts, often thousands of times
// what is left of the residual, would leak back through the rounding of Q.
static inline void filter_slice(const EngineData *data, uint32_t first, Lanes v[3])
{
    const uint8_t *degrees = data->degrees + first;
    uint64_t       eight;
    memcpy(&eight, degrees, sizeof(eight));
    if (eight == 0x0303030303030303ull)
        return;
    Lanes keep, part, n[3];
    for (int lane = 0; lane < SLICE; lane++)
    {
        keep[lane] = degrees[lane] >= 2 ? 1 : 0;
        part[lane] = degrees[lane] == 2 ? -1 : degrees[lane] == 1 ? 1 : 0;
    }
    for (int axis = 0; axis < 3; axis++)
        n[axis] = lanes_load(data->direction[axis] + first);
    Lanes along = part * (v[0] * n[0] + v[1] * n[1] + v[2] * n[2]);
    for (int axis = 0; axis < 3; axis++)
        v[axis] = keep * v[axis] + along * n[axis];
}

// Stores the lanes that belong to the system; the others belong to another one.
static inline void store_lanes(real *to, Lanes value, uint32_t lanes)
{
    if (lanes == ALL_LANES)
    {
        lanes_store(to, value);
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = value[__builtin_ctz(lanes)];
}

// Zero in the lanes of other systems.
static inline Lanes only_lanes(Lanes value, uint32_t lanes)
{
    if (lanes != ALL_LANES)
        for (int lane = 0; lane < SLICE; lane++)
            value[lane] = (lanes >> lane & 1) ? value[lane] : 0;
    return value;
}
