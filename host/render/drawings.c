// drawings.c: what the shaders are given (view, maps, texture) and the pipelines that draw.
#include <stdlib.h>

#include "render/renderer.h"

enum
{
    BINDING_COUNT = 4
};

static WeftStatus create_samplers(WeftRenderer *renderer)
{
    // A look between texels gives a mean of comparisons where the driver can do that.
    VkFormatProperties format;
    vkGetPhysicalDeviceFormatProperties(renderer->gpu->physical, renderer->key_map.format, &format);
    bool linear = format.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    const VkSamplerCreateInfo map = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
        .minFilter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
        // Beyond the map there are no shadows.
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
        .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
        .compareEnable = VK_TRUE,
        .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
    };
    // An image that is not tiled does not show its far side along an edge.
    VkSamplerAddressMode      around = renderer->surface.is_tiled
                                           ? VK_SAMPLER_ADDRESS_MODE_REPEAT
                                           : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    const VkSamplerCreateInfo image = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .addressModeU = around,
        .addressModeV = around,
        .addressModeW = around,
        .maxLod = VK_LOD_CLAMP_NONE,
    };
    VkDevice device = renderer->gpu->device;
    VK_TRY(vkCreateSampler(device, &map, NULL, &renderer->map_sampler), "preparing to draw");
    VK_TRY(vkCreateSampler(device, &image, NULL, &renderer->texture_sampler), "preparing to draw");
    return WEFT_OK;
}

// The texture, or a white dot in its place.
WeftStatus weft_renderer_create_texture(WeftRenderer *renderer, const WeftPixels *texture)
{
    uint8_t           white[4] = {255, 255, 255, 255};
    const WeftPixels  dot = {1, 1, white};
    const WeftPixels *pixels = texture ? texture : &dot;
    WeftGpuImageWish  wish = {
         .name = "the texture",
         .format = VK_FORMAT_R8G8B8A8_SRGB,
         .width = pixels->width,
         .height = pixels->height,
         .levels = 1,
         .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    };
    for (uint32_t side = pixels->width > pixels->height ? pixels->width : pixels->height; side > 1;
         side /= 2)
        wish.levels++;
    WEFT_TRY(weft_gpu_image_create(renderer->gpu, &renderer->texture, &wish));
    return weft_gpu_image_upload(renderer->gpu, &renderer->texture, pixels->bytes);
}

static void write_set(WeftRenderer *renderer)
{
    const VkDescriptorBufferInfo view = {renderer->view.handle, 0, sizeof(RenderView)};
    const VkDescriptorImageInfo  images[] = {
         {renderer->map_sampler, renderer->key_map.view,
          VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
         {renderer->map_sampler, renderer->sky_maps.view,
          VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
         {renderer->texture_sampler, renderer->texture.view,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
    };
    VkWriteDescriptorSet writes[BINDING_COUNT];
    for (uint32_t k = 0; k < BINDING_COUNT; k++)
        writes[k] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = renderer->set,
            .dstBinding = k,
            .descriptorCount = 1,
            .descriptorType = k == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                     : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .pBufferInfo = k == 0 ? &view : NULL,
            .pImageInfo = k == 0 ? NULL : &images[k - 1],
        };
    vkUpdateDescriptorSets(renderer->gpu->device, BINDING_COUNT, writes, 0, NULL);
}

WeftStatus weft_renderer_create_set(WeftRenderer *renderer)
{
    VkDevice device = renderer->gpu->device;
    WEFT_TRY(create_samplers(renderer));
    VkDescriptorSetLayoutBinding bindings[BINDING_COUNT];
    for (uint32_t k = 0; k < BINDING_COUNT; k++)
        bindings[k] = (VkDescriptorSetLayoutBinding){
            .binding = k,
            .descriptorType = k == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                     : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BINDING_COUNT,
        .pBindings = bindings,
    };
    VK_TRY(vkCreateDescriptorSetLayout(device, &set_layout, NULL, &renderer->set_layout),
           "preparing to draw");
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, BINDING_COUNT - 1},
    };
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 2,
        .pPoolSizes = sizes,
    };
    VK_TRY(vkCreateDescriptorPool(device, &pool, NULL, &renderer->set_pool), "preparing to draw");
    const VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = renderer->set_pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &renderer->set_layout,
    };
    VK_TRY(vkAllocateDescriptorSets(device, &set, &renderer->set), "preparing to draw");
    write_set(renderer);

    const VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
        .size = sizeof(RenderPush),
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &renderer->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK_TRY(vkCreatePipelineLayout(device, &layout, NULL, &renderer->layout), "preparing to draw");
    return WEFT_OK;
}

