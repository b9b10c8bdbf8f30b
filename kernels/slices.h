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

#define ALL_LANES 0xFFu

// Vectors that are longer than the machine's would be filled and compared number by number, so this is done by parts.
#ifdef __AVX__
#define LANE_PART 32
#else
#define LANE_PART 16
#endif
#define LANE_PARTS ((int)(sizeof(Lanes) / LANE_PART))
typedef real LanePart __attribute__((vector_size(LANE_PART)));
typedef __typeof__((LanePart){0} < (LanePart){0}) MaskPart;

// The same in every lane.
static inline Lanes lanes_all(real value)
{
    const LanePart none = {0}, part = value - none;
    LanePart       parts[LANE_PARTS];
    Lanes          lanes;
    for (int k = 0; k < LANE_PARTS; k++)
        parts[k] = part;
    memcpy(&lanes, parts, sizeof(lanes));
    return lanes;
}

#define COMPARE_LANES(name, operator)                                                              \
    static inline LaneMask name(Lanes a, Lanes b)                                                  \
    {                                                                                              \
        LanePart left[LANE_PARTS], right[LANE_PARTS];                                              \
        MaskPart parts[LANE_PARTS];                                                                \
        LaneMask mask;                                                                             \
        memcpy(left, &a, sizeof(left));                                                            \
        memcpy(right, &b, sizeof(right));                                                          \
        for (int k = 0; k < LANE_PARTS; k++)                                                       \
            parts[k] = left[k] operator right[k];                                                  \
        memcpy(&mask, parts, sizeof(mask));                                                        \
        return mask;                                                                               \
    }
COMPARE_LANES(lanes_less, <)
COMPARE_LANES(lanes_at_most, <=)
COMPARE_LANES(lanes_equal, ==)

// The lanes whose bit is set.
static inline LaneMask lanes_mask(uint32_t lanes)
{
    const LaneMask bits = {1, 2, 4, 8, 16, 32, 64, 128};
    MaskPart       parts[LANE_PARTS];
    LaneMask       mask;
    memcpy(parts, &bits, sizeof(parts));
    for (int k = 0; k < LANE_PARTS; k++)
        parts[k] = (parts[k] & (int)lanes) == parts[k];
    memcpy(&mask, parts, sizeof(mask));
    return mask;
}

// `value` where the mask is set, else `otherwise`.
static inline Lanes lanes_select(LaneMask mask, Lanes value, Lanes otherwise)
{
#if defined(__AVX__) && defined(WEFT_DOUBLE)
    __m256d halves[2], values[2], others[2];
    memcpy(halves, &mask, sizeof(mask));
    memcpy(values, &value, sizeof(value));
    memcpy(others, &otherwise, sizeof(otherwise));
    for (int half = 0; half < 2; half++)
        halves[half] = _mm256_blendv_pd(others[half], values[half], halves[half]);
    memcpy(&value, halves, sizeof(value));
    return value;
#elif defined(__AVX__)
    return (Lanes)_mm256_blendv_ps((__m256)otherwise, (__m256)value, (__m256)mask);
#else
    return (Lanes)((mask & (LaneMask)value) | (~mask & (LaneMask)otherwise));
#endif
}

// The larger one in each lane; the first where one is no number.
static inline Lanes lanes_most(Lanes a, Lanes b)
{
#if defined(__AVX__) && !defined(WEFT_DOUBLE)
    return (Lanes)_mm256_max_ps((__m256)b, (__m256)a);
#else
    return lanes_select(lanes_less(a, b), b, a);
#endif
}

