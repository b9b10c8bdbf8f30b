// springs: impulse and Jacobian block of every acting stretch and shear spring.
// Reads positions, velocities, spring flags and lengths, what weave adds. Writes spring impulses and
// blocks. One thread per spring.
//
// Stretch and shear (Choi and Ko 2002, type 1), d = x_b - x_a, l = |d|, n = d / l, force on a:
//   f = k (l - L) n + kd ((v_b - v_a).n) n,   df_a/dx_b = k (1 - L/l) I + k (L/l) n n^T, df_a/dv_b
//   = kd n n^T
// so the block of A = M - h df/dv - h^2 df/dx between a and b is -(alpha I + u u^T) with
//   alpha = h^2 k (1 - L/l),   u = sqrt(h^2 k L/l + h kd) n.
// Full instead of projected damping has f = kd (v_b - v_a) and moves h kd from u to alpha.
// A spring that is nearly taut has f = 0 and the block of one at its rest length. The threads of
// triangles add their tension t and block W, of weave: h t d + W (v_b - v_a).
#include <math.h>

#include "parallel.h"
#include "pulled.h"

// The two ends of a run's springs as arrays: xa[k] and xb[k], or xb[others[k]] if the far ends are scattered.
typedef struct Ends
{
    const real *xa[3], *xb[3], *va[3], *vb[3];
} Ends;

static inline Ends find_ends(const EngineData *data, const SpringRun *run, bool scattered)
{
    Ends   ends;
    size_t near = run->owner, far = scattered ? 0 : run->owner + (uint32_t)run->offset;
    for (int axis = 0; axis < 3; axis++)
    {
        ends.xa[axis] = data->x[axis] + near;
        ends.xb[axis] = data->x[axis] + far;
        ends.va[axis] = data->v[axis] + near;
        ends.vb[axis] = data->v[axis] + far;
    }
    return ends;
}

WEFT_INLINE void structural_run(EngineData *data, const SpringRun *run, bool scattered, bool woven)
{
    SpringList *list = &data->structural;
    const real  h = data->h;
    const real  ahead = data->method == 0 ? 0 : h;
    const bool  full_damping = data->damping_kind != 0;
    const Ends  ends = find_ends(data, run, scattered);
    const real *restrict xa0 = ends.xa[0], *restrict xa1 = ends.xa[1], *restrict xa2 = ends.xa[2];
    const real *restrict xb0 = ends.xb[0], *restrict xb1 = ends.xb[1], *restrict xb2 = ends.xb[2];
    const real *restrict va0 = ends.va[0], *restrict va1 = ends.va[1], *restrict va2 = ends.va[2];
    const real *restrict vb0 = ends.vb[0], *restrict vb1 = ends.vb[1], *restrict vb2 = ends.vb[2];
    const uint32_t first = run->spring;
    real *restrict impulse0 = list->impulse[0] + first,
                   *restrict impulse1 = list->impulse[1] + first,
                   *restrict impulse2 = list->impulse[2] + first;
    real *restrict alpha_out = list->alpha + first;
    real *restrict u0 = list->u[0] + first, *restrict u1 = list->u[1] + first,
                   *restrict u2 = list->u[2] + first;
    const real *restrict lengths = list->length + first, *restrict rests = list->rest + first,
                         *restrict slacks = list->slack + first,
                         *restrict reaches = list->reach + first;
    const real *restrict stiffnesses = list->stiffness + first,
                         *restrict dampings = list->damping + first,
                         *restrict bases = list->base + first;
    const real *restrict tensions = woven ? list->tension + first : NULL;
    const real *restrict pushes = woven ? list->push + first : NULL;
    const real *restrict weave[6];
    for (int entry = 0; entry < 6; entry++)
        weave[entry] = woven ? list->weave[entry] + first : NULL;
    const uint8_t *restrict flags = list->flags + first;
    const uint32_t *restrict others = list->other + first;

#pragma omp simd
    for (size_t k = 0; k < run->count; k++)
    {
        size_t b = scattered ? others[k] : k;
        real   active = (flags[k] & SPRING_ACTIVE) ? 1 : 0;
        real   implicit = (flags[k] & SPRING_IMPLICIT) ? h : 0;
        real   inverse = lengths[k] > 0 ? 1 / lengths[k] : 0;
        real   n0 = (xb0[b] - xa0[k]) * inverse, n1 = (xb1[b] - xa1[k]) * inverse,
             n2 = (xb2[b] - xa2[k]) * inverse;
        real dv0 = vb0[b] - va0[k], dv1 = vb1[b] - va1[k], dv2 = vb2[b] - va2[k];
        real stiffness = stiffnesses[k], damping = dampings[k] * active;
        real projected = full_damping ? 0 : damping, full = full_damping ? damping : 0;

        // K = across I + along n n^T; along = k L / l, across = k (1 - L / l) + base.
        real pull = stiffness * pulled(lengths[k], rests[k], slacks[k], reaches[k]);
        real even = pull * inverse, across = even + bases[k];
        real along = slacks[k] - lengths[k] < slacks[k] * (real)NEARLY_TAUT ? stiffness - even : 0;
        real lead = ahead * bases[k] + implicit * even;
        pull += bases[k] * lengths[k];
        if (woven)
        {
            pull += (tensions[k] + pushes[k]) * lengths[k];
            lead += ahead * pushes[k];
        }
        real rate = n0 * dv0 + n1 * dv1 + n2 * dv2;

        // h (f + h K dv): the part along n and the part along dv.
        real on_n = h * (pull + (projected + implicit * along) * rate);
        real on_dv = h * (lead + full);
        impulse0[k] = on_n * n0 + on_dv * dv0;
        impulse1[k] = on_n * n1 + on_dv * dv1;
        impulse2[k] = on_n * n2 + on_dv * dv2;
        if (woven)
        {
            impulse0[k] += weave[0][k] * dv0 + weave[3][k] * dv1 + weave[4][k] * dv2;
            impulse1[k] += weave[3][k] * dv0 + weave[1][k] * dv1 + weave[5][k] * dv2;
            impulse2[k] += weave[4][k] * dv0 + weave[5][k] * dv1 + weave[2][k] * dv2;
        }

        alpha_out[k] = implicit * (h * across + full);
        real size = WEFT_REAL_SQRT(implicit * (h * along + projected));
        u0[k] = size * n0;
        u1[k] = size * n1;
        u2[k] = size * n2;
    }
}

static void springs_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const SpringList *list = &data->structural;
    (void)tally;
    for (uint32_t k = list->tile_runs[tile]; k < list->tile_runs[tile + 1]; k++)
    {
        const SpringRun *run = &list->runs[k];
        if (data->weave.count > 0)
            structural_run(data, run, run->offset == RUN_SCATTERED, true);
        else if (run->offset == RUN_SCATTERED)
            structural_run(data, run, true, false);
        else
            structural_run(data, run, false, false);
    }
}

void WEFT_KERNEL(springs)(EngineData *data)
{
    parallel_tiles(data, data->tile_count, springs_tile);
}
