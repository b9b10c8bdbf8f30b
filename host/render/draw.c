// draw.c: cloths, solids, planes, lines and legends.
#include "render/draw.h"

#include <string.h>

#include "render/overlay.h"

static const Vec3 FLOOR = {0.62f, 0.62f, 0.61f}, SOLID = {0.40f, 0.40f, 0.41f};

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

void weft_draw_begin(const WeftRenderer *renderer, VkCommandBuffer buffer, VkRenderPass pass,
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

void weft_draw_cloths(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    const WeftRenderSurface *surface = &renderer->surface;
    RenderPush               push = {
                      .vertices = surface->vertices.address,
                      .particles = surface->particles.address,
                      .indices = surface->indices.address,
    };
    bind(renderer, buffer, WEFT_DRAW_CLOTH + (WeftDrawing)shot->show);
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
        // Where components are shown, the shader reads the index buffer itself.
        if (shot->show == WEFT_SHOW_COMPONENTS)
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

void weft_draw_solids(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    bind(renderer, buffer, WEFT_DRAW_SOLID);
    draw_solids(renderer, buffer, (RenderPush){0}, shot->state.time);
}

void weft_draw_depths(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      uint32_t map)
{
    const RenderPush push = {.map = map};
    bind(renderer, buffer, WEFT_DRAW_DEPTH_CLOTH);
    draw_depth_of_cloths(renderer, buffer, push);
    bind(renderer, buffer, WEFT_DRAW_DEPTH_SOLID);
    draw_solids(renderer, buffer, push, shot->state.time);
}

void weft_draw_planes(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      WeftPlaneLook look)
{
    static const WeftDrawing drawings[] = {WEFT_DRAW_PLANE, WEFT_DRAW_LIT_PLANE, WEFT_DRAW_SHADE};
    const WeftRenderSolids  *solids = &renderer->solids;
    const RenderView        *view = renderer->view.memory;
    RenderPush               push = {.vertices = solids->plane_vertices.address,
                                     .particles = renderer->reach.address};
    // Shades lie a little before their plane.
    set_color(push.front, FLOOR, 2e-4f * shot->camera.focus_radius);
    bind(renderer, buffer, drawings[look]);
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
        float cosine = fmaxf(dot(normal, vec3(view->key[0], view->key[1], view->key[2])), 0);
        set_color(push.back,
                  multiply(scale(FLOOR, cosine),
                           vec3(view->key_color[0], view->key_color[1], view->key_color[2])),
                  0);
        push_constants(renderer, buffer, &push);
        if (look != WEFT_PLANES_SHADED)
            vkCmdDrawIndexed(buffer, solids->plane_index_count, 1, solids->plane_first_index, 0, 0);
        else if (cosine > 0)
            vkCmdDraw(buffer, 6 * SHADE_CELLS * SHADE_CELLS, 1, 0, 0);
    }
}

void weft_draw_backdrop(const WeftRenderer *renderer, VkCommandBuffer buffer)
{
    bind(renderer, buffer, WEFT_DRAW_BACKDROP);
    push_constants(renderer, buffer, &(RenderPush){0});
    vkCmdDraw(buffer, 3, 1, 0, 0);
}

void weft_draw_lines(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                     uint32_t height)
{
    float                    pixel = fmaxf((float)height / 720, 0.8f);
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

void weft_draw_legend(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      uint32_t width, uint32_t height)
{
    WeftOverlay overlay = {.strokes = renderer->strokes.memory};
    if (shot->has_legend && shot->show == WEFT_SHOW_STRETCH)
        weft_overlay_stretch(&overlay, shot->stretch_range, width, height);
    else if (shot->has_legend && shot->show == WEFT_SHOW_WIREFRAME && shot->state.flags)
        weft_overlay_springs(&overlay, width, height);
    if (overlay.count == 0)
        return;
    const RenderPush push = {.vertices = renderer->strokes.address};
    bind(renderer, buffer, WEFT_DRAW_OVERLAY);
    push_constants(renderer, buffer, &push);
    vkCmdDraw(buffer, 6 * overlay.count, 1, 0, 0);
}
