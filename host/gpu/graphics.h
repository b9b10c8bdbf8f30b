// graphics.h: pipelines that draw: a vertex and a fragment shader, and the few settings that weft's
// differ in. Vertices come through addresses, as all data of weft's shaders does.
#pragma once

#include "device.h"

typedef struct WeftGpuGraphicsWish
{
    const char           *vertex;   // shader
    const char           *fragment; // shader; NULL draws depth only
    VkPipelineLayout      layout;
    VkRenderPass          pass;
    VkSampleCountFlagBits samples;
    bool  is_foremost;  // blended over everything before it, and nothing is drawn behind it later
    bool  keeps_depth;  // blended; leaves the depths as they are
    bool  culls_back;   // leaves out triangles that are seen from behind
    float slope_offset; // of the depth, in parts of what it changes by from pixel to pixel
    const uint32_t *constants; // specialization constants 0, 1 ... of both shaders
    uint32_t        constant_count;
} WeftGpuGraphicsWish;

/// Builds a pipeline for triangles whose viewport is set when drawing. Fails with WEFT_ERROR_FAILED.
/// Free with vkDestroyPipeline().
WEFT_CHECKED WeftStatus weft_gpu_graphics_create(WeftGpu *gpu, VkPipeline *pipeline,
                                                 const WeftGpuGraphicsWish *wish);
