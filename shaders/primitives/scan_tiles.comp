#version 450
// scan_tiles: prefix sum within each tile, on top of what comes before the tile; the way down.
// Reads values, sums. Writes result: element i is the sum of all values before i. One workgroup per
// tile. Each element is read by the thread that writes it, just before, so that result may be values.
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

    uint sum = 0;
    for (uint i = first; i < last; i++)
        sum += push.values.at[i];

    uint total;
    uint before = group_scan(sum, total);
    if (push.has_sums != 0 && tile < push.tile_count)
        before += push.sums.at[tile];
    for (uint i = first; i < last; i++)
    {
        uint value = push.values.at[i];
        push.result.at[i] = before;
        before += value;
    }

    // The thread of the last element has the sum of all; of no elements, the first thread.
    bool is_last = first < push.count ? last == push.count : first == 0;
    if (push.with_total != 0 && is_last)
        push.result.at[push.count] = before;
}
