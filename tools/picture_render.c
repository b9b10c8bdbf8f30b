// picture_render.c: one stage through one camera into a panel of the image.
//
// The image is cut into bands of rows, one thread each. A band keeps, for 4 x 4 samples a pixel,
// the nearest triangle; then every triangle that is seen in a pixel is shaded once, in the middle
// of its samples. Edges are smooth and light is gathered about once a pixel.
#include "picture.h"

#include <stdlib.h>
#include <string.h>

enum
{
    SAMPLES = 4, // along each side of a pixel
    BAND_HEIGHT = 8,
};

static const uint32_t ID_NONE = UINT32_MAX;
static const uint32_t ID_PLANE = 0x80000000u; // plus the index of the plane

// A triangle, or the part of one before the camera, on the grid of samples.
typedef struct ScreenTriangle
{
    float    corners[3][3]; // x, y, 1/z
    uint32_t id;
} ScreenTriangle;

typedef struct View
{
    const PictureStage  *stage;
    const PictureCamera *camera;
    PictureLights        lights;
    int                  width, height;
    float                focal;     // pixels
    uint32_t            *first_ids; // (mesh_count + 1) id of each mesh's first triangle
    ScreenTriangle      *triangles;
    size_t               triangle_count;
} View;

static Vec3 background(const View *view, float y)
{
    return mix(vec3(0.50f, 0.57f, 0.66f), vec3(0.78f, 0.78f, 0.77f), y / (float)view->height);
}

// The ray through a place in the panel; its part along the camera's axis is 1.
static Vec3 ray_direction(const View *view, float x, float y)
{
    const PictureCamera *camera = view->camera;
    return mad(mad(camera->forward, (x - 0.5f * (float)view->width) / view->focal, camera->right),
               (0.5f * (float)view->height - y) / view->focal, camera->up);
}

// Cuts the triangle off just before the eye and puts what is left on the grid.
static void project_triangle(View *view, const Vec3 corners[3], uint32_t id)
{
    const float near = 1e-3f * view->camera->focus_radius;
    Vec3        polygon[4];
    int         count = 0;
    for (int k = 0; k < 3; k++)
    {
        Vec3 a = corners[k], b = corners[(k + 1) % 3];
        if (a.z >= near)
            polygon[count++] = a;
        if ((a.z >= near) != (b.z >= near))
            polygon[count++] = mix(a, b, (near - a.z) / (b.z - a.z));
    }
    for (int k = 2; k < count; k++)
    {
        ScreenTriangle *triangle = &view->triangles[view->triangle_count++];
        int             picks[3] = {0, k - 1, k};
        for (int c = 0; c < 3; c++)
        {
            Vec3  p = polygon[picks[c]];
            float factor = view->focal / p.z;
            triangle->corners[c][0] = SAMPLES * (0.5f * (float)view->width + factor * p.x);
            triangle->corners[c][1] = SAMPLES * (0.5f * (float)view->height - factor * p.y);
            triangle->corners[c][2] = 1 / p.z;
        }
        triangle->id = id;
    }
}

static void project_stage(View *view)
{
    const PictureStage *stage = view->stage;
    view->first_ids = weft_picture_resize(NULL, stage->mesh_count + 1, sizeof(uint32_t));
    view->first_ids[0] = 0;
    for (size_t m = 0; m < stage->mesh_count; m++)
        view->first_ids[m + 1] = view->first_ids[m] + stage->meshes[m].triangle_count;
    view->triangles = weft_picture_resize(NULL, 2 * (size_t)view->first_ids[stage->mesh_count],
                                          sizeof *view->triangles);
    for (size_t m = 0; m < stage->mesh_count; m++)
        for (uint32_t t = 0; t < stage->meshes[m].triangle_count; t++)
        {
            Vec3 corners[3];
            for (int k = 0; k < 3; k++)
            {
                const PictureMesh *mesh = &stage->meshes[m];
                Vec3               p =
                    sub(mesh->positions[mesh->triangles[3 * (size_t)t + k]], view->camera->eye);
                corners[k] = vec3(dot(p, view->camera->right), dot(p, view->camera->up),
                                  dot(p, view->camera->forward));
            }
            project_triangle(view, corners, view->first_ids[m] + t);
        }
}

