// mesh.c: sheets, tubes and chains made from a grid; placement; areas.
//
// Particles of a grid, w columns by h rows, in its local x-y plane (a tube: around its y axis):
//
//   (h-1)w ... hw-1      row h-1, top
//     |          |       faces: a, a+1, a+1+w, a+w, so that normals point to +z (a tube: outwards)
//     0 ...    w-1       row 0, bottom; column 0 is left
//
// Both diagonals of a cell are equally long, so its triangles are split along one and the other in
// turn, like a chessboard: no direction of the cloth is favoured.
#include "mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"
#include "obj_read.h"

#define PI 3.14159265358979323846

static void place_sheet(WeftMesh *mesh)
{
    size_t width = mesh->grid_counts[0], height = mesh->grid_counts[1];
    for (size_t row = 0; row < height; row++)
        for (size_t column = 0; column < width; column++)
        {
            // Counted from the middle, so that the sheet is symmetric to the last bit.
            double *position = mesh->positions + 3 * (row * width + column);
            position[0] =
                (2.0 * (double)column - (double)(width - 1)) * 0.5 * mesh->grid_spacing[0];
            position[1] = (2.0 * (double)row - (double)(height - 1)) * 0.5 * mesh->grid_spacing[1];
            position[2] = 0;
        }
}

static void place_tube(WeftMesh *mesh, double radius)
{
    size_t width = mesh->grid_counts[0], height = mesh->grid_counts[1];
    for (size_t column = 0; column < width; column++)
    {
        double angle = 2 * PI * (double)column / (double)width;
        for (size_t row = 0; row < height; row++)
        {
            double *position = mesh->positions + 3 * (row * width + column);
            position[0] = radius * cos(angle);
            position[1] = (2.0 * (double)row - (double)(height - 1)) * 0.5 * mesh->grid_spacing[1];
            position[2] = -radius * sin(angle);
        }
    }
}

static void connect_grid(WeftMesh *mesh, uint32_t cells_wide)
{
    uint32_t width = mesh->grid_counts[0], height = mesh->grid_counts[1];
    for (uint32_t row = 0; row + 1 < height; row++)
        for (uint32_t column = 0; column < cells_wide; column++)
        {
            uint32_t  a = row * width + column, b = row * width + (column + 1) % width;
            uint32_t  c = b + width, d = a + width;
            uint32_t *face = mesh->face_corners + 4 * (size_t)mesh->face_count++;
            uint32_t *triangles = mesh->triangles + 3 * (size_t)mesh->triangle_count;
            memcpy(face, (uint32_t[]){a, b, c, d}, 4 * sizeof(uint32_t));
            if ((row + column) % 2 == 0)
                memcpy(triangles, (uint32_t[]){a, b, c, a, c, d}, 6 * sizeof(uint32_t));
            else
                memcpy(triangles, (uint32_t[]){a, b, d, b, c, d}, 6 * sizeof(uint32_t));
            mesh->triangle_count += 2;
        }
}

static WeftStatus make_grid(WeftMesh *mesh, const WeftGrid *grid)
{
    uint32_t width = (uint32_t)grid->counts[0], height = (uint32_t)grid->counts[1];
    bool     tube = grid->shape == WEFT_GRID_TUBE;
    mesh->vertex_count = width * height;
    mesh->grid_counts[0] = width;
    mesh->grid_counts[1] = height;
    mesh->grid_closed = tube;

    // A single particle across has the whole size as its strip.
    for (int k = 0; k < 2; k++)
        mesh->grid_spacing[k] = grid->size[k] / (grid->counts[k] > 1 ? grid->counts[k] - 1 : 1);
    // A tube's particles stand on a circle; what lies between two of them is the chord.
    double radius = grid->size[0] / (2 * PI);
    if (tube)
        mesh->grid_spacing[0] = 2 * radius * sin(PI / width);

    uint32_t cells_wide = tube ? width : width - 1;
    size_t   cells = (size_t)cells_wide * (height - 1);
    mesh->positions = malloc((size_t)mesh->vertex_count * 3 * sizeof(double));
    if (cells > 0)
    {
        mesh->face_corners = malloc(cells * 4 * sizeof(uint32_t));
        mesh->triangles = malloc(cells * 6 * sizeof(uint32_t));
    }
    if (mesh->positions == NULL ||
        (cells > 0 && (mesh->face_corners == NULL || mesh->triangles == NULL)))
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for a grid of %u x %u particles", width,
                         height);

    if (tube)
        place_tube(mesh, radius);
    else
        place_sheet(mesh);
    if (cells > 0)
        connect_grid(mesh, cells_wide);
    return WEFT_OK;
}

