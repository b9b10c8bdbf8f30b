// ground.h: backdrop and planes without shadows, drawn once for a viewpoint and then copied into every picture from there. They
// fill most of a picture, and a copy takes a software driver a fraction of the time. Shadows are drawn over them, only where
// they may fall. What stands before everything, the panel of a window, is kept with them.
#pragma once

#include "gpu/image.h"
#include "render/render.h"

enum
{
    WEFT_GROUND_PLANES = 8 // a scene with more has no ground
};

typedef struct WeftRenderer     WeftRenderer;
typedef struct WeftRenderTarget WeftRenderTarget;
typedef struct WeftShot         WeftShot;

typedef struct WeftGroundLayer
{
    WeftGpuImage  color, depth;
    VkFramebuffer frame;
} WeftGroundLayer;

typedef struct WeftGround
{
    uint32_t        width, height;
    WeftGroundLayer bare, dressed; // the latter with what is drawn over all
    RenderView      view;          // of the last picture, and the planes in it
    float           planes[WEFT_GROUND_PLANES][12];
    bool            is_drawn;     // for that view
    uint64_t        dress_number; // of what is drawn over all; 0 if nothing is yet
} WeftGround;

/// Makes the renderer's ground fit for targets of this size; others then have none. Free with weft_ground_destroy(), which also
/// takes a renderer without one.
WEFT_CHECKED WeftStatus weft_ground_fit(WeftRenderer *renderer, uint32_t width, uint32_t height);
void                    weft_ground_destroy(WeftRenderer *renderer);

/// Puts the ground, with what the shot has over all, into the target's colours and depths, for `over_pass`, and says where
/// shadows of solids may fall on it. False if there is none: the view is not that of the last picture, so that it would be
/// drawn for this one alone.
bool weft_ground_put(WeftRenderer *renderer, VkCommandBuffer buffer, WeftRenderTarget *target,
                     const WeftShot *shot);
