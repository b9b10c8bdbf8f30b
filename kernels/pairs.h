// pairs.h: the nearest points of a particle and a triangle, or of two edges.
// After Ericson, Real-Time Collision Detection 2005, sections 5.1.5 and 5.1.9.
#pragma once

#include <math.h>

#include "slices.h"

// Of eight pairs.
typedef struct Nearest
{
    Lanes    weight[4]; // of the corners, negative on the second side
    Lanes    normal[3]; // unit, towards the first side
    Lanes    gap;       // m
    LaneMask faces;     // a triangle: the particle lies over it, not beside it
} Nearest;

// Part of a triangle beside it that still counts as over it, so that nothing slips in between two.
#define BESIDE ((real)0.05)

// The distance that edges keep, in parts of what particles keep from triangles: in flat layers the latter do the work.
#define EDGE_SHARE ((real)0.5)

static inline real pair_dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Within 0 and 1.
static inline Lanes lanes_clamp(Lanes value)
{
    const Lanes none = {0}, all = none + 1;
    return lanes_select(value < none, none, lanes_select(value > all, all, value));
}

// Weights of the corners 1, 2, 3 at the point of the triangle that is nearest to corner 0, or, `straight`, of its plane if the
// particle faces the triangle: a spring towards a point at the triangle's border would lean, and brake what slides over it.
WEFT_INLINE void nearest_on_triangle(const Lanes x[4][3], const bool straight, Lanes on[3],
                                     LaneMask *faces)
{
    const Lanes none = {0};
    Lanes       ab[3], ac[3], ap[3], bp[3], cp[3];
    for (int axis = 0; axis < 3; axis++)
    {
        ab[axis] = x[2][axis] - x[1][axis];
        ac[axis] = x[3][axis] - x[1][axis];
        ap[axis] = x[0][axis] - x[1][axis];
        bp[axis] = x[0][axis] - x[2][axis];
        cp[axis] = x[0][axis] - x[3][axis];
    }
    Lanes d1 = lanes_dot(ab, ap), d2 = lanes_dot(ac, ap), d3 = lanes_dot(ab, bp),
          d4 = lanes_dot(ac, bp), d5 = lanes_dot(ab, cp), d6 = lanes_dot(ac, cp);
    Lanes va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    Lanes sum = va + vb + vc, least = lanes_least(lanes_least(va, vb), vc);
    *faces = (sum > none) & (least > -BESIDE * sum);

    // Inside; then what lies beyond an edge, and beyond a corner, which comes first.
    Lanes    v = vb / sum, w = vc / sum, bc = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    LaneMask open = straight ? ~*faces : (LaneMask)(none == none);
    LaneMask beyond = open & (va <= none) & (d4 - d3 >= none) & (d5 - d6 >= none);
    v = lanes_select(beyond, 1 - bc, v);
    w = lanes_select(beyond, bc, w);
    beyond = open & (vb <= none) & (d2 >= none) & (d6 <= none);
    v = lanes_select(beyond, none, v);
    w = lanes_select(beyond, d2 / (d2 - d6), w);
    beyond = open & (vc <= none) & (d1 >= none) & (d3 <= none);
    v = lanes_select(beyond, d1 / (d1 - d3), v);
    w = lanes_select(beyond, none, w);
    beyond = open & (d6 >= none) & (d5 <= d6);
    v = lanes_select(beyond, none, v);
    w = lanes_select(beyond, none + 1, w);
    beyond = open & (d3 >= none) & (d4 <= d3);
    v = lanes_select(beyond, none + 1, v);
    w = lanes_select(beyond, none, w);
    beyond = open & (d1 <= none) & (d2 <= none);
    v = lanes_select(beyond, none, v);
    w = lanes_select(beyond, none, w);
    on[0] = 1 - v - w;
    on[1] = v;
    on[2] = w;
}

// Where the edges 0-1 and 2-3 are nearest, as parts of their lengths.
static inline void nearest_on_edges(const Lanes x[4][3], Lanes *first, Lanes *second)
{
    const Lanes none = {0}, all = none + 1;
    Lanes       d1[3], d2[3], r[3];
    for (int axis = 0; axis < 3; axis++)
    {
        d1[axis] = x[1][axis] - x[0][axis];
        d2[axis] = x[3][axis] - x[2][axis];
        r[axis] = x[0][axis] - x[2][axis];
    }
    Lanes a = lanes_dot(d1, d1), e = lanes_dot(d2, d2), b = lanes_dot(d1, d2);
    Lanes c = lanes_dot(d1, r), f = lanes_dot(d2, r), across = a * e - b * b;
    Lanes s = lanes_select(across > (real)1e-6 * a * e, lanes_clamp((b * f - c * e) / across),
                           none + (real)0.5);
    Lanes t = (b * s + f) / e;
    s = lanes_select(t < none, lanes_clamp(-c / a), s);
    s = lanes_select(t > all, lanes_clamp((b - c) / a), s);
    *first = s;
    *second = lanes_clamp(t);
}

WEFT_INLINE Nearest nearest_points(const bool is_edges, const bool straight, const Lanes x[4][3])
{
    const Lanes none = {0};
    Nearest     found = {.faces = none == none};
    Lanes       s, t, on[3], way[3] = {none, none, none};
    if (is_edges)
    {
        nearest_on_edges(x, &s, &t);
        found.weight[0] = 1 - s;
        found.weight[1] = s;
        found.weight[2] = t - 1;
        found.weight[3] = -t;
    }
    else
    {
        nearest_on_triangle(x, straight, on, &found.faces);
        found.weight[0] = none + 1;
        for (int k = 0; k < 3; k++)
            found.weight[k + 1] = -on[k];
    }
    // Differences to one corner: places are large, gaps are small.
    for (int k = 1; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            way[axis] += found.weight[k] * (x[k][axis] - x[0][axis]);
    found.gap = lanes_sqrt(lanes_dot(way, way));
    for (int axis = 0; axis < 3; axis++)
        found.normal[axis] = lanes_select(found.gap > none, way[axis] / found.gap, none);
    return found;
}

// Where the corners of eight pairs are; `corner` has them one behind the other.
static inline void corner_places(uint32_t *const corner[4], uint32_t first, real *const at[3],
                                 Lanes x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            x[k][axis] = lanes_gather(at[axis], corner[k] + first);
}

// Corners of the first side: the others are of the second.
static inline int pair_split(const PairList *pairs, uint32_t pair)
{
    return (pairs->flags[pair] & PAIR_EDGES) ? 2 : 1;
}

// The distance that the two sides of a pair keep.
static inline real pair_distance(const PairList *pairs, uint32_t pair)
{
    int  split = pair_split(pairs, pair);
    real side[2] = {pairs->radius[pairs->corner[0][pair]], pairs->radius[pairs->corner[3][pair]]};
    for (int k = 0; k < 4; k++)
    {
        real radius = pairs->radius[pairs->corner[k][pair]], *least = &side[k >= split];
        *least = radius < *least ? radius : *least;
    }
    return (side[0] + side[1]) * (split == 2 ? EDGE_SHARE : 1);
}
