// renderer.c: a picture, pass by pass.
#include "render/renderer.h"

#include <string.h>

#include "render/overlay.h"
#include "render/surface_shared.h"
#include "render/view.h"

const WeftRenderQuality weft_quality_fine = {
    .samples = 4, .key_size = 2048, .sky_size = 96, .sky_count = 32, .taps = 12};
const WeftRenderQuality weft_quality_quick = {
    .samples = 1, .key_size = 512, .sky_size = 64, .sky_count = 0, .taps = 1};

static const Vec3 FLOOR = {0.62f, 0.62f, 0.61f}, SOLID = {0.40f, 0.40f, 0.41f};

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
        return weft_fail(WEFT_ERROR_INPUT, "'%s' cannot draw sRGB pictures", gpu->info.name);

    // As many samples as asked for, or the next lower number that the device has.
    VkSampleCountFlags there = properties.limits.framebufferColorSampleCounts &
                               properties.limits.framebufferDepthSampleCounts;
    uint32_t samples = renderer->quality.samples;
    while (samples > 1 && !(there & samples))
        samples /= 2;
    renderer->samples = samples > 1 ? (VkSampleCountFlagBits)samples : VK_SAMPLE_COUNT_1_BIT;
    return WEFT_OK;
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
    WEFT_TRY(weft_renderer_create_passes(renderer, wish->final_layout));
    WEFT_TRY(weft_renderer_create_maps(renderer));
    WEFT_TRY(weft_renderer_create_texture(renderer, wish->texture));
    WEFT_TRY(weft_renderer_create_set(renderer));
    WEFT_TRY(weft_renderer_create_drawings(renderer, wish->texture != NULL));
    return weft_gpu_commands_create(gpu, &renderer->commands);
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
    weft_gpu_image_destroy(gpu, &renderer->key_map);
    weft_gpu_image_destroy(gpu, &renderer->sky_maps);
    weft_gpu_image_destroy(gpu, &renderer->texture);
    weft_gpu_buffer_destroy(gpu, &renderer->view);
    weft_gpu_buffer_destroy(gpu, &renderer->strokes);
    weft_render_surface_destroy(&renderer->surface);
    weft_render_solids_destroy(&renderer->solids);
    memset(renderer, 0, sizeof *renderer);
}

// From the state to particles with normals.
static void record_particles(WeftRenderer *renderer, WeftGpuCommands *commands,
                             const WeftShot *shot)
{
    const WeftRenderSurface *surface = &renderer->surface;
    const SurfacePush        push = {
               .x = shot->state.x,
               .label = shot->state.labels,
               .fan_begin = surface->fan_begin.address,
               .fan = surface->fan.address,
               .corners = surface->corners.address,
               .particles = surface->particles.address,
               .stride = shot->state.stride,
               .count = surface->particle_count,
               .has_label = shot->state.labels != 0,
    };
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

static void push_constants(const WeftRenderer *renderer, VkCommandBuffer buffer,
                           const RenderPush *push)
{
    vkCmdPushConstants(buffer, renderer->layout,
                       VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *push,
                       push);
}

static void bind(const WeftRenderer *renderer, VkCommandBuffer buffer, WeftDrawing drawing)
{
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, renderer->drawings[drawing]);
}

static void begin_pass(const WeftRenderer *renderer, VkCommandBuffer buffer, VkRenderPass pass,
                       VkFramebuffer frame, uint32_t width, uint32_t height)
{
    const VkClearValue          clears[2] = {{.depthStencil = {1, 0}}, {.depthStencil = {1, 0}}};
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = pass,
        .framebuffer = frame,
        .renderArea = {{0, 0}, {width, height}},
        .clearValueCount = 2,
        .pClearValues = clears,
    };
    const VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
    const VkRect2D   scissor = {{0, 0}, {width, height}};
    vkCmdBeginRenderPass(buffer, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdSetViewport(buffer, 0, 1, &viewport);
    vkCmdSetScissor(buffer, 0, 1, &scissor);
    vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, renderer->layout, 0, 1,
                            &renderer->set, 0, NULL);
}

static void set_color(float out[4], Vec3 color, float extra)
{
    out[0] = color.x;
    out[1] = color.y;
    out[2] = color.z;
    out[3] = extra;
}

static void draw_depth_of_cloths(const WeftRenderer *renderer, VkCommandBuffer buffer,
                                 RenderPush push)
{
    const WeftRenderSurface *surface = &renderer->surface;
    if (surface->index_count == 0)
        return;
    push.particles = surface->particles.address;
    vkCmdBindIndexBuffer(buffer, surface->corners.handle, 0, VK_INDEX_TYPE_UINT32);
    push_constants(renderer, buffer, &push);
    vkCmdDrawIndexed(buffer, surface->index_count, 1, 0, 0, 0);
}