static double shortest_edge(const WeftMesh *mesh)
{
    double shortest = INFINITY;
    for (int k = 0; k < 2; k++)
        if (mesh->grid_counts[k] > 1)
            shortest = fmin(shortest, mesh->grid_spacing[k]);
    if (mesh->grid_counts[0] > 0)
        return shortest;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        const double *a = mesh->positions + 3 * (size_t)mesh->triangles[i];
        size_t        next = i % 3 < 2 ? i + 1 : i - 2;
        const double *b = mesh->positions + 3 * (size_t)mesh->triangles[next];
        shortest = fmin(shortest, hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]));
    }
    return shortest;
}

// Turns and shifts the mesh to its place in the world.
static WeftStatus place_mesh(WeftMesh *mesh, const WeftScene *scene, size_t index)
{
    const WeftCloth *cloth = &scene->cloths[index];
    WeftTransform    place = weft_transform_place(cloth->position, cloth->rotation);
    double           shortest = shortest_edge(mesh), farthest = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
    {
        double local[3];
        memcpy(local, mesh->positions + 3 * i, sizeof(local));
        weft_transform_apply(&place, local, mesh->positions + 3 * i);
        for (size_t k = 0; k < 3; k++)
            farthest = fmax(farthest, fabs(mesh->positions[3 * i + k]));
    }

    // Far from the origin, numbers are too coarse to hold small edges apart.
    bool   is_float = scene->solver.precision == WEFT_PRECISION_FLOAT;
    double finest = (is_float ? FLT_EPSILON : DBL_EPSILON) * farthest;
    if (!(shortest > 64 * finest))
        return weft_fail(WEFT_ERROR_INPUT,
                         "cloths[%zu].%s: particles %g m apart fall together %g m from the "
                         "origin; move the cloth nearer%s or make it larger",
                         index, cloth->has_grid ? "grid" : "mesh", shortest, farthest,
                         is_float ? ", take --precision double" : "");
    return WEFT_OK;
}

WeftStatus weft_mesh_create(WeftMesh *mesh, const WeftScene *scene, size_t index)
{
    memset(mesh, 0, sizeof(*mesh));
    const WeftCloth *cloth = &scene->cloths[index];
    WeftStatus       status = cloth->has_grid ? make_grid(mesh, &cloth->grid)
                                              : weft_obj_read(mesh, cloth->mesh.file, cloth->mesh.scale,
                                                              cloth->particle_mass == 0);
    if (status == WEFT_OK)
        status = place_mesh(mesh, scene, index);
    if (status != WEFT_OK)
        weft_mesh_destroy(mesh);
    return status;
}

void weft_mesh_destroy(WeftMesh *mesh)
{
    free(mesh->positions);
    free(mesh->texture);
    free(mesh->triangles);
    free(mesh->face_corners);
    memset(mesh, 0, sizeof(*mesh));
}

// What a row or column owns of the spacing: half at an open end.
static double share(uint32_t place, uint32_t count, bool closed)
{
    if (count == 1 || closed)
        return 1;
    return place == 0 || place == count - 1 ? 0.5 : 1;
}

static double triangle_area(const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++)
    {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
           z = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

void weft_mesh_particle_areas(const WeftMesh *mesh, const WeftCloth *cloth, double *areas)
{
    (void)cloth;
    if (mesh->grid_counts[0] > 0)
    {
        uint32_t width = mesh->grid_counts[0], height = mesh->grid_counts[1];
        double   cell = mesh->grid_spacing[0] * mesh->grid_spacing[1];
        for (uint32_t row = 0; row < height; row++)
            for (uint32_t column = 0; column < width; column++)
                areas[(size_t)row * width + column] =
                    cell * share(column, width, mesh->grid_closed) * share(row, height, false);
        return;
    }
    memset(areas, 0, mesh->vertex_count * sizeof(double));
    for (size_t i = 0; i < mesh->triangle_count; i++)
    {
        const uint32_t *corners = mesh->triangles + 3 * i;
        double          area = triangle_area(mesh->positions + 3 * (size_t)corners[0],
                                             mesh->positions + 3 * (size_t)corners[1],
                                             mesh->positions + 3 * (size_t)corners[2]);
        for (int k = 0; k < 3; k++)
            areas[corners[k]] += area / 3;
    }
}
