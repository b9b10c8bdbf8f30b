// surface.c: from meshes to the renderer's vertices, triangles and fans.
//
// A vertex is a particle with texture coordinates: where the texture has a seam, as along a tube, one particle has
// several vertices. Normals belong to particles and so do not see seams.
#include "render/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/texture.h"
#include "render/render.h"

typedef struct Vertex
{
    uint32_t particle;
    float    u, v;
    uint32_t filling;
} Vertex;

// What is built on the host before it goes to the device.
typedef struct Build
{
    const WeftModel *model;
    Vertex          *vertices;
    size_t           vertex_count, vertex_room;
    uint32_t        *indices; // (triangles x 3) vertices
    size_t           index_count;
    uint32_t        *corners; // (triangles x 3) particles
    uint32_t        *fan_begin, *fan;
    uint32_t (*edges)[4];
    size_t edge_count;
    uint32_t (*pins)[4];
    size_t    pin_count;
    uint32_t *next; // (vertex_room) the next vertex of the same particle, or NONE
} Build;

#define NONE UINT32_MAX

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the picture's surfaces");
}

static uint32_t add_vertex(Build *build, uint32_t particle, float u, float v)
{
    build->vertices[build->vertex_count] = (Vertex){particle, u, v, 0};
    build->next[build->vertex_count] = NONE;
    return (uint32_t)build->vertex_count++;
}

// Without texture coordinates the cloth as it starts is looked at from its broadest side.
static void choose_axes(const WeftMesh *mesh, double low[3], double size[3], int axes[2])
{
    double high[3];
    for (int k = 0; k < 3; k++)
    {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; i++)
        {
            low[k] = fmin(low[k], mesh->positions[3 * i + (size_t)k]);
            high[k] = fmax(high[k], mesh->positions[3 * i + (size_t)k]);
        }
        size[k] = fmax(high[k] - low[k], 1e-9);
    }
    int thin = size[0] < size[1] ? (size[0] < size[2] ? 0 : 2) : (size[1] < size[2] ? 1 : 2);
    axes[0] = thin == 0 ? 2 : 0;
    axes[1] = thin == 1 ? 2 : 1;
}

