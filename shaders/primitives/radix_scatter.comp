#version 450
// radix_scatter: moves the items of each tile to where their digit goes, in the order in which they come.
// Reads keys, from, counts (prefix sums). Writes to, places. One workgroup of RADIX_DIGITS threads per tile, an item a
// thread and round. Which threads of a round have a digit stands in that digit's row of bits; the bits before
// a thread's own are its rank.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/radix.glsl"

#define WORDS (RADIX_DIGITS / 32)

shared uint bits[RADIX_DIGITS * WORDS];
shared uint next[RADIX_DIGITS]; // place of the digit's next item

void main()
{
    uint tile = group_index(), lane = gl_LocalInvocationID.x;
    uint word = lane / 32, bit = lane % 32;
    if (tile >= push.tile_count)
        return;
    next[lane] = push.counts.at[lane * push.tile_count + tile];
    for (uint k = 0; k < WORDS; k++)
        bits[lane * WORDS + k] = 0;
    barrier();

    uint first = tile * RADIX_TILE, end = min(first + RADIX_TILE, push.count);
    for (uint base = first; base < end; base += RADIX_DIGITS)
    {
        uint place = base + lane, item = 0, digit = 0;
        bool has_item = place < end;
        if (has_item)
        {
            item = radix_item(place);
            digit = radix_digit(item);
            atomicOr(bits[digit * WORDS + word], 1u << bit);
        }
        barrier();
        if (has_item)
        {
            uint target = next[digit];
            for (uint k = 0; k < word; k++)
                target += bitCount(bits[digit * WORDS + k]);
            target += bitCount(bits[digit * WORDS + word] & ((1u << bit) - 1));
            push.to.at[target] = item;
            if (push.is_last != 0)
                push.places.at[item] = target;
        }
        barrier();

        // The thread of each digit makes room for the next round.
        uint count = 0;
        for (uint k = 0; k < WORDS; k++)
        {
            count += bitCount(bits[lane * WORDS + k]);
            bits[lane * WORDS + k] = 0;
        }
        next[lane] += count;
        barrier();
    }
}
