// weave: tension and blocks of the threads in the triangles of a mesh, along its edges.
// Reads positions, masses. Writes tension, push and blocks of each triangle's edges, then of each spring. One
// thread per triangle, then one per spring.
//
// Edges that only pull make a poor cloth of irregular triangles: no straight line of them runs along
// the pull, and so they are drawn straight before they resist. So threads run through each triangle as
// they do through the cells of a grid: warp, weft and the two directions between, each of which acts in
// extension only. With the corners 0, 1, 2 a metre of thread at rest is now
//   w = a (x1 - x0) + b (x2 - x0),   of length q = |w|,   n = w / q,
// and stores C/2 (q - 1)^2, C area times modulus, while q > 1. As q^2 is a sum over the edges of p l^2,
//   p01 = a (a + b),   p12 = -a b,   p20 = b (a + b),
// its forces are along the edges, and so are the blocks of its derivative:
//   f_a = t (x_b - x_a),   t = C (1 - 1/q) p,   df_a/dx_b = C p ((1 - 1/q) I + n n^T / q).
// p is negative for some edges, but the three of a thread together only pull, and their blocks form a
// matrix without negative eigenvalues. So a thread is implicit or explicit as a whole, by the criterion
// of classify with the stiffness that its heaviest corner feels, C max(a^2, b^2, (a + b)^2).
//
// Warp and weft resist being compressed by the load B under which they buckle, as the beams of a grid do (Choi and Ko 2002): they
// push with B g(q), g the force of a buckled beam of length 1 over that of a straight one. As on a grid an implicit thread pushes
// at q > 1, too, and bears that by being taut from q0 = 1 - B / C on: C (q - q0) - B = C (q - 1). So the force has no jump, and what is
// steep in it is implicit. The push is explicit, at the places where the velocities lead, and no stronger than what the tension
// can bear and a little more. An explicit thread simply has both forces, one after the other.
//
// A thread that is nearly taut has no tension yet, but its block: classify says why. It comes gradually,
// so that no rounding decides between all of it and none.
#include <math.h>

#include "bend_force.h"
#include "implicit.h"
#include "parallel.h"
#include "pulled.h"

// The edges of a triangle: what its threads give to each.
typedef struct Edges
{
    real tension[3], push[3];
    real block[3][6]; // xx yy zz xy xz yz
} Edges;

// Part of the mass, over h^2, that a push may have as its stiffness where no tension bears it.
#define PUSH_SHARE ((real)0.1)

// Adds a thread a, b of strength C that bears a load of C reach at rest; light: h^2 over the lightest corner's mass.
WEFT_INLINE void add_thread(const real e1[3], const real e2[3], real a, real b, real strength,
                            real reach, real slack, real h, real light, real limit, Edges *edges)
{
    real w0 = a * e1[0] + b * e2[0], w1 = a * e1[1] + b * e2[1], w2 = a * e1[2] + b * e2[2];
    real length = WEFT_REAL_SQRT(w0 * w0 + w1 * w1 + w2 * w2), c = a + b;
    real felt = a * a > b * b ? a * a : b * b;
    felt = felt > c * c ? felt : c * c;
    real share[3] = {a * c, -a * b, b * c};
    real kappa = strength * felt * light;

    // Of an implicit thread: h^2 times the derivative, in the units of A.
    real inside = kappa > limit ? h * h : 0;
    real from = inside > 0 ? slack : 1, inverse = length > 0 ? 1 / length : 0;
    real even = strength * pulled(length, 1, from, inside > 0 ? reach : 0) * inverse;
    real taut = (length - (from - 2 * (real)NEARLY_TAUT)) * (real)(1 / NEARLY_TAUT);
    taut = taut < 0 ? 0 : taut > 1 ? 1 : taut;
    real outer = inside * taut * (strength - even) * inverse * inverse;
    real plain = inside * even;

    // The push; beyond its bound it would throw the corners about.
    real ratio = length < 1 ? length : 1;
    real full = strength * reach * bend_force(ratio) * (real)(-1.0 / 12) * inverse;
    real most = even + PUSH_SHARE / (felt * light);
    real ramp = strength * (1 - ratio) * inverse;
    most = inside > 0 || most < ramp ? most : ramp;
    real push = full < most ? full : most;
    for (int edge = 0; edge < 3; edge++)
    {
        real along = share[edge] * outer, across = share[edge] * plain;
        edges->tension[edge] += share[edge] * (inside > 0 ? even : even - push);
        edges->push[edge] -= share[edge] * (inside > 0 ? push : 0);
        edges->block[edge][0] += across + along * w0 * w0;
        edges->block[edge][1] += across + along * w1 * w1;
        edges->block[edge][2] += across + along * w2 * w2;
        edges->block[edge][3] += along * w0 * w1;
        edges->block[edge][4] += along * w0 * w2;
        edges->block[edge][5] += along * w1 * w2;
    }
}

