// renderer.c: a picture, pass by pass.
#include "render/renderer.h"

#include <string.h>

#include "render/draw.h"
#include "render/overlay.h"
#include "render/surface_shared.h"
#include "render/view.h"

const WeftRenderQuality weft_quality_fine = {
    .samples = 4, .key_size = 2048, .sky_size = 96, .sky_count = 32, .taps = 12};
const WeftRenderQuality weft_quality_quick = {
    .samples = 1, .key_size = 512, .sky_size = 1, .sky_count = 0, .taps = 1, .keeps_ground = true};

static WeftStatus check_device(WeftRenderer *renderer)
{
    const WeftGpu             *gpu = renderer->gpu;
    VkPhysicalDeviceProperties properties;
    VkFormatProperties         format;
    if (!gpu->info.draws)
        return weft_fail(WEFT_ERROR_INPUT, "'%s' computes, but cannot draw", gpu->info.name);
    vkGetPhysicalDeviceProperties(gpu->physical, &properties);
    vkGetPhysicalDeviceFormatProperties(gpu->physical, renderer->format, &format);
    if (!(format.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT))
        return weft_fail(WEFT_ERROR_INPUT, "'%s' cannot draw pictures of that format",
                         gpu->info.name);

    // As many samples as asked for, or the next lower number that the device has.
    VkSampleCountFlags there = properties.limits.framebufferColorSampleCounts &
                               properties.limits.framebufferDepthSampleCounts;
    uint32_t samples = renderer->quality.samples;
    while (samples > 1 && !(there & samples))
        samples /= 2;
    renderer->samples = samples > 1 ? (VkSampleCountFlagBits)samples : VK_SAMPLE_COUNT_1_BIT;
    return WEFT_OK;
}

