#version 450
// radix_count: how often each value of a digit occurs in each tile of a stable sort.
// Reads keys, from. Writes counts, digit by digit. One workgroup of RADIX_DIGITS threads per tile.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/radix.glsl"

shared uint counts[RADIX_DIGITS];

void main()
{
    uint tile = group_index(), lane = gl_LocalInvocationID.x;
    counts[lane] = 0;
    barrier();
    uint first = tile * RADIX_TILE, end = min(first + RADIX_TILE, push.count);
    for (uint place = first + lane; place < end; place += RADIX_DIGITS)
        atomicAdd(counts[radix_digit(radix_item(place))], 1u);
    barrier();
    if (tile < push.tile_count)
        push.counts.at[lane * push.tile_count + tile] = counts[lane];
}
