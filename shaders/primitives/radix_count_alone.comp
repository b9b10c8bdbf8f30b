#version 450
// radix_count_alone: how often each value of a digit occurs in each tile of a stable sort.
// Reads keys, from. Writes counts, digit by digit. One thread per tile, for processors that play threads by turns: radix_count has
// barriers, which are dear there.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/radix.glsl"

void main()
{
    Uints counts = push.counts;
    uint  tile = thread_index(), tile_count = push.tile_count;
    if (tile >= tile_count)
        return;
    for (uint digit = 0; digit < RADIX_DIGITS; digit++)
        counts.at[digit * tile_count + tile] = 0;

    // Items side by side often have the same digit: these are counted together.
    uint first = tile * push.tile_items, end = min(first + push.tile_items, push.count);
    uint last = 0, same = 0;
    for (uint place = first; place < end; place++)
    {
        uint digit = radix_digit(radix_item(place));
        if (digit != last)
        {
            counts.at[last * tile_count + tile] += same;
            last = digit;
            same = 0;
        }
        same++;
    }
    counts.at[last * tile_count + tile] += same;
}
