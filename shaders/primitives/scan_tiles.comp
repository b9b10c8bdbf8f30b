#version 450
// scan_tiles: prefix sum within each tile, on top of what comes before the tile; the way down.
// Reads values, sums. Writes result: element i is the sum of all values before i. One workgroup per
// tile. A tile is read before it is written, so that result may be values.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/scan.glsl"

PUSH(ScanPush);

void main()
{
    uint tile = group_index();
    uint first = (tile * gl_WorkGroupSize.x + gl_LocalInvocationID.x) * SCAN_ITEMS;
    uint last = min(first + SCAN_ITEMS, push.count);

    uint items[SCAN_ITEMS];
    uint sum = 0;
    for (uint i = first; i < last; i++)
    {
        items[i - first] = push.values.at[i];
        sum += items[i - first];
    }

    uint total;
    uint before = group_scan(sum, total);
    if (push.has_sums != 0 && tile < push.tile_count)
        before += push.sums.at[tile];
    for (uint i = first; i < last; i++)
    {
        push.result.at[i] = before;
        before += items[i - first];
    }

    // The thread of the last element has the sum of all.
    if (push.with_total != 0 && first < push.count && last == push.count)
        push.result.at[push.count] = before;
}
