// camera.c: where to look from.
#include "render/camera.h"

#include <stdlib.h>
#include <string.h>

static const float HALF_HEIGHT = 0.27f; // a field of view of 30 degrees: a long lens bends little
static const float FILL = 0.86f;        // part of the picture that the points take
static const float DEGREE = 0.017453293f;

typedef struct Points
{
    Vec3  *list;
    size_t count, room;
} Points;

// Directions spread evenly over the sphere.
static Vec3 direction(int index)
{
    float y = 1 - (2 * (float)index + 1) / WEFT_FRAMING_POINTS, flat = sqrtf(1 - y * y);
    float turn = 2.3999632f * (float)index;
    return vec3(flat * cosf(turn), y, flat * sinf(turn));
}

WeftStatus weft_framing_add(WeftFraming *framing, const double *positions, size_t count,
                            double time)
{
    if (framing->count == framing->room)
    {
        size_t  room = 2 * framing->room + 16;
        double *times = realloc(framing->times, room * sizeof *times);
        framing->times = times ? times : framing->times;
        Vec3 *points = realloc(framing->points, room * WEFT_FRAMING_POINTS * sizeof *points);
        framing->points = points ? points : framing->points;
        if (!times || !points)
            return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the camera");
        framing->room = room;
    }
    Vec3 *outermost = framing->points + framing->count * WEFT_FRAMING_POINTS;
    for (int k = 0; k < WEFT_FRAMING_POINTS; k++)
    {
        Vec3  along = direction(k);
        float most = -INFINITY;
        outermost[k] = vec3(0, 0, 0);
        for (size_t i = 0; i < count; i++)
        {
            Vec3  p = vec3((float)positions[3 * i], (float)positions[3 * i + 1],
                           (float)positions[3 * i + 2]);
            float reach = dot(p, along);
            if (reach > most)
            {
                most = reach;
                outermost[k] = p;
            }
        }
    }
    framing->times[framing->count++] = time;
    return WEFT_OK;
}

void weft_framing_destroy(WeftFraming *framing)
{
    free(framing->times);
    free(framing->points);
    memset(framing, 0, sizeof *framing);
}

static void add_point(Points *points, Vec3 point)
{
    if (points->count == points->room)
    {
        size_t room = 2 * points->room + 256;
        Vec3  *list = realloc(points->list, room * sizeof *list);
        // A point that finds no room is left out of the picture's frame, no more.
        if (!list)
            return;
        points->list = list;
        points->room = room;
    }
    points->list[points->count++] = point;
}

// A triangle, cut where its edges are longer than `longest`: those of its corners that are within the box.
static void add_triangle(Points *points, const Vec3 corners[3], float longest, Vec3 low, Vec3 high)
{
    float edge = 0;
    for (int k = 0; k < 3; k++)
        edge = fmaxf(edge, length(sub(corners[k], corners[(k + 1) % 3])));
    int parts = longest > 0 ? (int)ceilf(edge / longest) : 1;
    for (int i = 0; i <= parts; i++)
        for (int j = 0; i + j <= parts; j++)
        {
            Vec3 p = mad(mad(corners[0], (float)i / (float)parts, sub(corners[1], corners[0])),
                         (float)j / (float)parts, sub(corners[2], corners[0]));
            Vec3 inside = highest(low, lowest(high, p));
            if (inside.x == p.x && inside.y == p.y && inside.z == p.z)
                add_point(points, p);
        }
}

// Places on solids that are within the box at any of the moments. A solid at rest is looked at once.
static void add_solids(Points *points, const WeftFraming *framing, WeftRenderSolids *solids,
                       Vec3 low, Vec3 high)
{
    for (size_t s = 0; s < solids->count; s++)
    {
        const WeftRenderSolid *entry = &solids->list[s];
        bool   is_moving = entry->solid->keyframes_count > 0 || entry->solid->animation;
        size_t moments = is_moving ? framing->count : 1;
        for (size_t m = 0; m < moments && !entry->is_plane; m++)
        {
            float rows[12];
            weft_render_solid_rows(solids, s, framing->times[m], rows);
            weft_render_solids_shape(solids, framing->times[m]);
            Vec3  extent = sub(entry->high, entry->low);
            float longest = 0.25f * fmaxf(extent.x, fmaxf(extent.y, extent.z));
            for (uint32_t k = 0; k < entry->index_count; k += 3)
            {
                const uint32_t *indices = solids->indices + entry->first_index + k;
                Vec3            corners[3];
                for (int corner = 0; corner < 3; corner++)
                    corners[corner] = weft_rows_apply(rows, solids->places[indices[corner]], 1);
                add_triangle(points, corners, longest, low, high);
            }
        }
    }
}

// The cloth, the solids near it, and the floor if it is near.
static Points gather(const WeftFraming *framing, WeftRenderSolids *solids)
{
    Points points = {0};
    Vec3   low = vec3(INFINITY, INFINITY, INFINITY), high = scale(low, -1);
    for (size_t i = 0; i < framing->count * WEFT_FRAMING_POINTS; i++)
    {
        add_point(&points, framing->points[i]);
        low = lowest(low, framing->points[i]);
        high = highest(high, framing->points[i]);
    }
    // The floor point below the cloth, if it is not far, stretches the box; then a border is added.
    Vec3  middle = mix(low, high, 0.5f);
    float reach = 0.5f * length(sub(high, low)), border = 0.2f * reach;
    for (size_t s = 0; s < solids->count; s++)
    {
        float rows[12];
        if (!solids->list[s].is_plane)
            continue;
        weft_render_plane_rows(solids, s, framing->times[0], middle, rows);
        Vec3  normal = weft_rows_apply(rows, vec3(0, 1, 0), 0);
        Vec3  foot = vec3(rows[3], rows[7], rows[11]);
        float height = dot(normal, sub(middle, foot));
        if (dot(normal, solids->up) < 0.5f || height < 0 || height > 2 * reach)
            continue;
        add_point(&points, foot);
        low = lowest(low, foot);
        high = highest(high, foot);
    }
    Vec3 more = vec3(border, border, border);
    add_solids(&points, framing, solids, sub(low, more), add(high, more));
    return points;
}

