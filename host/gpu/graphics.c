// graphics.c: from embedded SPIR-V to a pipeline that draws.
#include "graphics.h"

#include <stdio.h>

#include "pipeline.h"

enum
{
    MOST_CONSTANTS = 8
};

static WeftStatus build(WeftGpu *gpu, VkPipeline *pipeline, const WeftGpuGraphicsWish *wish,
                        const VkPipelineShaderStageCreateInfo *stages, const char *what)
{
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    };
    const VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1,
    };
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode = wish->culls_back ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
        .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .depthBiasEnable = wish->slope_offset != 0,
        .depthBiasSlopeFactor = wish->slope_offset,
        .lineWidth = 1,
    };
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = wish->samples,
    };
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = !wish->keeps_depth,
        .depthCompareOp = wish->is_foremost ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_LESS_OR_EQUAL,
    };
    const VkPipelineColorBlendAttachmentState attachment = {
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .colorWriteMask = 0xF,
    };
    VkPipelineColorBlendAttachmentState       opaque = {.colorWriteMask = 0xF};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = wish->fragment ? 1 : 0,
        .pAttachments = wish->is_foremost || wish->keeps_depth ? &attachment : &opaque,
    };
    const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    const VkPipelineDynamicStateCreateInfo dynamics = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = dynamic,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = wish->fragment ? 2 : 1,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewport,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blend,
        .pDynamicState = &dynamics,
        .layout = wish->layout,
        .renderPass = wish->pass,
    };
    VK_TRY(vkCreateGraphicsPipelines(gpu->device, gpu->cache, 1, &info, NULL, pipeline), what);
    return WEFT_OK;
}

WeftStatus weft_gpu_graphics_create(WeftGpu *gpu, VkPipeline *pipeline,
                                    const WeftGpuGraphicsWish *wish)
{
    char what[128];
    *pipeline = VK_NULL_HANDLE;
    snprintf(what, sizeof(what), "building the shader %s", wish->vertex);
    VkSpecializationMapEntry entries[MOST_CONSTANTS];
    for (uint32_t i = 0; i < wish->constant_count && i < MOST_CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * sizeof(uint32_t), sizeof(uint32_t)};
    const VkSpecializationInfo special = {
        .mapEntryCount = wish->constant_count,
        .pMapEntries = entries,
        .dataSize = wish->constant_count * sizeof(uint32_t),
        .pData = wish->constants,
    };
    VkPipelineShaderStageCreateInfo stages[2] = {0};
    const char                     *names[2] = {wish->vertex, wish->fragment};
    WeftStatus                      status = WEFT_OK;
    for (int i = 0; i < 2 && names[i] && status == WEFT_OK; i++)
    {
        stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        stages[i].pName = "main";
        stages[i].pSpecializationInfo = &special;
        status = weft_gpu_shader_module(gpu, names[i], &stages[i].module);
    }
    if (status == WEFT_OK)
        status = build(gpu, pipeline, wish, stages, what);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
    return status;
}
