// wide.c: which devices are wide, and the constants of pattern.glsl.
#include "wide.h"

#include <string.h>

enum
{
    WIDE_MOST = 1 << 24 // known_to_all() of lanes.glsl goes no further
};

bool weft_gpu_is_wide(const WeftGpuEngine *engine)
{
    const EngineBlock *block = &engine->block;
    const WeftGpuInfo *info = &engine->gpu->info;
    return info->kind == WEFT_GPU_SOFTWARE && info->subgroup_size == SLICE_ROWS &&
           info->has_int64 && info->has_subgroup_shuffle && block->padded_count < WIDE_MOST &&
           block->structural_count < WIDE_MOST;
}

void weft_gpu_pattern_constants(const WeftGpuEngine *engine, bool is_bend, uint32_t threads,
                                uint32_t tile_rows, uint32_t constants[WEFT_GPU_PATTERN_CONSTANTS])
{
    const WeftSlotPattern *pattern = is_bend ? &engine->bend_pattern : &engine->pattern;
    const uint32_t         first[] = {threads, tile_rows, pattern->count, pattern->gap};
    memcpy(constants, first, sizeof(first));
    memcpy(constants + 4, pattern->slots, sizeof(pattern->slots));
    constants[4 + 3 * PATTERN_MOST] = engine->block.padded_count;
    constants[5 + 3 * PATTERN_MOST] =
        (uint32_t)engine->shapes[is_bend ? WEFT_ARRAY_b_rest : WEFT_ARRAY_s_rest].length;
    constants[6 + 3 * PATTERN_MOST] = engine->block.slice_count;
}
