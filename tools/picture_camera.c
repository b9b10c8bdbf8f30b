// picture_camera.c: a viewpoint that shows the whole cloth and what it lies on.
#include "picture.h"

#include <stdlib.h>

static const float HALF_HEIGHT = 0.27f; // a field of view of 30 degrees: a long lens bends little
static const float FILL = 0.84f;        // part of the picture that the points take

typedef struct Points
{
    Vec3  *list;
    size_t count;
} Points;

static Vec3 lowest(Vec3 a, Vec3 b)
{
    return vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static Vec3 highest(Vec3 a, Vec3 b)
{
    return vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

// All vertices of the cloths, the vertices of solids near them, and the floor if it is near.
static Points gather(const PictureStage *stages, size_t stage_count, Vec3 sky)
{
    size_t room = 0;
    Vec3   low = vec3(INFINITY, INFINITY, INFINITY), high = scale(low, -1);
    for (size_t s = 0; s < stage_count; s++)
    {
        room += stages[s].plane_count;
        for (size_t m = 0; m < stages[s].mesh_count; m++)
            room += stages[s].meshes[m].vertex_count;
        for (size_t m = 0; m < stages[s].cloth_count; m++)
            for (size_t v = 0; v < stages[s].meshes[m].vertex_count; v++)
            {
                low = lowest(low, stages[s].meshes[m].positions[v]);
                high = highest(high, stages[s].meshes[m].positions[v]);
            }
    }
    // The floor point below the cloth, if it is not far, stretches the box; then a border is added.
    Vec3   middle = mix(low, high, 0.5f);
    float  reach = 0.5f * length(sub(high, low)), border = 0.2f * reach;
    Points points = {weft_picture_resize(NULL, room, sizeof(Vec3)), 0};
    for (size_t s = 0; s < stage_count; s++)
        for (size_t i = 0; i < stages[s].plane_count; i++)
        {
            PicturePlane plane = stages[s].planes[i];
            float        height = dot(plane.normal, middle) - plane.offset;
            if (dot(plane.normal, sky) < 0.5f || height < 0 || height > 2 * reach)
                continue;
            Vec3 foot = mad(middle, -height, plane.normal);
            points.list[points.count++] = foot;
            low = lowest(low, foot), high = highest(high, foot);
        }
    Vec3 more = vec3(border, border, border);
    low = sub(low, more), high = add(high, more);

    for (size_t s = 0; s < stage_count; s++)
        for (size_t m = 0; m < stages[s].mesh_count; m++)
            for (size_t v = 0; v < stages[s].meshes[m].vertex_count; v++)
            {
                Vec3 p = stages[s].meshes[m].positions[v], inside = highest(low, lowest(high, p));
                if (inside.x == p.x && inside.y == p.y && inside.z == p.z)
                    points.list[points.count++] = p;
            }
    return points;
}

static void aim(PictureCamera *camera, Vec3 forward)
{
    camera->forward = normalize(forward);
    camera->right = cross(camera->forward, camera->sky);
    camera->right =
        length(camera->right) > 1e-3f ? normalize(camera->right) : perpendicular(camera->forward);
    camera->up = cross(camera->right, camera->forward);
}

// From the right front, unless a wall stands there.
static Vec3 choose_direction(const PictureStage *stage, Vec3 sky)
{
    static const float angles[] = {0.55f, -0.55f, 2.6f, -2.6f, 1.57f, -1.57f};
    // For the usual y upwards, front is z.
    Vec3 right = sky.y > 0.9f ? normalize(cross(sky, vec3(0, 0, 1))) : perpendicular(sky);
    Vec3 front = cross(right, sky), first = {0};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
    {
        Vec3 flat = mad(scale(front, cosf(angles[i])), sinf(angles[i]), right);
        Vec3 direction = normalize(mad(flat, 0.5f, sky));
        bool open = true;
        for (size_t p = 0; p < stage->plane_count; p++)
            open &= dot(stage->planes[p].normal, direction) > 0.1f;
        if (open)
            return direction;
        if (i == 0)
            first = direction;
    }
    return first;
}

PictureCamera weft_picture_camera_fit(const PictureStage *stages, size_t stage_count, Vec3 sky,
                                      float aspect, const Vec3 *from, const Vec3 *at, float zoom)
{
    PictureCamera camera = {.sky = sky, .half_height = HALF_HEIGHT};
    Points        points = gather(stages, stage_count, sky);
    Vec3          low = points.list[0], high = low;
    for (size_t i = 0; i < points.count; i++)
    {
        low = lowest(low, points.list[i]);
        high = highest(high, points.list[i]);
    }
    camera.target = at ? *at : mix(low, high, 0.5f);
    Vec3 back = choose_direction(&stages[0], sky);
    if (from)
        back = sub(*from, camera.target);
    aim(&camera, scale(back, -1));
    camera.eye = from ? *from : camera.target;

    // Step back until all points fit, and shift so that they stand in the middle.
    float limit[2] = {FILL * HALF_HEIGHT * aspect, FILL * HALF_HEIGHT}, distance = 0;
    for (int round = 0; round < 4 && !from; round++)
    {
        distance = 0;
        float side[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < points.count; i++)
            {
                Vec3  p = sub(points.list[i], camera.target);
                float place[2] = {dot(p, camera.right), dot(p, camera.up)};
                float depth = dot(p, camera.forward);
                for (int axis = 0; axis < 2; axis++)
                {
                    if (!pass)
                        distance = fmaxf(distance, fabsf(place[axis]) / limit[axis] - depth);
                    float slope = place[axis] / (distance + depth);
                    side[axis][0] = pass ? fminf(side[axis][0], slope) : INFINITY;
                    side[axis][1] = pass ? fmaxf(side[axis][1], slope) : -INFINITY;
                }
            }
        if (at || round == 3)
            break;
        camera.target =
            mad(camera.target, 0.5f * distance * (side[0][0] + side[0][1]), camera.right);
        camera.target = mad(camera.target, 0.5f * distance * (side[1][0] + side[1][1]), camera.up);
    }
    if (!from)
        camera.eye = mad(camera.target, -fmaxf(distance, 1e-6f), camera.forward);
    camera.half_height = HALF_HEIGHT / zoom;

    // Shadow maps stay on the cloth wherever the viewer looks.
    camera.focus = mix(low, high, 0.5f);
    for (size_t i = 0; i < points.count; i++)
        camera.focus_radius =
            fmaxf(camera.focus_radius, 1.3f * length(sub(points.list[i], camera.focus)));
    camera.focus_radius = fmaxf(camera.focus_radius, 1e-6f);
    free(points.list);
    return camera;
}
