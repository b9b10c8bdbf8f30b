// wide_stages.h: stages outside the solver by their shaders for wide devices (wide.h). Each has the addresses of what it
// reads among its push constants.
#pragma once

#include "stages.h"

/// Creates stages->wide: none unless the device is wide. Fails with WEFT_ERROR_FAILED; what was created is left to destroy.
WEFT_CHECKED WeftStatus weft_gpu_wide_stages_create(WeftGpuStages *stages);

/// Records a stage that has a pipeline in stages->wide, without a barrier.
void weft_gpu_wide_stages_record(const WeftGpuStages *stages, WeftGpuCommands *commands,
                                 WeftStage stage);
