// solids.c: tessellation. All round solids are an outline turned about the y axis; flat faces are cut into cells where the
// light of the sky is computed at vertices.
#include "render/solids.h"

#include <stdlib.h>
#include <string.h>

#include "scene/motion.h"

enum
{
    MOST_CELLS = 24,
    MAX_OUTLINE = 8 * (MOST_CELLS + 1),
};

// A point of the outline with the outline's outward normal there; a sharp edge is two points.
typedef struct OutlinePoint
{
    float radius, y, normal_radius, normal_y;
} OutlinePoint;

typedef struct Outline
{
    OutlinePoint points[MAX_OUTLINE];
    int          count;
} Outline;

static uint32_t add_vertex(WeftRenderSolids *solids, Vec3 place, Vec3 normal)
{
    solids->places[solids->vertex_count] = place;
    solids->normals[solids->vertex_count] = normal;
    return solids->vertex_count++;
}

static void add_cell(WeftRenderSolids *solids, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(solids->indices + solids->index_count, corners, sizeof corners);
    solids->index_count += 6;
}

// Room for so many vertices and indices more; false if there is none.
static bool make_room(WeftRenderSolids *solids, uint32_t vertices, uint32_t indices)
{
    solids->vertex_room = solids->vertex_count + vertices;
    solids->index_room = solids->index_count + indices;
    Vec3 *places = realloc(solids->places, (solids->vertex_room + 1) * sizeof *places);
    solids->places = places ? places : solids->places;
    Vec3 *normals = realloc(solids->normals, (solids->vertex_room + 1) * sizeof *normals);
    solids->normals = normals ? normals : solids->normals;
    uint32_t *list = realloc(solids->indices, (solids->index_room + 1) * sizeof *list);
    solids->indices = list ? list : solids->indices;
    return places && normals && list;
}

// A circular arc about (center_radius, center_y), angles counted from the equator.
static void add_arc(Outline *outline, float center_radius, float center_y, float radius, float from,
                    float to, int steps)
{
    for (int i = 0; i <= steps; i++)
    {
        float angle = from + (to - from) * (float)i / (float)steps;
        float c = cosf(angle), s = sinf(angle);
        outline->points[outline->count++] =
            (OutlinePoint){center_radius + radius * c, center_y + radius * s, c, s};
    }
}

static void add_straight(Outline *outline, int steps, float radius1, float y1, float radius2,
                         float y2)
{
    float along = sqrtf((radius2 - radius1) * (radius2 - radius1) + (y2 - y1) * (y2 - y1));
    float normal_radius = along > 0 ? (y2 - y1) / along : 0;
    float normal_y = along > 0 ? -(radius2 - radius1) / along : 1;
    for (int i = 0; i <= steps; i++)
    {
        float part = (float)i / (float)steps;
        outline->points[outline->count++] = (OutlinePoint){
            radius1 + part * (radius2 - radius1), y1 + part * (y2 - y1), normal_radius, normal_y};
    }
}

static void make_outline(Outline *outline, const WeftSolid *solid, float inset, int cells,
                         int flat_cells)
{
    const float quarter = 1.5707963f;
    float       full = (float)solid->radius, half = 0.5f * (float)solid->height;
    float       radius = full - inset;
    outline->count = 0;
    switch (solid->type)
    {
    case WEFT_SOLID_SPHERE:
        add_arc(outline, 0, 0, radius, -quarter, quarter, 4 * cells);
        break;
    case WEFT_SOLID_CAPSULE:
        add_arc(outline, 0, -half, radius, -quarter, 0, 2 * cells);
        add_straight(outline, flat_cells, radius, -half, radius, half);
        add_arc(outline, 0, half, radius, 0, quarter, 2 * cells);
        break;
    case WEFT_SOLID_TORUS:
        add_arc(outline, full, 0, (float)solid->tube_radius - inset, -quarter, 3 * quarter,
                4 * cells);
        break;
    case WEFT_SOLID_CYLINDER:
        add_straight(outline, flat_cells, 0, -half + inset, radius, -half + inset);
        add_straight(outline, flat_cells, radius, -half + inset, radius, half - inset);
        add_straight(outline, flat_cells, radius, half - inset, 0, half - inset);
        break;
    case WEFT_SOLID_CONE:
    {
        // Base and slope both move inwards by the inset.
        float slope = sqrtf(full * full + 4 * half * half), base = -half + inset;
        float apex = half - inset * slope / full, foot = (apex - base) * full / (2 * half);
        add_straight(outline, flat_cells, 0, base, foot, base);
        add_straight(outline, flat_cells, foot, base, 0, apex);
        break;
    }
    case WEFT_SOLID_PLANE:
    case WEFT_SOLID_BOX:
    case WEFT_SOLID_MESH:
        break;
    }
}

