// gather: right-hand side b and diagonal block of A of every particle.
// Reads spring impulses and blocks, pairs, air forces, velocities, pins. Writes rhs, diagonal, light; marks
// slots with a block as live; lists the implicit contact springs. One thread per particle.
//   b = h (f + h K v): gravity, air, the drag (a + b|v|) v of Liu et al. 2010, and the impulses of
//   the stretch, shear and contact springs at the particle. A_ii = m I + h (drag Jacobian) + sum over implicit springs of
//   (alpha I + u u^T + W), of contact springs weight^2 (alpha I + beta n n^T).
#include <math.h>

#include "multiply.h"
#include "tiles.h"

typedef struct Row
{
    Lanes rhs[3];
    Lanes diagonal[6];
} Row;

// Spring impulses, with the sign of the end.
static inline void add_impulses(const SpringList *list, uint32_t slice, Row *row)
{
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        const RowSlot *slot = &list->slots[k];
        uint8_t        flags = list->slot_flags[k];
        for (int axis = 0; axis < 3; axis++)
        {
            Lanes impulse =
                (flags & SLOT_SCATTERED)
                    ? lanes_gather(list->impulse[axis], list->lane_spring + slot->spring)
                    : lanes_load(list->impulse[axis] + slot->spring);
            row->rhs[axis] =
                (flags & SLOT_MIRROR) ? row->rhs[axis] - impulse : row->rhs[axis] + impulse;
        }
    }
}

static inline bool any_implicit(const SpringList *list, const RowSlot *slot, uint8_t flags)
{
    if (!(flags & SLOT_SCATTERED))
        return flags_any(list->flags + slot->spring, SPRING_IMPLICIT);
    for (int lane = 0; lane < SLICE; lane++)
        if (list->flags[list->lane_spring[slot->spring + (uint32_t)lane]] & SPRING_IMPLICIT)
            return true;
    return false;
}

// Blocks of the implicit springs, added to the diagonal.
static inline void add_blocks(SpringList *list, uint32_t slice, Row *row)
{
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        const RowSlot *slot = &list->slots[k];
        uint8_t        flags = list->slot_flags[k] & (uint8_t)~SLOT_LIVE;
        bool           live = any_implicit(list, slot, flags);
        list->slot_flags[k] = live ? flags | SLOT_LIVE : flags;
        if (!live)
            continue;

        Lanes alpha, u[3];
        if (flags & SLOT_SCATTERED)
        {
            const uint32_t *springs = list->lane_spring + slot->spring;
            alpha = lanes_gather(list->alpha, springs);
            for (int axis = 0; axis < 3; axis++)
                u[axis] = lanes_gather(list->u[axis], springs);
        }
        else
        {
            alpha = lanes_load(list->alpha + slot->spring);
            for (int axis = 0; axis < 3; axis++)
                u[axis] = lanes_load(list->u[axis] + slot->spring);
        }
        for (int axis = 0; axis < 3; axis++)
            row->diagonal[axis] += alpha + u[axis] * u[axis];
        row->diagonal[3] += u[0] * u[1];
        row->diagonal[4] += u[0] * u[2];
        row->diagonal[5] += u[1] * u[2];
        if (list->tension == NULL)
            continue;
        Lanes weave[6];
        load_weave(list, *slot, flags, weave);
        for (int entry = 0; entry < 6; entry++)
            row->diagonal[entry] += weave[entry];
    }
}

