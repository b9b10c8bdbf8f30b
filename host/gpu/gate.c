// gate.c: a table of the workgroups that dispatches would have, copied or cleared by a shader.
#include "gate.h"

#include <assert.h>
#include <string.h>

#include "primitives/primitives.h"

enum
{
    GATE_WORDS = 3 * GATE_DISPATCHES
};

WeftStatus weft_gpu_gate_create(WeftGpu *gpu, WeftGpuGate *gate, uint32_t count)
{
    memset(gate, 0, sizeof(*gate));
    const uint32_t size[] = {GATE_DISPATCHES};
    const uint64_t bytes = (uint64_t)count * GATE_WORDS * sizeof(uint32_t);
    WeftStatus     status = weft_gpu_pipeline_create(gpu, &gate->pipeline, "gate", size, 1);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &gate->sizes, "sizes behind gates", bytes,
                                        WEFT_GPU_ON_HOST);
    if (status == WEFT_OK)
        status = weft_gpu_buffer_create(gpu, &gate->grids, "grids behind gates", bytes,
                                        WEFT_GPU_ON_DEVICE);
    if (status == WEFT_OK)
        memset(gate->sizes.memory, 0, bytes);
    if (status == WEFT_OK)
        status = weft_gpu_fill(gpu, &gate->grids, 0);
    if (status != WEFT_OK)
        weft_gpu_gate_destroy(gpu, gate);
    return status;
}

void weft_gpu_gate_destroy(WeftGpu *gpu, WeftGpuGate *gate)
{
    weft_gpu_pipeline_destroy(gpu, &gate->pipeline);
    weft_gpu_buffer_destroy(gpu, &gate->sizes);
    weft_gpu_buffer_destroy(gpu, &gate->grids);
    memset(gate, 0, sizeof(*gate));
}

void weft_gpu_gate_begin(WeftGpuGate *gate, WeftGpuCommands *commands, uint32_t index,
                         uint64_t open)
{
    assert(commands->gate == NULL);
    const uint64_t        offset = (uint64_t)index * GATE_WORDS * sizeof(uint32_t);
    const struct GatePush push = {
        .open = open,
        .sizes = gate->sizes.address + offset,
        .grids = gate->grids.address + offset,
        .count = GATE_DISPATCHES,
    };
    weft_gpu_dispatch(commands, &gate->pipeline, push.count, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
    gate->index = index;
    gate->used = 0;
    commands->gate = gate;
}

void weft_gpu_gate_end(WeftGpuCommands *commands)
{
    commands->gate = NULL;
}

uint64_t weft_gpu_gate_add(WeftGpuGate *gate, const uint32_t grid[2])
{
    assert(gate->used < GATE_DISPATCHES);
    uint32_t  place = gate->index * GATE_WORDS + 3 * gate->used++;
    uint32_t *sizes = (uint32_t *)gate->sizes.memory + place;
    sizes[0] = grid[0];
    sizes[1] = grid[1];
    sizes[2] = 1;
    return place * sizeof(uint32_t);
}
