// sort.c: radix sort from the lowest digit up. A pass counts the digits of each tile, adds up where each goes, and moves
// the items there.
#include "sort.h"

#include <string.h>

#include "primitives/primitives.h"

enum
{
    ALONE_THREADS = 8 // of a workgroup whose threads have a tile each
};

// Items of a tile. A processor that plays threads by turns has a tile for each of few threads: sort.h.
static uint32_t tile_items_of(const WeftGpuSort *sort, uint32_t count)
{
    uint32_t items = (count + RADIX_ALONE - 1) / RADIX_ALONE;
    if (!sort->is_alone || items > RADIX_TILE)
        return RADIX_TILE;
    return items > RADIX_FEWEST ? items : RADIX_FEWEST;
}

static uint32_t tile_count_of(const WeftGpuSort *sort, uint32_t count)
{
    uint32_t items = tile_items_of(sort, count);
    return count / items + (count % items != 0);
}

static WeftStatus create_pipelines(WeftGpu *gpu, WeftGpuSort *sort)
{
    const uint32_t size = sort->is_alone ? ALONE_THREADS : RADIX_DIGITS;
    WEFT_TRY(weft_gpu_pipeline_create(
        gpu, &sort->count, sort->is_alone ? "radix_count_alone" : "radix_count", &size, 1));
    WEFT_TRY(weft_gpu_pipeline_create(
        gpu, &sort->scatter, sort->is_alone ? "radix_scatter_alone" : "radix_scatter", &size, 1));
    if (!sort->is_alone && sort->scatter.group_size != RADIX_DIGITS)
        return weft_fail(WEFT_ERROR_INPUT, "'%s' has no workgroups of %d threads", gpu->info.name,
                         RADIX_DIGITS);
    return WEFT_OK;
}

WeftStatus weft_gpu_sort_create(WeftGpu *gpu, WeftGpuSort *sort, uint32_t capacity)
{
    memset(sort, 0, sizeof(*sort));
    sort->is_alone =
        gpu->info.kind == WEFT_GPU_SOFTWARE && gpu->info.subgroup_size >= ALONE_THREADS;
    uint32_t   words = RADIX_DIGITS * tile_count_of(sort, capacity);
    WeftStatus status = create_pipelines(gpu, sort);
    if (status == WEFT_OK)
        status = weft_gpu_scan_create(gpu, &sort->scan, words);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &sort->counts, "digits of a sort", 4 * (uint64_t)words,
                                        WEFT_GPU_ON_DEVICE);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &sort->items, "items of a sort",
                                        4 * (uint64_t)capacity, WEFT_GPU_ON_DEVICE);
    if (status != WEFT_OK)
        weft_gpu_sort_destroy(gpu, sort);
    return status;
}

void weft_gpu_sort_destroy(WeftGpu *gpu, WeftGpuSort *sort)
{
    weft_gpu_pipeline_destroy(gpu, &sort->count);
    weft_gpu_pipeline_destroy(gpu, &sort->scatter);
    weft_gpu_scan_destroy(gpu, &sort->scan);
    weft_gpu_buffer_destroy(gpu, &sort->counts);
    weft_gpu_buffer_destroy(gpu, &sort->items);
    memset(sort, 0, sizeof(*sort));
}

static void over_tiles(const WeftGpuSort *sort, WeftGpuCommands *commands,
                       const WeftGpuPipeline *pipeline, const struct RadixPush *push)
{
    if (sort->is_alone)
        weft_gpu_dispatch(commands, pipeline, push->tile_count, push, sizeof(*push));
    else
        weft_gpu_dispatch_groups(commands, pipeline, push->tile_count, push, sizeof(*push));
}

void weft_gpu_sort_record(const WeftGpuSort *sort, WeftGpuCommands *commands, uint64_t keys,
                          uint64_t items, uint64_t places, uint32_t count, uint32_t limit)
{
    uint32_t pass_count = 1;
    while (pass_count * RADIX_BITS < 32 && limit >> (pass_count * RADIX_BITS) != 0)
        pass_count++;

    // Passes alternate between two arrays such that the last one ends in `items`.
    uint64_t         orders[] = {items, sort->items.address};
    struct RadixPush push = {
        .keys = keys,
        .places = places,
        .counts = sort->counts.address,
        .count = count,
        .tile_count = tile_count_of(sort, count),
        .tile_items = tile_items_of(sort, count),
        .limit = limit,
    };
    for (uint32_t pass = 0; pass < pass_count; pass++)
    {
        push.to = orders[(pass_count - 1 - pass) % 2];
        push.from = orders[(pass_count - pass) % 2];
        push.shift = pass * RADIX_BITS;
        push.is_first = pass == 0;
        push.is_last = pass + 1 == pass_count;
        over_tiles(sort, commands, &sort->count, &push);
        weft_gpu_record_barrier(commands);
        weft_gpu_scan_record(&sort->scan, commands, push.counts, push.counts,
                             RADIX_DIGITS * push.tile_count, false);
        over_tiles(sort, commands, &sort->scatter, &push);
        weft_gpu_record_barrier(commands);
    }
}
