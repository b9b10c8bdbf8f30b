// solid_mesh.c: reads the meshes of solids and their animations, and makes sure that they have an inside.
//
// Angle-weighted normals: J. A. Baerentzen, H. Aanaes, Signed Distance Computation Using the Angle Weighted Pseudonormal, 2005. A
// point is outside where it is in front of the normal at the nearest point of the surface, be that in a face, an edge or a corner.
#include "sim/solid_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/cache.h"
#include "scene/obj_read.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the mesh of a solid");
}

// Names the key before what a reader of files has said.
static WeftStatus name_key(WeftStatus status, size_t index, const char *key)
{
    return weft_fail(status, "solids[%zu].%s: %s", index, key, weft_error_message());
}

static void subtract(const double *a, const double *b, double result[3])
{
    for (int axis = 0; axis < 3; axis++)
        result[axis] = a[axis] - b[axis];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double result[3])
{
    for (int axis = 0; axis < 3; axis++)
    {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        result[axis] = a[next] * b[last] - a[last] * b[next];
    }
}

// To unit length, or zero where there is no direction.
static void normalize(double v[3])
{
    double size = sqrt(dot(v, v));
    for (int axis = 0; axis < 3; axis++)
        v[axis] = size > 0 ? v[axis] / size : 0;
}

// One side of an edge: the triangle's edge from corner `corner % 3` to the next.
typedef struct Side
{
    uint32_t low, high; // ends
    uint32_t corner;    // 3 x triangle + corner
    bool     is_up;     // goes from low to high
} Side;

static int compare_sides(const void *a, const void *b)
{
    const Side *one = a, *other = b;
    if (one->low != other->low)
        return one->low < other->low ? -1 : 1;
    if (one->high != other->high)
        return one->high < other->high ? -1 : 1;
    return one->corner < other->corner ? -1 : one->corner > other->corner;
}

static WeftStatus number_edges(WeftSolidMesh *mesh, const Side *sides, const char *path,
                               size_t index)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    for (size_t k = 0, next; k < count; k = next)
    {
        for (next = k + 1;
             next < count && sides[next].low == sides[k].low && sides[next].high == sides[k].high;)
            next++;
        const uint32_t low = sides[k].low + 1, high = sides[k].high + 1;
        if (next - k == 1)
            return weft_fail(
                WEFT_ERROR_INPUT,
                "solids[%zu].file: %s: the edge between vertices %u and %u belongs to one face "
                "only, so the surface is open and has no inside; close it, and give sheets a "
                "thickness",
                index, path, low, high);
        if (next - k > 2)
            return weft_fail(
                WEFT_ERROR_INPUT,
                "solids[%zu].file: %s: %zu faces meet at the edge between vertices %u and %u; "
                "two may, else it has no inside and outside",
                index, path, next - k, low, high);
        if (sides[k].is_up == sides[k + 1].is_up)
            return weft_fail(
                WEFT_ERROR_INPUT,
                "solids[%zu].file: %s: the two faces at the edge between vertices %u and %u are "
                "wound in different senses; wind all counter-clockwise as seen from outside",
                index, path, low, high);
        mesh->edges[sides[k].corner] = mesh->edges[sides[k + 1].corner] = mesh->edge_count++;
    }
    return WEFT_OK;
}

static WeftStatus find_edges(WeftSolidMesh *mesh, const char *path, size_t index)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    Side  *sides = malloc(count * sizeof(*sides));
    mesh->edges = malloc(count * sizeof(*mesh->edges));
    if (sides == NULL || mesh->edges == NULL)
    {
        free(sides);
        return out_of_memory();
    }
    for (size_t k = 0; k < count; k++)
    {
        uint32_t from = mesh->triangles[k], to = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        sides[k] = (Side){from < to ? from : to, from < to ? to : from, (uint32_t)k, from < to};
    }
    qsort(sides, count, sizeof(*sides), compare_sides);
    WeftStatus status = number_edges(mesh, sides, path, index);
    free(sides);
    return status;
}

// A mesh that is wound inside out is turned: it has only one inside that is finite. Returns its volume.
static double turn_outwards(WeftSolidMesh *mesh)
{
    double volume = 0, normal[3];
    for (size_t k = 0; k < mesh->triangle_count; k++)
    {
        const uint32_t *corners = mesh->triangles + 3 * k;
        const double   *p[3];
        for (int corner = 0; corner < 3; corner++)
            p[corner] = mesh->points + 3 * (size_t)corners[corner];
        cross(p[1], p[2], normal);
        volume += dot(p[0], normal) / 6;
    }
    for (size_t k = 0; k < mesh->triangle_count && volume < 0; k++)
    {
        uint32_t *corners = mesh->triangles + 3 * k, kept = corners[1];
        corners[1] = corners[2];
        corners[2] = kept;
    }
    return fabs(volume);
}

