// passes.c: render passes, the maps of depth, and the images that pictures are drawn into.
#include <string.h>

#include "render/renderer.h"

// Everything before a pass is done before it begins, and it is done before what follows: drawings here are few and large.
static const VkSubpassDependency dependencies[] = {
    {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
     VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0},
    {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
     VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, 0},
};

static WeftStatus create_pass(WeftRenderer *renderer, VkRenderPass *pass,
                              const VkAttachmentDescription *attachments, uint32_t count,
                              const VkSubpassDescription *subpass)
{
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = count,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = subpass,
        .dependencyCount = 2,
        .pDependencies = dependencies,
    };
    VK_TRY(vkCreateRenderPass(renderer->gpu->device, &info, NULL, pass), "preparing to draw");
    return WEFT_OK;
}

static WeftStatus create_map_pass(WeftRenderer *renderer)
{
    const VkAttachmentDescription depth = {
        .format = WEFT_DEPTH_FORMAT,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    };
    const VkAttachmentReference place = {0, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription  subpass = {.pDepthStencilAttachment = &place};
    return create_pass(renderer, &renderer->map_pass, &depth, 1, &subpass);
}

// What the passes that make pictures differ in. Colours and depths begin in `start`: undefined ones are drawn anew.
typedef struct PictureWish
{
    VkImageLayout start, color_end, depth_end;
    bool          stores_depth;
} PictureWish;

// Colour and depth; where pixels have several samples, a third image gets their mean.
static WeftStatus create_picture_pass(WeftRenderer *renderer, VkRenderPass *pass,
                                      const PictureWish *wish)
{
    bool                          is_mean = renderer->samples != VK_SAMPLE_COUNT_1_BIT;
    bool                          is_new = wish->start == VK_IMAGE_LAYOUT_UNDEFINED;
    const VkAttachmentDescription attachments[] = {
        {
            .format = renderer->format,
            .samples = renderer->samples,
            .loadOp = is_new ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : VK_ATTACHMENT_LOAD_OP_LOAD,
            .storeOp = is_mean ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = wish->start,
            .finalLayout = is_mean ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : wish->color_end,
        },
        {
            .format = WEFT_DEPTH_FORMAT,
            .samples = renderer->samples,
            .loadOp = is_new ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
            .storeOp = wish->stores_depth ? VK_ATTACHMENT_STORE_OP_STORE
                                          : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = wish->start,
            .finalLayout = wish->depth_end,
        },
        {
            .format = renderer->format,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = wish->color_end,
        },
    };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference mean = {2, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription  subpass = {
         .colorAttachmentCount = 1,
         .pColorAttachments = &color,
         .pDepthStencilAttachment = &depth,
         .pResolveAttachments = is_mean ? &mean : NULL,
    };
    return create_pass(renderer, pass, attachments, is_mean ? 3 : 2, &subpass);
}

WeftStatus weft_renderer_create_passes(WeftRenderer *renderer, VkImageLayout final_layout)
{
    const PictureWish picture = {VK_IMAGE_LAYOUT_UNDEFINED, final_layout,
                                 VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, false};
    const PictureWish ground = {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, true};
    const PictureWish dress = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, true};
    const PictureWish over = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, final_layout,
                              VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, false};
    WEFT_TRY(create_map_pass(renderer));
    WEFT_TRY(create_picture_pass(renderer, &renderer->picture_pass, &picture));
    if (!renderer->quality.keeps_ground)
        return WEFT_OK;
    WEFT_TRY(create_picture_pass(renderer, &renderer->ground_pass, &ground));
    WEFT_TRY(create_picture_pass(renderer, &renderer->dress_pass, &dress));
    return create_picture_pass(renderer, &renderer->over_pass, &over);
}

WeftStatus weft_renderer_create_frame(WeftRenderer *renderer, VkFramebuffer *frame,
                                      VkRenderPass pass, const VkImageView *views,
                                      uint32_t view_count, uint32_t width, uint32_t height)
{
    const VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = pass,
        .attachmentCount = view_count,
        .pAttachments = views,
        .width = width,
        .height = height,
        .layers = 1,
    };
    VK_TRY(vkCreateFramebuffer(renderer->gpu->device, &info, NULL, frame), "preparing to draw");
    return WEFT_OK;
}

