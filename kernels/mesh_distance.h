// mesh_distance.h: the point of a triangle mesh that is nearest to a place, found by a tree of boxes, and where a way first goes
// through the mesh. All in the mesh's own coordinates.
#pragma once

#include <math.h>

#include "data.h"

typedef struct Surface
{
    real distance;  // m, negative inside
    real normal[3]; // unit, away from the solid
} Surface;

// m; nearer than that to an edge or a corner the way from it has no direction, and the direction kept for it stands in.
#ifdef WEFT_DOUBLE
#define AT_EDGE ((real)1e-10)
#else
#define AT_EDGE ((real)1e-5)
#endif

// Levels of a tree, at most.
#define TREE_DEPTH 32

// Part of a triangle's height by which a way may miss it and still go through: it hits a neighbour then, less rounding.
#define HIT_MARGIN ((real)1e-5)

// In which part of a triangle a point is: its face, the edge from corner k to the next, or corner k.
#define IN_FACE 0
#define ON_EDGE 1   // + k
#define ON_CORNER 4 // + k

typedef struct MeshPoint
{
    uint32_t triangle;
    int      part;
    real     weight[3]; // of the corners
    real     out[3];    // m, from the point to the place
    real     distance2; // m^2
} MeshPoint;

static inline real mesh_dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void mesh_between(const real *from, const real *to, real way[3])
{
    for (int axis = 0; axis < 3; axis++)
        way[axis] = to[axis] - from[axis];
}

static inline void mesh_cross(const real a[3], const real b[3], real result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

// Squared distance to a box.
static inline real box_distance2(const real box[6], const real p[3])
{
    real sum = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        real over = p[axis] < box[axis]       ? box[axis] - p[axis]
                    : p[axis] > box[3 + axis] ? p[axis] - box[3 + axis]
                                              : 0;
        sum += over * over;
    }
    return sum;
}

// The nearest point of a triangle, by the region of its plane that p is above: C. Ericson, Real-Time Collision Detection, 2005,
// section 5.1.5.
static inline MeshPoint triangle_point(const real *a, const real *b, const real *c, const real p[3])
{
    real ab[3], ac[3], ap[3], bp[3], cp[3];
    mesh_between(a, b, ab);
    mesh_between(a, c, ac);
    mesh_between(a, p, ap);
    mesh_between(b, p, bp);
    mesh_between(c, p, cp);
    real ab_a = mesh_dot(ab, ap), ac_a = mesh_dot(ac, ap), ab_b = mesh_dot(ab, bp),
         ac_b = mesh_dot(ac, bp), ab_c = mesh_dot(ab, cp), ac_c = mesh_dot(ac, cp);
    real over_c = ab_a * ac_b - ab_b * ac_a, over_b = ab_c * ac_a - ab_a * ac_c,
         over_a = ab_b * ac_c - ab_c * ac_b;
    MeshPoint point = {0};
    if (ab_a <= 0 && ac_a <= 0)
    {
        point.part = ON_CORNER;
        point.weight[0] = 1;
    }
    else if (ab_b >= 0 && ac_b <= ab_b)
    {
        point.part = ON_CORNER + 1;
        point.weight[1] = 1;
    }
    else if (over_c <= 0 && ab_a >= 0 && ab_b <= 0)
    {
        point.part = ON_EDGE;
        point.weight[1] = ab_a / (ab_a - ab_b);
        point.weight[0] = 1 - point.weight[1];
    }
    else if (ac_c >= 0 && ab_c <= ac_c)
    {
        point.part = ON_CORNER + 2;
        point.weight[2] = 1;
    }
    else if (over_b <= 0 && ac_a >= 0 && ac_c <= 0)
    {
        point.part = ON_EDGE + 2;
        point.weight[2] = ac_a / (ac_a - ac_c);
        point.weight[0] = 1 - point.weight[2];
    }
    else if (over_a <= 0 && ac_b >= ab_b && ab_c >= ac_c)
    {
        point.part = ON_EDGE + 1;
        point.weight[2] = (ac_b - ab_b) / ((ac_b - ab_b) + (ab_c - ac_c));
        point.weight[1] = 1 - point.weight[2];
    }
    else
    {
        point.part = IN_FACE;
        point.weight[1] = over_b / (over_a + over_b + over_c);
        point.weight[2] = over_c / (over_a + over_b + over_c);
        point.weight[0] = 1 - point.weight[1] - point.weight[2];
    }
    for (int axis = 0; axis < 3; axis++)
        point.out[axis] = ap[axis] - (point.weight[1] * ab[axis] + point.weight[2] * ac[axis]);
    point.distance2 = mesh_dot(point.out, point.out);
    return point;
}

