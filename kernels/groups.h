// groups.h: the groups of the system that the stages of large systems work on, in chunks of fixed
// size whose sums are added in order, so that the number of threads does not show in the result.
#pragma once

#include "multiply.h"

#define CHUNK 128u // groups

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

// r <- S r on a slice. What a constraint bears is no residual; left in, it can be so much larger than the
// rest that its rounding in r.Q r hides whether the iteration converges.
static inline void filter_slice(const EngineData *data, uint32_t first, Lanes r[3])
{
    filter_lanes(data->degrees, data->direction, first, r);
}

// Stores the lanes that belong to the system; the others belong to another one, which waits.
static inline void store_lanes(real *to, Lanes value, uint32_t lanes)
{
    if (lanes != ALL_LANES)
        value = lanes_select(lanes_mask(lanes), value, lanes_load(to));
    lanes_store(to, value);
}

// Zero in the lanes of other systems.
static inline Lanes only_lanes(Lanes value, uint32_t lanes)
{
    return lanes == ALL_LANES ? value : lanes_select(lanes_mask(lanes), value, (Lanes){0});
}