typedef struct SortKey
{
    double   place;
    uint32_t triangle;
} SortKey;

static int compare_keys(const void *a, const void *b)
{
    const SortKey *one = a, *other = b;
    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    return one->triangle < other->triangle ? -1 : one->triangle > other->triangle;
}

static double center_of(const WeftSolidMesh *mesh, uint32_t triangle, int axis)
{
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    double          sum = 0;
    for (int corner = 0; corner < 3; corner++)
        sum += mesh->points[3 * (size_t)corners[corner] + (size_t)axis] / 3;
    return sum;
}

// Sorts the triangles of the leaves from `first` to `end` along the axis on which they lie farthest apart, then halves.
static void sort_tree(const WeftSolidMesh *mesh, SortKey *keys, uint32_t first, uint32_t end)
{
    if (end - first < 2)
        return;
    uint32_t begin = weft_solid_mesh_leaf(mesh, first),
             count = weft_solid_mesh_leaf(mesh, end) - begin;
    double widest = -1;
    int    along = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t k = begin; k < begin + count; k++)
        {
            double place = center_of(mesh, keys[k].triangle, axis);
            low = fmin(low, place);
            high = fmax(high, place);
        }
        if (high - low > widest)
        {
            widest = high - low;
            along = axis;
        }
    }
    for (uint32_t k = begin; k < begin + count; k++)
        keys[k].place = center_of(mesh, keys[k].triangle, along);
    qsort(keys + begin, count, sizeof(*keys), compare_keys);
    sort_tree(mesh, keys, first, first + (end - first) / 2);
    sort_tree(mesh, keys, first + (end - first) / 2, end);
}

static WeftStatus build_tree(WeftSolidMesh *mesh)
{
    mesh->leaf_count = 1;
    while ((uint64_t)mesh->leaf_count * WEFT_MESH_LEAF < mesh->triangle_count)
        mesh->leaf_count *= 2;
    SortKey  *keys = malloc(mesh->triangle_count * sizeof(*keys));
    uint32_t *sorted = malloc(3 * (size_t)mesh->triangle_count * sizeof(*sorted));
    if (keys == NULL || sorted == NULL)
    {
        free(keys);
        free(sorted);
        return out_of_memory();
    }
    for (uint32_t k = 0; k < mesh->triangle_count; k++)
        keys[k].triangle = k;
    sort_tree(mesh, keys, 0, mesh->leaf_count);
    for (size_t k = 0; k < mesh->triangle_count; k++)
        memcpy(sorted + 3 * k, mesh->triangles + 3 * (size_t)keys[k].triangle, 3 * sizeof(*sorted));
    free(keys);
    free(mesh->triangles);
    mesh->triangles = sorted;
    return WEFT_OK;
}

static WeftStatus read_mesh(WeftSolidMesh *mesh, const WeftSolid *solid, size_t index)
{
    WeftMesh   read = {0};
    WeftStatus status = weft_obj_read(&read, solid->file, solid->scale, false);
    if (status != WEFT_OK)
    {
        weft_mesh_destroy(&read);
        return name_key(status, index, "file");
    }
    mesh->vertex_count = read.vertex_count;
    mesh->triangle_count = read.triangle_count;
    mesh->points = read.positions;
    mesh->triangles = read.triangles;
    read.positions = NULL;
    read.triangles = NULL;
    weft_mesh_destroy(&read);
    double volume = turn_outwards(mesh);
    WEFT_TRY(build_tree(mesh));
    WEFT_TRY(find_edges(mesh, solid->file, index));
    if (!(volume > 0))
        return weft_fail(WEFT_ERROR_INPUT,
                         "solids[%zu].file: %s: the mesh has no volume; give it a thickness", index,
                         solid->file);
    return WEFT_OK;
}

static WeftStatus read_frames(WeftSolidMesh *mesh, const WeftSolid *solid, WeftCache *cache,
                              size_t index)
{
    size_t  numbers = 3 * (size_t)mesh->vertex_count;
    double *points = malloc(numbers * sizeof(*points));
    mesh->frames = malloc(cache->frame_count * numbers * sizeof(*mesh->frames));
    if (points == NULL || mesh->frames == NULL)
    {
        free(points);
        return out_of_memory();
    }
    WeftStatus status = WEFT_OK;
    for (uint32_t frame = 0; frame < cache->frame_count && status == WEFT_OK; frame++)
    {
        status = weft_cache_read(cache, frame, points);
        for (size_t k = 0; k < numbers && status == WEFT_OK; k++)
            mesh->frames[frame * numbers + k] = (float)(points[k] * solid->scale);
    }
    free(points);
    mesh->frame_count = cache->frame_count;
    return status == WEFT_OK ? WEFT_OK : name_key(status, index, "animation");
}

