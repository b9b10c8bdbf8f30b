// reduce.h: sums and dot products of float arrays on the device, with the same bits on every device
// and in every run: the order of the additions depends on the length alone.
#pragma once

#include "commands.h"

typedef struct WeftGpuReduce
{
    WeftGpuPipeline sum;
    WeftGpuPipeline dot;
    WeftGpuBuffer   scratch;
} WeftGpuReduce;

/// For arrays of up to `capacity` floats. Free with weft_gpu_reduce_destroy().
WEFT_CHECKED WeftStatus weft_gpu_reduce_create(WeftGpu *gpu, WeftGpuReduce *reduce,
                                               uint32_t capacity);
void                    weft_gpu_reduce_destroy(WeftGpu *gpu, WeftGpuReduce *reduce);

/// Records: *result <- sum of a[i], or of a[i] b[i] if `b` is not 0. Ends with a barrier.
void weft_gpu_reduce_record(const WeftGpuReduce *reduce, WeftGpuCommands *commands, uint64_t a,
                            uint64_t b, uint64_t result, uint32_t count);