// Maps of the sky that nothing looks at, or draws into, still have to be in the layout that the shaders are promised.
static WeftStatus settle_sky(WeftRenderer *renderer)
{
    WeftGpuCommands *commands = &renderer->commands;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    weft_gpu_image_layout(commands->buffer, &renderer->sky_maps, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    WEFT_TRY(weft_gpu_commands_end(commands));
    WEFT_TRY(weft_gpu_commands_submit(commands, 1));
    return weft_gpu_commands_wait(commands);
}

static WeftStatus create(WeftRenderer *renderer, const WeftRendererWish *wish)
{
    WeftGpu *gpu = renderer->gpu;
    WEFT_TRY(check_device(renderer));
    WEFT_TRY(weft_render_surface_create(gpu, &renderer->surface, wish->model, wish->springs,
                                        wish->spring_count));
    WEFT_TRY(weft_render_solids_create(gpu, &renderer->solids, wish->model,
                                       0.3f * renderer->surface.spacing,
                                       wish->quality.sky_count > 0));
    WEFT_TRY(
        weft_gpu_buffer_create(gpu, &renderer->view, "view", sizeof(RenderView), WEFT_GPU_ON_HOST));
    WEFT_TRY(weft_gpu_buffer_create(gpu, &renderer->strokes, "strokes",
                                    WEFT_OVERLAY_MOST * sizeof(WeftStroke), WEFT_GPU_ON_HOST));
    WEFT_TRY(weft_gpu_buffer_create(gpu, &renderer->reach, "the reach of shadows", sizeof(float[4]),
                                    WEFT_GPU_ON_HOST));
    WEFT_TRY(weft_renderer_create_passes(renderer, wish->final_layout));
    WEFT_TRY(weft_renderer_create_maps(renderer));
    WEFT_TRY(weft_renderer_create_texture(renderer, wish->texture));
    WEFT_TRY(weft_renderer_create_set(renderer));
    WEFT_TRY(weft_renderer_create_drawings(renderer, wish->texture != NULL));
    WEFT_TRY(weft_gpu_commands_create(gpu, &renderer->commands));
    return wish->quality.sky_count > 0 ? WEFT_OK : settle_sky(renderer);
}

bool weft_renderer_encodes(const WeftRenderer *renderer)
{
    return renderer->format == VK_FORMAT_B8G8R8A8_UNORM ||
           renderer->format == VK_FORMAT_R8G8B8A8_UNORM;
}

WeftStatus weft_renderer_create(WeftRenderer *renderer, const WeftRendererWish *wish)
{
    memset(renderer, 0, sizeof *renderer);
    renderer->gpu = wish->gpu;
    renderer->quality = wish->quality;
    renderer->format = wish->format;
    WeftStatus status = create(renderer, wish);
    if (status != WEFT_OK)
        weft_renderer_destroy(renderer);
    return status;
}

void weft_renderer_destroy(WeftRenderer *renderer)
{
    WeftGpu *gpu = renderer->gpu;
    if (!gpu)
        return;
    VkDevice device = gpu->device;
    weft_gpu_commands_destroy(&renderer->commands);
    weft_ground_destroy(renderer);
    for (int k = 0; k < WEFT_DRAW_COUNT; k++)
        vkDestroyPipeline(device, renderer->drawings[k], NULL);
    weft_gpu_pipeline_destroy(gpu, &renderer->surface_f32);
    weft_gpu_pipeline_destroy(gpu, &renderer->surface_f64);
    weft_gpu_pipeline_destroy(gpu, &renderer->strain);
    vkDestroyPipelineLayout(device, renderer->layout, NULL);
    vkDestroyDescriptorPool(device, renderer->set_pool, NULL);
    vkDestroyDescriptorSetLayout(device, renderer->set_layout, NULL);
    vkDestroySampler(device, renderer->map_sampler, NULL);
    vkDestroySampler(device, renderer->texture_sampler, NULL);
    for (int k = 0; k <= SKY_MOST; k++)
    {
        vkDestroyFramebuffer(device, renderer->map_frames[k], NULL);
        vkDestroyImageView(device, renderer->map_views[k], NULL);
    }
    vkDestroyRenderPass(device, renderer->map_pass, NULL);
    vkDestroyRenderPass(device, renderer->picture_pass, NULL);
    vkDestroyRenderPass(device, renderer->ground_pass, NULL);
    vkDestroyRenderPass(device, renderer->dress_pass, NULL);
    vkDestroyRenderPass(device, renderer->over_pass, NULL);
    weft_gpu_image_destroy(gpu, &renderer->key_map);
    weft_gpu_image_destroy(gpu, &renderer->sky_maps);
    weft_gpu_image_destroy(gpu, &renderer->texture);
    weft_gpu_buffer_destroy(gpu, &renderer->view);
    weft_gpu_buffer_destroy(gpu, &renderer->strokes);
    weft_gpu_buffer_destroy(gpu, &renderer->reach);
    weft_render_surface_destroy(&renderer->surface);
    weft_render_solids_destroy(&renderer->solids);
    memset(renderer, 0, sizeof *renderer);
}

// From the state to particles with normals.
static void record_particles(WeftRenderer *renderer, WeftGpuCommands *commands,
                             const WeftShot *shot)
{
    const WeftRenderSurface *surface = &renderer->surface;
    const RenderView        *view = renderer->view.memory;
    SurfacePush              push = {
                     .x = shot->state.x,
                     .label = shot->state.labels,
                     .fan_begin = surface->fan_begin.address,
                     .fan = surface->fan.address,
                     .corners = surface->corners.address,
                     .particles = surface->particles.address,
                     .stride = shot->state.stride,
                     .count = surface->particle_count,
                     .has_label = shot->state.labels != 0,
                     .reach = renderer->reach.address,
                     .has_reach = renderer->quality.keeps_ground,
    };
    memcpy(push.key_rows, view->key_rows, sizeof push.key_rows);
    const StrainPush strain = {
        .springs = surface->spring_records.address,
        .particles = surface->particles.address,
        .count = surface->spring_count,
    };
    weft_gpu_dispatch(commands,
                      shot->state.is_double ? &renderer->surface_f64 : &renderer->surface_f32,
                      surface->particle_count, &push, sizeof push);
    if (shot->show == WEFT_SHOW_STRETCH)
    {
        weft_gpu_barrier(commands->buffer);
        weft_gpu_dispatch(commands, &renderer->strain, surface->spring_count, &strain,
                          sizeof strain);
    }
    weft_gpu_barrier_all(commands->buffer);
}

static void record_maps(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    for (uint32_t map = 0; map <= renderer->quality.sky_count; map++)
    {
        uint32_t size = map == 0 ? renderer->quality.key_size : renderer->quality.sky_size;
        weft_draw_begin(renderer, buffer, renderer->map_pass, renderer->map_frames[map], size,
                        size);
        weft_draw_depths(renderer, buffer, shot, map);
        vkCmdEndRenderPass(buffer);
    }
}

void weft_renderer_record(WeftRenderer *renderer, WeftGpuCommands *commands,
                          WeftRenderTarget *target, const WeftShot *shot)
{
    VkCommandBuffer    buffer = commands->buffer;
    const WeftViewSize size = {target->width, target->height, renderer->quality.key_size,
                               renderer->quality.sky_size, renderer->quality.sky_count};
    RenderView        *view = renderer->view.memory;
    weft_render_solids_shape(&renderer->solids, shot->state.time);
    weft_view_fill(view, &shot->camera, &renderer->solids, shot->state.time, &size);
    bool has_ground = weft_ground_put(renderer, buffer, target, shot);
    view->stretch[0] = shot->stretch_range > 0 ? shot->stretch_range : 1;

    record_particles(renderer, commands, shot);
    record_maps(renderer, buffer, shot);
    weft_draw_begin(renderer, buffer, has_ground ? renderer->over_pass : renderer->picture_pass,
                    target->frame, target->width, target->height);
    weft_draw_cloths(renderer, buffer, shot);
    weft_draw_solids(renderer, buffer, shot);
    weft_draw_planes(renderer, buffer, shot, has_ground ? WEFT_PLANES_SHADED : WEFT_PLANES_WHOLE);
    if (!has_ground)
        weft_draw_backdrop(renderer, buffer);
    weft_draw_lines(renderer, buffer, shot, target->height);
    weft_draw_legend(renderer, buffer, shot, target->width, target->height);
    if (shot->draw_over && !has_ground)
        shot->draw_over(shot->draw_user, buffer);
    vkCmdEndRenderPass(buffer);
}

static void record_copy(WeftGpuCommands *commands, const WeftRenderTarget *target)
{
    const VkBufferImageCopy copy = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {target->width, target->height, 1},
    };
    vkCmdCopyImageToBuffer(commands->buffer, target->own.handle,
                           VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target->pixels.handle, 1, &copy);
    weft_gpu_barrier_all(commands->buffer);
}

WeftStatus weft_renderer_draw(WeftRenderer *renderer, WeftRenderTarget *target,
                              const WeftShot *shot)
{
    WeftGpuCommands *commands = &renderer->commands;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    weft_renderer_record(renderer, commands, target, shot);
    if (target->own.handle)
        record_copy(commands, target);
    WEFT_TRY(weft_gpu_commands_end(commands));
    WEFT_TRY(weft_gpu_commands_submit(commands, 1));
    return weft_gpu_commands_wait(commands);
}
