// precondition: the preconditioner's inverse within the filter, and the starting guess.
// Reads diagonal, degrees, direction, prescribed, change (of the last step). Writes inverse,
// change, moved; zeroes u where nothing is free. One thread per particle. CG only ever applies S P^-1 S,
// so one symmetric block Q a particle serves filter and preconditioner together:
//   none: Q = S;  diagonal: Q = S diag(A)^-1 S (Baraff and Witkin 1998);  block: Q = S C^-1 S (Choi
//   and Ko 2002); modified: Q = (S C S)^-1 on the range of S, from P = S C + (I - S) (Boxerman and
//   Ascher 2004, equation 11).
// The starting guess is x = S y + (I - S) z (Ascher and Boxerman 2003), y the last step's solution
// or zero.
#include "block3.h"
#include "slices.h"
#include "tiles.h"

static void choose_inverse(int preconditioner, const real diagonal[6], uint8_t degrees,
                           const real direction[3], real q[6])
{
    for (int entry = 0; entry < 6; entry++)
        q[entry] = 0;
    switch (preconditioner)
    {
    case 0: // none
        q[0] = q[1] = q[2] = 1;
        break;
    case 1: // diagonal
        for (int axis = 0; axis < 3; axis++)
            q[axis] = 1 / diagonal[axis];
        break;
    case 2: // block
        block_invert(diagonal, q);
        break;
    default: // modified
        filtered_inverse(diagonal, degrees, direction, q);
        return;
    }
    if (degrees < 3)
        filter_block(degrees, direction, q);
}

static void precondition_particle(EngineData *data, uint32_t i)
{
    real diagonal[6], direction[3], guess[3], q[6];
    for (int entry = 0; entry < 6; entry++)
        diagonal[entry] = data->diagonal[entry][i];
    for (int axis = 0; axis < 3; axis++)
    {
        direction[axis] = data->direction[axis][i];
        guess[axis] = data->start_guess == 1 ? data->change[axis][i] : 0;
    }
    uint8_t degrees = data->degrees[i];
    choose_inverse(data->preconditioner, diagonal, degrees, direction, q);
    filter(degrees, direction, guess);
    for (int entry = 0; entry < 6; entry++)
        data->inverse[entry][i] = q[entry];
    for (int axis = 0; axis < 3; axis++)
    {
        data->change[axis][i] = guess[axis] + data->prescribed[axis][i];
        if (degrees == 0)
            data->u[axis][i] = 0;
    }
}

// Eight particles that are free, where Q is C^-1, or held, where it is zero; what block_invert does, in each lane.
static void precondition_slice(EngineData *data, uint32_t first)
{
    const Lanes none = {0};
    LaneMask    free = lanes_mask(lanes_with(data->degrees + first, 3));
    Lanes       a[6], q[6];
    for (int entry = 0; entry < 6; entry++)
        a[entry] = lanes_load(data->diagonal[entry] + first);
    Lanes xx = a[1] * a[2] - a[5] * a[5], xy = a[4] * a[5] - a[3] * a[2],
          xz = a[3] * a[5] - a[4] * a[1];
    Lanes inverse = 1 / (a[0] * xx + a[3] * xy + a[4] * xz);
    q[0] = xx * inverse;
    q[1] = (a[0] * a[2] - a[4] * a[4]) * inverse;
    q[2] = (a[0] * a[1] - a[3] * a[3]) * inverse;
    q[3] = xy * inverse;
    q[4] = xz * inverse;
    q[5] = (a[3] * a[4] - a[0] * a[5]) * inverse;
    for (int entry = 0; entry < 6; entry++)
        lanes_store(data->inverse[entry] + first, lanes_select(free, q[entry], none));
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes last = data->start_guess == 1 ? lanes_load(data->change[axis] + first) : none;
        Lanes guess = lanes_select(free, last, none) + lanes_load(data->prescribed[axis] + first);
        lanes_store(data->change[axis] + first, guess);
        lanes_store(data->u[axis] + first,
                    lanes_select(free, lanes_load(data->u[axis] + first), none));
    }
}

static void note_moved(EngineData *data, uint32_t strip)
{
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        LaneMask moved = lanes_load(data->prescribed[0] + first) != 0;
        for (int axis = 1; axis < 3; axis++)
            moved |= lanes_load(data->prescribed[axis] + first) != 0;
        data->moved[first / SLICE] = lanes_bits(moved) != 0;
    }
}

static void precondition_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    const bool inverts = data->preconditioner >= 2; // block or modified
    if (data->has_prescribed)
        note_moved(data, strip);
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        uint32_t left = strip_end(data->particle_count, strip) - first;
        if (inverts && left >= SLICE && all_free_or_held(data->degrees + first))
            precondition_slice(data, first);
        else
            for (uint32_t lane = 0; lane < SLICE && lane < left; lane++)
                precondition_particle(data, first + lane);
    }
}

void WEFT_KERNEL(precondition)(EngineData *data)
{
    parallel_strips(data, data->particle_count, precondition_strip);
}
