// draw.h: the parts of a picture, recorded within a pass.
#pragma once

#include "render/renderer.h"

// How planes are drawn.
typedef enum WeftPlaneLook
{
    WEFT_PLANES_WHOLE,  // with the shadows on them
    WEFT_PLANES_LIT,    // as if nothing threw a shadow
    WEFT_PLANES_SHADED, // only where shadows may fall: over what WEFT_PLANES_LIT drew
} WeftPlaneLook;

/// Begins a pass that fills a frame; end it with vkCmdEndRenderPass().
void weft_draw_begin(const WeftRenderer *renderer, VkCommandBuffer buffer, VkRenderPass pass,
                     VkFramebuffer frame, uint32_t width, uint32_t height);

/// Cloths and solids into a map of depth: 0 is the light's, then come the sky's.
void weft_draw_depths(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      uint32_t map);

void weft_draw_cloths(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot);
void weft_draw_solids(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot);
void weft_draw_planes(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      WeftPlaneLook look);
void weft_draw_backdrop(const WeftRenderer *renderer, VkCommandBuffer buffer);

/// Chains in any case; springs and pins as a wireframe.
void weft_draw_lines(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                     uint32_t height);
void weft_draw_legend(const WeftRenderer *renderer, VkCommandBuffer buffer, const WeftShot *shot,
                      uint32_t width, uint32_t height);
