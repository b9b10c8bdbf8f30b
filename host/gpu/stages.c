// stages.c: pipelines and sizes of the stages outside the solver.
#include "stages.h"

#include <stdio.h>
#include <string.h>

#include "wide.h"

enum
{
    GROUP_SIZE = 128,
    SOFTWARE_ITEMS = 16 // of a thread that counts
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
    uint32_t             constants[WEFT_GPU_PATTERN_CONSTANTS];
    char                 name[64];
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        if (!weft_gpu_stages_has((WeftStage)stage))
            continue;
        weft_gpu_engine_stage_shader(engine, (WeftStage)stage, name, sizeof(name));
        WEFT_TRY(weft_gpu_pipeline_create(engine->gpu, &stages->pipelines[stage], name, size, 1));
    }
    if (!weft_gpu_is_wide(engine))
        return WEFT_OK;
    weft_gpu_pattern_constants(engine, false, GROUP_SIZE, SLICE_ROWS, constants);
    weft_gpu_engine_shader(engine, "gather_wide", name, sizeof(name));
    WEFT_TRY(weft_gpu_pipeline_create(engine->gpu, &stages->wide_gather, name, constants,
                                      WEFT_GPU_PATTERN_CONSTANTS));
    weft_gpu_pattern_constants(engine, true, GROUP_SIZE, SLICE_ROWS, constants);
    weft_gpu_engine_shader(engine, "bend_wide", name, sizeof(name));
    return weft_gpu_pipeline_create(engine->gpu, &stages->wide_bend, name, constants,
                                    WEFT_GPU_PATTERN_CONSTANTS);
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
        weft_gpu_pipeline_destroy(stages->engine->gpu, &stages->pipelines[stage]);
    if (stages->engine != NULL)
    {
        weft_gpu_pipeline_destroy(stages->engine->gpu, &stages->wide_gather);
        weft_gpu_pipeline_destroy(stages->engine->gpu, &stages->wide_bend);
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

// Where a processor plays the threads, adding up what they have counted costs more than the counting: few threads take many
// items each.
static uint64_t thread_count(const WeftGpuStages *stages, WeftStage stage)
{
    const bool     is_software = stages->engine->gpu->info.kind == WEFT_GPU_SOFTWARE;
    const uint64_t items = item_count(&stages->engine->block, stage);
    if (is_software && (stage == WEFT_STAGE_classify || stage == WEFT_STAGE_guard))
        return (items + SOFTWARE_ITEMS - 1) / SOFTWARE_ITEMS;
    return items;
}

static void record(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage,
                   uint64_t threads, uint32_t phase)
{
    const struct StagePush push = {.block = stages->engine->block_buffer.address, .phase = phase};
    if (threads == 0)
        return;
    weft_gpu_dispatch(commands, &stages->pipelines[stage], threads, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

// The rows; then the slots, which have nothing to do with them.
static void record_wide_gather(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock      *block = &stages->engine->block;
    const struct GatherPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .mass = block->mass,
        .impulses = block->s_impulse,
        .blocks = block->s_block,
        .regular = block->s_regular,
        .slice_count = block->slice_count,
    };
    weft_gpu_dispatch(commands, &stages->wide_gather, (uint64_t)block->slice_count * SLICE_ROWS,
                      &push, sizeof(push));
    record(stages, commands, WEFT_STAGE_gather, block->structural_slots, GATHER_SLOTS);
}

static void record_wide_bend(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock    *block = &stages->engine->block;
    const struct BendPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .x = block->x,
        .v = block->v,
        .light = block->light,
        .rest = block->b_rest,
        .base = block->b_base,
        .below = block->b_below,
        .stiffness = block->b_stiffness,
        .damping = block->b_damping,
        .regular = block->b_regular,
        .slice_count = block->slice_count,
    };
    weft_gpu_dispatch(commands, &stages->wide_bend, block->particle_count, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

void weft_gpu_stages_record(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage)
{
    const bool is_wide = stages->wide_gather.handle != VK_NULL_HANDLE;
    if (is_wide && stage == WEFT_STAGE_gather)
    {
        record_wide_gather(stages, commands);
        return;
    }
    if (is_wide && stage == WEFT_STAGE_bend)
    {
        record_wide_bend(stages, commands);
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
