// orbit.h: moving a camera with the mouse, and what lies under the pointer.
#pragma once

#include "render/camera.h"

// From the eye through a pixel.
typedef struct WeftRay
{
    Vec3 from, along; // along has length 1
} WeftRay;

/// Turns the camera around its target by that many radians: to the right, and up, short of the poles.
void weft_camera_orbit(WeftCamera *camera, float right, float up);

/// Shifts eye and target so that what is at the target follows the pointer by dx, dy pixels in a window of that height.
void weft_camera_pan(WeftCamera *camera, float dx, float dy, uint32_t height);

/// Brings the eye nearer (`steps` > 0) or takes it away.
void weft_camera_zoom(WeftCamera *camera, float steps);

WeftRay weft_camera_ray(const WeftCamera *camera, double x, double y, uint32_t width,
                        uint32_t height);

/// Where a point is seen, in pixels; false if it is behind the eye.
bool weft_camera_project(const WeftCamera *camera, Vec3 point, uint32_t width, uint32_t height,
                         double pixel[2]);
