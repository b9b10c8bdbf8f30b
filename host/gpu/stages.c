// stages.c: pipelines and sizes of the stages outside the solver.
#include "stages.h"

#include <stdio.h>
#include <string.h>

#include "wide_stages.h"

enum
{
    GROUP_SIZE = 128,
    SOFTWARE_ITEMS = 32 // of a thread that may have several
};

bool weft_gpu_stages_has(WeftStage stage)
{
    switch (stage)
    {
    case WEFT_STAGE_keep:
    case WEFT_STAGE_weave:
    case WEFT_STAGE_classify:
    case WEFT_STAGE_springs:
    case WEFT_STAGE_air:
    case WEFT_STAGE_gather:
    case WEFT_STAGE_bend:
    case WEFT_STAGE_constrain:
    case WEFT_STAGE_react:
    case WEFT_STAGE_integrate:
    case WEFT_STAGE_collide:
    case WEFT_STAGE_guard:
        return true;
    default:
        return false;
    }
}

static WeftStatus create_pipelines(WeftGpuStages *stages)
{
    const WeftGpuEngine *engine = stages->engine;
    const uint32_t       size[] = {GROUP_SIZE};
    char                 name[64];
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        if (!weft_gpu_stages_has((WeftStage)stage))
            continue;
        weft_gpu_engine_stage_shader(engine, (WeftStage)stage, name, sizeof(name));
        WEFT_TRY(weft_gpu_pipeline_create(engine->gpu, &stages->pipelines[stage], name, size, 1));
    }
    return weft_gpu_wide_stages_create(stages);
}

WeftStatus weft_gpu_stages_create(WeftGpuStages *stages, const WeftGpuEngine *engine)
{
    memset(stages, 0, sizeof(*stages));
    stages->engine = engine;
    WeftStatus status = create_pipelines(stages);
    if (status != WEFT_OK)
        weft_gpu_stages_destroy(stages);
    return status;
}

void weft_gpu_stages_destroy(WeftGpuStages *stages)
{
    for (int stage = 0; stage < WEFT_STAGE_COUNT && stages->engine != NULL; stage++)
    {
        weft_gpu_pipeline_destroy(stages->engine->gpu, &stages->pipelines[stage]);
        weft_gpu_pipeline_destroy(stages->engine->gpu, &stages->wide[stage]);
    }
    memset(stages, 0, sizeof(*stages));
}

static uint64_t item_count(const EngineBlock *block, WeftStage stage)
{
    switch (stage)
    {
    case WEFT_STAGE_weave:
        return block->weave_count;
    case WEFT_STAGE_classify:
    case WEFT_STAGE_springs:
        return block->structural_count;
    case WEFT_STAGE_air:
        return block->triangle_count;
    case WEFT_STAGE_gather:
        return (uint64_t)block->slice_count * SLICE_ROWS + block->structural_slots;
    case WEFT_STAGE_guard:
        return block->structural_count > block->particle_count ? block->structural_count
                                                               : block->particle_count;
    case WEFT_STAGE_react:
    case WEFT_STAGE_collide:
        return block->solid_count > 0 ? block->particle_count : 0;
    default:
        return block->particle_count;
    }
}

// Shaders whose threads go on from item to item.
static bool takes_several(WeftStage stage)
{
    switch (stage)
    {
    case WEFT_STAGE_keep:
    case WEFT_STAGE_classify:
    case WEFT_STAGE_air:
    case WEFT_STAGE_constrain:
    case WEFT_STAGE_react:
    case WEFT_STAGE_integrate:
    case WEFT_STAGE_collide:
    case WEFT_STAGE_guard:
        return true;
    default:
        return false;
    }
}

// Where a processor plays the threads, starting one, and adding up what it has counted, costs more than the little that there is to
// do for an item: few threads take many items each.
static uint64_t thread_count(const WeftGpuStages *stages, WeftStage stage)
{
    const bool     is_software = stages->engine->gpu->info.kind == WEFT_GPU_SOFTWARE;
    const uint64_t items = item_count(&stages->engine->block, stage);
    if (is_software && takes_several(stage))
        return (items + SOFTWARE_ITEMS - 1) / SOFTWARE_ITEMS;
    return items;
}

static void dispatch(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage,
                     uint64_t threads, uint32_t phase)
{
    const struct StagePush push = {.block = stages->engine->block_buffer.address, .phase = phase};
    weft_gpu_dispatch(commands, &stages->pipelines[stage], threads, &push, sizeof(push));
}

static void record(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage,
                   uint64_t threads, uint32_t phase)
{
    if (threads == 0)
        return;
    dispatch(stages, commands, stage, threads, phase);
    weft_gpu_record_barrier(commands);
}

void weft_gpu_stages_record(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage)
{
    if (stages->wide[stage].handle != VK_NULL_HANDLE)
    {
        weft_gpu_wide_stages_record(stages, commands, stage);
        // The slots have nothing to do with the rows: no barrier between them.
        if (stage == WEFT_STAGE_gather)
            dispatch(stages, commands, stage, stages->engine->block.structural_slots, GATHER_SLOTS);
        weft_gpu_record_barrier(commands);
        return;
    }
    record(stages, commands, stage, thread_count(stages, stage), 0);
    if (stage == WEFT_STAGE_weave && stages->engine->block.weave_count > 0)
        record(stages, commands, stage, stages->engine->block.structural_count, WEAVE_SPRINGS);
}

void weft_gpu_stages_record_end(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    record(stages, commands, WEFT_STAGE_guard, 1, 1);
}
