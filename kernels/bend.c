// bend: impulses of the bend springs, added to the right-hand side.
// Reads positions, velocities, light, blocks of the stretch springs. Adds to rhs. One thread per particle: both
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
// the step is stable whatever h is, and damps bending no more than if K1 - K2 were implicit. That holds as far as the springs below
// a beam have tension and are implicit. What they do not bear, because cloth there is slack, or its springs explicit, is kept from
// throwing the ends farther than 0.15 of the beam's length in a step; where that weakens it, it is counted.
#include <math.h>

#include "bend_force.h"
#include "slices.h"
#include "tiles.h"

// Largest h^2 (force / L) of what nothing bears, over the mass: a good deal less than the 1 at which the ends would reach each other's
// places in a step. Largest h (2 damping) over it: half of the 0.2 that Boxerman and Ascher found safe for explicit springs. Of taut
// springs below a beam damping may use a quarter.
#define BEND_THROW ((real)0.15)
#define BEND_SHARE ((real)0.1)
#define BEND_TAUT_SHARE ((real)0.25)
// A beam's push over the tension below it, up to which that bears it. In balance it is 1 where cloth is straight, and more where
// the springs stand at an angle to the beam.
#define BEND_BORNE ((real)2)

// The ends of a slot's eight springs on one side. Numbers that lie side by side are read where they are.
typedef struct Ends
{
    const real *x[3], *v[3];
    const real *light; // 1 / mass; 0 if held
    real        room[7][SLICE];
} Ends;

// What a slot's springs are made of.
typedef struct Beams
{
    const real *rest, *stiffness, *damping, *base;
    real        room[4][SLICE];
    real        below
        [SLICE]; // h^2 (tension / length) of the springs below them, of the two the smaller one
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
    ends->light = take(data->light, first, indices, ends->room[6]);
}

static inline real smaller(real a, real b)
{
    return a < b ? a : b;
}

// The tension over length of a slot's springs on one side below it, times h^2: their part of A across them. On a grid they mostly lie
// side by side, like the beams.
static inline Lanes take_half(const EngineData *data, int half, uint32_t first,
                              const uint32_t *indices)
{
    const real     *alpha = data->structural.alpha;
    const uint32_t *below = data->bend.below[half];
    uint32_t        springs[SLICE], apart = 0;
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        springs[lane] = below[indices == NULL ? first + lane : indices[lane]];
        apart |= springs[lane] - springs[0] - lane;
    }
    return apart == 0 ? lanes_load(alpha + springs[0]) : lanes_gather(alpha, springs);
}

static inline bool any_beam(const Beams *beams)
{
    return lanes_bits(lanes_load(beams->stiffness) > 0) != 0;
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

        // Push of the beam, what of it is borne, and what this step can take of the rest. Between two held ends nothing needs a bound.
        bool is_beam = beams->stiffness[k] > 0;
        real mass = 2 / (near->light[k] + far->light[k] + (real)1e-30);
        real per_rest = 1 / rest, ratio = length * per_rest;
        real full = -beams->stiffness[k] * per_rest * per_rest * bend_force(ratio < 1 ? ratio : 1);
        real borne = smaller(BEND_BORNE * per_h2 / 2 * beams->below[k] * rest, full);
        real beam = smaller(full, borne + BEND_THROW * per_h2 * mass * rest);
        softened += full > beam ? 1 : 0;
        real base = is_beam ? 0 : beams->base[k];
        real push = beam * inverse + base, lead = borne * inverse + base;

        real taut = is_beam && !full_damping && borne > 0
                        ? BEND_TAUT_SHARE * beams->base[k] * ratio * ratio * h * h
                        : 0;
        real damping = smaller(beams->damping[k], (BEND_SHARE * mass + taut) * per_2h);

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
        lanes_store(beams.below, lanes_least(take_half(data, 0, slot->spring, springs),
                                             take_half(data, 1, slot->spring, springs)));
        uint32_t weakened = add_slot(data, &near, &far, &beams, sum);
        // A spring has a slot at both ends and is counted at one.
        softened += (list->slot_flags[k] & SLOT_MIRROR) ? 0 : weakened;
    }
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t lane = 0; lane < SLICE; lane++)
            data->rhs[axis][first + lane] += sum[axis][lane];
    return softened;
}

static void bend_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    const uint32_t end = strip_end(data->particle_count, strip);
    for (uint32_t first = strip_begin(strip); first < end; first += SLICE)
        tally->count[0] += bend_slice(data, first / SLICE);
}

void WEFT_KERNEL(bend)(EngineData *data)
{
    data->softened_count =
        (uint32_t)parallel_strips(data, data->particle_count, bend_strip).count[0];
}