static void add_bare_mesh(Build *build, size_t cloth)
{
    const WeftMesh *mesh = &build->model->meshes[cloth];
    uint32_t        first = (uint32_t)build->vertex_count;
    double          low[3], size[3];
    int             axes[2];
    choose_axes(mesh, low, size, axes);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
    {
        const double *at = mesh->positions + 3 * (size_t)i;
        add_vertex(build, weft_model_particle(build->model, cloth, i),
                   (float)((at[axes[0]] - low[axes[0]]) / size[axes[0]]),
                   (float)((at[axes[1]] - low[axes[1]]) / size[axes[1]]));
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        build->indices[build->index_count++] = first + mesh->triangles[k];
}

// The vertex of a particle with these coordinates; `head` is the first of its vertices.
static uint32_t find_vertex(Build *build, uint32_t *head, uint32_t particle, const float uv[2])
{
    for (uint32_t at = *head; at != NONE; at = build->next[at])
        if (build->vertices[at].u == uv[0] && build->vertices[at].v == uv[1])
            return at;
    uint32_t vertex = add_vertex(build, particle, uv[0], uv[1]);
    build->next[vertex] = *head;
    *head = vertex;
    return vertex;
}

static bool add_textured_mesh(Build *build, size_t cloth)
{
    const WeftMesh *mesh = &build->model->meshes[cloth];
    uint32_t       *heads = malloc((size_t)mesh->vertex_count * sizeof(uint32_t) + 1);
    if (heads == NULL)
        return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        heads[i] = NONE;
    size_t triangle = 0;
    for (size_t face = 0; face < mesh->face_count; face++)
    {
        const uint32_t *corners = mesh->face_corners + 4 * face;
        size_t          count = corners[2] == corners[3] ? 1 : 2;
        for (size_t k = 0; k < 3 * count; k++)
        {
            uint32_t vertex = mesh->triangles[3 * triangle + k];
            int      corner = 0;
            float    uv[2];
            while (corner < 3 && corners[corner] != vertex)
                corner++;
            weft_texture_corner(mesh, face, corner, uv);
            build->indices[build->index_count++] = find_vertex(
                build, &heads[vertex], weft_model_particle(build->model, cloth, vertex), uv);
        }
        triangle += count;
    }
    free(heads);
    return true;
}

// A chain is the line through its particles.
static void add_chain(Build *build, size_t cloth)
{
    const WeftMesh *mesh = &build->model->meshes[cloth];
    uint32_t        count = mesh->vertex_count;
    for (uint32_t i = 0; i + 1 < count + (mesh->grid_closed && count > 2); i++)
    {
        uint32_t *edge = build->edges[build->edge_count++];
        edge[0] = weft_model_particle(build->model, cloth, i);
        edge[1] = weft_model_particle(build->model, cloth, (i + 1) % count);
    }
}

// Dyes, and square checks: about twelve over the shorter side; a tube takes an even number around.
static void dress(WeftRenderPart *part, const WeftScene *scene, size_t index)
{
    static const Vec3 dyes[] = {{0.42f, 0.030f, 0.028f}, {0.035f, 0.12f, 0.30f},
                                {0.52f, 0.25f, 0.025f},  {0.035f, 0.19f, 0.10f},
                                {0.22f, 0.055f, 0.24f},  {0.26f, 0.24f, 0.21f}};
    part->front = dyes[index % (sizeof dyes / sizeof *dyes)];
    part->back = mix(scale(part->front, 0.6f), vec3(0.40f, 0.38f, 0.35f), 0.35f);
    part->checks[0] = part->checks[1] = 24;
    if (index < scene->cloths_count && scene->cloths[index].has_grid)
    {
        const double *size = scene->cloths[index].grid.size;
        double        check = fmin(size[0], size[1]) / 24;
        part->checks[0] = (float)fmax(2, 2 * round(0.5 * size[0] / check));
        part->checks[1] = (float)fmax(2, 2 * round(0.5 * size[1] / check)) + 1;
        part->checks[0] += scene->cloths[index].grid.shape == WEFT_GRID_SHEET;
    }
}

static bool add_cloths(Build *build, WeftRenderSurface *surface)
{
    for (size_t cloth = 0; cloth < surface->part_count; cloth++)
    {
        const WeftMesh *mesh = &build->model->meshes[cloth];
        WeftRenderPart *part = &surface->parts[cloth];
        part->first_index = (uint32_t)build->index_count;
        part->first_edge = (uint32_t)build->edge_count;
        if (mesh->triangle_count == 0)
            add_chain(build, cloth);
        else if (!weft_texture_exists(mesh))
            add_bare_mesh(build, cloth);
        else if (!add_textured_mesh(build, cloth))
            return false;
        part->index_count = (uint32_t)build->index_count - part->first_index;
        part->edge_count = (uint32_t)build->edge_count - part->first_edge;
        dress(part, build->model->scene, cloth);
    }
    return true;
}

// The triangles around each particle: counted, then filled in.
static void add_fans(Build *build)
{
    uint32_t count = build->model->particle_count;
    for (size_t k = 0; k < build->index_count; k++)
    {
        build->corners[k] = build->vertices[build->indices[k]].particle;
        build->fan_begin[build->corners[k] + 1]++;
    }
    for (uint32_t i = 0; i < count; i++)
        build->fan_begin[i + 1] += build->fan_begin[i];
    for (size_t k = build->index_count; k-- > 0;)
        build->fan[--build->fan_begin[build->corners[k] + 1]] = (uint32_t)(k / 3);

    // Each begin now stands one place too far along.
    memmove(build->fan_begin, build->fan_begin + 1, count * sizeof(uint32_t));
    build->fan_begin[count] = (uint32_t)build->index_count;
}

static void add_pins(Build *build)
{
    for (uint32_t i = 0; i < build->model->particle_count; i++)
    {
        int32_t pin = build->model->pin_of[i];
        if (pin < 0)
            continue;
        uint32_t *record = build->pins[build->pin_count++];
        float     release = (float)build->model->pins[pin]->release;
        record[0] = i;
        memcpy(&record[1], &release, sizeof release);
    }
}

static WeftStatus send(WeftGpu *gpu, WeftGpuBuffer *buffer, const char *name, const void *data,
                       size_t size)
{
    WEFT_TRY(weft_gpu_buffer_create(gpu, buffer, name, size, WEFT_GPU_ON_DEVICE));
    return weft_gpu_upload(gpu, buffer, 0, data, size);
}

static WeftStatus send_all(WeftRenderSurface *surface, const Build *build)
{
    WeftGpu *gpu = surface->gpu;
    for (size_t i = 0; i < build->vertex_count; i++)
    {
        const Vertex *vertex = &build->vertices[i];
        surface->is_tiled |= vertex->u < 0 || vertex->u > 1 || vertex->v < 0 || vertex->v > 1;
    }
    surface->vertex_count = (uint32_t)build->vertex_count;
    surface->index_count = (uint32_t)build->index_count;
    surface->triangle_count = surface->index_count / 3;
    surface->edge_count = (uint32_t)build->edge_count;
    surface->pin_count = (uint32_t)build->pin_count;
    size_t word = sizeof(uint32_t), count = surface->particle_count;
    WEFT_TRY(send(gpu, &surface->vertices, "vertices", build->vertices,
                  build->vertex_count * sizeof(Vertex)));
    WEFT_TRY(send(gpu, &surface->indices, "indices", build->indices, build->index_count * word));
    WEFT_TRY(send(gpu, &surface->corners, "corners", build->corners, build->index_count * word));
    WEFT_TRY(send(gpu, &surface->fan_begin, "fans", build->fan_begin, (count + 1) * word));
    WEFT_TRY(send(gpu, &surface->fan, "fans", build->fan, build->index_count * word));
    WEFT_TRY(send(gpu, &surface->edges, "edges", build->edges, build->edge_count * 4 * word));
    WEFT_TRY(send(gpu, &surface->pins, "pins", build->pins, build->pin_count * 4 * word));
    WEFT_TRY(send(gpu, &surface->spring_records, "springs", surface->springs,
                  surface->spring_count * sizeof(WeftRenderSpring)));
    return weft_gpu_buffer_create(gpu, &surface->particles, "particles to draw",
                                  count * PARTICLE_QUADS * 4 * word, WEFT_GPU_ON_DEVICE);
}

static WeftStatus build_all(WeftRenderSurface *surface, Build *build)
{
    size_t corner_count = 0, vertex_count = 0, edge_count = 0;
    for (size_t cloth = 0; cloth < surface->part_count; cloth++)
    {
        const WeftMesh *mesh = &build->model->meshes[cloth];
        corner_count += 3 * (size_t)mesh->triangle_count;
        vertex_count += mesh->vertex_count;
        edge_count += mesh->triangle_count == 0 ? mesh->vertex_count : 0;
    }
    if (corner_count > UINT32_MAX / 4)
        return weft_fail(WEFT_ERROR_INPUT, "the scene has too many triangles to be drawn");
    size_t particles = surface->particle_count;
    build->vertex_room = vertex_count + corner_count + 1;
    build->vertices = malloc(build->vertex_room * sizeof(Vertex));
    build->next = malloc(build->vertex_room * sizeof(uint32_t));
    build->indices = malloc((corner_count + 1) * sizeof(uint32_t));
    build->corners = malloc((corner_count + 1) * sizeof(uint32_t));
    build->fan = malloc((corner_count + 1) * sizeof(uint32_t));
    build->fan_begin = calloc(particles + 2, sizeof(uint32_t));
    build->edges = calloc(edge_count + 1, sizeof *build->edges);
    build->pins = calloc(particles + 1, sizeof *build->pins);
    if (!build->vertices || !build->next || !build->indices || !build->corners || !build->fan ||
        !build->fan_begin || !build->edges || !build->pins || !add_cloths(build, surface))
        return out_of_memory();
    add_fans(build);
    add_pins(build);
    return send_all(surface, build);
}

WeftStatus weft_render_surface_create(WeftGpu *gpu, WeftRenderSurface *surface,
                                      const WeftModel *model, const WeftRenderSpring *springs,
                                      uint32_t spring_count)
{
    memset(surface, 0, sizeof *surface);
    surface->gpu = gpu;
    surface->particle_count = model->particle_count;
    surface->part_count = model->cloth_count;
    surface->parts = calloc(model->cloth_count + 1, sizeof *surface->parts);
    surface->spring_count = spring_count;
    surface->springs = malloc(((size_t)spring_count + 1) * sizeof *springs);
    Build      build = {.model = model};
    WeftStatus status = WEFT_OK;
    if (surface->parts && surface->springs)
    {
        double sum = 0;
        memcpy(surface->springs, springs, spring_count * sizeof *springs);
        for (uint32_t k = 0; k < spring_count; k++)
            sum += (double)springs[k].rest;
        surface->spacing = spring_count > 0 ? (float)(sum / spring_count) : 0;
        status = build_all(surface, &build);
    }
    else
        status = out_of_memory();
    free(build.vertices);
    free(build.next);
    free(build.indices);
    free(build.corners);
    free(build.fan);
    free(build.fan_begin);
    free(build.edges);
    free(build.pins);
    if (status != WEFT_OK)
        weft_render_surface_destroy(surface);
    return status;
}

void weft_render_surface_destroy(WeftRenderSurface *surface)
{
    WeftGpuBuffer *buffers[] = {&surface->vertices,  &surface->indices, &surface->corners,
                                &surface->fan_begin, &surface->fan,     &surface->spring_records,
                                &surface->edges,     &surface->pins,    &surface->particles};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        weft_gpu_buffer_destroy(surface->gpu, buffers[k]);
    free(surface->parts);
    free(surface->springs);
    memset(surface, 0, sizeof *surface);
}
