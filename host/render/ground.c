// ground.c: see ground.h.
#include "render/ground.h"

#include <string.h>

#include "render/draw.h"

static WeftStatus create_layer(WeftRenderer *renderer, WeftGroundLayer *layer)
{
    const WeftGround *ground = &renderer->ground;
    VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    WeftGpuImageWish  wish = {
         .name = "the ground",
         .format = renderer->format,
         .width = ground->width,
         .height = ground->height,
         .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | copied,
    };
    WEFT_TRY(weft_gpu_image_create(renderer->gpu, &layer->color, &wish));
    wish.format = WEFT_DEPTH_FORMAT;
    wish.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | copied;
    WEFT_TRY(weft_gpu_image_create(renderer->gpu, &layer->depth, &wish));
    const VkImageView views[] = {layer->color.view, layer->depth.view};
    return weft_renderer_create_frame(renderer, &layer->frame, renderer->ground_pass, views, 2,
                                      ground->width, ground->height);
}

WeftStatus weft_ground_fit(WeftRenderer *renderer, uint32_t width, uint32_t height)
{
    WeftGround *ground = &renderer->ground;
    if (ground->width == width && ground->height == height)
        return WEFT_OK;
    weft_ground_destroy(renderer);
    ground->width = width;
    ground->height = height;
    WeftStatus status = create_layer(renderer, &ground->bare);
    if (status == WEFT_OK)
        status = create_layer(renderer, &ground->dressed);
    if (status != WEFT_OK)
        weft_ground_destroy(renderer);
    return status;
}

void weft_ground_destroy(WeftRenderer *renderer)
{
    WeftGroundLayer *layers[] = {&renderer->ground.bare, &renderer->ground.dressed};
    for (int k = 0; k < 2; k++)
    {
        if (layers[k]->frame)
            vkDestroyFramebuffer(renderer->gpu->device, layers[k]->frame, NULL);
        weft_gpu_image_destroy(renderer->gpu, &layers[k]->color);
        weft_gpu_image_destroy(renderer->gpu, &layers[k]->depth);
    }
    memset(&renderer->ground, 0, sizeof renderer->ground);
}

// Takes note of what the ground looks like in this picture; true if it was the same in the one before.
static bool is_as_before(const WeftRenderer *renderer, WeftGround *ground, const WeftShot *shot)
{
    const WeftRenderSolids *solids = &renderer->solids;
    bool   same = memcmp(&ground->view, renderer->view.memory, sizeof ground->view) == 0;
    size_t count = 0;
    memcpy(&ground->view, renderer->view.memory, sizeof ground->view);
    for (size_t k = 0; k < solids->count; k++)
    {
        float rows[12];
        if (!solids->list[k].is_plane)
            continue;
        if (count == WEFT_GROUND_PLANES)
            return false;
        weft_render_solid_rows(solids, k, shot->state.time, rows);
        same &= memcmp(ground->planes[count], rows, sizeof rows) == 0;
        memcpy(ground->planes[count++], rows, sizeof rows);
    }
    return same;
}

// The rectangle of the light's map that solids throw shadows from. surface.comp widens it by the cloth.
static void reach_of_solids(const WeftRenderer *renderer, double time, float reach[4])
{
    const RenderView *view = renderer->view.memory;
    reach[0] = reach[1] = 1;
    reach[2] = reach[3] = 0;
    for (size_t k = 0; k < renderer->solids.count; k++)
    {
        const WeftRenderSolid *entry = &renderer->solids.list[k];
        float                  rows[12];
        if (entry->is_plane)
            continue;
        weft_render_solid_rows(&renderer->solids, k, time, rows);
        for (int corner = 0; corner < 8; corner++)
        {
            Vec3 local = vec3(corner & 1 ? entry->high.x : entry->low.x,
                              corner & 2 ? entry->high.y : entry->low.y,
                              corner & 4 ? entry->high.z : entry->low.z);
            Vec3 place = weft_rows_apply(rows, local, 1);
            for (int axis = 0; axis < 2; axis++)
            {
                const float *row = view->key_rows[axis];
                float        at = clampf(dot(vec3(row[0], row[1], row[2]), place) + row[3], 0, 1);
                reach[axis] = fminf(reach[axis], at);
                reach[2 + axis] = fmaxf(reach[2 + axis], at);
            }
        }
    }
}

static void copy_image(VkCommandBuffer buffer, const WeftGpuImage *from, VkImage to,
                       VkImageAspectFlags aspect)
{
    const WeftGpuImage filled = {.handle = to, .format = from->format, .layers = 1, .levels = 1};
    const VkImageCopy  copy = {
         .srcSubresource = {aspect, 0, 0, 1},
         .dstSubresource = {aspect, 0, 0, 1},
         .extent = {from->width, from->height, 1},
    };
    weft_gpu_image_layout(buffer, &filled, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyImage(buffer, from->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
}

static void copy_layer(VkCommandBuffer buffer, const WeftGroundLayer *from, VkImage color,
                       VkImage depth)
{
    copy_image(buffer, &from->color, color, VK_IMAGE_ASPECT_COLOR_BIT);
    copy_image(buffer, &from->depth, depth, VK_IMAGE_ASPECT_DEPTH_BIT);
}

static void draw_bare(WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    WeftGround *ground = &renderer->ground;
    weft_draw_begin(renderer, buffer, renderer->ground_pass, ground->bare.frame, ground->width,
                    ground->height);
    weft_draw_planes(renderer, buffer, shot, WEFT_PLANES_LIT);
    weft_draw_backdrop(renderer, buffer);
    vkCmdEndRenderPass(buffer);
    ground->is_drawn = true;
    ground->dress_number = 0;
}

static void draw_dressed(WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot)
{
    WeftGround *ground = &renderer->ground;
    copy_layer(buffer, &ground->bare, ground->dressed.color.handle, ground->dressed.depth.handle);
    weft_draw_begin(renderer, buffer, renderer->dress_pass, ground->dressed.frame, ground->width,
                    ground->height);
    shot->draw_over(shot->draw_user, buffer);
    vkCmdEndRenderPass(buffer);
    ground->dress_number = shot->over_number;
}

bool weft_ground_put(WeftRenderer *renderer, VkCommandBuffer buffer, WeftRenderTarget *target,
                     const WeftShot *shot)
{
    WeftGround *ground = &renderer->ground;
    if (ground->width != target->width || ground->height != target->height)
        return false;
    reach_of_solids(renderer, shot->state.time, renderer->reach.memory);
    if (!is_as_before(renderer, ground, shot))
    {
        ground->is_drawn = false;
        return false;
    }
    if (!ground->is_drawn)
        draw_bare(renderer, buffer, shot);
    if (shot->draw_over && ground->dress_number != shot->over_number)
        draw_dressed(renderer, buffer, shot);
    copy_layer(buffer, shot->draw_over ? &ground->dressed : &ground->bare, target->image,
               target->depth.handle);
    return true;
}
