// pick.h: the particle under the pointer.
#pragma once

#include "view/orbit.h"

typedef struct WeftPick
{
    uint32_t index; // of the particle
    float    depth; // m, from the eye along the view
} WeftPick;

enum
{
    WEFT_PICK_PIXELS = 18 // that the pointer may be off
};

/// Of the particles at `places` (count x 3) seen near x, y: the front one among those that the pointer hits best. False
/// if there is none.
bool weft_pick(WeftPick *pick, const WeftCamera *camera, const double *places, uint32_t count,
               double x, double y, uint32_t width, uint32_t height);
