// reduce.c: tile by tile until one number is left.
#include "reduce.h"

#include <string.h>

#include "primitives/primitives.h"

static uint32_t tile_count_of(uint32_t count)
{
    return count / REDUCE_TILE + (count % REDUCE_TILE != 0);
}

WeftStatus weft_gpu_reduce_create(WeftGpu *gpu, WeftGpuReduce *reduce, uint32_t capacity)
{
    memset(reduce, 0, sizeof(*reduce));
    uint64_t words = 0;
    for (uint32_t count = tile_count_of(capacity); count > 1; count = tile_count_of(count))
        words += count;
    WeftStatus status = weft_gpu_pipeline_create(gpu, &reduce->sum, "reduce",
                                                 (const uint32_t[]){REDUCE_LANES, REDUCE_SUM}, 2);
    if (status == WEFT_OK)
        status = weft_gpu_pipeline_create(gpu, &reduce->dot, "reduce",
                                          (const uint32_t[]){REDUCE_LANES, REDUCE_DOT}, 2);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &reduce->scratch, "scratch of a reduction", 4 * words,
                                        WEFT_GPU_ON_DEVICE);
    if (status != WEFT_OK)
        weft_gpu_reduce_destroy(gpu, reduce);
    return status;
}

void weft_gpu_reduce_destroy(WeftGpu *gpu, WeftGpuReduce *reduce)
{
    weft_gpu_pipeline_destroy(gpu, &reduce->sum);
    weft_gpu_pipeline_destroy(gpu, &reduce->dot);
    weft_gpu_buffer_destroy(gpu, &reduce->scratch);
    memset(reduce, 0, sizeof(*reduce));
}

void weft_gpu_reduce_record(const WeftGpuReduce *reduce, WeftGpuCommands *commands, uint64_t a,
                            uint64_t b, uint64_t result, uint32_t count)
{
    const WeftGpuPipeline *pipeline = b ? &reduce->dot : &reduce->sum;
    uint64_t               scratch = reduce->scratch.address;
    for (bool more = true; more;)
    {
        // An empty array is one empty tile.
        uint32_t tiles = count ? tile_count_of(count) : 1;
        more = tiles > 1;
        const struct ReducePush push = {
            .a = a,
            .b = b ? b : a,
            .sums = more ? scratch : result,
            .count = count,
            .tile_count = tiles,
        };
        weft_gpu_dispatch_groups(commands, pipeline, tiles, &push, sizeof(push));
        weft_gpu_record_barrier(commands);

        // The sums of the tiles are the next array.
        pipeline = &reduce->sum;
        a = scratch;
        b = 0;
        count = tiles;
        scratch += 4 * (uint64_t)tiles;
    }
}
