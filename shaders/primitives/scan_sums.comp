#version 450
// scan_sums: sum of each tile of a prefix sum, the way up.
// Reads values. Writes sums. One workgroup per tile.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/scan.glsl"

PUSH(ScanPush);

void main()
{
    uint tile = group_index();
    uint first = (tile * gl_WorkGroupSize.x + gl_LocalInvocationID.x) * SCAN_ITEMS;

    uint sum = 0;
    for (uint i = first; i < min(first + SCAN_ITEMS, push.count); i++)
        sum += push.values.at[i];

    uint total;
    group_scan(sum, total);
    if (gl_LocalInvocationID.x == 0 && tile < push.tile_count)
        push.sums.at[tile] = total;
}
