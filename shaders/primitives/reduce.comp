#version 450
// reduce: sum of a float array, or dot product of two, tile by tile.
// Reads a, b. Writes sums. One workgroup per tile. The order of the additions is fixed by the tile
// alone: lane l adds elements l, l + REDUCE_LANES, ...; thread r adds lanes r REDUCE_ROW and on; thread
// 0 adds those sums; each in rising order.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"

layout(constant_id = 1) const uint mode = REDUCE_SUM;

PUSH(ReducePush);

shared float lanes[REDUCE_LANES];
shared float rows[REDUCE_LANES / REDUCE_ROW];

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

    uint row = gl_LocalInvocationID.x;
    if (row < REDUCE_LANES / REDUCE_ROW)
    {
        precise float sum = 0.0;
        for (uint k = 0; k < REDUCE_ROW; k++)
            sum += lanes[row * REDUCE_ROW + k];
        rows[row] = sum;
    }
    barrier();
    if (row == 0 && tile < push.tile_count)
    {
        precise float sum = 0.0;
        for (uint k = 0; k < REDUCE_LANES / REDUCE_ROW; k++)
            sum += rows[k];
        push.sums.at[tile] = sum;
    }
}