static void weave_triangles(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    const WeaveList *list = &data->weave;
    const size_t     count = list->count;
    const real       h = data->h, stretch_limit = implicit_above(data, false),
               shear_limit = implicit_above(data, true);
    const uint32_t *restrict corner0 = list->corner[0], *restrict corner1 = list->corner[1],
                             *restrict corner2 = list->corner[2];
    const real *restrict x0 = data->x[0], *restrict x1 = data->x[1], *restrict x2 = data->x[2];
    const real *restrict mass = data->mass;
    const real *restrict warp1 = list->lay[0], *restrict warp2 = list->lay[1];
    const real *restrict weft1 = list->lay[2], *restrict weft2 = list->lay[3];
    const real *restrict fore1 = list->lay[4], *restrict fore2 = list->lay[5];
    const real *restrict back1 = list->lay[6], *restrict back2 = list->lay[7];
    const real *restrict stretch = list->strength[0], *restrict shear = list->strength[1],
                         *restrict reach = list->reach, *restrict slack = list->slack;
    real *restrict out = list->edges;
    const size_t end = (tile + 1) * (size_t)TILE < count ? (tile + 1) * (size_t)TILE : count;
#pragma omp simd
    for (size_t k = tile * (size_t)TILE; k < end; k++)
    {
        uint32_t   a = corner0[k], b = corner1[k], c = corner2[k];
        const real e1[3] = {x0[b] - x0[a], x1[b] - x1[a], x2[b] - x2[a]};
        const real e2[3] = {x0[c] - x0[a], x1[c] - x1[a], x2[c] - x2[a]};
        real       least = mass[a] < mass[b] ? mass[a] : mass[b];
        real       light = h * h / (least < mass[c] ? least : mass[c]);
        Edges      edges = {{0}, {0}, {{0}}};
        add_thread(e1, e2, warp1[k], warp2[k], stretch[k], reach[k], slack[k], h, light,
                   stretch_limit, &edges);
        add_thread(e1, e2, weft1[k], weft2[k], stretch[k], reach[k], slack[k], h, light,
                   stretch_limit, &edges);
        add_thread(e1, e2, fore1[k], fore2[k], shear[k], 0, 1, h, light, shear_limit, &edges);
        add_thread(e1, e2, back1[k], back2[k], shear[k], 0, 1, h, light, shear_limit, &edges);
        for (size_t edge = 0; edge < 3; edge++)
        {
            real *restrict to = out + edge * WEAVE_REALS * count + k;
            to[0] = edges.tension[edge];
            to[count] = edges.push[edge];
            for (size_t entry = 0; entry < 6; entry++)
                to[(2 + entry) * count] = edges.block[edge][entry];
        }
    }
}

static void weave_springs(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    const WeaveList *weave = &data->weave;
    SpringList      *list = &data->structural;
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
        for (uint32_t k = list->runs[r].spring; k < list->runs[r].spring + list->runs[r].count; k++)
        {
            real sum[WEAVE_REALS] = {0};
            for (uint32_t side = weave->side_begin[k]; side < weave->side_begin[k + 1]; side++)
                for (size_t part = 0; part < WEAVE_REALS; part++)
                    sum[part] += weave->edges[weave->side[side] + part * weave->count];
            list->tension[k] = sum[0];
            list->push[k] = sum[1];
            for (int entry = 0; entry < 6; entry++)
                list->weave[entry][k] = sum[2 + entry];
        }
}

void WEFT_KERNEL(weave)(EngineData *data)
{
    if (data->weave.count == 0)
        return;
    parallel_tiles(data, (data->weave.count + TILE - 1) / TILE, weave_triangles);
    parallel_tiles(data, data->tile_count, weave_springs);
}
