// solve_multiply: the matrix-vector product of a CG iteration on a large system, and the scalars of
// the iteration. Reads u, diagonal, spring blocks. Writes w; delta, alpha, beta. One thread per
// particle.
//   w <- A u,  delta = w.u,  beta = gamma / gamma_before,  alpha = gamma / (delta - beta gamma /
//   alpha_before)
// Conjugate gradients in the form of Chronopoulos and Gear 1989: A p is carried along as s, so that
// an iteration has two passes.
#include "groups.h"
#include "parallel.h"

static void multiply_chunk(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const System *system = data->current;
    Lanes         delta = {0};
    for (uint32_t group = system->group_begin + chunk * CHUNK; group < chunk_end(system, chunk);
         group++)
    {
        uint32_t slice = data->group_slice[group], lanes = data->group_lanes[group];
        Lanes    w[3];
        multiply_slice(data, slice, data->u, w);
        for (int axis = 0; axis < 3; axis++)
        {
            store_lanes(data->w[axis] + slice * SLICE, w[axis], lanes);
            delta += only_lanes(w[axis] * lanes_load(data->u[axis] + slice * SLICE), lanes);
        }
    }
    data->partial[2 * chunk] = lanes_sum(delta);
}

void WEFT_KERNEL(solve_multiply)(EngineData *data)
{
    System  *system = data->current;
    uint32_t chunks = chunk_count(system);
    parallel_tiles(data, chunks, multiply_chunk);
    system->delta = sum_partial(data, chunks, 0);
    data->row_multiplies += system->row_count;

    // A curvature that is not positive means that rounding has eaten the residual: alpha = 0 ends
    // the iteration.
    system->beta = system->iterations ? system->gamma / system->gamma_before : 0;
    double curvature = system->iterations
                           ? system->delta - system->beta * system->gamma / system->alpha
                           : system->delta;
    system->alpha = curvature > 0 ? system->gamma / curvature : 0;
}
