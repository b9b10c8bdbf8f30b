// bend: impulses of the bend springs, added to the right-hand side.
// Reads positions, velocities, diagonal, light. Adds to rhs. One thread per particle: both
// ends of a spring calculate its force, alike to the last bit.
//
// A beam of length L whose ends are l apart pushes them along the chord with the force of Choi and Ko
// 2002, type 2, immediate buckling: k_b kappa^2 / (cos(kappa L/2) - sinc(kappa L/2)), kappa = (2/L) sinc^-1(l/L), and with that of the
// straight beam, 12 k_b / L^2, where it is not shortened. The tension of the stretch springs below bears the push, so that flat cloth
// is in balance (spring_grid.c). Diagonals and meshes have pushes `base` l instead, which belong to tensions of the same kind.
//
// All of it is explicit, so that it has no part in the implicit system and does not join
// components. Tension K1 x minus push K2 x is bending, so K1 >= K2, and K1 is implicit. With the push where the velocities lead,
//   (M + h^2 K1) dv = -h (K1 - K2) (x + h v),
// the step is stable whatever h is, and damps bending no more than if K1 - K2 were implicit. Only where
// the cloth is slack, or its springs explicit, nothing implicit bears a beam. There nothing leads it, and its force is kept from
// throwing the ends farther than a tenth of its length in a step; where that weakens it, it is counted. Whether the springs below are
// taut is seen from what A, with the springs of this step in it, offers along the chord beyond the mass, q = 2 / (1 / n.A_aa n + 1 /
// n.A_bb n), a held end not counted.
#include <math.h>

#include "bend_force.h"
#include "parallel.h"
#include "slices.h"

// Largest h^2 (force / L) of what nothing bears, and h (2 damping), over the mass: they share the 0.2 that Boxerman and Ascher found
// safe for explicit springs. What A offers beyond the mass may be used up to a quarter, for damping and as a measure of taut springs.
#define BEND_SHARE ((real)0.1)
#define BEND_TAUT_SHARE ((real)0.25)

// The ends of a slot's eight springs on one side. Numbers that lie side by side are read where they are.
typedef struct Ends
{
    const real *x[3], *v[3], *a[6];
    const real *light; // 1 / mass; 0 if held
    real        room[13][SLICE];
} Ends;

// What a slot's springs are made of.
typedef struct Beams
{
    const real *rest, *stiffness, *damping, *base;
    real        room[4][SLICE];
} Beams;

// Eight numbers: those from `first` on, or those at `indices`, which are put together in `room`.
static inline const real *take(const real *from, uint32_t first, const uint32_t *indices,
                               real room[SLICE])
{
    if (indices == NULL)
        return from + first;
    for (int lane = 0; lane < SLICE; lane++)
        room[lane] = from[indices[lane]];
    return room;
}

static inline void take_motion(const EngineData *data, uint32_t first, const uint32_t *indices,
                               Ends *ends)
{
    for (int axis = 0; axis < 3; axis++)
    {
        ends->x[axis] = take(data->x[axis], first, indices, ends->room[axis]);
        ends->v[axis] = take(data->v[axis], first, indices, ends->room[3 + axis]);
    }
    ends->light = take(data->light, first, indices, ends->room[12]);
}

static inline void take_inertia(const EngineData *data, uint32_t first, const uint32_t *indices,
                                Ends *ends)
{
    for (int entry = 0; entry < 6; entry++)
        ends->a[entry] = take(data->diagonal[entry], first, indices, ends->room[6 + entry]);
}

static inline real smaller(real a, real b)
{
    return a < b ? a : b;
}

// n.A n of an end; 1 if it is held, when it does not count.
static inline real inertia(const Ends *ends, int lane, real n0, real n1, real n2)
{
    const real *const *a = ends->a;
    real               q = a[0][lane] * n0 * n0 + a[1][lane] * n1 * n1 + a[2][lane] * n2 * n2 +
             2 * (a[3][lane] * n0 * n1 + a[4][lane] * n0 * n2 + a[5][lane] * n1 * n2);
    return ends->light[lane] > 0 ? q : 1;
}

static inline bool any_beam(const Beams *beams)
{
    int count = 0;
    for (int k = 0; k < SLICE; k++)
        count += beams->stiffness[k] > 0;
    return count > 0;
}

// Adds the impulses on the near ends of springs that are no beams, which need no bound.
static inline void add_plain_slot(const EngineData *data, const Ends *near, const Ends *far,
                                  const Beams *beams, real sum[3][SLICE])
{
    const real h = data->h, ahead = data->method == 0 ? 0 : h, most = BEND_SHARE / (2 * h);
    const bool full_damping = data->damping_kind != 0;
#pragma omp simd
    for (int k = 0; k < SLICE; k++)
    {
        real d0 = far->x[0][k] - near->x[0][k], d1 = far->x[1][k] - near->x[1][k],
             d2 = far->x[2][k] - near->x[2][k];
        real dv0 = far->v[0][k] - near->v[0][k], dv1 = far->v[1][k] - near->v[1][k],
             dv2 = far->v[2][k] - near->v[2][k];
        real rest = beams->rest[k], square = d0 * d0 + d1 * d1 + d2 * d2;
        real mass = 2 / (near->light[k] + far->light[k] + (real)1e-30);
        real damping = square < rest * rest ? smaller(beams->damping[k], most * mass) : 0;
        real rate = full_damping ? 0 : (d0 * dv0 + d1 * dv1 + d2 * dv2) / (square > 0 ? square : 1);
        real on_d = h * (damping * rate - beams->base[k]);
        real on_dv = h * ((full_damping ? damping : 0) - ahead * beams->base[k]);
        sum[0][k] += on_d * d0 + on_dv * dv0;
        sum[1][k] += on_d * d1 + on_dv * dv1;
        sum[2][k] += on_d * d2 + on_dv * dv2;
    }
}

