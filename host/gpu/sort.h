// sort.h: stable sort of items by key on the device.
#pragma once

#include "scan.h"

typedef struct WeftGpuSort
{
    // Whether each thread has a tile for itself: on a software device with wide vectors the barriers of a workgroup cost
    // more than the sorting.
    bool            is_alone;
    WeftGpuPipeline count;
    WeftGpuPipeline scatter;
    WeftGpuScan     scan;
    WeftGpuBuffer   counts;
    WeftGpuBuffer   items; // in the order between two passes
} WeftGpuSort;

/// For up to `capacity` items. Fails with WEFT_ERROR_FAILED. Free with weft_gpu_sort_destroy().
WEFT_CHECKED WeftStatus weft_gpu_sort_create(WeftGpu *gpu, WeftGpuSort *sort, uint32_t capacity);
void                    weft_gpu_sort_destroy(WeftGpu *gpu, WeftGpuSort *sort);

/// Records: items[] <- 0 .. count-1 in order of keys[item], the lower item first among equals; places[items[k]] <- k.
/// Keys above `limit` count as `limit`: the fewer bits it has, the fewer passes. Addresses of words. Ends with
/// a barrier.
void weft_gpu_sort_record(const WeftGpuSort *sort, WeftGpuCommands *commands, uint64_t keys,
                          uint64_t items, uint64_t places, uint32_t count, uint32_t limit);
