// solve_start: first residual of a large system.
// Reads rhs, change (starting guess), prescribed, diagonal, inverse, spring blocks. Writes r, u, p,
// s; gamma and reference. One thread per particle.
//   r <- S (b - A x),  u <- Q r,  p, s <- 0;  gamma = r.u;  reference = (b - A z).Q (b - A z)
// A system that every other particle can be eliminated from is put into the order of halves.h, and what follows is done there.
#include "groups.h"
#include "halves_start.h"
#include "parallel.h"

static void start_chunk(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const System *system = data->current;
    Lanes         gamma = {0}, reference = {0};
    for (uint32_t group = system->group_begin + chunk * CHUNK; group < chunk_end(system, chunk);
         group++)
    {
        uint32_t slice = data->group_slice[group], lanes = data->group_lanes[group];
        uint32_t first = slice * SLICE;
        Lanes    image[3], r[3], u[3], plain[3], scaled[3];
        multiply_slice(data, slice, data->change, image);
        for (int axis = 0; axis < 3; axis++)
        {
            plain[axis] = lanes_load(data->rhs[axis] + first);
            r[axis] = plain[axis] - image[axis];
        }
        filter_slice(data, first, r);
        apply_inverse_slice(data, first, r, u);
        if (data->has_prescribed)
        {
            multiply_slice(data, slice, data->prescribed, image);
            for (int axis = 0; axis < 3; axis++)
                plain[axis] -= image[axis];
        }
        filter_slice(data, first, plain);
        apply_inverse_slice(data, first, plain, scaled);
        for (int axis = 0; axis < 3; axis++)
        {
            gamma += only_lanes(r[axis] * u[axis], lanes);
            reference += only_lanes(plain[axis] * scaled[axis], lanes);
            store_lanes(data->r[axis] + first, r[axis], lanes);
            store_lanes(data->u[axis] + first, u[axis], lanes);
            store_lanes(data->p[axis] + first, r[axis] - r[axis], lanes);
            store_lanes(data->s[axis] + first, r[axis] - r[axis], lanes);
        }
    }
    data->partial[2 * chunk] = lanes_sum(gamma);
    data->partial[2 * chunk + 1] = lanes_sum(reference);
}

static void start_all(EngineData *data, System *system)
{
    uint32_t chunks = chunk_count(system);
    parallel_tiles(data, chunks, start_chunk);
    system->gamma = sum_partial(data, chunks, 0);
    system->reference = sum_partial(data, chunks, 1);
    data->row_multiplies += system->row_count;
}

static void forget_guess(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const System *system = data->current;
    for (uint32_t group = system->group_begin + chunk * CHUNK; group < chunk_end(system, chunk);
         group++)
        for (int axis = 0; axis < 3; axis++)
        {
            uint32_t first = data->group_slice[group] * SLICE;
            store_lanes(data->change[axis] + first, lanes_load(data->prescribed[axis] + first),
                        data->group_lanes[group]);
        }
}

void WEFT_KERNEL(solve_start)(EngineData *data)
{
    System *system = data->current;
    start_halves(data);
    if (system->halved)
        return;
    start_all(data, system);
    if (system->gamma > system->reference)
    {
        // The last step's solution is a worse guess than none.
        parallel_tiles(data, chunk_count(system), forget_guess);
        start_all(data, system);
    }
    double target = data->tolerance * data->tolerance * system->reference;
    system->converged = system->gamma <= target;
}
