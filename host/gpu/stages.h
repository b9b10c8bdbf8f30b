// stages.h: the stages that go over particles, springs and triangles once a step, as dispatches.
#pragma once

#include "commands.h"
#include "engine_buffers.h"

typedef struct WeftGpuStages
{
    const WeftGpuEngine *engine;
    WeftGpuPipeline      pipelines[WEFT_STAGE_COUNT]; // of the stages that this file records
    WeftGpuPipeline      wide[WEFT_STAGE_COUNT];      // of those that wide_stages.h records instead
} WeftGpuStages;

/// Fails with WEFT_ERROR_FAILED. Free with weft_gpu_stages_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_gpu_stages_create(WeftGpuStages *stages, const WeftGpuEngine *engine);
void                    weft_gpu_stages_destroy(WeftGpuStages *stages);

/// Whether weft_gpu_stages_record() is the one to record it; the others belong to solve.h.
bool weft_gpu_stages_has(WeftStage stage);

/// Records a stage and the barrier behind it; nothing if the scene gives it nothing to do. The last, guard, only measures:
/// weft_gpu_stages_record_end() ends the step.
void weft_gpu_stages_record(const WeftGpuStages *stages, WeftGpuCommands *commands,
                            WeftStage stage);
void weft_gpu_stages_record_end(const WeftGpuStages *stages, WeftGpuCommands *commands);