// Drag of single particles: f = -m (a + b|v|) v, df/dv = -m ((a + b|v|) I + b v v^T / |v|).
static void add_drag(const EngineData *data, uint32_t slice, Row *row)
{
    const real h = data->h;
    for (int lane = 0; lane < SLICE; lane++)
    {
        uint32_t i = slice * SLICE + (uint32_t)lane;
        real     v[3] = {data->v[0][i], data->v[1][i], data->v[2][i]};
        real     speed = WEFT_REAL_SQRT(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        real     even = h * data->mass[i] * (data->linear_drag + data->quadratic_drag * speed);
        real     along = speed > 0 ? h * data->mass[i] * data->quadratic_drag / speed : 0;
        for (int axis = 0; axis < 3; axis++)
            row->rhs[axis][lane] -= even * v[axis];
        if (data->method == 0)
            continue;
        for (int axis = 0; axis < 3; axis++)
            row->diagonal[axis][lane] += even + along * v[axis] * v[axis];
        row->diagonal[3][lane] += along * v[0] * v[1];
        row->diagonal[4][lane] += along * v[0] * v[2];
        row->diagonal[5][lane] += along * v[1] * v[2];
    }
}

// Force of the wind on the triangles around each particle.
static void add_air(const EngineData *data, uint32_t slice, Row *row)
{
    for (int lane = 0; lane < SLICE; lane++)
    {
        uint32_t i = slice * SLICE + (uint32_t)lane;
        if (i >= data->particle_count)
            return;
        real force[3] = {0, 0, 0};
        for (uint32_t k = data->fan_begin[i]; k < data->fan_begin[i + 1]; k++)
            for (int axis = 0; axis < 3; axis++)
                force[axis] += data->air_force[axis][data->fan[k]];
        for (int axis = 0; axis < 3; axis++)
            row->rhs[axis][lane] += data->h * force[axis];
    }
}

// The implicit ones among the contact springs of a particle.
static void list_implicit(PairList *pairs, uint32_t i)
{
    uint32_t end = pairs->touch_begin[i];
    for (uint32_t k = end; k < pairs->touch_begin[i + 1]; k++)
        if (pairs->flags[pairs->touch[k] / 4] & PAIR_IMPLICIT)
            pairs->implicit[end++] = pairs->touch[k];
    pairs->implicit_end[i] = end;
}

// Impulses and blocks of the contact springs at each particle.
static void add_touches(EngineData *data, uint32_t slice, Row *row)
{
    PairList *pairs = &data->pairs;
    Lanes     without[6];
    memcpy(without, row->diagonal, sizeof(without));
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        uint32_t i = slice * SLICE + lane;
        list_implicit(pairs, i);
        for (uint32_t k = pairs->touch_begin[i]; k < pairs->touch_begin[i + 1]; k++)
        {
            uint32_t pair = pairs->touch[k] / 4;
            real     weight = pairs->weight[pairs->touch[k] % 4][pair], n[3];
            if (!(pairs->flags[pair] & PAIR_ACTIVE))
                continue;
            for (int axis = 0; axis < 3; axis++)
            {
                n[axis] = pairs->normal[axis][pair];
                row->rhs[axis][lane] += weight * pairs->impulse[axis][pair];
            }
            real even = weight * weight * pairs->alpha[pair];
            real along = weight * weight * pairs->beta[pair];
            for (int axis = 0; axis < 3; axis++)
                row->diagonal[axis][lane] += even + along * n[axis] * n[axis];
            row->diagonal[3][lane] += along * n[0] * n[1];
            row->diagonal[4][lane] += along * n[0] * n[2];
            row->diagonal[5][lane] += along * n[1] * n[2];
        }
    }
    for (int entry = 0; entry < 6; entry++)
        lanes_store(pairs->own[entry] + slice * SLICE, row->diagonal[entry] - without[entry]);
}

// What an impulse does to each particle.
static void find_light(EngineData *data, uint32_t first, Lanes mass)
{
    lanes_store(data->light + first, 1 / mass);
    for (uint32_t i = first; i < first + SLICE && i < data->particle_count; i++)
    {
        int32_t pin = data->pin_of[i];
        if (pin >= 0 && data->pins[pin].active && data->pins[pin].degrees == 0)
            data->light[i] = 0;
    }
}

static void gather_slice(EngineData *data, uint32_t slice)
{
    const uint32_t first = slice * SLICE;
    Lanes          mass = lanes_load(data->mass + first);
    Row            row;
    for (int axis = 0; axis < 3; axis++)
    {
        row.rhs[axis] = mass * (data->h * data->gravity[axis]);
        row.diagonal[axis] = mass;
        row.diagonal[3 + axis] = mass - mass;
    }
    add_impulses(&data->structural, slice, &row);
    add_blocks(&data->structural, slice, &row);
    if (data->pairs.active_count > 0)
        add_touches(data, slice, &row);
    if (data->linear_drag > 0 || data->quadratic_drag > 0)
        add_drag(data, slice, &row);
    if (data->air_density > 0)
        add_air(data, slice, &row);
    find_light(data, first, mass);
    for (int axis = 0; axis < 3; axis++)
        lanes_store(data->rhs[axis] + first, row.rhs[axis]);
    for (int entry = 0; entry < 6; entry++)
        lanes_store(data->diagonal[entry] + first, row.diagonal[entry]);
}

static void gather_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    const uint32_t end = strip_end(data->particle_count, strip);
    for (uint32_t first = strip_begin(strip); first < end; first += SLICE)
        gather_slice(data, first / SLICE);
}

void WEFT_KERNEL(gather)(EngineData *data)
{
    parallel_strips(data, data->particle_count, gather_strip);
}