static inline uint32_t leaf_begin(const MeshTree *tree, uint32_t leaf)
{
    return (uint32_t)((uint64_t)leaf * tree->triangle_count / tree->leaf_count);
}

// The nearest point of the mesh in one of its shapes. Of two boxes the nearer is searched first; those farther away than what has
// been found are left out.
static inline MeshPoint mesh_nearest(const MeshTree *tree, const MeshShape *shape, const real p[3])
{
    uint32_t  waiting[TREE_DEPTH], node = 0, inner = tree->leaf_count - 1;
    real      away[TREE_DEPTH];
    int       count = 0;
    MeshPoint best = {.distance2 = INFINITY};
    for (;;)
    {
        while (node < inner)
        {
            uint32_t near = 2 * node + 1, far = near + 1;
            real     near_away = box_distance2(tree->boxes + 6 * (size_t)near, p),
                 far_away = box_distance2(tree->boxes + 6 * (size_t)far, p);
            if (far_away < near_away)
            {
                real kept = near_away;
                near_away = far_away;
                far_away = kept;
                near = far--;
            }
            if (!(near_away < best.distance2))
                break;
            if (far_away < best.distance2)
            {
                waiting[count] = far;
                away[count++] = far_away;
            }
            node = near;
        }
        if (node >= inner)
        {
            uint32_t end = leaf_begin(tree, node - inner + 1);
            for (uint32_t k = leaf_begin(tree, node - inner); k < end; k++)
            {
                const uint32_t *corner = tree->corners + 3 * (size_t)k;
                MeshPoint       point = triangle_point(shape->points + 3 * (size_t)corner[0],
                                                       shape->points + 3 * (size_t)corner[1],
                                                       shape->points + 3 * (size_t)corner[2], p);
                if (point.distance2 < best.distance2)
                {
                    best = point;
                    best.triangle = k;
                }
            }
        }
        do
        {
            if (count == 0)
                return best;
            node = waiting[--count];
        } while (!(away[count] < best.distance2));
    }
}

// Normal of a triangle, unit; false if it has no area.
static inline bool triangle_normal(const MeshTree *tree, const real *points, uint32_t triangle,
                                   real normal[3])
{
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    const real     *a = points + 3 * (size_t)corner[0];
    real            ab[3], ac[3];
    mesh_between(a, points + 3 * (size_t)corner[1], ab);
    mesh_between(a, points + 3 * (size_t)corner[2], ac);
    mesh_cross(ab, ac, normal);
    real size = WEFT_REAL_SQRT(mesh_dot(normal, normal));
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = size > 0 ? normal[axis] / size : 0;
    return size > 0;
}

static inline Surface mesh_surface(const MeshTree *tree, const MeshShape *shape, const real p[3])
{
    MeshPoint point = mesh_nearest(tree, shape, p);
    Surface   surface = {0, {0, 0, 0}};
    if (point.part == IN_FACE)
    {
        triangle_normal(tree, shape->points, point.triangle, surface.normal);
        surface.distance = mesh_dot(point.out, surface.normal);
        return surface;
    }
    size_t      at = 3 * (size_t)point.triangle;
    const real *outward =
        point.part >= ON_CORNER
            ? shape->point_normals +
                  3 * (size_t)tree->corners[at + (size_t)(point.part - ON_CORNER)]
            : shape->edge_normals + 3 * (size_t)tree->edges[at + (size_t)(point.part - ON_EDGE)];
    real distance = WEFT_REAL_SQRT(point.distance2);
    surface.distance = mesh_dot(point.out, outward) < 0 ? -distance : distance;
    for (int axis = 0; axis < 3; axis++)
        surface.normal[axis] =
            distance > AT_EDGE ? point.out[axis] / surface.distance : outward[axis];
    return surface;
}

