// picture_light.c: a sun disc and a sky, both cut into many directions with a depth map each.
//
// Adding hard shadows of many directions gives soft shadows from the disc and ambient occlusion
// from the sky with one mechanism and no noise. Planes need no map: what stands above a plane is
// shadowed by it exactly if the light comes from below it.
#include "picture.h"

#include <stdlib.h>

enum
{
    KEY_COUNT = 32,
    SKY_COUNT = 40,
    KEY_SIZE = 640, // texels a side
    SKY_SIZE = 256,
};

static const float GOLDEN_ANGLE = 2.3999632f;
static const float KEY_SPREAD = 0.045f; // radius of the sun disc, rad
static const float KEY_SHARE = 0.6f;    // of the light on an open floor

static void draw_map(PictureLight *light, const PictureStage *stage)
{
    size_t texel_count = (size_t)light->size * (size_t)light->size;
    light->depth = weft_picture_resize(NULL, texel_count, sizeof *light->depth);
    for (size_t i = 0; i < texel_count; i++)
        light->depth[i] = -INFINITY;

    light->low[0] = light->low[1] = light->high[0] = light->high[1] = 0.5f * (float)light->size;
    PictureRaster raster = {light->size, 0, light->size, light->depth, NULL};
    for (size_t m = 0; m < stage->mesh_count; m++)
    {
        const PictureMesh *mesh = &stage->meshes[m];
        for (size_t t = 0; t < mesh->triangle_count; t++)
        {
            float corners[3][3];
            for (int k = 0; k < 3; k++)
            {
                Vec3 position = mesh->positions[mesh->triangles[3 * t + (size_t)k]];
                corners[k][0] = dot(position, light->across) + light->shift[0];
                corners[k][1] = dot(position, light->along) + light->shift[1];
                corners[k][2] = dot(position, light->direction);
                for (int axis = 0; axis < 2; axis++)
                {
                    light->low[axis] = fminf(light->low[axis], corners[k][axis] - 2);
                    light->high[axis] = fmaxf(light->high[axis], corners[k][axis] + 1);
                }
            }
            weft_picture_raster_triangle(&raster, corners, 0);
        }
    }
    for (int axis = 0; axis < 2; axis++)
    {
        light->low[axis] = fmaxf(light->low[axis], 0);
        light->high[axis] = fminf(light->high[axis], (float)(light->size - 1));
    }
}

// Part of the light that reaches a point: the four nearest texels, blended. Towards the rim of the
// map, beyond which nothing is known, shadows fade.
static inline float visibility(const PictureLight *light, Vec3 position)
{
    float x = dot(position, light->across) + light->shift[0] - 0.5f;
    float y = dot(position, light->along) + light->shift[1] - 0.5f;
    float last = (float)(light->size - 1);
    if (!(x > light->low[0] && y > light->low[1] && x < light->high[0] && y < light->high[1]))
        return 1;
    int   column = (int)x, row = (int)y;
    float u = x - (float)column, v = y - (float)row, height = dot(position, light->direction);
    const float *lower = light->depth + row * light->size + column, *upper = lower + light->size;
    float        low = (float)(lower[0] > height) * (1 - u) + (float)(lower[1] > height) * u;
    float        high = (float)(upper[0] > height) * (1 - u) + (float)(upper[1] > height) * u;
    float        shadow = low + v * (high - low);
    float        fade = 0.1f * last;
    float        across = x < last - x ? x : last - x;
    float        along = y < last - y ? y : last - y;
    float        rim = across < along ? across : along;
    return rim < fade ? 1 - shadow * rim / fade : 1 - shadow;
}

PictureLights weft_picture_lights_create(const PictureStage *stage, const PictureCamera *camera)
{
    PictureLights result = {KEY_COUNT + SKY_COUNT, NULL};
    result.lights = weft_picture_resize(NULL, result.count, sizeof *result.lights);

    // The key light stands high at the viewer's left shoulder, whatever the viewpoint.
    Vec3 sky = camera->sky;
    Vec3 level = normalize(mad(camera->right, -dot(camera->right, sky), sky));
    Vec3 front = cross(level, sky);
    Vec3 key = normalize(mad(mad(sky, -0.85f, level), 0.42f, front));
    Vec3 key_across = perpendicular(key), key_along = cross(key, key_across);
    Vec3 key_color = vec3(1.04f, 1.0f, 0.93f), sky_color = vec3(0.93f, 1.0f, 1.12f);

    float key_sum = 0, sky_sum = 0;
    for (int i = 0; i < (int)result.count; i++)
    {
        PictureLight *light = &result.lights[i];
        bool          is_key = i < KEY_COUNT;
        float         index = (float)(is_key ? i : i - KEY_COUNT) + 0.5f;
        float         turn = GOLDEN_ANGLE * index;
        if (is_key)
        {
            float radius = KEY_SPREAD * sqrtf(index / KEY_COUNT);
            light->direction = normalize(
                mad(mad(key, radius * cosf(turn), key_across), radius * sinf(turn), key_along));
        }
        else
        {
            float height = 0.05f + 0.95f * index / SKY_COUNT, flat = sqrtf(1 - height * height);
            light->direction =
                mad(mad(scale(sky, height), flat * cosf(turn), level), flat * sinf(turn), front);
        }
        *(is_key ? &key_sum : &sky_sum) += dot(light->direction, sky);
        light->color = is_key ? key_color : sky_color;

        // Axes in texels, the focus in the middle.
        light->size = is_key ? KEY_SIZE : SKY_SIZE;
        light->texel = 2 * camera->focus_radius / (float)light->size;
        light->across = scale(perpendicular(light->direction), 1 / light->texel);
        light->along = cross(light->direction, light->across);
        light->shift[0] = 0.5f * (float)light->size - dot(light->across, camera->focus);
        light->shift[1] = 0.5f * (float)light->size - dot(light->along, camera->focus);
    }

#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < (int)result.count; i++)
    {
        PictureLight *light = &result.lights[i];
        float         share = i < KEY_COUNT ? KEY_SHARE / key_sum : (1 - KEY_SHARE) / sky_sum;
        light->color = scale(light->color, share);
        for (size_t p = 0; p < stage->plane_count; p++)
            if (dot(stage->planes[p].normal, light->direction) < -1e-4f)
                light->color = vec3(0, 0, 0);
        draw_map(light, stage);
    }
    return result;
}

void weft_picture_lights_destroy(PictureLights *lights)
{
    for (size_t i = 0; i < lights->count; i++)
        free(lights->lights[i].depth);
    free(lights->lights);
}

Vec3 weft_picture_lights_gather(const PictureLights *lights, Vec3 position, Vec3 normal, Vec3 sky,
                                float transmission)
{
    Vec3 sum = {0};
    for (size_t i = 0; i < lights->count; i++)
    {
        const PictureLight *light = &lights->lights[i];
        float               cosine = dot(normal, light->direction);
        float               weight = cosine > 0 ? cosine : -cosine * transmission;
        if (weight < 1e-3f || light->color.y == 0)
            continue;

        // One and a half texels off the surface, on its lit side, keep it from shading itself.
        float off = copysignf(1.5f * light->texel, cosine);
        weight *= visibility(light, mad(position, off, normal));
        sum = mad(sum, weight, light->color);
    }

    // What the ground throws back up.
    float bounce = 0.03f + 0.15f * (0.5f - 0.5f * dot(normal, sky));
    return add(sum, scale(vec3(1.0f, 0.97f, 0.93f), bounce));
}
