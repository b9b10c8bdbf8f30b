// bench_matrix.h: the rows of a small system and its matrix on a bench.
//
// Where the system is to be solved by turns (halves_turns.h), its black rows come first, then, from a new slice on, the white ones.
#pragma once

#include "bench.h"
#include "halves.h"
#include "multiply.h"

#define NO_ROW UINT32_MAX

// The lanes of a group that are black.
static uint32_t black_lanes(const EngineData *data, uint32_t group)
{
    const Halves *halves = data->halves;
    uint32_t      black = 0;
    for (uint32_t lanes = data->group_lanes[group]; lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint32_t place = place_of(halves, data->group_slice[group] * SLICE + lane);
        black |= (halves->candidates[place / SLICE] >> place % SLICE & 1u) << lane;
    }
    return black;
}

static void list_row(EngineData *data, Bench *bench, uint32_t i)
{
    data->row_of[i] = bench->row_end;
    bench->particle[bench->row_end++] = i;
}

// Fills up the last slice.
static void fill_rows(Bench *bench)
{
    while (bench->row_end % SLICE != 0)
        bench->particle[bench->row_end++] = NO_ROW;
}

// Lists the rows and where each particle's row is.
static void list_rows(EngineData *data, const System *system, Bench *bench, bool by_colour)
{
    bench->row_end = bench->white_begin = bench->black_count = 0;
    for (uint32_t white = by_colour ? 0 : 1; white < 2; white++)
    {
        for (uint32_t k = 0; k < system->group_count; k++)
        {
            uint32_t group = system->group_begin + k, lanes = data->group_lanes[group];
            if (by_colour)
                lanes &= white ? ~black_lanes(data, group) : black_lanes(data, group);
            for (; lanes; lanes &= lanes - 1)
                list_row(data, bench,
                         data->group_slice[group] * SLICE + (uint32_t)__builtin_ctz(lanes));
        }
        if (white == 0)
            bench->black_count = bench->row_end;
        fill_rows(bench);
        if (white == 0)
            bench->white_begin = bench->row_end;
    }
    bench->slice_count = bench->row_end / SLICE;
}

// Which of the rows in `lanes` have a block in a slot of their slice that couples them to something that is not held.
static uint32_t coupled_lanes(const EngineData *data, uint32_t k, uint32_t lanes)
{
    const SpringList *list = &data->structural;
    const RowSlot    *slot = &list->slots[k];
    if (!(list->slot_flags[k] & SLOT_LIVE))
        return 0;
    if (!(list->slot_flags[k] & SLOT_SCATTERED))
        return lanes & lanes_with(list->flags + slot->spring, SPRING_IMPLICIT) &
               lanes_with(data->degrees + slot->other, 3);
    uint32_t found = 0;
    for (; lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), at = slot->spring + lane;
        if ((list->flags[list->lane_spring[at]] & SPRING_IMPLICIT) &&
            data->degrees[list->lane_other[at]] > 0)
            found |= 1u << lane;
    }
    return found;
}

// The first entry of a slice.
static inline uint32_t first_of(const Bench *bench, uint32_t slice)
{
    return slice * bench->entry_room;
}

// The far end of a lane of a slot, and its spring.
static uint32_t far_of(const EngineData *data, uint32_t k, uint32_t lane, uint32_t *spring)
{
    const SpringList *list = &data->structural;
    bool              scattered = (list->slot_flags[k] & SLOT_SCATTERED) != 0;
    uint32_t          at = list->slots[k].spring + lane;
    *spring = scattered ? list->lane_spring[at] : at;
    return scattered ? list->lane_other[at] : list->slots[k].other + lane;
}

