// view.c: projections of the eye and of the lights.
#include "render/view.h"

#include <string.h>

static const float GOLDEN_ANGLE = 2.3999632f;
static const float KEY_SHARE = 0.62f; // of the light on an open floor
static const float SOFTNESS = 0.006f; // radius of soft shadows, as a part of the map

static void set3(float out[4], Vec3 v, float w)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = w;
}

// A row that gives factor * dot(axis, p - origin) + shift.
static void set_row(float row[4], Vec3 axis, float factor, Vec3 origin, float shift)
{
    set3(row, scale(axis, factor), shift - factor * dot(axis, origin));
}

// Parallel light from `towards`: the focus fills the map, depth has room for twice as much.
static void set_map(float rows[3][4], Vec3 towards, const WeftCamera *camera)
{
    Vec3  across = perpendicular(towards), along = cross(towards, across);
    float radius = camera->focus_radius;
    set_row(rows[0], across, 0.5f / radius, camera->focus, 0.5f);
    set_row(rows[1], along, 0.5f / radius, camera->focus, 0.5f);
    set_row(rows[2], towards, -0.25f / radius, camera->focus, 0.5f);
}

static void set_eye(RenderView *view, const WeftCamera *camera, float aspect)
{
    float radius = camera->focus_radius, away = length(sub(camera->focus, camera->eye));
    float near = fmaxf(0.02f * away, away - 6 * radius), far = away + 8 * radius;
    near = fmaxf(near, 1e-3f * radius);
    set_row(view->clip[0], camera->right, 1 / (camera->half_height * aspect), camera->eye, 0);
    set_row(view->clip[1], camera->up, -1 / camera->half_height, camera->eye, 0);
    set_row(view->clip[2], camera->forward, far / (far - near), camera->eye,
            -far * near / (far - near));
    set_row(view->clip[3], camera->forward, 1, camera->eye, 0);
    set3(view->eye, camera->eye, 1);
    set3(view->up, camera->sky, 0);
    set3(view->focus, camera->focus, radius);
}

// The light stands high at the viewer's left shoulder, whatever the viewpoint.
static void set_key(RenderView *view, const WeftCamera *camera, uint32_t map_size, Vec3 level,
                    Vec3 front)
{
    Vec3 sky = camera->sky, key = normalize(mad(mad(sky, -0.8f, level), 0.42f, front));
    set3(view->key, key, 2 * camera->focus_radius / (float)map_size);
    set_map(view->key_rows, key, camera);
    set3(view->key_color, scale(vec3(1.04f, 1.0f, 0.93f), KEY_SHARE / dot(key, sky)), 0);
}

static bool is_hidden(Vec3 towards, const WeftRenderSolids *solids, double time)
{
    for (size_t s = 0; s < solids->count; s++)
    {
        float rows[12];
        if (!solids->list[s].is_plane)
            continue;
        weft_render_solid_rows(solids, s, time, rows);
        if (dot(weft_rows_apply(rows, vec3(0, 1, 0), 0), towards) < -1e-4f)
            return true;
    }
    return false;
}

// Parts of the sky on a spiral.
static void set_sky(RenderView *view, const WeftCamera *camera, const WeftRenderSolids *solids,
                    double time, uint32_t count, Vec3 level, Vec3 front)
{
    for (uint32_t k = 0; k < count; k++)
    {
        float height = 0.06f + 0.94f * ((float)k + 0.5f) / (float)count;
        float flat = sqrtf(1 - height * height), turn = GOLDEN_ANGLE * (float)k;
        Vec3  towards = mad(mad(scale(camera->sky, height), flat * cosf(turn), level),
                            flat * sinf(turn), front);
        set3(view->sky[k], towards, is_hidden(towards, solids, time) ? 0 : 1);
        set_map(view->sky_rows + 3 * k, towards, camera);
    }
    set3(view->sky_color, scale(vec3(0.93f, 1.0f, 1.12f), 1 - KEY_SHARE), 0);
}

void weft_view_fill(RenderView *view, const WeftCamera *camera, const WeftRenderSolids *solids,
                    double time, const WeftViewSize *size)
{
    memset(view, 0, sizeof *view);
    Vec3 sky = camera->sky;
    Vec3 level = normalize(mad(camera->right, -dot(camera->right, sky), sky));
    Vec3 front = cross(level, sky);
    set_eye(view, camera, (float)size->width / (float)size->height);
    set_key(view, camera, size->key_size, level, front);
    set_sky(view, camera, solids, time, size->sky_count, level, front);
    set3(view->ground_color, scale(vec3(1.0f, 0.97f, 0.93f), 0.2f), 0);
    set3(view->top, vec3(0.42f, 0.50f, 0.60f), 0);
    set3(view->bottom, vec3(0.76f, 0.77f, 0.77f), 0);
    const float picture[4] = {(float)size->width, (float)size->height,
                              2.0f * camera->focus_radius / (float)size->sky_size, SOFTNESS};
    memcpy(view->picture, picture, sizeof picture);
}
