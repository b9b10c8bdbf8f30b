// overlay.h: what is written over a picture: legends, as strokes in pixels.
#pragma once

#include <stdint.h>

enum
{
    WEFT_OVERLAY_MOST = 1024 // strokes
};

// As shaders/render/overlay.vert reads it.
typedef struct WeftStroke
{
    float from[2], to[2]; // pixels from the upper left
    float half_width;
    float color[3]; // linear, or INK_*
} WeftStroke;

typedef struct WeftOverlay
{
    WeftStroke *strokes; // (WEFT_OVERLAY_MOST); more are left out
    uint32_t    count;
} WeftOverlay;

/// The bar of colours for a stretch from 0 to `range`, lower left in a picture of this size.
void weft_overlay_stretch(WeftOverlay *overlay, float range, uint32_t width, uint32_t height);

/// What the colours of the springs and pins mean.
void weft_overlay_springs(WeftOverlay *overlay, uint32_t width, uint32_t height);
