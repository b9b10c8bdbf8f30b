// pairs.h: the nearest points of a particle and a triangle, or of two edges.
// After Ericson, Real-Time Collision Detection 2005, sections 5.1.5 and 5.1.9.
#pragma once

#include <math.h>

#include "data.h"

typedef struct Nearest
{
    real weight[4]; // of the corners, negative on the second side
    real normal[3]; // unit, towards the first side
    real gap;       // m
    bool faces;     // a triangle: the particle lies over it, not beside it
} Nearest;

// Part of a triangle beside it that still counts as over it, so that nothing slips in between two.
#define BESIDE ((real)0.05)

// The distance that edges keep, in parts of what particles keep from triangles: in flat layers the latter do the work.
#define EDGE_SHARE ((real)0.5)

static inline real pair_dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline real pair_clamp(real value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

// Weights of the corners 1, 2, 3 at the point of the triangle that is nearest to corner 0, or, `straight`, of its plane if the
// particle faces the triangle: a spring towards a point at the triangle's border would lean, and brake what slides over it.
static inline void nearest_on_triangle(const real x[4][3], bool straight, real on[3], bool *faces)
{
    real ab[3], ac[3], ap[3], bp[3], cp[3];
    for (int axis = 0; axis < 3; axis++)
    {
        ab[axis] = x[2][axis] - x[1][axis];
        ac[axis] = x[3][axis] - x[1][axis];
        ap[axis] = x[0][axis] - x[1][axis];
        bp[axis] = x[0][axis] - x[2][axis];
        cp[axis] = x[0][axis] - x[3][axis];
    }
    real d1 = pair_dot(ab, ap), d2 = pair_dot(ac, ap), d3 = pair_dot(ab, bp), d4 = pair_dot(ac, bp),
         d5 = pair_dot(ab, cp), d6 = pair_dot(ac, cp);
    real va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    real sum = va + vb + vc, least = va < vb ? va : vb;
    least = least < vc ? least : vc;
    *faces = sum > 0 && least > -BESIDE * sum;
    real v, w;
    if (straight && *faces)
        v = vb / sum, w = vc / sum;
    else if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1, w = 0;
    else if (d6 >= 0 && d5 <= d6)
        v = 0, w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3), w = 0;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        v = 0, w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    else
        v = vb / sum, w = vc / sum;
    on[0] = 1 - v - w;
    on[1] = v;
    on[2] = w;
}

// Where the edges 0-1 and 2-3 are nearest, as parts of their lengths.
static inline void nearest_on_edges(const real x[4][3], real *first, real *second)
{
    real d1[3], d2[3], r[3];
    for (int axis = 0; axis < 3; axis++)
    {
        d1[axis] = x[1][axis] - x[0][axis];
        d2[axis] = x[3][axis] - x[2][axis];
        r[axis] = x[0][axis] - x[2][axis];
    }
    real a = pair_dot(d1, d1), e = pair_dot(d2, d2), b = pair_dot(d1, d2);
    real c = pair_dot(d1, r), f = pair_dot(d2, r), across = a * e - b * b;
    real s = across > (real)1e-6 * a * e ? pair_clamp((b * f - c * e) / across) : (real)0.5;
    real t = (b * s + f) / e;
    if (t < 0)
    {
        t = 0;
        s = pair_clamp(-c / a);
    }
    else if (t > 1)
    {
        t = 1;
        s = pair_clamp((b - c) / a);
    }
    *first = s;
    *second = t;
}

static inline Nearest nearest_points(bool is_edges, bool straight, const real x[4][3])
{
    Nearest found = {.faces = true};
    real    s, t, on[3], way[3] = {0, 0, 0};
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
        found.weight[0] = 1;
        for (int k = 0; k < 3; k++)
            found.weight[k + 1] = -on[k];
    }
    // Differences to one corner: places are large, gaps are small.
    for (int k = 1; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            way[axis] += found.weight[k] * (x[k][axis] - x[0][axis]);
    found.gap = WEFT_REAL_SQRT(pair_dot(way, way));
    for (int axis = 0; axis < 3; axis++)
        found.normal[axis] = found.gap > 0 ? way[axis] / found.gap : 0;
    return found;
}

// The corners of a pair at given places.
static inline void pair_corners(const PairList *pairs, uint32_t pair, real *const at[3],
                                real x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
            x[k][axis] = at[axis][pairs->corner[k][pair]];
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