// `by_triangle` draws without the index buffer, which the shader then reads itself.
static void draw_cloths(const WeftRenderer *renderer, VkCommandBuffer buffer, RenderPush push,
                        bool by_triangle)
{
    const WeftRenderSurface *surface = &renderer->surface;
    push.vertices = surface->vertices.address;
    push.particles = surface->particles.address;
    push.indices = surface->indices.address;
    vkCmdBindIndexBuffer(buffer, surface->indices.handle, 0, VK_INDEX_TYPE_UINT32);
    for (size_t k = 0; k < surface->part_count; k++)
    {
        const WeftRenderPart *part = &surface->parts[k];
        if (part->index_count == 0)
            continue;
        set_color(push.front, part->front, 0);
        set_color(push.back, part->back, 0);
        memcpy(push.checks, part->checks, sizeof push.checks);
        push_constants(renderer, buffer, &push);
        if (by_triangle)
            vkCmdDraw(buffer, part->index_count, 1, part->first_index, 0);
        else
            vkCmdDrawIndexed(buffer, part->index_count, 1, part->first_index, 0, 0);
    }
}

static void draw_solids(const WeftRenderer *renderer, VkCommandBuffer buffer, RenderPush push,
                        double time)
{
    const WeftRenderSolids *solids = &renderer->solids;
    push.vertices = solids->vertex_buffer.address;
    set_color(push.front, SOLID, 0);
    vkCmdBindIndexBuffer(buffer, solids->index_buffer.handle, 0, VK_INDEX_TYPE_UINT32);
    for (size_t k = 0; k < solids->count; k++)
    {
        const WeftRenderSolid *solid = &solids->list[k];
        if (solid->is_plane)
            continue;
        weft_render_solid_rows(solids, k, time, push.rows);
        push_constants(renderer, buffer, &push);
        vkCmdDrawIndexed(buffer, solid->index_count, 1, solid->first_index, 0, 0);
    }
}

static void draw_planes(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    const WeftRenderSolids *solids = &renderer->solids;
    RenderPush              push = {.vertices = solids->plane_vertices.address};
    set_color(push.front, FLOOR, 0);
    vkCmdBindIndexBuffer(buffer, solids->index_buffer.handle, 0, VK_INDEX_TYPE_UINT32);
    for (size_t k = 0; k < solids->count; k++)
    {
        if (!solids->list[k].is_plane)
            continue;
        weft_render_plane_rows(solids, k, shot->state.time, shot->camera.focus, push.rows);

        // From behind, a plane would hide everything.
        Vec3 normal = weft_rows_apply(push.rows, vec3(0, 1, 0), 0);
        Vec3 foot = vec3(push.rows[3], push.rows[7], push.rows[11]);
        if (dot(normal, sub(shot->camera.eye, foot)) <= 0)
            continue;
        const RenderView *view = renderer->view.memory;
        float cosine = fmaxf(dot(normal, vec3(view->key[0], view->key[1], view->key[2])), 0);
        set_color(push.back,
                  multiply(scale(FLOOR, cosine),
                           vec3(view->key_color[0], view->key_color[1], view->key_color[2])),
                  0);
        push_constants(renderer, buffer, &push);
        vkCmdDrawIndexed(buffer, solids->plane_index_count, 1, solids->plane_first_index, 0, 0);
    }
}

// Chains in any case; springs and pins as a wireframe.
static void draw_lines(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                       float pixel)
{
    const WeftRenderSurface *surface = &renderer->surface;
    RenderPush               push = {.particles = surface->particles.address};
    for (size_t k = 0; k < surface->part_count; k++)
    {
        const WeftRenderPart *part = &surface->parts[k];
        if (part->edge_count == 0)
            continue;
        bind(renderer, buffer, WEFT_DRAW_LINE);
        push.vertices = surface->edges.address;
        set_color(push.front, part->front, 0);
        push.checks[0] = 4 * pixel;
        push_constants(renderer, buffer, &push);
        vkCmdDraw(buffer, 6 * part->edge_count, 1, 6 * part->first_edge, 0);
    }
    if (shot->show != WEFT_SHOW_WIREFRAME)
        return;
    if (surface->spring_count > 0)
    {
        bind(renderer, buffer, WEFT_DRAW_LINE);
        push.vertices = surface->spring_records.address;
        push.indices = shot->state.flags;
        push.has_flags = shot->state.flags != 0;
        set_color(push.front, vec3(0.10f, 0.11f, 0.13f), 0.3f * surface->spacing);
        push.checks[0] = 1.3f * pixel;
        push_constants(renderer, buffer, &push);
        vkCmdDraw(buffer, 6 * surface->spring_count, 1, 0, 0);
    }
    if (surface->pin_count > 0)
    {
        bind(renderer, buffer, WEFT_DRAW_PIN);
        push.vertices = surface->pins.address;
        set_color(push.front, vec3(0, 0, 0), 0.4f * surface->spacing);
        push.checks[0] = 7 * pixel;
        push.checks[1] = (float)shot->state.time;
        push_constants(renderer, buffer, &push);
        vkCmdDraw(buffer, 48 * surface->pin_count, 1, 0, 0);
    }
}