// Draws the planes that are seen from above: 1/z of a plane is linear over the picture.
static void draw_planes(const View *view, PictureRaster *raster)
{
    for (size_t p = 0; p < view->stage->plane_count; p++)
    {
        PicturePlane plane = view->stage->planes[p];
        float        height = dot(plane.normal, view->camera->eye) - plane.offset;
        if (height <= 0)
            continue;
        float factor = -1 / height;
        for (int y = raster->top; y < raster->bottom; y++)
        {
            float  line = ((float)y + 0.5f) / SAMPLES;
            float  start = factor * dot(plane.normal, ray_direction(view, 0.5f / SAMPLES, line));
            float  step = factor * dot(plane.normal, view->camera->right) / view->focal / SAMPLES;
            size_t row = (size_t)(y - raster->top) * (size_t)raster->width;
            for (int x = 0; x < raster->width; x++)
            {
                float depth = start + step * (float)x;
                if (depth > raster->depth[row + (size_t)x])
                {
                    raster->depth[row + (size_t)x] = depth;
                    raster->ids[row + (size_t)x] = ID_PLANE + (uint32_t)p;
                }
            }
        }
    }
}

static Vec3 shade_plane(const View *view, PicturePlane plane, float x, float y)
{
    const PictureCamera *camera = view->camera;
    Vec3                 behind = background(view, y);
    Vec3                 direction = ray_direction(view, x, y);
    float distance = (plane.offset - dot(plane.normal, camera->eye)) / dot(plane.normal, direction);
    Vec3  position = mad(camera->eye, distance, direction);
    float away = length(sub(position, camera->focus)) / camera->focus_radius;
    float fade = clampf((away - 1.0f) / 3.0f, 0, 1);
    if (!(distance > 0) || fade >= 1)
        return behind;
    Vec3 light = weft_picture_lights_gather(&view->lights, position, plane.normal, camera->sky, 0);
    return mix(multiply(vec3(0.60f, 0.60f, 0.59f), light), behind, fade * fade * (3 - 2 * fade));
}

// Where a ray meets the plane of a triangle: the shares of corners 1 and 2. Exact in perspective.
static bool ray_shares(Vec3 eye, Vec3 direction, const Vec3 corners[3], float *second, float *third)
{
    Vec3  side1 = sub(corners[1], corners[0]), side2 = sub(corners[2], corners[0]);
    Vec3  start = sub(eye, corners[0]), p = cross(direction, side2);
    float determinant = dot(side1, p);
    if (determinant == 0)
        return false;
    *second = dot(start, p) / determinant;
    *third = dot(direction, cross(start, side1)) / determinant;
    return true;
}

// Mean over [x - w/2, x + w/2] of a wave that is 1 on [0, 1), -1 on [1, 2) and so on: the
// difference of its integral, a zigzag between 0 and 1.
static float square_wave(float x, float width)
{
    float left = fmodf(fabsf(x - 0.5f * width), 2), right = fmodf(fabsf(x + 0.5f * width), 2);
    return ((right < 1 ? right : 2 - right) - (left < 1 ? left : 2 - left)) / width;
}