static bool revolve(WeftRenderSolids *solids, const Outline *outline)
{
    uint32_t segments = 5 * solids->cells, row = segments + 1;
    uint32_t count = (uint32_t)outline->count, first = solids->vertex_count;
    if (!make_room(solids, count * row, 6 * count * segments))
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s <= segments; s++)
        {
            float        angle = 6.2831853f * (float)(s % segments) / (float)segments;
            float        c = cosf(angle), sine = sinf(angle);
            OutlinePoint p = outline->points[i];
            add_vertex(solids, vec3(p.radius * c, p.y, p.radius * sine),
                       vec3(p.normal_radius * c, p.normal_y, p.normal_radius * sine));
        }
    for (uint32_t i = 0; i + 1 < count; i++)
        for (uint32_t s = 0; s < segments; s++)
        {
            uint32_t a = first + i * row + s;
            add_cell(solids, a, a + row, a + row + 1, a + 1);
        }
    return true;
}

static bool add_box(WeftRenderSolids *solids, const WeftSolid *solid, float inset)
{
    const uint32_t cells = solids->flat_cells, row = cells + 1;
    if (!make_room(solids, 6 * row * row, 36 * cells * cells))
        return false;
    for (int side = 0; side < 6; side++)
    {
        int      axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float    sign = side % 2 ? 1.0f : -1.0f, half[3], normal[3] = {0};
        uint32_t first = solids->vertex_count;
        for (int k = 0; k < 3; k++)
            half[k] = 0.5f * (float)solid->size[k] - inset;
        normal[axis] = sign;
        for (uint32_t j = 0; j < row; j++)
            for (uint32_t i = 0; i < row; i++)
            {
                float p[3];
                p[axis] = sign * half[axis];
                p[u] = half[u] * (2 * (float)i / (float)cells - 1);
                p[v] = half[v] * (2 * (float)j / (float)cells - 1);
                add_vertex(solids, vec3(p[0], p[1], p[2]), vec3(normal[0], normal[1], normal[2]));
            }
        for (uint32_t j = 0; j < cells; j++)
            for (uint32_t i = 0; i < cells; i++)
            {
                uint32_t a = first + j * row + i;
                add_cell(solids, a, a + 1, a + row + 1, a + row);
            }
    }
    return true;
}

static bool add_mesh(WeftRenderSolids *solids, WeftRenderSolid *entry)
{
    WeftSolidShape *shape = &entry->shape;
    if (!make_room(solids, shape->vertex_count, shape->index_count))
        return false;
    weft_solid_shape_indices(shape, solids->vertex_count, solids->indices + solids->index_count);
    weft_solid_shape_vertices(shape, 0, entry->inset, solids->places + solids->vertex_count,
                              solids->normals + solids->vertex_count);
    solids->vertex_count += shape->vertex_count;
    solids->index_count += shape->index_count;
    return true;
}

// No solid loses more than a tenth of its thinnest part to the inset.
static float limit_inset(const WeftRenderSolid *entry, float inset)
{
    const WeftSolid *solid = entry->solid;
    double           thin = fmin(2 * solid->radius, solid->height);
    if (solid->type == WEFT_SOLID_MESH)
        thin = weft_solid_shape_thinnest(&entry->shape);
    else if (solid->type == WEFT_SOLID_BOX)
        thin = fmin(solid->size[0], fmin(solid->size[1], solid->size[2]));
    else if (solid->type == WEFT_SOLID_SPHERE || solid->type == WEFT_SOLID_CAPSULE)
        thin = 2 * solid->radius;
    else if (solid->type == WEFT_SOLID_TORUS)
        thin = 2 * solid->tube_radius;
    return fminf(inset, 0.05f * (float)thin);
}

// The box around its vertices, in its own coordinates.
static void measure(const WeftRenderSolids *solids, WeftRenderSolid *entry)
{
    const Vec3 *places = solids->places + entry->first_vertex;
    entry->low = entry->high = entry->vertex_count > 0 ? places[0] : vec3(0, 0, 0);
    for (uint32_t i = 1; i < entry->vertex_count; i++)
    {
        entry->low = lowest(entry->low, places[i]);
        entry->high = highest(entry->high, places[i]);
    }
}