static WeftStatus create_drawing(WeftRenderer *renderer, WeftDrawing drawing, const char *vertex,
                                 const char *fragment, uint32_t show, bool has_texture)
{
    uint32_t            taps = drawing == WEFT_DRAW_LIT_PLANE ? 0 : renderer->quality.taps;
    const uint32_t      constants[CONSTANT_COUNT] = {show, renderer->quality.sky_count, taps,
                                                     has_texture, weft_renderer_encodes(renderer)};
    bool                is_depth = fragment == NULL;
    WeftGpuGraphicsWish wish = {
        .vertex = vertex,
        .fragment = fragment,
        .layout = renderer->layout,
        .pass = is_depth ? renderer->map_pass : renderer->picture_pass,
        .samples = is_depth ? VK_SAMPLE_COUNT_1_BIT : renderer->samples,
        .keeps_depth = drawing == WEFT_DRAW_LINE || drawing == WEFT_DRAW_OVERLAY,
        // Solids are closed: their far sides are hidden in any case.
        .culls_back = drawing == WEFT_DRAW_SOLID,
        // Surfaces do not shade themselves; shades lie before their plane, which drivers round in their own way.
        .slope_offset = is_depth                     ? 1.5f
                        : drawing == WEFT_DRAW_SHADE ? -0.25f
                                                     : 0,
        .constants = constants,
        .constant_count = CONSTANT_COUNT,
    };
    return weft_gpu_graphics_create(renderer->gpu, &renderer->drawings[drawing], &wish);
}

WeftStatus weft_renderer_create_drawings(WeftRenderer *renderer, bool has_texture)
{
    static const struct
    {
        WeftDrawing drawing;
        const char *vertex, *fragment;
        uint32_t    show;
    } rows[] = {
        {WEFT_DRAW_CLOTH + SHOW_FABRIC, "cloth_vert", "cloth_frag", SHOW_FABRIC},
        {WEFT_DRAW_CLOTH + SHOW_COMPONENTS, "cloth_vert", "cloth_frag", SHOW_COMPONENTS},
        {WEFT_DRAW_CLOTH + SHOW_STRETCH, "cloth_vert", "cloth_frag", SHOW_STRETCH},
        {WEFT_DRAW_CLOTH + SHOW_WIREFRAME, "cloth_vert", "cloth_frag", SHOW_WIREFRAME},
        {WEFT_DRAW_SOLID, "solid_vert", "solid_frag", 0},
        {WEFT_DRAW_PLANE, "plane_vert", "plane_frag", 0},
        {WEFT_DRAW_LIT_PLANE, "plane_vert", "plane_frag", 0},
        {WEFT_DRAW_SHADE, "shade_vert", "plane_frag", 0},
        {WEFT_DRAW_BACKDROP, "backdrop_vert", "backdrop_frag", 0},
        {WEFT_DRAW_LINE, "line_vert", "tint_frag", 0},
        {WEFT_DRAW_PIN, "pin_vert", "tint_frag", 0},
        {WEFT_DRAW_OVERLAY, "overlay_vert", "tint_frag", 0},
        {WEFT_DRAW_DEPTH_CLOTH, "depth_vert", NULL, SHOW_FABRIC},
        {WEFT_DRAW_DEPTH_SOLID, "depth_vert", NULL, SHOW_WIREFRAME},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    {
        bool is_for_ground =
            rows[k].drawing == WEFT_DRAW_LIT_PLANE || rows[k].drawing == WEFT_DRAW_SHADE;
        if (is_for_ground && !renderer->quality.keeps_ground)
            continue;
        WEFT_TRY(create_drawing(renderer, rows[k].drawing, rows[k].vertex, rows[k].fragment,
                                rows[k].show, has_texture));
    }
    const uint32_t group = 64;
    WEFT_TRY(
        weft_gpu_pipeline_create(renderer->gpu, &renderer->surface_f32, "surface_f32", &group, 1));
    WEFT_TRY(weft_gpu_pipeline_create(renderer->gpu, &renderer->strain, "strain", &group, 1));
    if (renderer->gpu->info.has_float64)
        WEFT_TRY(weft_gpu_pipeline_create(renderer->gpu, &renderer->surface_f64, "surface_f64",
                                          &group, 1));
    return WEFT_OK;
}
