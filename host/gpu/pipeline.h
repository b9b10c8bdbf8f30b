// pipeline.h: compute pipelines from the shaders that are embedded in the program.
//
// A shader gets all it needs as push constants, WEFT_GPU_PUSH_BYTES at most: addresses of buffers
// and scalars. Specialization constant 0 is the size of its workgroup; others are its own.
#pragma once

#include "device.h"

typedef struct WeftGpuPipeline
{
    VkPipeline handle;
    uint32_t   group_size; // threads in a workgroup
} WeftGpuPipeline;

/// Builds the shader `name` (shaders/.../name.comp). constants[0] is the wanted size of the
/// workgroup, lowered to what the device allows; the others are constants 1, 2 ... Fails with
/// WEFT_ERROR_FAILED if the driver does not take it. Free with weft_gpu_pipeline_destroy(), which
/// also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_gpu_pipeline_create(WeftGpu *gpu, WeftGpuPipeline *pipeline,
                                                 const char *name, const uint32_t *constants,
                                                 uint32_t constant_count);
void                    weft_gpu_pipeline_destroy(WeftGpu *gpu, WeftGpuPipeline *pipeline);

/// The module of an embedded shader. Fails with WEFT_ERROR_FAILED if there is none or the driver
/// does not take it. Free with vkDestroyShaderModule().
WEFT_CHECKED WeftStatus weft_gpu_shader_module(WeftGpu *gpu, const char *name,
                                               VkShaderModule *module);