static void aim(WeftCamera *camera, Vec3 forward)
{
    camera->forward = normalize(forward);
    camera->right = cross(camera->forward, camera->sky);
    camera->right =
        length(camera->right) > 1e-3f ? normalize(camera->right) : perpendicular(camera->forward);
    camera->up = cross(camera->right, camera->forward);
}

// From the target to the eye: as asked for, else from the right front, unless a wall stands there.
static Vec3 choose_direction(const WeftRenderSolids *solids, double time,
                             const WeftCameraWish *wish)
{
    static const float azimuths[] = {31, -31, 149, -149, 90, -90};
    // For the usual y upwards, front is z.
    Vec3 sky = solids->up;
    Vec3 right = sky.y > 0.9f ? normalize(cross(sky, vec3(0, 0, 1))) : perpendicular(sky);
    Vec3 front = cross(right, sky), first = {0};
    for (size_t i = 0; i < sizeof azimuths / sizeof *azimuths; i++)
    {
        float azimuth = DEGREE * (wish->has_azimuth ? wish->azimuth : azimuths[i]);
        float elevation = DEGREE * (wish->has_elevation ? wish->elevation : 25);
        Vec3  level = mad(scale(front, cosf(azimuth)), sinf(azimuth), right);
        Vec3  towards = mad(scale(level, cosf(elevation)), sinf(elevation), sky);
        bool  open = true;
        for (size_t s = 0; s < solids->count; s++)
        {
            float rows[12];
            weft_render_solid_rows(solids, s, time, rows);
            open &= !solids->list[s].is_plane ||
                    dot(weft_rows_apply(rows, vec3(0, 1, 0), 0), towards) > 0.1f;
        }
        if (open || wish->has_azimuth)
            return towards;
        if (i == 0)
            first = towards;
    }
    return first;
}

// Steps back until all points fit, and shifts so that they stand in the middle. Returns the distance.
static float step_back(WeftCamera *camera, const Points *points, float aspect, bool may_shift)
{
    float limit[2] = {FILL * camera->half_height * aspect, FILL * camera->half_height};
    float distance = 0;
    for (int round = 0; round < 4; round++)
    {
        float side[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        distance = 1e-6f;
        for (size_t i = 0; i < points->count; i++)
        {
            Vec3  p = sub(points->list[i], camera->target);
            float place[2] = {dot(p, camera->right), dot(p, camera->up)};
            for (int axis = 0; axis < 2; axis++)
                distance =
                    fmaxf(distance, fabsf(place[axis]) / limit[axis] - dot(p, camera->forward));
        }
        for (size_t i = 0; i < points->count; i++)
        {
            Vec3  p = sub(points->list[i], camera->target);
            float place[2] = {dot(p, camera->right), dot(p, camera->up)};
            for (int axis = 0; axis < 2; axis++)
            {
                float slope = place[axis] / (distance + dot(p, camera->forward));
                side[axis][0] = fminf(side[axis][0], slope);
                side[axis][1] = fmaxf(side[axis][1], slope);
            }
        }
        if (!may_shift || round == 3)
            break;
        Vec3 across = scale(camera->right, 0.5f * distance * (side[0][0] + side[0][1]));
        Vec3 along = scale(camera->up, 0.5f * distance * (side[1][0] + side[1][1]));
        camera->target = add(camera->target, add(across, along));
    }
    return distance;
}

WeftCamera weft_camera_fit(const WeftFraming *framing, WeftRenderSolids *solids,
                           const WeftCameraWish *wish, float aspect)
{
    WeftCamera camera = {.sky = solids->up, .half_height = HALF_HEIGHT};
    Points     points = gather(framing, solids);
    Vec3       low = vec3(INFINITY, INFINITY, INFINITY), high = scale(low, -1);
    for (size_t i = 0; i < points.count; i++)
    {
        low = lowest(low, points.list[i]);
        high = highest(high, points.list[i]);
    }
    if (wish->has_fov)
        camera.half_height = tanf(0.5f * DEGREE * wish->fov);
    camera.target = wish->has_target ? wish->target : mix(low, high, 0.5f);
    Vec3 back = choose_direction(solids, framing->times[0], wish);
    if (wish->has_eye)
        back = sub(wish->eye, camera.target);
    aim(&camera, scale(back, -1));
    if (wish->has_eye)
        camera.eye = wish->eye;
    else
    {
        float distance = step_back(&camera, &points, aspect, !wish->has_target);
        camera.eye =
            mad(camera.target, wish->has_distance ? -wish->distance : -distance, camera.forward);
    }

    // Shadows stay with the cloth wherever the viewer looks.
    camera.focus = mix(low, high, 0.5f);
    for (size_t i = 0; i < points.count; i++)
        camera.focus_radius =
            fmaxf(camera.focus_radius, 1.15f * length(sub(points.list[i], camera.focus)));
    camera.focus_radius = fmaxf(camera.focus_radius, 1e-6f);
    free(points.list);
    return camera;
}
