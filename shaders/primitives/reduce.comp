#version 450
// reduce: sum of a float array, or dot product of two, tile by tile.
// Reads a, b. Writes sums. One workgroup per tile. The order of the additions is fixed by the tile
// alone: lane l adds elements l, l + REDUCE_LANES, ... in that order, then lanes are added in pairs.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"

layout(constant_id = 1) const uint mode = REDUCE_SUM;

PUSH(ReducePush);

shared float lanes[REDUCE_LANES];

void main()
{
    uint tile = group_index();
    uint first = tile * REDUCE_TILE;
    uint end = min(first + REDUCE_TILE, push.count);

    // A workgroup smaller than a tile is wide plays several lanes by turns.
    for (uint lane = gl_LocalInvocationID.x; lane < REDUCE_LANES; lane += gl_WorkGroupSize.x)
    {
        precise float sum = 0.0;
        for (uint i = first + lane; i < end; i += REDUCE_LANES)
        {
            precise float term = push.a.at[i];
            if (mode == REDUCE_DOT)
                term *= push.b.at[i];
            sum += term;
        }
        lanes[lane] = sum;
    }
    barrier();
    for (uint half_count = REDUCE_LANES / 2; half_count > 0; half_count /= 2)
    {
        for (uint lane = gl_LocalInvocationID.x; lane < half_count; lane += gl_WorkGroupSize.x)
        {
            precise float sum = lanes[lane] + lanes[lane + half_count];
            lanes[lane] = sum;
        }
        barrier();
    }
    if (gl_LocalInvocationID.x == 0 && tile < push.tile_count)
        push.sums.at[tile] = lanes[0];
}