static bool add_solid(WeftRenderSolids *solids, WeftRenderSolid *entry, float inset)
{
    entry->is_plane = entry->solid->type == WEFT_SOLID_PLANE;
    entry->inset = entry->is_plane ? 0 : limit_inset(entry, inset);
    entry->first_vertex = solids->vertex_count;
    entry->first_index = solids->index_count;
    bool good = true;
    if (entry->solid->type == WEFT_SOLID_BOX)
        good = add_box(solids, entry->solid, entry->inset);
    else if (entry->solid->type == WEFT_SOLID_MESH)
        good = add_mesh(solids, entry);
    else if (!entry->is_plane)
    {
        Outline outline;
        make_outline(&outline, entry->solid, entry->inset, (int)solids->cells,
                     (int)solids->flat_cells);
        good = revolve(solids, &outline);
    }
    entry->vertex_count = solids->vertex_count - entry->first_vertex;
    entry->index_count = solids->index_count - entry->first_index;
    if (good)
        measure(solids, entry);
    return good;
}

// The grid of the planes; its vertices are places from -1 to 1.
static WeftStatus send_plane(WeftRenderSolids *solids)
{
    const uint32_t cells = solids->plane_cells, row = cells + 1;
    float(*grid)[4] = calloc((size_t)row * row, sizeof *grid);
    if (!grid || !make_room(solids, 0, 6 * cells * cells))
    {
        free(grid);
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the planes");
    }
    solids->plane_first_index = solids->index_count;
    for (uint32_t j = 0; j < row; j++)
        for (uint32_t i = 0; i < row; i++)
        {
            grid[j * row + i][0] = 2 * (float)i / (float)cells - 1;
            grid[j * row + i][1] = 2 * (float)j / (float)cells - 1;
        }
    for (uint32_t j = 0; j < cells; j++)
        for (uint32_t i = 0; i < cells; i++)
        {
            uint32_t a = j * row + i;
            add_cell(solids, a, a + 1, a + row + 1, a + row);
        }
    solids->plane_index_count = solids->index_count - solids->plane_first_index;
    size_t     bytes = (size_t)row * row * sizeof *grid;
    WeftStatus status = weft_gpu_buffer_create(solids->gpu, &solids->plane_vertices, "planes",
                                               bytes, WEFT_GPU_ON_DEVICE);
    if (status == WEFT_OK)
        status = weft_gpu_upload(solids->gpu, &solids->plane_vertices, 0, grid, bytes);
    free(grid);
    return status;
}

static bool is_animated(const WeftRenderSolid *entry)
{
    return entry->shape.mesh && entry->shape.mesh->frame_count > 0;
}

// Vertices from `first` on as the shaders read them.
static void pack(const WeftRenderSolids *solids, uint32_t first, uint32_t count, float (*packed)[8])
{
    for (uint32_t i = first; i < first + count; i++)
    {
        memcpy(packed[i], &solids->places[i], sizeof(Vec3));
        memcpy(packed[i] + 4, &solids->normals[i], sizeof(Vec3));
    }
}

static WeftStatus send_vertices(WeftRenderSolids *solids)
{
    size_t bytes = (size_t)solids->vertex_count * 8 * sizeof(float);
    bool   animated = false;
    for (size_t k = 0; k < solids->count; k++)
        animated = animated || is_animated(&solids->list[k]);
    WEFT_TRY(weft_gpu_buffer_create(solids->gpu, &solids->vertex_buffer, "solids", bytes,
                                    animated ? WEFT_GPU_ON_HOST : WEFT_GPU_ON_DEVICE));
    if (animated)
    {
        pack(solids, 0, solids->vertex_count, solids->vertex_buffer.memory);
        return WEFT_OK;
    }
    float(*packed)[8] = calloc(solids->vertex_count + 1, sizeof *packed);
    if (!packed)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the solids");
    pack(solids, 0, solids->vertex_count, packed);
    WeftStatus status = weft_gpu_upload(solids->gpu, &solids->vertex_buffer, 0, packed, bytes);
    free(packed);
    return status;
}

