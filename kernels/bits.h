// bits.h: a bit for each particle, in words.
#pragma once

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