// Adds the impulses on the near ends; returns how many springs were weakened.
static inline uint32_t add_slot(const EngineData *data, const Ends *near, const Ends *far,
                                const Beams *beams, real sum[3][SLICE])
{
    // Divisions take most of the time here, so there are few of them.
    const real h = data->h, per_h2 = 1 / (h * h), per_2h = 1 / (2 * h);
    const real ahead = data->method == 0 ? 0 : h;
    const bool full_damping = data->damping_kind != 0;
    uint32_t   softened = 0;
#pragma omp simd reduction(+ : softened)
    for (int k = 0; k < SLICE; k++)
    {
        real dv0 = far->v[0][k] - near->v[0][k], dv1 = far->v[1][k] - near->v[1][k],
             dv2 = far->v[2][k] - near->v[2][k];
        real d0 = far->x[0][k] - near->x[0][k], d1 = far->x[1][k] - near->x[1][k],
             d2 = far->x[2][k] - near->x[2][k];
        real rest = beams->rest[k]; // 1 in filling, which has no stiffness
        real length = WEFT_REAL_SQRT(d0 * d0 + d1 * d1 + d2 * d2);
        real inverse = length > 0 ? 1 / length : 0;
        real n0 = d0 * inverse, n1 = d1 * inverse, n2 = d2 * inverse;

        // What this step can take. Between two held ends nothing needs a bound.
        const real nothing = (real)1e-30;
        real       a = inertia(near, k, n0, n1, n2), b = inertia(far, k, n0, n1, n2);
        real       gives = (near->light[k] > 0 ? b : 0) + (far->light[k] > 0 ? a : 0);
        real       q = 2 * a * b / (gives + nothing);
        real       mass = 2 / (near->light[k] + far->light[k] + nothing);
        real       held = q > mass ? q - mass : 0;
        real       offer = BEND_SHARE * mass + BEND_TAUT_SHARE * held;
        // Taut springs below a beam are seen in A along it; others there, mostly of shear, are far less stiff.
        bool is_beam = beams->stiffness[k] > 0;
        real below = is_beam ? beams->base[k] : 0, base = is_beam ? 0 : beams->base[k];
        real borne = smaller(held / (BEND_TAUT_SHARE * below * h * h + nothing), 1);
        real damping = smaller(beams->damping[k],
                               (is_beam && !full_damping ? offer : BEND_SHARE * mass) * per_2h);

        // Push of the beam over the chord, and how far the velocities lead it.
        real per_rest = 1 / rest, ratio = length * per_rest;
        real full = -beams->stiffness[k] * per_rest * per_rest * bend_force(ratio < 1 ? ratio : 1);
        real most = BEND_SHARE * mass * rest * per_h2 + borne * full;
        real beam = smaller(full, most) * inverse;
        softened += full > most ? 1 : 0;
        real push = beam + base, lead = beam * borne + base;

        // Damping only resists more bend.
        real rate = n0 * dv0 + n1 * dv1 + n2 * dv2;
        damping = length < rest ? damping : 0;
        real on_n = h * (full_damping ? 0 : damping * rate);
        real on_dv = h * ((full_damping ? damping : 0) - ahead * lead);
        sum[0][k] += on_n * n0 + on_dv * dv0 - h * push * d0;
        sum[1][k] += on_n * n1 + on_dv * dv1 - h * push * d1;
        sum[2][k] += on_n * n2 + on_dv * dv2 - h * push * d2;
    }
    return softened;
}

static uint32_t bend_slice(EngineData *data, uint32_t slice)
{
    const SpringList *list = &data->bend;
    const uint32_t    first = slice * SLICE;
    uint32_t          softened = 0;
    real              sum[3][SLICE] = {{0}};
    Ends              near, far;
    Beams             beams;
    take_motion(data, first, NULL, &near);
    take_inertia(data, first, NULL, &near);
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        const RowSlot  *slot = &list->slots[k];
        bool            scattered = (list->slot_flags[k] & SLOT_SCATTERED) != 0;
        const uint32_t *springs = scattered ? list->lane_spring + slot->spring : NULL;
        const uint32_t *others = scattered ? list->lane_other + slot->spring : NULL;
        take_motion(data, slot->other, others, &far);
        beams.rest = take(list->rest, slot->spring, springs, beams.room[0]);
        beams.stiffness = take(list->stiffness, slot->spring, springs, beams.room[1]);
        beams.damping = take(list->damping, slot->spring, springs, beams.room[2]);
        beams.base = take(list->base, slot->spring, springs, beams.room[3]);
        if (!any_beam(&beams))
        {
            add_plain_slot(data, &near, &far, &beams, sum);
            continue;
        }
        take_inertia(data, slot->other, others, &far);
        uint32_t weakened = add_slot(data, &near, &far, &beams, sum);
        // A spring has a slot at both ends and is counted at one.
        softened += (list->slot_flags[k] & SLOT_MIRROR) ? 0 : weakened;
    }
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t lane = 0; lane < SLICE; lane++)
            data->rhs[axis][first + lane] += sum[axis][lane];
    return softened;
}

static void bend_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    uint32_t end = (tile + 1) * SLICES_PER_TILE;
    for (uint32_t slice = tile * SLICES_PER_TILE; slice < end && slice < data->slice_count; slice++)
        tally->count[0] += bend_slice(data, slice);
}

void WEFT_KERNEL(bend)(EngineData *data)
{
    data->softened_count = (uint32_t)parallel_tiles(data, data->tile_count, bend_tile).count[0];
}
