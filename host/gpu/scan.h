// scan.h: exclusive prefix sums of unsigned words on the device.
#pragma once

#include "commands.h"

typedef struct WeftGpuScan
{
    WeftGpuPipeline sums;
    WeftGpuPipeline tiles;
    WeftGpuBuffer   scratch;
    uint32_t        capacity;
} WeftGpuScan;

/// For arrays of up to `capacity` words. Free with weft_gpu_scan_destroy().
WEFT_CHECKED WeftStatus weft_gpu_scan_create(WeftGpu *gpu, WeftGpuScan *scan, uint32_t capacity);
void                    weft_gpu_scan_destroy(WeftGpu *gpu, WeftGpuScan *scan);

/// Records: result[i] <- sum of values[j] over j < i, modulo 2^32; result[count] <- the sum of all,
/// if wanted. The addresses may be the same. Ends with a barrier. Recordings that share a scan
/// object share its scratch memory: one after the other is fine.
void weft_gpu_scan_record(const WeftGpuScan *scan, WeftGpuCommands *commands, uint64_t values,
                          uint64_t result, uint32_t count, bool with_total);
