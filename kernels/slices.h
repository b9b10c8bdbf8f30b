// slices.h: arithmetic on the eight lanes of a slice, written like scalar code.
#pragma once

#include <string.h>

#include "data.h"

typedef real Lanes __attribute__((vector_size(SLICE * sizeof(real))));

// What comparing lanes gives: all bits set where it is true.
#ifdef WEFT_DOUBLE
typedef int64_t LaneMask __attribute__((vector_size(SLICE * sizeof(int64_t))));
#else
typedef int32_t LaneMask __attribute__((vector_size(SLICE * sizeof(int32_t))));
#endif

// The lanes whose bit is set.
static inline LaneMask lanes_mask(uint32_t lanes)
{
    const LaneMask bits = {1, 2, 4, 8, 16, 32, 64, 128};
    return (((LaneMask){0} + (int)lanes) & bits) != 0;
}

// `value` where the mask is set, else `otherwise`.
static inline Lanes lanes_select(LaneMask mask, Lanes value, Lanes otherwise)
{
    return (Lanes)((mask & (LaneMask)value) | (~mask & (LaneMask)otherwise));
}

static inline bool lanes_any(LaneMask mask)
{
    uint64_t words[sizeof(mask) / sizeof(uint64_t)], any = 0;
    memcpy(words, &mask, sizeof(mask));
    for (size_t k = 0; k < sizeof(mask) / sizeof(uint64_t); k++)
        any |= words[k];
    return any != 0;
}

static inline Lanes lanes_load(const real *from)
{
    Lanes value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline void lanes_store(real *to, Lanes value)
{
    memcpy(to, &value, sizeof(value));
}

static inline Lanes lanes_gather(const real *from, const uint32_t *indices)
{
    Lanes value;
    for (int lane = 0; lane < SLICE; lane++)
        value[lane] = from[indices[lane]];
    return value;
}

// The sum of the lanes, in a fixed order.
static inline double lanes_sum(Lanes value)
{
    double sum = 0;
    for (int lane = 0; lane < SLICE; lane++)
        sum += (double)value[lane];
    return sum;
}

// Whether any of eight consecutive spring flags has one of `bits`.
static inline bool flags_any(const uint8_t *flags, uint8_t bits)
{
    uint64_t eight;
    memcpy(&eight, flags, sizeof(eight));
    return (eight & (0x0101010101010101ull * bits)) != 0;
}