WeftStatus weft_renderer_create_maps(WeftRenderer *renderer)
{
    const WeftRenderQuality *quality = &renderer->quality;
    // Shaders that never look at the sky's maps are still given some.
    uint32_t               sky_count = quality->sky_count ? quality->sky_count : 1;
    const WeftGpuImageWish key = {
        .name = "the light's map",
        .format = WEFT_DEPTH_FORMAT,
        .width = quality->key_size,
        .height = quality->key_size,
        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    WeftGpuImageWish sky = key;
    sky.name = "the maps of the sky";
    sky.width = sky.height = quality->sky_size;
    sky.layers = sky_count;
    WEFT_TRY(weft_gpu_image_create(renderer->gpu, &renderer->key_map, &key));
    WEFT_TRY(weft_gpu_image_create(renderer->gpu, &renderer->sky_maps, &sky));
    WEFT_TRY(weft_renderer_create_frame(renderer, &renderer->map_frames[0], renderer->map_pass,
                                        &renderer->key_map.view, 1, quality->key_size,
                                        quality->key_size));
    for (uint32_t k = 0; k < sky_count; k++)
    {
        WEFT_TRY(weft_gpu_image_layer(renderer->gpu, &renderer->sky_maps, k,
                                      &renderer->map_views[1 + k]));
        WEFT_TRY(weft_renderer_create_frame(renderer, &renderer->map_frames[1 + k],
                                            renderer->map_pass, &renderer->map_views[1 + k], 1,
                                            quality->sky_size, quality->sky_size));
    }
    return WEFT_OK;
}

static WeftStatus create_target(WeftRenderer *renderer, WeftRenderTarget *target, VkImage image,
                                VkImageView view)
{
    WeftGpu          *gpu = renderer->gpu;
    VkImageUsageFlags filled = renderer->quality.keeps_ground ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : 0;
    WeftGpuImageWish  wish = {
         .name = "the picture",
         .format = renderer->format,
         .width = target->width,
         .height = target->height,
         .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | filled,
    };
    target->image = image;
    if (!view)
    {
        WEFT_TRY(weft_gpu_image_create(gpu, &target->own, &wish));
        WEFT_TRY(weft_gpu_buffer_create(gpu, &target->pixels, "the picture",
                                        4 * (uint64_t)target->width * target->height,
                                        WEFT_GPU_ON_HOST));
        view = target->own.view;
        target->image = target->own.handle;
    }
    bool is_mean = renderer->samples != VK_SAMPLE_COUNT_1_BIT;
    wish.samples = renderer->samples;
    wish.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (is_mean)
        WEFT_TRY(weft_gpu_image_create(gpu, &target->color, &wish));
    wish.format = WEFT_DEPTH_FORMAT;
    wish.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | filled;
    WEFT_TRY(weft_gpu_image_create(gpu, &target->depth, &wish));
    if (renderer->quality.keeps_ground)
        WEFT_TRY(weft_ground_fit(renderer, target->width, target->height));
    const VkImageView views[] = {is_mean ? target->color.view : view, target->depth.view, view};
    return weft_renderer_create_frame(renderer, &target->frame, renderer->picture_pass, views,
                                      is_mean ? 3 : 2, target->width, target->height);
}

WeftStatus weft_render_target_create(WeftRenderer *renderer, WeftRenderTarget *target,
                                     uint32_t width, uint32_t height, VkImage image,
                                     VkImageView view)
{
    VkPhysicalDeviceProperties properties;
    memset(target, 0, sizeof *target);
    vkGetPhysicalDeviceProperties(renderer->gpu->physical, &properties);
    uint32_t most = properties.limits.maxFramebufferWidth < properties.limits.maxFramebufferHeight
                        ? properties.limits.maxFramebufferWidth
                        : properties.limits.maxFramebufferHeight;
    if (width > most || height > most)
        return weft_fail(WEFT_ERROR_INPUT,
                         "a picture of %ux%u pixels is too large: '%s' draws at most %u", width,
                         height, renderer->gpu->info.name, most);
    target->width = width;
    target->height = height;
    WeftStatus status = create_target(renderer, target, image, view);
    if (status != WEFT_OK)
        weft_render_target_destroy(renderer, target);
    return status;
}

void weft_render_target_destroy(WeftRenderer *renderer, WeftRenderTarget *target)
{
    WeftGpu *gpu = renderer->gpu;
    if (target->frame)
        vkDestroyFramebuffer(gpu->device, target->frame, NULL);
    weft_gpu_image_destroy(gpu, &target->own);
    weft_gpu_image_destroy(gpu, &target->color);
    weft_gpu_image_destroy(gpu, &target->depth);
    weft_gpu_buffer_destroy(gpu, &target->pixels);
    memset(target, 0, sizeof *target);
}
