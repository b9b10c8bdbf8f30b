// camera.h: a viewpoint that shows the cloth and what it lies on, over all moments that it is told of.
//
//   WeftFraming framing = {0};
//   weft_framing_add(&framing, positions, count, time);       // for every moment
//   WeftCamera camera = weft_camera_fit(&framing, &solids, &wish, aspect);
//   weft_framing_destroy(&framing);
#pragma once

#include "render/solids.h"

typedef struct WeftCamera
{
    Vec3  eye, target;        // m
    Vec3  right, up, forward; // unit vectors
    Vec3  sky;                // against gravity
    float half_height;        // tangent of half the vertical field of view
    Vec3  focus;              // middle of what is lit with care, m
    float focus_radius;       // m; beyond there are no shadows, and floors fade
} WeftCamera;

// What the user asks for; the rest finds itself.
typedef struct WeftCameraWish
{
    bool  has_eye, has_target, has_azimuth, has_elevation, has_distance, has_fov;
    Vec3  eye, target;        // m
    float azimuth, elevation; // degrees: from the front (z) to the right, from the level up
    float distance;           // m, between eye and target
    float fov;                // degrees, vertical
} WeftCameraWish;

// The outermost points of every moment.
typedef struct WeftFraming
{
    size_t  count, room; // moments
    double *times;       // (count)
    Vec3   *points;      // (count x WEFT_FRAMING_POINTS)
} WeftFraming;

enum
{
    WEFT_FRAMING_POINTS = 64
};

/// Takes in the particles of a moment (count x 3).
WEFT_CHECKED WeftStatus weft_framing_add(WeftFraming *framing, const double *positions,
                                         size_t count, double time);
void                    weft_framing_destroy(WeftFraming *framing);

/// A three-quarter view from above in which all that was taken in fits a picture of width/height
/// `aspect`, changed as `wish` says.
WeftCamera weft_camera_fit(const WeftFraming *framing, WeftRenderSolids *solids,
                           const WeftCameraWish *wish, float aspect);