static void draw_legend(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                        const WeftRenderTarget *target)
{
    WeftOverlay overlay = {.strokes = renderer->strokes.memory};
    if (shot->has_legend && shot->show == WEFT_SHOW_STRETCH)
        weft_overlay_stretch(&overlay, shot->stretch_range, target->width, target->height);
    else if (shot->has_legend && shot->show == WEFT_SHOW_WIREFRAME && shot->state.flags)
        weft_overlay_springs(&overlay, target->width, target->height);
    if (overlay.count == 0)
        return;
    const RenderPush push = {.vertices = renderer->strokes.address};
    bind(renderer, buffer, WEFT_DRAW_OVERLAY);
    push_constants(renderer, buffer, &push);
    vkCmdDraw(buffer, 6 * overlay.count, 1, 0, 0);
}

static void record_maps(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    // Maps that nothing looks at still have to be in the layout that the shaders are promised.
    uint32_t sky_count = renderer->quality.sky_count ? renderer->quality.sky_count : 1;
    for (uint32_t map = 0; map <= sky_count; map++)
    {
        const RenderPush push = {.map = map};
        uint32_t         size = map == 0 ? renderer->quality.key_size : renderer->quality.sky_size;
        begin_pass(renderer, buffer, renderer->map_pass, renderer->map_frames[map], size, size);
        if (map == 0 || renderer->quality.sky_count > 0)
        {
            bind(renderer, buffer, WEFT_DRAW_DEPTH_CLOTH);
            draw_depth_of_cloths(renderer, buffer, push);
            bind(renderer, buffer, WEFT_DRAW_DEPTH_SOLID);
            draw_solids(renderer, buffer, push, shot->state.time);
        }
        vkCmdEndRenderPass(buffer);
    }
}

void weft_renderer_record(WeftRenderer *renderer, WeftGpuCommands *commands,
                          const WeftRenderTarget *target, const WeftShot *shot)
{
    VkCommandBuffer    buffer = commands->buffer;
    const WeftViewSize size = {target->width, target->height, renderer->quality.key_size,
                               renderer->quality.sky_size, renderer->quality.sky_count};
    RenderView        *view = renderer->view.memory;
    weft_render_solids_shape(&renderer->solids, shot->state.time);
    weft_view_fill(view, &shot->camera, &renderer->solids, shot->state.time, &size);
    view->stretch[0] = shot->stretch_range > 0 ? shot->stretch_range : 1;

    record_particles(renderer, commands, shot);
    record_maps(renderer, buffer, shot);
    begin_pass(renderer, buffer, renderer->picture_pass, target->frame, target->width,
               target->height);
    if (shot->draw_under)
        shot->draw_under(shot->draw_user, buffer);
    bind(renderer, buffer, WEFT_DRAW_CLOTH + (WeftDrawing)shot->show);
    draw_cloths(renderer, buffer, (RenderPush){0}, shot->show == WEFT_SHOW_COMPONENTS);
    bind(renderer, buffer, WEFT_DRAW_SOLID);
    draw_solids(renderer, buffer, (RenderPush){0}, shot->state.time);
    bind(renderer, buffer, WEFT_DRAW_PLANE);
    draw_planes(renderer, buffer, shot);
    bind(renderer, buffer, WEFT_DRAW_BACKDROP);
    push_constants(renderer, buffer, &(RenderPush){0});
    vkCmdDraw(buffer, 3, 1, 0, 0);
    draw_lines(renderer, buffer, shot, fmaxf((float)target->height / 720, 0.8f));
    draw_legend(renderer, buffer, shot, target);
    if (shot->draw_over)
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
