// painter.c: the panel's triangles on the device.
#include "view/painter.h"

#include <string.h>

#include "render/panel.h"

enum
{
    MOST_VERTICES = 1 << 16,
    MOST_INDICES = 3 << 16
};

static const VkShaderStageFlags BOTH_STAGES =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

static WeftStatus create_buffers(WeftPainter *painter)
{
    WeftGpu       *gpu = painter->gpu;
    const uint8_t *font = weft_panel_font(&painter->font_width, &painter->font_height);
    uint64_t       bytes = ((uint64_t)painter->font_width * painter->font_height + 3) / 4 * 4;
    WEFT_TRY(weft_gpu_buffer_create(gpu, &painter->font, "the font", bytes, WEFT_GPU_ON_DEVICE));
    WEFT_TRY(weft_gpu_buffer_create(gpu, &painter->vertices, "the panel",
                                    MOST_VERTICES * PANEL_VERTEX_WORDS * sizeof(uint32_t),
                                    WEFT_GPU_ON_HOST));
    WEFT_TRY(weft_gpu_buffer_create(gpu, &painter->indices, "the panel",
                                    MOST_INDICES * sizeof(uint16_t), WEFT_GPU_ON_HOST));
    return weft_gpu_upload(gpu, &painter->font, 0, font, bytes);
}

static WeftStatus create(WeftPainter *painter, const WeftRenderer *renderer)
{
    const VkPushConstantRange        push = {BOTH_STAGES, 0, sizeof(PanelPush)};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    WEFT_TRY(create_buffers(painter));
    VK_TRY(vkCreatePipelineLayout(painter->gpu->device, &layout, NULL, &painter->layout),
           "preparing to draw");
    const uint32_t constants[CONSTANT_COUNT] = {
        [CONSTANT_ENCODES] = weft_renderer_encodes(renderer),
    };
    const WeftGpuGraphicsWish wish = {
        .vertex = "panel_vert",
        .fragment = "panel_frag",
        .layout = painter->layout,
        .pass = renderer->picture_pass,
        .samples = renderer->samples,
        .is_foremost = true,
        .constants = constants,
        .constant_count = CONSTANT_COUNT,
    };
    return weft_gpu_graphics_create(painter->gpu, &painter->pipeline, &wish);
}

WeftStatus weft_painter_create(WeftPainter *painter, const WeftRenderer *renderer)
{
    memset(painter, 0, sizeof *painter);
    painter->gpu = renderer->gpu;
    WeftStatus status = create(painter, renderer);
    if (status != WEFT_OK)
        weft_painter_destroy(painter);
    return status;
}

void weft_painter_destroy(WeftPainter *painter)
{
    WeftGpu *gpu = painter->gpu;
    if (!gpu)
        return;
    vkDestroyPipeline(gpu->device, painter->pipeline, NULL);
    vkDestroyPipelineLayout(gpu->device, painter->layout, NULL);
    weft_gpu_buffer_destroy(gpu, &painter->font);
    weft_gpu_buffer_destroy(gpu, &painter->vertices);
    weft_gpu_buffer_destroy(gpu, &painter->indices);
    memset(painter, 0, sizeof *painter);
}

void weft_painter_take(WeftPainter *painter, const WeftPanelDrawing *drawing, uint32_t width,
                       uint32_t height)
{
    bool is_same = painter->drawing.number == drawing->number;
    painter->drawing = *drawing;
    painter->width = width;
    painter->height = height;
    if (drawing->vertex_bytes > painter->vertices.size ||
        drawing->index_bytes > painter->indices.size)
        painter->drawing.part_count = 0;
    if (is_same || painter->drawing.part_count == 0)
        return;
    memcpy(painter->vertices.memory, drawing->vertices, drawing->vertex_bytes);
    memcpy(painter->indices.memory, drawing->indices, drawing->index_bytes);
}

static int32_t within(int32_t value, uint32_t high)
{
    return value < 0 ? 0 : value > (int32_t)high ? (int32_t)high : value;
}

// The pixels of a part that are in the picture.
static VkRect2D pixels_of(const WeftPainter *painter, const WeftPanelPart *part)
{
    int32_t left = within(part->left, painter->width), top = within(part->top, painter->height);
    int32_t right = within(part->right, painter->width);
    int32_t bottom = within(part->bottom, painter->height);
    return (VkRect2D){
        {left, top},
        {right > left ? (uint32_t)(right - left) : 0, bottom > top ? (uint32_t)(bottom - top) : 0}};
}

void weft_painter_draw(void *object, VkCommandBuffer buffer)
{
    const WeftPainter      *painter = object;
    const WeftPanelDrawing *drawing = &painter->drawing;
    const PanelPush         push = {
                .vertices = painter->vertices.address,
                .font = painter->font.address,
                .size = {drawing->size[0], drawing->size[1]},
                .font_width = painter->font_width,
                .font_height = painter->font_height,
    };
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, painter->pipeline);
    vkCmdPushConstants(buffer, painter->layout, BOTH_STAGES, 0, sizeof push, &push);
    vkCmdBindIndexBuffer(buffer, painter->indices.handle, 0, VK_INDEX_TYPE_UINT16);
    for (size_t k = 0; k < drawing->part_count; k++)
    {
        const WeftPanelPart *part = &drawing->parts[k];
        const VkRect2D       scissor = pixels_of(painter, part);
        if (scissor.extent.width == 0 || scissor.extent.height == 0)
            continue;
        vkCmdSetScissor(buffer, 0, 1, &scissor);
        vkCmdDrawIndexed(buffer, part->index_count, 1, part->first_index,
                         (int32_t)part->first_vertex, 0);
    }
}