// The smaller one in each lane; the first where one is no number.
static inline Lanes lanes_least(Lanes a, Lanes b)
{
#if defined(__AVX__) && !defined(WEFT_DOUBLE)
    return (Lanes)_mm256_min_ps((__m256)b, (__m256)a);
#else
    return lanes_select(lanes_less(b, a), b, a);
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
    return end - place < SLICE ? (1u << (end - place)) - 1 : ALL_LANES;
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

static inline Lanes lanes_dot(const Lanes a[3], const Lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
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

typedef uint32_t Words __attribute__((vector_size(SLICE * sizeof(uint32_t))));

static inline Words load_words(const uint32_t *from)
{
    Words words;
    memcpy(&words, from, sizeof(words));
    return words;
}

// A bit for each lane in which two words are equal.
static inline uint32_t equal_lanes(Words a, Words b)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_ps((__m256)(a == b));
#else
    const Words bits = (Words)(a == b) & (Words){1, 2, 4, 8, 16, 32, 64, 128};
    uint64_t    pairs[SLICE / 2], found = 0;
    memcpy(pairs, &bits, sizeof(pairs));
    for (int k = 0; k < SLICE / 2; k++)
        found |= pairs[k];
    return (uint32_t)(found | found >> 32);
#endif
}

// A bit for each of eight bytes that has one of `bits`.
static inline uint32_t lanes_with(const uint8_t *bytes, uint8_t bits)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7Full;
    uint64_t       eight;
    memcpy(&eight, bytes, sizeof(eight));
    // What is not 0 carries into its byte's highest bit; the product moves these side by side.
    eight = (((eight & 0x0101010101010101ull * bits) + low) & ~low) >> 7;
    return (uint32_t)(eight * 0x0102040810204080ull >> 56);
}

// Rows and columns of eight times eight numbers change places.
static inline void lanes_transpose(Lanes rows[SLICE])
{
    Lanes a[SLICE], b[SLICE];
    for (int k = 0; k < SLICE; k += 2)
    {
        a[k] = __builtin_shufflevector(rows[k], rows[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[k + 1] = __builtin_shufflevector(rows[k], rows[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < SLICE; k += 4)
        for (int half = 0; half < 2; half++)
        {
            Lanes low = a[k + half], high = a[k + 2 + half];
            b[k + 2 * half] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
            b[k + 2 * half + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < SLICE / 2; k++)
    {
        rows[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// Whether any of eight consecutive spring flags has one of `bits`.
static inline bool flags_any(const uint8_t *flags, uint8_t bits)
{
    uint64_t eight;
    memcpy(&eight, flags, sizeof(eight));
    return (eight & (0x0101010101010101ull * bits)) != 0;
}

// Degrees of freedom of eight particles, a byte for each.
static inline uint64_t eight_degrees(const uint8_t *degrees)
{
    uint64_t eight;
    memcpy(&eight, degrees, sizeof(eight));
    return eight;
}

// Whether each of the eight has all three degrees of freedom.
static inline bool all_free(const uint8_t *degrees)
{
    return eight_degrees(degrees) == 0x0303030303030303ull;
}

// Whether each of the eight has all three, 11 in binary, or none.
static inline bool all_free_or_held(const uint8_t *degrees)
{
    uint64_t eight = eight_degrees(degrees);
    return ((eight ^ eight >> 1) & 0x0101010101010101ull) == 0;
}

// r <- S r for eight rows with these degrees of freedom, along or across these directions.
static inline void filter_lanes(const uint8_t *degrees, real *const direction[3], uint32_t first,
                                Lanes r[3])
{
    if (all_free(degrees + first))
        return;
    typedef uint8_t Bytes __attribute__((vector_size(SLICE)));
    const Lanes     one = (Lanes){0} + 1, none = {0};
    Bytes           bytes;
    memcpy(&bytes, degrees + first, sizeof(bytes));
    Lanes count = __builtin_convertvector(bytes, Lanes), n[3];
    Lanes keep = lanes_select(lanes_less(one, count), one, none);
    Lanes part = lanes_select(lanes_equal(count, one), one,
                              lanes_select(lanes_equal(count, one + one), -one, none));
    for (int axis = 0; axis < 3; axis++)
        n[axis] = lanes_load(direction[axis] + first);
    Lanes along = part * (r[0] * n[0] + r[1] * n[1] + r[2] * n[2]);
    for (int axis = 0; axis < 3; axis++)
        r[axis] = keep * r[axis] + along * n[axis];
}
