// view.h: camera and lights in the form that the shaders read.
#pragma once

#include "render/camera.h"
#include "render/render.h"

typedef struct WeftViewSize
{
    uint32_t width, height; // of the picture
    uint32_t key_size;      // texels along the light's map
    uint32_t sky_size;      // along each map of the sky
    uint32_t sky_count;     // of those
} WeftViewSize;

/// Fills the view. Light comes from the viewer's left, and from every part of the sky that no plane hides at `time`.
void weft_view_fill(RenderView *view, const WeftCamera *camera, const WeftRenderSolids *solids,
                    double time, const WeftViewSize *size);