// How far the point of the surface that is nearest to p moves in the step, as the mesh changes its shape.
static inline void mesh_move(const MeshTree *tree, const MeshShape *before, const MeshShape *after,
                             const real p[3], real move[3])
{
    MeshPoint       point = mesh_nearest(tree, before, p);
    const uint32_t *corner = tree->corners + 3 * (size_t)point.triangle;
    for (int axis = 0; axis < 3; axis++)
    {
        move[axis] = 0;
        for (int k = 0; k < 3; k++)
        {
            size_t place = 3 * (size_t)corner[k] + (size_t)axis;
            move[axis] += point.weight[k] * (after->points[place] - before->points[place]);
        }
    }
}

// A way through a triangle from its front. Both move in the step; when the place is in the plane of the triangle follows from its
// heights before and after.
static inline bool way_through(const MeshTree *tree, const MeshShape *before,
                               const MeshShape *after, uint32_t triangle, const real from[3],
                               const real to[3], real *time, Surface *surface)
{
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    real            out[3], front[3], normal[3], there[3][3], place[3], ab[3], ac[3], ap[3];
    if (!triangle_normal(tree, before->points, triangle, front) ||
        !triangle_normal(tree, after->points, triangle, normal))
        return false;
    mesh_between(before->points + 3 * (size_t)corner[0], from, out);
    real height = mesh_dot(out, front);
    mesh_between(after->points + 3 * (size_t)corner[0], to, out);
    real depth = -mesh_dot(out, normal);
    if (!(height >= 0 && depth > 0 && height < *time * (height + depth)))
        return false;
    real when = height / (height + depth);
    for (int axis = 0; axis < 3; axis++)
    {
        place[axis] = from[axis] + when * (to[axis] - from[axis]);
        for (int k = 0; k < 3; k++)
        {
            size_t at = 3 * (size_t)corner[k] + (size_t)axis;
            there[k][axis] = before->points[at] + when * (after->points[at] - before->points[at]);
        }
    }

    // Twice the areas that the place makes with the edges, as parts of the whole.
    mesh_between(there[0], there[1], ab);
    mesh_between(there[0], there[2], ac);
    mesh_between(there[0], place, ap);
    real whole[3], part[3];
    mesh_cross(ab, ac, whole);
    real area2 = mesh_dot(whole, whole);
    mesh_cross(ab, ap, part);
    real third = mesh_dot(part, whole);
    mesh_cross(ap, ac, part);
    real second = mesh_dot(part, whole);
    if (!(second >= -HIT_MARGIN * area2 && third >= -HIT_MARGIN * area2 &&
          second + third <= (1 + HIT_MARGIN) * area2))
        return false;
    *time = when;
    surface->distance = -depth;
    for (int axis = 0; axis < 3; axis++)
        surface->normal[axis] = normal[axis];
    return true;
}

// The first triangle that the way from `from` to `to` goes through from its front; the surface is its plane at the end of the
// step.
static inline bool mesh_crossing(const MeshTree *tree, const MeshShape *before,
                                 const MeshShape *after, const real from[3], const real to[3],
                                 Surface *surface)
{
    uint32_t waiting[TREE_DEPTH + 1], inner = tree->leaf_count - 1;
    int      count = 1;
    real     time = 1;
    bool     found = false;
    waiting[0] = 0;
    while (count > 0)
    {
        uint32_t    node = waiting[--count];
        const real *box = tree->boxes + 6 * (size_t)node;
        bool        apart = false;
        for (int axis = 0; axis < 3; axis++)
            apart = apart || (from[axis] < box[axis] && to[axis] < box[axis]) ||
                    (from[axis] > box[3 + axis] && to[axis] > box[3 + axis]);
        if (apart)
            continue;
        if (node < inner)
        {
            waiting[count++] = 2 * node + 2;
            waiting[count++] = 2 * node + 1;
            continue;
        }
        uint32_t end = leaf_begin(tree, node - inner + 1);
        for (uint32_t k = leaf_begin(tree, node - inner); k < end; k++)
            if (way_through(tree, before, after, k, from, to, &time, surface))
                found = true;
    }
    return found;
}
