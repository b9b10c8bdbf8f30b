// solve_update: the vector updates of a CG iteration on a large system.
// Reads and writes p, s, change, r, u; reads w, inverse. Writes gamma, iterations, converged. One
// thread per particle.
//   p <- u + beta p,  s <- w + beta s,  x <- x + alpha p,  r <- S (r - alpha s),  u <- Q r,  gamma =
//   r.u
#include "groups.h"
#include "parallel.h"

static void update_chunk(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const System *system = data->current;
    const real    alpha = (real)system->alpha, beta = (real)system->beta;
    Lanes         gamma = {0};
    for (uint32_t group = system->group_begin + chunk * CHUNK; group < chunk_end(system, chunk);
         group++)
    {
        uint32_t first = data->group_slice[group] * SLICE, lanes = data->group_lanes[group];
        Lanes    r[3], u[3];
        for (int axis = 0; axis < 3; axis++)
        {
            Lanes p = lanes_load(data->u[axis] + first) + beta * lanes_load(data->p[axis] + first);
            Lanes s = lanes_load(data->w[axis] + first) + beta * lanes_load(data->s[axis] + first);
            Lanes x = lanes_load(data->change[axis] + first) + alpha * p;
            r[axis] = lanes_load(data->r[axis] + first) - alpha * s;
            store_lanes(data->p[axis] + first, p, lanes);
            store_lanes(data->s[axis] + first, s, lanes);
            store_lanes(data->change[axis] + first, x, lanes);
        }
        filter_slice(data, first, r);
        apply_inverse_slice(data, first, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            store_lanes(data->r[axis] + first, r[axis], lanes);
            store_lanes(data->u[axis] + first, u[axis], lanes);
            gamma += only_lanes(r[axis] * u[axis], lanes);
        }
    }
    data->partial[2 * chunk] = lanes_sum(gamma);
}

void WEFT_KERNEL(solve_update)(EngineData *data)
{
    System  *system = data->current;
    uint32_t chunks = chunk_count(system);
    parallel_tiles(data, chunks, update_chunk);
    system->gamma_before = system->gamma;
    system->gamma = sum_partial(data, chunks, 0);
    system->iterations++;
    system->converged = system->gamma <= data->tolerance * data->tolerance * system->reference;
}
