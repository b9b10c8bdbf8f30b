// slices.h: arithmetic on the eight lanes of a slice, written like scalar code.
#pragma once

#include <math.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

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

// The larger one in each lane; the first where one is no number.
static inline Lanes lanes_most(Lanes a, Lanes b)
{
#if defined(__AVX__) && !defined(WEFT_DOUBLE)
    return (Lanes)_mm256_max_ps((__m256)b, (__m256)a);
#else
    return lanes_select(b > a, b, a);
#endif
}

// The smaller one in each lane; the first where one is no number.
static inline Lanes lanes_least(Lanes a, Lanes b)
{
#if defined(__AVX__) && !defined(WEFT_DOUBLE)
    return (Lanes)_mm256_min_ps((__m256)b, (__m256)a);
#else
    return lanes_select(b < a, b, a);
#endif
}

// The mask with a bit for each lane.
static inline uint32_t lanes_bits(LaneMask mask)
{
#if defined(__AVX__) && defined(WEFT_DOUBLE)
    __m256d halves[2];
    memcpy(halves, &mask, sizeof(mask));
    return (uint32_t)_mm256_movemask_pd(halves[0]) | (uint32_t)_mm256_movemask_pd(halves[1]) << 4;
#elif defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
    uint32_t bits = 0;
    for (int lane = 0; lane < SLICE; lane++)
        bits |= (uint32_t)(mask[lane] & 1) << lane;
    return bits;
#endif
}

// The lanes from a place on that come before the end.
static inline uint32_t lanes_before(uint32_t place, uint32_t end)
{
    return end - place < SLICE ? (1u << (end - place)) - 1 : 0xFF;
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

static inline Lanes lanes_sqrt(Lanes value)
{
    for (int lane = 0; lane < SLICE; lane++)
        value[lane] = WEFT_REAL_SQRT(value[lane]);
    return value;
}

// The largest of the lanes; what is no number may count or not.
static inline real lanes_largest(Lanes value)
{
    value = lanes_most(value, __builtin_shufflevector(value, value, 4, 5, 6, 7, 0, 1, 2, 3));
    value = lanes_most(value, __builtin_shufflevector(value, value, 2, 3, 0, 1, 6, 7, 4, 5));
    return value[0] > value[1] ? value[0] : value[1];
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
