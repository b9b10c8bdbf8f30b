// orbit.c: the camera in the user's hand.
#include "view/orbit.h"

static const float ZOOM_STEP = 0.88f;
static const float HIGHEST =
    1.54f; // radians from the level: at the pole, up would have no direction

static void look_along(WeftCamera *camera, Vec3 forward, float distance)
{
    camera->forward = normalize(forward);
    camera->right = normalize(cross(camera->forward, camera->sky));
    camera->up = cross(camera->right, camera->forward);
    camera->eye = mad(camera->target, -distance, camera->forward);
}

void weft_camera_orbit(WeftCamera *camera, float right, float up)
{
    float distance = length(sub(camera->target, camera->eye));
    Vec3  level = normalize(cross(camera->sky, camera->right)); // ahead, on the level
    Vec3  turned = mad(scale(level, cosf(right)), sinf(right), cross(camera->sky, level));
    float height = asinf(clampf(-dot(camera->forward, camera->sky), -1, 1));
    height = clampf(height + up, -HIGHEST, HIGHEST);
    look_along(camera, mad(scale(turned, cosf(height)), -sinf(height), camera->sky), distance);
}

void weft_camera_pan(WeftCamera *camera, float dx, float dy, uint32_t height)
{
    float distance = length(sub(camera->target, camera->eye));
    float pixel = 2 * camera->half_height * distance / (float)height;
    Vec3  shift = mad(scale(camera->right, -dx * pixel), dy * pixel, camera->up);
    camera->eye = add(camera->eye, shift);
    camera->target = add(camera->target, shift);
}

void weft_camera_zoom(WeftCamera *camera, float steps)
{
    float distance = length(sub(camera->target, camera->eye)) * powf(ZOOM_STEP, steps);
    distance = clampf(distance, 0.05f * camera->focus_radius, 50 * camera->focus_radius);
    camera->eye = mad(camera->target, -distance, camera->forward);
}

WeftRay weft_camera_ray(const WeftCamera *camera, double x, double y, uint32_t width,
                        uint32_t height)
{
    float half = camera->half_height;
    float across = half * (float)((2 * x - width) / height);
    float along = half * (float)(1 - 2 * y / height);
    Vec3  direction = mad(mad(camera->forward, across, camera->right), along, camera->up);
    return (WeftRay){camera->eye, normalize(direction)};
}

bool weft_camera_project(const WeftCamera *camera, Vec3 point, uint32_t width, uint32_t height,
                         double pixel[2])
{
    Vec3  way = sub(point, camera->eye);
    float depth = dot(way, camera->forward), half = camera->half_height;
    if (depth <= 0)
        return false;
    pixel[0] = 0.5 * (width + height * (double)(dot(way, camera->right) / (depth * half)));
    pixel[1] = 0.5 * height * (1 - (double)(dot(way, camera->up) / (depth * half)));
    return true;
}