// Darkness of the checks at shares s and t of a triangle; steps are the shares a pixel away.
static float check_part(const PictureMesh *mesh, const uint32_t corners[3], const float shares[2],
                        const float steps[2][2])
{
    // A triangle that closes a tube has corners in the last column and in the first.
    float grid[3][2], highest = 0;
    for (int k = 0; k < 3; k++)
    {
        grid[k][0] = (float)(corners[k] % mesh->grid_width);
        grid[k][1] = (float)(corners[k] / mesh->grid_width);
        highest = fmaxf(highest, grid[k][0]);
    }
    for (int k = 0; k < 3 && mesh->grid_closed; k++)
        if (highest - grid[k][0] > 0.5f * (float)mesh->grid_width)
            grid[k][0] += (float)mesh->grid_width;

    float wave = 1;
    for (int axis = 0; axis < 2; axis++)
    {
        float along1 = (grid[1][axis] - grid[0][axis]) / mesh->check_size[axis];
        float along2 = (grid[2][axis] - grid[0][axis]) / mesh->check_size[axis];
        // Two whole waves ahead, so that the filter never reaches below 0.
        float place =
            grid[0][axis] / mesh->check_size[axis] + along1 * shares[0] + along2 * shares[1] + 4;
        float width = 0.01f;
        for (int s = 0; s < 2; s++)
            width += fabsf(along1 * (steps[s][0] - shares[0]) + along2 * (steps[s][1] - shares[1]));
        wave *= square_wave(place, fminf(width, 4));
    }
    return 0.5f + 0.5f * wave;
}

static Vec3 shade_triangle(const View *view, uint32_t id, float x, float y)
{
    const PictureCamera *camera = view->camera;
    size_t               m = 0;
    while (id >= view->first_ids[m + 1])
        m++;
    const PictureMesh *mesh = &view->stage->meshes[m];
    const uint32_t    *corners = mesh->triangles + 3 * (size_t)(id - view->first_ids[m]);
    Vec3               at[3], normal = {0};
    for (int k = 0; k < 3; k++)
        at[k] = mesh->positions[corners[k]];

    // Shares of the three corners; seen edge-on, the middle will do.
    Vec3  direction = ray_direction(view, x, y);
    float shares[2] = {1 / 3.0f, 1 / 3.0f}, steps[2][2];
    if (ray_shares(camera->eye, direction, at, &shares[0], &shares[1]))
    {
        shares[0] = clampf(shares[0], 0, 1);
        shares[1] = clampf(shares[1], 0, 1 - shares[0]);
    }
    float weights[3] = {1 - shares[0] - shares[1], shares[0], shares[1]};
    Vec3  position = {0}, tint = {0};
    for (int k = 0; k < 3; k++)
    {
        position = mad(position, weights[k], at[k]);
        normal = mad(normal, weights[k], mesh->normals[corners[k]]);
        if (mesh->tints)
            tint = mad(tint, weights[k], mesh->tints[corners[k]]);
    }

    // The flat triangle tells which side is seen; the smooth normal is then turned to the viewer.
    Vec3 flat = cross(sub(at[1], at[0]), sub(at[2], at[0])),
         to_eye = normalize(scale(direction, -1));
    if (dot(flat, normal) < 0)
        flat = scale(flat, -1);
    bool front = dot(flat, to_eye) >= 0;
    normal = normalize(scale(normal, front ? 1 : -1));
    float facing = dot(normal, to_eye);
    if (facing < 0.02f)
        normal = normalize(mad(normal, 0.02f - facing, to_eye));

    Vec3 color = front ? mesh->front : mesh->back;
    if (mesh->tints)
        color = scale(tint, front ? 1.0f : 0.7f);
    else if (mesh->grid_width)
    {
        Vec3 beside = mad(direction, 1 / view->focal, camera->right);
        Vec3 above = mad(direction, 1 / view->focal, camera->up);
        if (ray_shares(camera->eye, beside, at, &steps[0][0], &steps[0][1]) &&
            ray_shares(camera->eye, above, at, &steps[1][0], &steps[1][1]))
            color = scale(color, 1 - 0.22f * check_part(mesh, corners, shares, steps));
    }
    Vec3 light = weft_picture_lights_gather(&view->lights, position, normal, camera->sky,
                                            mesh->transmission);
    // Loose fibres catch light at the rim of a fold.
    float rim = mesh->transmission > 0 ? 0.35f * powf(1 - fmaxf(facing, 0), 4) : 0;
    return multiply(add(color, scale(mix(color, vec3(0.6f, 0.6f, 0.6f), 0.5f), rim)), light);
}

