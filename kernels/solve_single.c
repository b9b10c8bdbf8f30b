// solve_single: components of a single particle, solved directly.
// Reads rhs, diagonal, degrees, direction, prescribed, spring blocks. Writes change. One thread per particle.
//   x = z + (S C S)^-1 (b - A z)
#include "multiply.h"
#include "parallel.h"

static void solve_single(EngineData *data, uint32_t i)
{
    real block[6], direction[3], q[6], image[3], r[3], out[3];
    for (int entry = 0; entry < 6; entry++)
        block[entry] = data->diagonal[entry][i];
    for (int axis = 0; axis < 3; axis++)
        direction[axis] = data->direction[axis][i];
    filtered_inverse(block, data->degrees[i], direction, q);
    multiply_row(data, i, data->prescribed, image);
    for (int axis = 0; axis < 3; axis++)
        r[axis] = data->rhs[axis][i] - image[axis];
    block_multiply(q, r, out);
    for (int axis = 0; axis < 3; axis++)
        data->change[axis][i] = data->prescribed[axis][i] + out[axis];
}

static void solve_single_group(EngineData *data, uint32_t k, Tally *tally)
{
    uint32_t group = data->single_begin + k;
    for (uint32_t lanes = data->group_lanes[group]; lanes; lanes &= lanes - 1)
    {
        solve_single(data, data->group_slice[group] * SLICE + (uint32_t)__builtin_ctz(lanes));
        tally->count[0]++;
    }
}

void WEFT_KERNEL(solve_single)(EngineData *data)
{
    data->row_multiplies +=
        parallel_shares(data, data->group_count - data->single_begin, 128, solve_single_group)
            .count[0];
}
