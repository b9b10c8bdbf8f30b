// wide_stages.c: which stages have shaders for wide devices, and their push constants.
#include "wide_stages.h"

#include <stdio.h>

#include "wide.h"

enum
{
    GROUP_SIZE = 128
};

// Without a pattern there is nothing that the threads of springs would not do as well.
static bool has_wide(const WeftGpuEngine *engine, WeftStage stage)
{
    switch (stage)
    {
    case WEFT_STAGE_gather:
    case WEFT_STAGE_bend:
        return true;
    case WEFT_STAGE_classify:
    case WEFT_STAGE_springs:
    case WEFT_STAGE_guard:
        return engine->pattern.count > 0;
    default:
        return false;
    }
}

WeftStatus weft_gpu_wide_stages_create(WeftGpuStages *stages)
{
    const WeftGpuEngine *engine = stages->engine;
    uint32_t             constants[WEFT_GPU_PATTERN_CONSTANTS];
    char                 stem[48], name[64];
    for (int stage = 0; stage < WEFT_STAGE_COUNT && weft_gpu_is_wide(engine); stage++)
    {
        if (!has_wide(engine, (WeftStage)stage))
            continue;
        snprintf(stem, sizeof(stem), "%s_wide", weft_stage_name((WeftStage)stage));
        weft_gpu_engine_shader(engine, stem, name, sizeof(name));
        weft_gpu_pattern_constants(engine, stage == WEFT_STAGE_bend, GROUP_SIZE, SLICE_ROWS,
                                   constants);
        WEFT_TRY(weft_gpu_pipeline_create(engine->gpu, &stages->wide[stage], name, constants,
                                          WEFT_GPU_PATTERN_CONSTANTS));
    }
    return WEFT_OK;
}

// One thread for each row of a slice, or for those of several slices.
static void over_slices(const WeftGpuStages *stages, WeftGpuCommands *commands, WeftStage stage,
                        uint32_t each, const void *push, uint32_t push_bytes)
{
    const uint64_t slices = stages->engine->block.slice_count, units = (slices + each - 1) / each;
    weft_gpu_dispatch(commands, &stages->wide[stage], units * SLICE_ROWS, push, push_bytes);
}

#define DIGITS_OF_ALL                                                                              \
    {                                                                                              \
        0, 1, 2, 3, 4, 5, 6, 7                                                                     \
    }

static void dispatch_classify(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock        *block = &stages->engine->block;
    const struct ClassifyPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = DIGITS_OF_ALL,
        .share = block->share,
        .flags = block->s_flags,
        .lengths = block->s_length,
        .slacks = block->s_slack,
        .bases = block->s_base,
        .stiffness = block->s_stiffness,
        .dampings = block->s_damping,
        .regular = block->s_regular,
    };
    over_slices(stages, commands, WEFT_STAGE_classify, COUNTED_SLICES, &push, sizeof(push));
}

static void dispatch_springs(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock       *block = &stages->engine->block;
    const struct SpringsPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = DIGITS_OF_ALL,
        .x = block->x,
        .v = block->v,
        .flags = block->s_flags,
        .lengths = block->s_length,
        .rests = block->s_rest,
        .slacks = block->s_slack,
        .reaches = block->s_reach,
        .bases = block->s_base,
        .stiffness = block->s_stiffness,
        .dampings = block->s_damping,
        .regular = block->s_regular,
    };
    over_slices(stages, commands, WEFT_STAGE_springs, 1, &push, sizeof(push));
}

static void dispatch_gather(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock      *block = &stages->engine->block;
    const struct GatherPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = DIGITS_OF_ALL,
        .mass = block->mass,
        .impulses = block->s_impulse,
        .blocks = block->s_block,
        .regular = block->s_regular,
    };
    over_slices(stages, commands, WEFT_STAGE_gather, 1, &push, sizeof(push));
}

static void dispatch_bend(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock    *block = &stages->engine->block;
    const struct BendPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = DIGITS_OF_ALL,
        .x = block->x,
        .v = block->v,
        .light = block->light,
        .rest = block->b_rest,
        .base = block->b_base,
        .below = block->b_below,
        .stiffness = block->b_stiffness,
        .damping = block->b_damping,
        .regular = block->b_regular,
    };
    over_slices(stages, commands, WEFT_STAGE_bend, 1, &push, sizeof(push));
}

static void dispatch_guard(const WeftGpuStages *stages, WeftGpuCommands *commands)
{
    const EngineBlock     *block = &stages->engine->block;
    const struct GuardPush push = {
        .block = stages->engine->block_buffer.address,
        .digits = DIGITS_OF_ALL,
        .x = block->x,
        .flags = block->s_flags,
        .rests = block->s_rest,
        .regular = block->s_regular,
    };
    over_slices(stages, commands, WEFT_STAGE_guard, COUNTED_SLICES, &push, sizeof(push));
}

void weft_gpu_wide_stages_record(const WeftGpuStages *stages, WeftGpuCommands *commands,
                                 WeftStage stage)
{
    switch (stage)
    {
    case WEFT_STAGE_classify:
        dispatch_classify(stages, commands);
        break;
    case WEFT_STAGE_springs:
        dispatch_springs(stages, commands);
        break;
    case WEFT_STAGE_gather:
        dispatch_gather(stages, commands);
        break;
    case WEFT_STAGE_bend:
        dispatch_bend(stages, commands);
        break;
    default:
        dispatch_guard(stages, commands);
    }
}
