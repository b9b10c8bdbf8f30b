// wide.h: shaders for software drivers with wide vectors, and what is built into those that go by the pattern of slots.
#pragma once

#include "engine_buffers.h"

enum
{
    WEFT_GPU_PATTERN_CONSTANTS = 7 + 3 * PATTERN_MOST
};

/// Whether the device is a processor that plays eight threads as the lanes of its vectors: lanes.glsl.
bool weft_gpu_is_wide(const WeftGpuEngine *engine);

/// The constants of a shader that includes pattern.glsl, for the stretch and shear springs or those that bend.
void weft_gpu_pattern_constants(const WeftGpuEngine *engine, bool is_bend, uint32_t threads,
                                uint32_t tile_rows, uint32_t constants[WEFT_GPU_PATTERN_CONSTANTS]);
