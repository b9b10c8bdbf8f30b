// solid_shape.c: see solid_shape.h. A triangle whose edges are cut into n parts has (n + 1) (n + 2) / 2 vertices of its own and is
// drawn as n^2 triangles.
#include "render/solid_shape.h"

#include <stdlib.h>
#include <string.h>

// Cosine of the angle between two faces from which on their edge is drawn sharp: 40 degrees.
static const float CREASE = 0.766f;

static Vec3 point_at(const double *points, uint32_t point)
{
    const double *p = points + 3 * (size_t)point;
    return vec3((float)p[0], (float)p[1], (float)p[2]);
}

static void extents(const WeftSolidMesh *mesh, float size[3])
{
    for (size_t axis = 0; axis < 3; axis++)
    {
        double low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < mesh->vertex_count; k++)
        {
            low = fmin(low, mesh->points[3 * k + axis]);
            high = fmax(high, mesh->points[3 * k + axis]);
        }
        size[axis] = (float)(high - low);
    }
}

float weft_solid_shape_thinnest(const WeftSolidShape *shape)
{
    float size[3];
    extents(shape->mesh, size);
    return fminf(size[0], fminf(size[1], size[2]));
}

static void cut_triangles(WeftSolidShape *shape, uint32_t cells)
{
    const WeftSolidMesh *mesh = shape->mesh;
    float                size[3];
    extents(mesh, size);
    float whole = fmaxf(size[0], fmaxf(size[1], size[2]));
    for (size_t k = 0; k < mesh->triangle_count; k++)
    {
        float longest = 0;
        for (size_t corner = 0; corner < 3; corner++)
        {
            Vec3 from = point_at(mesh->points, mesh->triangles[3 * k + corner]),
                 to = point_at(mesh->points, mesh->triangles[3 * k + (corner + 1) % 3]);
            longest = fmaxf(longest, length(sub(to, from)));
        }
        uint32_t parts = (uint32_t)ceilf(longest / whole * (float)cells);
        parts = parts < 1 ? 1 : parts > cells ? cells : parts;
        shape->cuts[k] = parts;
        shape->vertex_count += (parts + 1) * (parts + 2) / 2;
        shape->index_count += 3 * parts * parts;
    }
}

static void list_fans(WeftSolidShape *shape)
{
    const WeftSolidMesh *mesh = shape->mesh;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        shape->fan_begin[mesh->triangles[k] + 2]++;
    for (size_t k = 2; k < (size_t)mesh->vertex_count + 2; k++)
        shape->fan_begin[k] += shape->fan_begin[k - 1];
    for (uint32_t k = 0; k < 3 * mesh->triangle_count; k++)
        shape->fan[shape->fan_begin[mesh->triangles[k] + 1]++] = k / 3;
}

bool weft_solid_shape_create(WeftSolidShape *shape, const WeftSolidMesh *mesh, uint32_t cells)
{
    size_t points = mesh->vertex_count, triangles = mesh->triangle_count;
    memset(shape, 0, sizeof *shape);
    shape->mesh = mesh;
    shape->cuts = calloc(triangles, sizeof *shape->cuts);
    shape->fan_begin = calloc(points + 2, sizeof *shape->fan_begin);
    shape->fan = calloc(3 * triangles, sizeof *shape->fan);
    shape->points = calloc(3 * points, sizeof *shape->points);
    shape->faces = calloc(triangles, sizeof *shape->faces);
    if (!shape->cuts || !shape->fan_begin || !shape->fan || !shape->points || !shape->faces)
        return false;
    cut_triangles(shape, cells);
    list_fans(shape);
    return true;
}

void weft_solid_shape_destroy(WeftSolidShape *shape)
{
    free(shape->cuts);
    free(shape->fan_begin);
    free(shape->fan);
    free(shape->points);
    free(shape->faces);
    memset(shape, 0, sizeof *shape);
}

void weft_solid_shape_indices(const WeftSolidShape *shape, uint32_t first, uint32_t *indices)
{
    for (size_t k = 0; k < shape->mesh->triangle_count; k++)
    {
        // Row r of the vertices, counted from the first corner, has r + 1.
        uint32_t parts = shape->cuts[k];
        for (uint32_t row = 0; row < parts; row++)
        {
            uint32_t above = first + row * (row + 1) / 2, below = above + row + 1;
            for (uint32_t i = 0; i <= row; i++)
            {
                *indices++ = above + i;
                *indices++ = below + i;
                *indices++ = below + i + 1;
                if (i == row)
                    continue;
                *indices++ = above + i;
                *indices++ = below + i + 1;
                *indices++ = above + i + 1;
            }
        }
        first += (parts + 1) * (parts + 2) / 2;
    }
}

// At a corner of a triangle: the way on which it moves so that all faces around it move inwards by a metre, and the normal of
// those that the triangle meets smoothly.
static void corner_normals(const WeftSolidShape *shape, uint32_t triangle, uint32_t corner,
                           Vec3 *outward, Vec3 *smooth)
{
    uint32_t point = shape->mesh->triangles[3 * (size_t)triangle + corner];
    Vec3     own = normalize(shape->faces[triangle]);
    Vec3     whole = vec3(0, 0, 0);
    *smooth = whole;
    for (uint32_t k = shape->fan_begin[point]; k < shape->fan_begin[point + 1]; k++)
    {
        Vec3 face = shape->faces[shape->fan[k]];
        whole = add(whole, face);
        if (dot(normalize(face), own) > CREASE)
            *smooth = add(*smooth, face);
    }
    *smooth = normalize(*smooth);

    // Sharp corners would move far.
    whole = normalize(whole);
    float facing = 0, count = (float)(shape->fan_begin[point + 1] - shape->fan_begin[point]);
    for (uint32_t k = shape->fan_begin[point]; k < shape->fan_begin[point + 1]; k++)
        facing += dot(whole, normalize(shape->faces[shape->fan[k]])) / count;
    *outward = scale(whole, 1 / fmaxf(facing, 0.3f));
}

void weft_solid_shape_vertices(WeftSolidShape *shape, double time, float inset, Vec3 *places,
                               Vec3 *normals)
{
    const WeftSolidMesh *mesh = shape->mesh;
    weft_solid_mesh_points(mesh, time, shape->points);
    for (size_t k = 0; k < mesh->triangle_count; k++)
    {
        const uint32_t *corners = mesh->triangles + 3 * k;
        Vec3            a = point_at(shape->points, corners[0]);
        shape->faces[k] = cross(sub(point_at(shape->points, corners[1]), a),
                                sub(point_at(shape->points, corners[2]), a));
    }
    for (uint32_t k = 0; k < mesh->triangle_count; k++)
    {
        Vec3 place[3], normal[3], outward;
        for (uint32_t corner = 0; corner < 3; corner++)
        {
            corner_normals(shape, k, corner, &outward, &normal[corner]);
            place[corner] = mad(point_at(shape->points, mesh->triangles[3 * (size_t)k + corner]),
                                -inset, outward);
        }
        float parts = (float)shape->cuts[k];
        for (uint32_t row = 0; row <= shape->cuts[k]; row++)
            for (uint32_t i = 0; i <= row; i++)
            {
                float second = (float)(row - i) / parts, third = (float)i / parts;
                float first = 1 - second - third;
                *places++ = mad(mad(scale(place[0], first), second, place[1]), third, place[2]);
                *normals++ = normalize(
                    mad(mad(scale(normal[0], first), second, normal[1]), third, normal[2]));
            }
    }
}
