// multiply.h: a row, or the eight rows of a slice, of A times a vector.
//   (A v)_i = A_ii v_i - sum over implicit springs of (alpha v_j + u (u.v_j) + W v_j), and contact springs
// W is there where a mesh has triangles.
#pragma once

#include "block3.h"
#include "slices.h"

// Contact springs at a row: the corners of a pair are coupled by their weights,
//   (A v)_i += w_i (alpha I + beta n n^T) sum over the other corners of w_j v_j
// `row_of` says where the vector has the value of a particle, NULL: in its own place. What is held has none there.
static inline void multiply_touches(const EngineData *data, uint32_t i, real *const v[3],
                                    const uint32_t *row_of, real out[3])
{
    const PairList *pairs = &data->pairs;
    for (uint32_t k = pairs->touch_begin[i]; k < pairs->implicit_end[i]; k++)
    {
        uint32_t pair = pairs->implicit[k] / 4, corner = pairs->implicit[k] % 4;
        real     rest[3] = {0, 0, 0}, along = 0;
        for (uint32_t other = 0; other < 4; other++)
        {
            uint32_t j = pairs->corner[other][pair];
            if (other == corner || (row_of != NULL && data->degrees[j] == 0))
                continue;
            uint32_t place = row_of != NULL ? row_of[j] : j;
            for (int axis = 0; axis < 3; axis++)
                rest[axis] += pairs->weight[other][pair] * v[axis][place];
        }
        for (int axis = 0; axis < 3; axis++)
            along += pairs->normal[axis][pair] * rest[axis];
        for (int axis = 0; axis < 3; axis++)
            out[axis] += pairs->weight[corner][pair] *
                         (pairs->alpha[pair] * rest[axis] +
                          pairs->beta[pair] * along * pairs->normal[axis][pair]);
    }
}

static inline bool slice_touches(const EngineData *data, uint32_t first)
{
    const PairList *pairs = &data->pairs;
    uint32_t        count = 0;
    for (uint32_t i = first; pairs->implicit_count > 0 && i < first + SLICE; i++)
        count += pairs->implicit_end[i] - pairs->touch_begin[i];
    return count > 0;
}

// W of the eight springs of a slot.
static inline void load_weave(const SpringList *list, RowSlot slot, uint8_t flags, Lanes block[6])
{
    for (int entry = 0; entry < 6; entry++)
        block[entry] = (flags & SLOT_SCATTERED)
                           ? lanes_gather(list->weave[entry], list->lane_spring + slot.spring)
                           : lanes_load(list->weave[entry] + slot.spring);
}

WEFT_INLINE void multiply_springs_of(const EngineData *data, uint32_t slice, real *const without[6],
                                     real *const v[3], bool woven, Lanes out[3])
{
    const SpringList *list = &data->structural;
    const uint32_t    first = slice * SLICE;
    Lanes             v0 = lanes_load(v[0] + first), v1 = lanes_load(v[1] + first),
          v2 = lanes_load(v[2] + first);
    Lanes d[6];
    for (int entry = 0; entry < 6; entry++)
    {
        d[entry] = lanes_load(data->diagonal[entry] + first);
        if (without != NULL)
            d[entry] -= lanes_load(without[entry] + first);
    }
    Lanes sum0 = d[0] * v0 + d[3] * v1 + d[4] * v2;
    Lanes sum1 = d[3] * v0 + d[1] * v1 + d[5] * v2;
    Lanes sum2 = d[4] * v0 + d[5] * v1 + d[2] * v2;
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        uint8_t flags = list->slot_flags[k];
        if (!(flags & SLOT_LIVE))
            continue;
        RowSlot slot = list->slots[k];
        Lanes   alpha, u0, u1, u2;
        if (flags & SLOT_SCATTERED)
        {
            const uint32_t *springs = list->lane_spring + slot.spring,
                           *others = list->lane_other + slot.spring;
            alpha = lanes_gather(list->alpha, springs);
            u0 = lanes_gather(list->u[0], springs);
            u1 = lanes_gather(list->u[1], springs);
            u2 = lanes_gather(list->u[2], springs);
            v0 = lanes_gather(v[0], others);
            v1 = lanes_gather(v[1], others);
            v2 = lanes_gather(v[2], others);
        }
        else
        {
            alpha = lanes_load(list->alpha + slot.spring);
            u0 = lanes_load(list->u[0] + slot.spring);
            u1 = lanes_load(list->u[1] + slot.spring);
            u2 = lanes_load(list->u[2] + slot.spring);
            v0 = lanes_load(v[0] + slot.other);
            v1 = lanes_load(v[1] + slot.other);
            v2 = lanes_load(v[2] + slot.other);
        }
        Lanes along = u0 * v0 + u1 * v1 + u2 * v2;
        sum0 -= alpha * v0 + u0 * along;
        sum1 -= alpha * v1 + u1 * along;
        sum2 -= alpha * v2 + u2 * along;
        if (woven)
        {
            load_weave(list, slot, flags, d);
            sum0 -= d[0] * v0 + d[3] * v1 + d[4] * v2;
            sum1 -= d[3] * v0 + d[1] * v1 + d[5] * v2;
            sum2 -= d[4] * v0 + d[5] * v1 + d[2] * v2;
        }
    }
    out[0] = sum0;
    out[1] = sum1;
    out[2] = sum2;
}

