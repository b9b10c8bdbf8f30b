// bits.h: a bit for each particle, in words or in the eight of a slice.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#if defined(__BMI__) || defined(__BMI2__)
#include <immintrin.h>
#endif

#define WORD 64u

// The place of the lowest bit; anything if there is none.
static inline uint32_t place_of_lowest(uint64_t bits)
{
#ifdef __BMI__
    return (uint32_t)_tzcnt_u64(bits);
#else
    return (uint32_t)__builtin_ctzll(bits | 1ull << (WORD - 1));
#endif
}

// Writes down the places of a word's bits, counted from `first`, and returns how many; up to 3 more places may be overwritten. A
// loop that ended with each bit would be guessed wrong at the end of every word.
static inline uint32_t list_bits(uint64_t bits, uint32_t first, uint32_t *places)
{
    const uint32_t count = (uint32_t)__builtin_popcountll(bits);
    for (uint32_t k = 0; k < count; k += 4)
        for (uint32_t next = k; next < k + 4; next++, bits &= bits - 1)
            places[next] = first + place_of_lowest(bits);
    return count;
}

// One of two, without a jump: for what is beyond guessing.
static inline uint32_t choose(bool first, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - (uint32_t)first));
}

// Bit k of a byte as the lowest one of byte k.
static inline uint64_t spread_bits(uint32_t bits)
{
#ifdef __BMI2__
    return _pdep_u64(bits, 0x0101010101010101ull);
#else
    const uint64_t ones = 0x0101010101010101ull, each = 0x8040201008040201ull;
    return ((bits * ones & each) + 0x7F * ones) >> 7 & ones;
#endif
}
