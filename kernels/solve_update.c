// solve_update: the vector updates of a CG iteration on a large system.
// Reads and writes p, s, change, r, u; reads w, inverse. Writes gamma, iterations, converged. One
// thread per particle.
//   p <- u + beta p,  s <- w + beta s,  x <- x + alpha p,  r <- S (r - alpha s),  u <- Q r,  gamma =
//   r.u
// In a system that is halved (halves.h) only for the rows that are kept, or it is their turn (halves_turns.h); with the last iteration the
// others get their solution.
#include "groups.h"
#include "halves_finish.h"
#include "halves_turns.h"
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

// The same for the rows that are kept of a system that is halved.
static void update_kept(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    const real    alpha = (real)data->current->alpha, beta = (real)data->current->beta;
    Lanes         gamma = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    p[3], s[3], w[3], x[3], r[3], u[3];
            if (halves->kept[half] == 0)
                continue;
            load_half(halves->u, half, u);
            keep_lanes(halves->kept[half], u);
            load_half(halves->p, half, p);
            load_half(halves->w, half, w);
            load_half(halves->s, half, s);
            load_half(halves->x, half, x);
            load_half(halves->r, half, r);
            for (int axis = 0; axis < 3; axis++)
            {
                p[axis] = u[axis] + beta * p[axis];
                s[axis] = w[axis] + beta * s[axis];
                x[axis] += alpha * p[axis];
                r[axis] -= alpha * s[axis];
            }
            filter_half(halves, half, r);
            multiply_blocks(halves->inverse, half, r, u);
            for (int axis = 0; axis < 3; axis++)
                gamma += r[axis] * u[axis];
            store_half(halves->u, half, u);
            store_half(halves->p, half, p);
            store_half(halves->s, half, s);
            store_half(halves->x, half, x);
            store_half(halves->r, half, r);
        }
    data->partial[SPAN_SUMS * chunk] = lanes_sum(gamma);
}

// The turn of the rows that are kept.
static void take_white_turn(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    // A copy, so that the compiler knows that what is stored does not change it.
    const Halves copy = *data->halves, *halves = &copy;
    const real   alpha = (real)data->current->alpha, beta = (real)data->current->beta;
    Lanes        gamma = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            if (halves->kept[half] == 0)
                continue;
            advance(halves->u, halves->p, halves->x, half, halves->kept[half], alpha, beta);
            gamma += take_turn(halves, halves->span[k], odd, halves->kept[half],
                               halves->eliminated[half]);
        }
    data->partial[SPAN_SUMS * chunk] = lanes_sum(gamma);
}

void WEFT_KERNEL(solve_update)(EngineData *data)
{
    System  *system = data->current;
    uint32_t chunks = chunk_count(system);
    if (!system->halved)
        parallel_tiles(data, chunks, update_chunk);
    else if (data->halves->coupled)
        parallel_spans(data, update_kept);
    else
    {
        parallel_spans(data, take_white_turn);
        data->row_multiplies += data->halves->kept_count;
    }
    system->gamma_before = system->gamma;
    system->gamma = system->halved ? sum_spans(data, 0) : sum_partial(data, chunks, 0);
    system->iterations++;
    system->converged = system->gamma <= data->tolerance * data->tolerance * system->reference;
    if (system->halved && (system->converged || system->iterations >= data->max_iterations))
        finish_halves(data);
}
