// scan.c: the prefix sum: sums of tiles, their prefix sum by the same way, then the tiles.
#include "scan.h"

#include <string.h>

#include "primitives/primitives.h"

enum
{
    MOST_LEVELS = 8,
    GROUP_SIZE = 256,
};

static uint32_t tile_count_of(const WeftGpuScan *scan, uint32_t count)
{
    uint32_t tile = scan->tiles.group_size * SCAN_ITEMS;
    return count / tile + (count % tile != 0);
}

WeftStatus weft_gpu_scan_create(WeftGpu *gpu, WeftGpuScan *scan, uint32_t capacity)
{
    memset(scan, 0, sizeof(*scan));
    scan->capacity = capacity;
    const uint32_t constants[] = {GROUP_SIZE};
    WeftStatus     status = weft_gpu_pipeline_create(gpu, &scan->sums, "scan_sums", constants, 1);
    if (status == WEFT_OK)
        status = weft_gpu_pipeline_create(gpu, &scan->tiles, "scan_tiles", constants, 1);

    // The sums of all levels, one behind the other.
    uint64_t words = 0;
    if (status == WEFT_OK)
        for (uint32_t count = tile_count_of(scan, capacity); count > 1;
             count = tile_count_of(scan, count))
            words += count;
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &scan->scratch, "scratch of a prefix sum", 4 * words,
                                        WEFT_GPU_ON_DEVICE);
    if (status != WEFT_OK)
        weft_gpu_scan_destroy(gpu, scan);
    return status;
}

void weft_gpu_scan_destroy(WeftGpu *gpu, WeftGpuScan *scan)
{
    weft_gpu_pipeline_destroy(gpu, &scan->sums);
    weft_gpu_pipeline_destroy(gpu, &scan->tiles);
    weft_gpu_buffer_destroy(gpu, &scan->scratch);
    memset(scan, 0, sizeof(*scan));
}

void weft_gpu_scan_record(const WeftGpuScan *scan, WeftGpuCommands *commands, uint64_t values,
                          uint64_t result, uint32_t count, bool with_total)
{
    struct ScanPush pushes[MOST_LEVELS];
    uint32_t        level_count = 0;
    uint64_t        sums = scan->scratch.address;

    // Level by level up; the sums of one level are the values of the next, in place.
    for (bool more = true; more; level_count++)
    {
        struct ScanPush *push = &pushes[level_count];
        *push = (struct ScanPush){
            .values = level_count ? pushes[level_count - 1].sums : values,
            .result = level_count ? pushes[level_count - 1].sums : result,
            .sums = sums,
            .count = level_count ? pushes[level_count - 1].tile_count : count,
            .with_total = with_total && level_count == 0,
        };
        push->tile_count = tile_count_of(scan, push->count);
        push->has_sums = push->tile_count > 1;
        more = push->has_sums;
        if (!more)
            continue;
        sums += 4 * (uint64_t)push->tile_count;
        weft_gpu_dispatch_groups(commands, &scan->sums, push->tile_count, push, sizeof(*push));
        weft_gpu_record_barrier(commands);
    }

    // And down.
    while (level_count-- > 0)
    {
        const struct ScanPush *push = &pushes[level_count];
        weft_gpu_dispatch_groups(commands, &scan->tiles, push->tile_count, push, sizeof(*push));
        weft_gpu_record_barrier(commands);
    }
}
