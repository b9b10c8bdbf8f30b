// bits.h: a bit for each particle, in words.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WORD 64u

// Writes down the places of a word's bits, counted from `first`, and returns how many; up to 3 more places may be overwritten. A
// loop that ended with each bit would be guessed wrong at the end of every word.
static inline uint32_t list_bits(uint64_t bits, uint32_t first, uint32_t *places)
{
    const uint32_t count = (uint32_t)__builtin_popcountll(bits);
    for (uint32_t k = 0; k < count; k += 4)
        for (uint32_t next = k; next < k + 4; next++, bits &= bits - 1)
            places[next] = first + (uint32_t)__builtin_ctzll(bits | 1ull << (WORD - 1));
    return count;
}

// One of two, without a jump: for what is beyond guessing.
static inline uint32_t choose(bool first, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - (uint32_t)first));
}
