// halves_finish.h: the solution of a system that was halved (halves.h), back in the particles' own order.
#pragma once

#include "halves.h"

// x_b <- x_b - D_b^-1 A_bw x_w; then z + c y + x is the solution.
static void add_changes(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
    {
        uint32_t       span = halves->span[k];
        const LaneMask masks[2] = {lanes_mask(halves->lanes[k] & 0xFF),
                                   lanes_mask(halves->lanes[k] >> SLICE)};
        Lanes          x[2][3];
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, span, odd);
            load_half(halves->x, half, x[odd]);
            if (halves->eliminated[half] == 0)
                continue;
            Lanes sum[3] = {{0}}, answer[3];
            add_entries(halves, span, odd, halves->x, sum);
            multiply_blocks(halves->inverse, half, sum, answer);
            keep_lanes(halves->eliminated[half], answer);
            for (int axis = 0; axis < 3; axis++)
                x[odd][axis] += answer[axis];
        }
        for (int axis = 0; axis < 3; axis++)
        {
            real       *change = data->change[axis] + span * SPAN;
            const real *prescribed = data->prescribed[axis] + span * SPAN;
            Lanes       old[2], z[2], y[2], sum[2];
            for (uint32_t part = 0; part < 2; part++)
            {
                old[part] = lanes_load(change + part * SLICE);
                z[part] = lanes_load(prescribed + part * SLICE);
            }
            part_lanes(old[0] - z[0], old[1] - z[1], y);
            for (uint32_t odd = 0; halves->guesses && odd < 2; odd++)
                x[odd][axis] += lanes_select(lanes_mask(halves->kept[half_of(halves, span, odd)]),
                                             halves->scale * y[odd], (Lanes){0});
            const Lanes both[2] = {x[0][axis], x[1][axis]};
            join_lanes(both, &sum[0], &sum[1]);
            for (uint32_t part = 0; part < 2; part++)
                lanes_store(change + part * SLICE,
                            lanes_select(masks[part], z[part] + sum[part], old[part]));
        }
    }
}

// u, x <- 0
static void forget_halves(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    const Lanes   none[3] = {{0}};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            store_half(halves->u, half_of(halves, halves->span[k], odd), none);
            store_half(halves->x, half_of(halves, halves->span[k], odd), none);
        }
}

static void finish_halves(EngineData *data)
{
    parallel_spans(data, add_changes);
    parallel_spans(data, forget_halves);
    data->row_multiplies += data->halves->eliminated_count;
}