static void copy_block(const EngineData *data, const Bench *bench, uint32_t spring, uint32_t other,
                       uint32_t entry)
{
    const SpringList *list = &data->structural;
    bench->other[entry] = other;
    bench->alpha[entry] = list->alpha[spring];
    for (int axis = 0; axis < 3; axis++)
        bench->block_u[axis][entry] = list->u[axis][spring];
    for (int part = 0; data->weave.count > 0 && part < 6; part++)
        bench->weave[part][entry] = list->weave[part][spring];
}

// An entry that couples a row to nothing.
static void fill_block(const EngineData *data, const Bench *bench, uint32_t row, uint32_t entry)
{
    bench->other[entry] = row;
    bench->alpha[entry] = 0;
    for (int axis = 0; axis < 3; axis++)
        bench->block_u[axis][entry] = 0;
    for (int part = 0; data->weave.count > 0 && part < 6; part++)
        bench->weave[part][entry] = 0;
}

// Copies the blocks of the system, those of each row in the order of the slots. Says whether any joins rows of one colour.
static bool copy_blocks_of(const EngineData *data, const System *system, const Bench *bench)
{
    const SpringList *list = &data->structural;
    bool              coupled = false;
    for (uint32_t g = system->group_begin; g < system->group_begin + system->group_count; g++)
    {
        uint32_t slice = data->group_slice[g], lanes = data->group_lanes[g];
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
            for (uint32_t left = coupled_lanes(data, k, lanes); left; left &= left - 1)
            {
                uint32_t lane = (uint32_t)__builtin_ctz(left), spring;
                uint32_t row = data->row_of[slice * SLICE + lane];
                uint32_t other = data->row_of[far_of(data, k, lane, &spring)];
                uint32_t place = first_of(bench, row / SLICE) + bench->count[row]++;
                coupled |= (row < bench->white_begin) == (other < bench->white_begin);
                copy_block(data, bench, spring, other, place * SLICE + row % SLICE);
            }
    }
    return coupled;
}

// The matrix. Rows with fewer neighbours than others of their slice are filled up with blocks of zero.
static void copy_matrix(const EngineData *data, const System *system, Bench *bench)
{
    // A copy, so that the compiler knows that what is stored does not change it.
    const Bench to = *bench;
    memset(to.count, 0, to.row_end * sizeof(*to.count));
    bench->coupled = copy_blocks_of(data, system, &to);
    for (uint32_t slice = 0; slice < to.slice_count; slice++)
    {
        uint32_t most = 0;
        for (uint32_t row = slice * SLICE; row < (slice + 1) * SLICE; row++)
            most = to.count[row] > most ? to.count[row] : most;
        to.entry_end[slice] = first_of(&to, slice) + most;
        for (uint32_t row = slice * SLICE; row < (slice + 1) * SLICE; row++)
            for (uint32_t k = first_of(&to, slice) + to.count[row]; k < to.entry_end[slice]; k++)
                fill_block(data, &to, row, k * SLICE + row % SLICE);
    }
}

// Right-hand side without what is prescribed, and the first guess: b <- b - A z, y <- guess - z
static void copy_rows(const EngineData *data, const Bench *bench)
{
    const Bench  to = *bench;
    real *const *right = data->has_prescribed ? data->w : data->rhs;
    for (uint32_t row = 0; row < to.row_end; row++)
    {
        const bool     filling = to.particle[row] == NO_ROW;
        const uint32_t i = filling ? 0 : to.particle[row];
        to.degrees[row] = filling ? 3 : data->degrees[i];
        for (int entry = 0; entry < 6; entry++)
        {
            to.diagonal[entry][row] = filling ? 0 : data->diagonal[entry][i];
            to.inverse[entry][row] = filling ? 0 : data->inverse[entry][i];
        }
        for (int axis = 0; axis < 3; axis++)
        {
            to.y[axis][row] = filling ? 0 : data->change[axis][i] - data->prescribed[axis][i];
            to.direction[axis][row] = filling ? 0 : data->direction[axis][i];
            to.b[axis][row] = filling ? 0 : right[axis][i];
        }
    }
}
