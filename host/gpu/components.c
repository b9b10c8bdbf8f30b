// components.c: start, hook, then as many rounds of jumping as the worst graph needs; rounds that
// turn out to be superfluous have an empty grid.
#include "components.h"

#include <string.h>

#include "primitives/primitives.h"

enum
{
    GROUP_SIZE = 256,
    MOST_ROUNDS = 8, // (LABEL_JUMPS + 1)^7 > 2^32
};

WeftStatus weft_gpu_components_create(WeftGpu *gpu, WeftGpuComponents *components)
{
    memset(components, 0, sizeof(*components));
    const uint32_t size[] = {GROUP_SIZE};
    WeftStatus status = weft_gpu_pipeline_create(gpu, &components->start, "label_start", size, 1);
    if (status == WEFT_OK)
        status = weft_gpu_pipeline_create(gpu, &components->hook, "label_hook", size, 1);
    if (status == WEFT_OK)
        status = weft_gpu_pipeline_create(gpu, &components->jump, "label_jump", size, 1);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &components->grids, "rounds of labelling",
                                        3 * sizeof(uint32_t) * MOST_ROUNDS, WEFT_GPU_ON_DEVICE);
    if (status != WEFT_OK)
        weft_gpu_components_destroy(gpu, components);
    return status;
}

void weft_gpu_components_destroy(WeftGpu *gpu, WeftGpuComponents *components)
{
    weft_gpu_pipeline_destroy(gpu, &components->start);
    weft_gpu_pipeline_destroy(gpu, &components->hook);
    weft_gpu_pipeline_destroy(gpu, &components->jump);
    weft_gpu_buffer_destroy(gpu, &components->grids);
    memset(components, 0, sizeof(*components));
}

// The smallest number of rounds that flattens a tree of all vertices.
static uint32_t round_count_of(uint32_t vertex_count)
{
    uint32_t rounds = 0;
    for (uint64_t height = 1; height < vertex_count; height *= LABEL_JUMPS + 1)
        rounds++;
    return rounds;
}

void weft_gpu_components_record(const WeftGpuComponents *components, WeftGpuCommands *commands,
                                const WeftGpuGraph *graph)
{
    uint32_t grid[2], vertices = graph->vertex_count, size = components->jump.group_size;
    weft_gpu_group_grid(commands->gpu, vertices / size + (vertices % size != 0), grid);
    struct LabelPush push = {
        .edges = graph->edges,
        .edge_flags = graph->edge_flags,
        .vertex_flags = graph->vertex_flags,
        .labels = graph->labels,
        .grids = components->grids.address,
        .vertex_count = vertices,
        .edge_count = graph->edge_count,
        .edge_mask = graph->edge_mask,
        .vertex_mask = graph->vertex_mask,
        .round_count = round_count_of(vertices),
        .grid_x = grid[0],
        .grid_y = grid[1],
    };
    weft_gpu_dispatch(commands, &components->start, vertices, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
    weft_gpu_dispatch(commands, &components->hook, graph->edge_count, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
    for (; push.round < push.round_count; push.round++)
    {
        if (push.round == 0)
            weft_gpu_dispatch(commands, &components->jump, vertices, &push, sizeof(push));
        else
            weft_gpu_dispatch_indirect(commands, &components->jump, &components->grids,
                                       3 * sizeof(uint32_t) * push.round, &push, sizeof(push));
        weft_gpu_record_barrier(commands);
    }
}