static WeftStatus send_solids(WeftRenderSolids *solids)
{
    size_t bytes;
    WEFT_TRY(send_vertices(solids));
    bytes = solids->index_count * sizeof(uint32_t);
    WEFT_TRY(weft_gpu_buffer_create(solids->gpu, &solids->index_buffer, "solids", bytes,
                                    WEFT_GPU_ON_DEVICE));
    return weft_gpu_upload(solids->gpu, &solids->index_buffer, 0, solids->indices, bytes);
}

Vec3 weft_scene_up(const WeftScene *scene)
{
    const double *g = scene->gravity;
    Vec3          up = normalize(vec3(-(float)g[0], -(float)g[1], -(float)g[2]));
    return length(up) > 0 ? up : vec3(0, 1, 0);
}

WeftStatus weft_render_solids_create(WeftGpu *gpu, WeftRenderSolids *solids, const WeftModel *model,
                                     float inset, bool is_fine)
{
    const WeftScene *scene = model->scene;
    memset(solids, 0, sizeof *solids);
    solids->gpu = gpu;
    solids->cells = is_fine ? 12 : 6;
    solids->flat_cells = is_fine ? 12 : 1;
    solids->plane_cells = is_fine ? 80 : 24;
    solids->up = weft_scene_up(scene);
    solids->count = scene->solids_count;
    solids->list = calloc(scene->solids_count + 1, sizeof *solids->list);
    bool good = solids->list != NULL;
    for (size_t i = 0; good && i < solids->count; i++)
    {
        WeftRenderSolid *entry = &solids->list[i];
        entry->solid = &scene->solids[i];
        good = (scene->solids[i].type != WEFT_SOLID_MESH ||
                weft_solid_shape_create(&entry->shape, &model->solid_meshes[i],
                                        is_fine ? 2 * solids->cells : 1)) &&
               add_solid(solids, entry, inset);
    }
    WeftStatus status = good ? send_plane(solids)
                             : weft_fail(WEFT_ERROR_FAILED, "not enough memory for the solids");
    if (status == WEFT_OK)
        status = send_solids(solids);
    if (status != WEFT_OK)
        weft_render_solids_destroy(solids);
    return status;
}

void weft_render_solids_destroy(WeftRenderSolids *solids)
{
    weft_gpu_buffer_destroy(solids->gpu, &solids->vertex_buffer);
    weft_gpu_buffer_destroy(solids->gpu, &solids->plane_vertices);
    weft_gpu_buffer_destroy(solids->gpu, &solids->index_buffer);
    for (size_t k = 0; solids->list && k < solids->count; k++)
        weft_solid_shape_destroy(&solids->list[k].shape);
    free(solids->list);
    free(solids->places);
    free(solids->normals);
    free(solids->indices);
    memset(solids, 0, sizeof *solids);
}

void weft_render_solids_shape(WeftRenderSolids *solids, double time)
{
    for (size_t k = 0; k < solids->count; k++)
    {
        WeftRenderSolid *entry = &solids->list[k];
        if (!is_animated(entry))
            continue;
        weft_solid_shape_vertices(&entry->shape, time, entry->inset,
                                  solids->places + entry->first_vertex,
                                  solids->normals + entry->first_vertex);
        measure(solids, entry);
        pack(solids, entry->first_vertex, entry->vertex_count, solids->vertex_buffer.memory);
    }
}

void weft_render_solid_rows(const WeftRenderSolids *solids, size_t index, double time,
                            float rows[12])
{
    const WeftRenderSolid *entry = &solids->list[index];
    WeftTransform          place = weft_solid_place(entry->solid, time);
    // Down by the inset, as a gap to the floor would show.
    const float drop[3] = {solids->up.x, solids->up.y, solids->up.z};
    for (int row = 0; row < 3; row++)
    {
        for (int column = 0; column < 3; column++)
            rows[4 * row + column] = (float)place.rotation[3 * row + column];
        rows[4 * row + 3] = (float)place.translation[row] - entry->inset * drop[row];
    }
}

void weft_render_plane_rows(const WeftRenderSolids *solids, size_t index, double time, Vec3 focus,
                            float rows[12])
{
    weft_render_solid_rows(solids, index, time, rows);
    Vec3 normal = weft_rows_apply(rows, vec3(0, 1, 0), 0);
    Vec3 origin = vec3(rows[3], rows[7], rows[11]);
    Vec3 foot = mad(focus, -dot(normal, sub(focus, origin)), normal);
    rows[3] = foot.x;
    rows[7] = foot.y;
    rows[11] = foot.z;
}