// What springs of the cloth alone do; the diagonal blocks are taken without those in `without`, NULL for none.
WEFT_INLINE void multiply_springs(const EngineData *data, uint32_t slice, real *const without[6],
                                  real *const v[3], Lanes out[3])
{
    if (data->weave.count > 0)
        multiply_springs_of(data, slice, without, v, true, out);
    else
        multiply_springs_of(data, slice, without, v, false, out);
}

static inline void multiply_slice(const EngineData *data, uint32_t slice, real *const v[3],
                                  Lanes out[3])
{
    const uint32_t first = slice * SLICE;
    multiply_springs(data, slice, NULL, v, out);
    if (slice_touches(data, first))
        for (uint32_t lane = 0; lane < SLICE; lane++)
        {
            real add[3] = {0, 0, 0};
            multiply_touches(data, first + lane, v, NULL, add);
            for (int axis = 0; axis < 3; axis++)
                out[axis][lane] += add[axis];
        }
}

// One row. Touches no other particle than the ends of its implicit springs.
static inline void multiply_row(const EngineData *data, uint32_t i, real *const v[3], real out[3])
{
    const SpringList *list = &data->structural;
    const uint32_t    slice = i / SLICE, lane = i % SLICE;
    real              block[6], own[3] = {v[0][i], v[1][i], v[2][i]};
    for (int entry = 0; entry < 6; entry++)
        block[entry] = data->diagonal[entry][i];
    block_multiply(block, own, out);
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        uint8_t flags = list->slot_flags[k];
        if (!(flags & SLOT_LIVE))
            continue;
        bool     scattered = (flags & SLOT_SCATTERED) != 0;
        uint32_t at = list->slots[k].spring + lane;
        uint32_t spring = scattered ? list->lane_spring[at] : at;
        if (!(list->flags[spring] & SPRING_IMPLICIT))
            continue;
        uint32_t other = scattered ? list->lane_other[at] : list->slots[k].other + lane;
        real     alpha = list->alpha[spring];
        real     u[3] = {list->u[0][spring], list->u[1][spring], list->u[2][spring]};
        real     far[3] = {v[0][other], v[1][other], v[2][other]};
        real     along = u[0] * far[0] + u[1] * far[1] + u[2] * far[2];
        for (int axis = 0; axis < 3; axis++)
            out[axis] -= alpha * far[axis] + u[axis] * along;
        if (data->weave.count == 0)
            continue;
        real product[3];
        for (int entry = 0; entry < 6; entry++)
            block[entry] = list->weave[entry][spring];
        block_multiply(block, far, product);
        for (int axis = 0; axis < 3; axis++)
            out[axis] -= product[axis];
    }
    if (data->pairs.implicit_count > 0)
        multiply_touches(data, i, v, NULL, out);
}
