// painter.h: draws the panel over a picture, in the renderer's own pass.
#pragma once

#include "render/renderer.h"
#include "view/panel.h"

typedef struct WeftPainter
{
    WeftGpu         *gpu;
    VkPipelineLayout layout;
    VkPipeline       pipeline;
    WeftGpuBuffer    font, vertices,
        indices; // the latter two on the host: they change often
    uint32_t         font_width, font_height;
    uint32_t         width, height; // of the picture
    WeftPanelDrawing drawing;       // to draw next
} WeftPainter;

/// For pictures of this renderer. Fails with WEFT_ERROR_FAILED; `painter` is then zeroed. Free with weft_painter_destroy(),
/// which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_painter_create(WeftPainter *painter, const WeftRenderer *renderer);
void                    weft_painter_destroy(WeftPainter *painter);

/// Takes what the panel wants drawn into the next picture, of this size. A panel that is too large is not drawn.
void weft_painter_take(WeftPainter *painter, const WeftPanelDrawing *drawing, uint32_t width,
                       uint32_t height);

/// WeftShot.draw_over, with the painter as its user.
void weft_painter_draw(void *painter, VkCommandBuffer buffer);