static WeftStatus read_animation(WeftSolidMesh *mesh, const WeftScene *scene, size_t index)
{
    const WeftSolid *solid = &scene->solids[index];
    WeftCache        cache;
    WeftStatus       status = weft_cache_open(&cache, solid->animation);
    if (status != WEFT_OK)
        return name_key(status, index, "animation");
    double rate = solid->animation_rate > 0 ? solid->animation_rate : scene->frames_per_second;
    mesh->first_time = cache.first_frame / rate;
    mesh->frame_time = cache.frame_step / rate;
    if (!(cache.frame_step > 0) || !isfinite(mesh->first_time) || !isfinite(mesh->frame_time))
        status = weft_fail(
            WEFT_ERROR_INPUT,
            "solids[%zu].animation: %s: begins at frame %g and goes on by %g frames a sample; "
            "write it with a step above 0",
            index, solid->animation, cache.first_frame, cache.frame_step);
    else if (cache.vertex_count != mesh->vertex_count)
        status =
            weft_fail(WEFT_ERROR_INPUT,
                      "solids[%zu].animation: %s: has %u points but %s has %u vertices; give one "
                      "that was made from this mesh",
                      index, solid->animation, cache.vertex_count, solid->file, mesh->vertex_count);
    else
        status = read_frames(mesh, solid, &cache, index);
    weft_cache_close(&cache);
    return status;
}

WeftStatus weft_solid_mesh_create(WeftSolidMesh *mesh, const WeftScene *scene, size_t index)
{
    memset(mesh, 0, sizeof(*mesh));
    WeftStatus status = read_mesh(mesh, &scene->solids[index], index);
    if (status == WEFT_OK && scene->solids[index].animation != NULL)
        status = read_animation(mesh, scene, index);
    if (status != WEFT_OK)
        weft_solid_mesh_destroy(mesh);
    return status;
}

void weft_solid_mesh_destroy(WeftSolidMesh *mesh)
{
    free(mesh->points);
    free(mesh->triangles);
    free(mesh->edges);
    free(mesh->frames);
    memset(mesh, 0, sizeof(*mesh));
}

void weft_solid_mesh_points(const WeftSolidMesh *mesh, double time, double *points)
{
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    if (mesh->frame_count == 0)
    {
        memcpy(points, mesh->points, numbers * sizeof(*points));
        return;
    }
    double       last = mesh->frame_count - 1;
    double       place = fmin(fmax((time - mesh->first_time) / mesh->frame_time, 0), last);
    size_t       frame = (size_t)fmin(floor(place), fmax(last - 1, 0));
    double       part = place - (double)frame;
    const float *from = mesh->frames + frame * numbers, *to = part > 0 ? from + numbers : from;
    for (size_t k = 0; k < numbers; k++)
        points[k] = (double)from[k] + part * ((double)to[k] - (double)from[k]);
}

void weft_solid_mesh_normals(const WeftSolidMesh *mesh, const double *points, double *point_normals,
                             double *edge_normals)
{
    memset(point_normals, 0, 3 * (size_t)mesh->vertex_count * sizeof(double));
    memset(edge_normals, 0, 3 * (size_t)mesh->edge_count * sizeof(double));
    for (size_t k = 0; k < mesh->triangle_count; k++)
    {
        const uint32_t *corners = mesh->triangles + 3 * k, *edges = mesh->edges + 3 * k;
        double          along[3][3], normal[3];
        for (int corner = 0; corner < 3; corner++)
        {
            subtract(points + 3 * (size_t)corners[(corner + 1) % 3],
                     points + 3 * (size_t)corners[corner], along[corner]);
            normalize(along[corner]);
        }
        cross(along[0], along[1], normal);
        normalize(normal);
        for (int corner = 0; corner < 3; corner++)
        {
            double cosine = -dot(along[corner], along[(corner + 2) % 3]);
            double angle = acos(fmin(fmax(cosine, -1), 1));
            for (int axis = 0; axis < 3; axis++)
            {
                point_normals[3 * (size_t)corners[corner] + (size_t)axis] += angle * normal[axis];
                edge_normals[3 * (size_t)edges[corner] + (size_t)axis] += normal[axis];
            }
        }
    }
    for (size_t k = 0; k < mesh->vertex_count; k++)
        normalize(point_normals + 3 * k);
    for (size_t k = 0; k < mesh->edge_count; k++)
        normalize(edge_normals + 3 * k);
}