static Vec3 shade_pixel(const View *view, const PictureRaster *raster, int x, int y)
{
    struct
    {
        uint32_t id;
        float    x, y, count;
    } seen[SAMPLES * SAMPLES];
    int seen_count = 0;
    for (int s = 0; s < SAMPLES * SAMPLES; s++)
    {
        int      column = x * SAMPLES + s % SAMPLES, row = y * SAMPLES + s / SAMPLES;
        uint32_t id = raster->ids[(row - raster->top) * raster->width + column];
        int      k = 0;
        while (k < seen_count && seen[k].id != id)
            k++;
        if (k == seen_count)
        {
            memset(&seen[seen_count++], 0, sizeof seen[0]);
            seen[k].id = id;
        }
        seen[k].x += ((float)column + 0.5f) / SAMPLES;
        seen[k].y += ((float)row + 0.5f) / SAMPLES;
        seen[k].count += 1;
    }

    Vec3 sum = {0};
    for (int k = 0; k < seen_count; k++)
    {
        float middle_x = seen[k].x / seen[k].count, middle_y = seen[k].y / seen[k].count;
        Vec3  color;
        if (seen[k].id == ID_NONE)
            color = background(view, middle_y);
        else if (seen[k].id >= ID_PLANE)
            color =
                shade_plane(view, view->stage->planes[seen[k].id - ID_PLANE], middle_x, middle_y);
        else
            color = shade_triangle(view, seen[k].id, middle_x, middle_y);
        sum = mad(sum, seen[k].count / (SAMPLES * SAMPLES), color);
    }
    return sum;
}

// Linear light to an 8-bit sRGB value; `grain` in 0..1 breaks up bands in smooth gradients.
static uint8_t encode(float linear, float grain)
{
    linear = clampf(linear, 0, 1);
    float value = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
    return (uint8_t)clampf(255 * value + grain, 0, 255);
}

static void render_band(const View *view, PictureImage *image, int left, int top)
{
    int           rows = top + BAND_HEIGHT < view->height ? BAND_HEIGHT : view->height - top;
    PictureRaster raster = {view->width * SAMPLES, top * SAMPLES, (top + rows) * SAMPLES, NULL,
                            NULL};
    size_t        count = (size_t)raster.width * (size_t)(rows * SAMPLES);
    raster.depth = weft_picture_resize(NULL, count, sizeof *raster.depth);
    raster.ids = weft_picture_resize(NULL, count, sizeof *raster.ids);
    memset(raster.depth, 0, count * sizeof *raster.depth);
    memset(raster.ids, 0xFF, count * sizeof *raster.ids);

    for (size_t t = 0; t < view->triangle_count; t++)
        weft_picture_raster_triangle(&raster, view->triangles[t].corners, view->triangles[t].id);
    draw_planes(view, &raster);

    // Column by column within the band: neighbours look up the same places of the depth maps.
    for (int i = 0; i < rows * view->width; i++)
    {
        int      x = i / rows, y = top + i % rows;
        Vec3     color = shade_pixel(view, &raster, x, y);
        uint32_t hash = ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u) * 2654435761u;
        float    grain = (float)(hash >> 8) / 16777216.0f;
        uint8_t *pixel =
            image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)(left + x));
        pixel[0] = encode(color.x, grain);
        pixel[1] = encode(color.y, grain);
        pixel[2] = encode(color.z, grain);
    }
    free(raster.depth);
    free(raster.ids);
}

void weft_picture_render(PictureImage *image, int left, int width, const PictureStage *stage,
                         const PictureCamera *camera)
{
    View view = {.stage = stage, .camera = camera, .width = width, .height = image->height};
    view.focal = 0.5f * (float)view.height / camera->half_height;
    view.lights = weft_picture_lights_create(stage, camera);
    project_stage(&view);

#pragma omp parallel for schedule(dynamic, 1)
    for (int top = 0; top < view.height; top += BAND_HEIGHT)
        render_band(&view, image, left, top);

    weft_picture_lights_destroy(&view.lights);
    free(view.first_ids);
    free(view.triangles);
}
