// pipeline.c: from embedded SPIR-V to a pipeline.
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#include "shader_table.h"

enum
{
    MOST_CONSTANTS = 32
};

static const WeftShader *find_shader(const char *name)
{
    for (const WeftShader *shader = weft_shader_table; shader->name; shader++)
        if (strcmp(shader->name, name) == 0)
            return shader;
    return NULL;
}

WeftStatus weft_gpu_shader_module(WeftGpu *gpu, const char *name, VkShaderModule *module)
{
    *module = VK_NULL_HANDLE;
    const WeftShader *shader = find_shader(name);
    if (!shader)
        return weft_fail(WEFT_ERROR_FAILED, "there is no shader '%s'", name);
    char what[128];
    snprintf(what, sizeof(what), "building the shader %s", name);
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = *shader->bytes,
        .pCode = shader->words,
    };
    VK_TRY(vkCreateShaderModule(gpu->device, &info, NULL, module), what);
    return WEFT_OK;
}

WeftStatus weft_gpu_pipeline_create(WeftGpu *gpu, WeftGpuPipeline *pipeline, const char *name,
                                    const uint32_t *constants, uint32_t constant_count)
{
    memset(pipeline, 0, sizeof(*pipeline));
    if (constant_count < 1 || constant_count > MOST_CONSTANTS)
        return weft_fail(WEFT_ERROR_FAILED, "there is no shader '%s' with %u constants", name,
                         constant_count);
    char what[128];
    snprintf(what, sizeof(what), "building the shader %s", name);

    // The constants, with the workgroup as the device allows it.
    uint32_t                 values[MOST_CONSTANTS];
    VkSpecializationMapEntry entries[MOST_CONSTANTS];
    for (uint32_t i = 0; i < constant_count; i++)
    {
        values[i] = constants[i];
        entries[i] = (VkSpecializationMapEntry){i, i * sizeof(uint32_t), sizeof(uint32_t)};
    }
    values[0] = weft_gpu_group_size(gpu, constants[0]);
    const VkSpecializationInfo special = {
        .mapEntryCount = constant_count,
        .pMapEntries = entries,
        .dataSize = constant_count * sizeof(uint32_t),
        .pData = values,
    };

    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .pName = "main",
                .pSpecializationInfo = &special,
            },
        .layout = gpu->layout,
    };
    WEFT_TRY(weft_gpu_shader_module(gpu, name, &info.stage.module));
    VkResult result =
        vkCreateComputePipelines(gpu->device, gpu->cache, 1, &info, NULL, &pipeline->handle);
    vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
    VK_TRY(result, what);
    pipeline->group_size = values[0];
    return WEFT_OK;
}

void weft_gpu_pipeline_destroy(WeftGpu *gpu, WeftGpuPipeline *pipeline)
{
    if (pipeline->handle)
        vkDestroyPipeline(gpu->device, pipeline->handle, NULL);
    memset(pipeline, 0, sizeof(*pipeline));
}
