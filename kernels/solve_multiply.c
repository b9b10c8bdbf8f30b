// solve_multiply: the matrix-vector product of a CG iteration on a large system, and the scalars of
// the iteration. Reads u, diagonal, spring blocks. Writes w; delta, alpha, beta. One thread per
// particle.
//   w <- A u,  delta = w.u,  beta = gamma / gamma_before,  alpha = gamma / (delta - beta gamma /
//   alpha_before)
// Conjugate gradients in the form of Chronopoulos and Gear 1989: A p is carried along as s, so that
// an iteration has two passes. In a system that is halved (halves.h) A is what is left for the rows that are kept; if these are not coupled
// to each other, an iteration is two turns (halves_turns.h), and this is the first.
#include "groups.h"
#include "halves_finish.h"
#include "halves_turns.h"
#include "parallel.h"

// Contact springs are gone through twice: eight of them at a time find what they pull with, then each row takes its part. That is less
// than if each row looked at all corners again.
//   pull = (alpha I + beta n n^T) sum over the corners of weight u
static void pull_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    uint32_t        end = (tile + 1) * TILE < pairs->count ? (tile + 1) * TILE : pairs->count;
    (void)tally;
    for (uint32_t first = tile * TILE; first < end; first += SLICE)
    {
        if (!flags_any(pairs->flags + first, PAIR_IMPLICIT))
            continue;
        Lanes sum[3] = {{0}}, n[3], along = {0};
        for (int corner = 0; corner < 4; corner++)
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += lanes_load(pairs->weight[corner] + first) *
                             lanes_gather(data->u[axis], pairs->corner[corner] + first);
        for (int axis = 0; axis < 3; axis++)
        {
            n[axis] = lanes_load(pairs->normal[axis] + first);
            along += n[axis] * sum[axis];
        }
        along *= lanes_load(pairs->beta + first);
        for (int axis = 0; axis < 3; axis++)
            lanes_store(pairs->pull[axis] + first,
                        lanes_load(pairs->alpha + first) * sum[axis] + along * n[axis]);
    }
}

// A u on a slice. The pulls have a row's own part in them, so its diagonal block is taken without that.
static void multiply_rows(const EngineData *data, uint32_t slice, Lanes w[3])
{
    const PairList *pairs = &data->pairs;
    const uint32_t  first = slice * SLICE;
    if (!slice_touches(data, first))
    {
        multiply_springs(data, slice, NULL, data->u, w);
        return;
    }
    multiply_springs(data, slice, pairs->own, data->u, w);
    for (uint32_t i = first; i < first + SLICE; i++)
        for (uint32_t k = pairs->touch_begin[i]; k < pairs->implicit_end[i]; k++)
        {
            uint32_t pair = pairs->implicit[k] / 4;
            real     weight = pairs->weight[pairs->implicit[k] % 4][pair];
            for (int axis = 0; axis < 3; axis++)
                w[axis][i - first] += weight * pairs->pull[axis][pair];
        }
}

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
        multiply_rows(data, slice, w);
        for (int axis = 0; axis < 3; axis++)
        {
            store_lanes(data->w[axis] + slice * SLICE, w[axis], lanes);
            delta += only_lanes(w[axis] * lanes_load(data->u[axis] + slice * SLICE), lanes);
        }
    }
    data->partial[2 * chunk] = lanes_sum(delta);
}

// What eliminated rows answer to u: u_b <- -D_b^-1 A_bw u_w
static void answer_chunk(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    sum[3] = {{0}}, answer[3];
            if (halves->eliminated[half] == 0)
                continue;
            add_entries(halves, halves->span[k], odd, halves->u, sum);
            multiply_blocks(halves->inverse, half, sum, answer);
            if (halves->kept[half] == 0)
                store_half(halves->u, half, answer);
            else
                store_some(halves->u, half, answer, halves->eliminated[half]);
        }
}

// w_w <- A_ww u_w + A_wb u_b and w.u
static void multiply_kept(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    Lanes         delta = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    u[3], w[3], sum[3] = {{0}};
            if (halves->kept[half] == 0)
                continue;
            load_half(halves->u, half, u);
            multiply_blocks(halves->diagonal, half, u, w);
            add_entries(halves, halves->span[k], odd, halves->u, sum);
            for (int axis = 0; axis < 3; axis++)
                w[axis] -= sum[axis];
            keep_lanes(halves->kept[half], w);
            for (int axis = 0; axis < 3; axis++)
                delta += w[axis] * u[axis];
            store_half(halves->w, half, w);
        }
    data->partial[SPAN_SUMS * chunk] = lanes_sum(delta);
}

static void multiply_whole(EngineData *data)
{
    System  *system = data->current;
    uint32_t chunks = chunk_count(system);
    if (data->pairs.implicit_count > 0)
        parallel_tiles(data, (data->pairs.count + TILE - 1) / TILE, pull_tile);
    parallel_tiles(data, chunks, multiply_chunk);
    system->delta = sum_partial(data, chunks, 0);
}

static void multiply_halves(EngineData *data)
{
    parallel_spans(data, answer_chunk);
    parallel_spans(data, multiply_kept);
    data->current->delta = sum_spans(data, 0);
}

// The turn of the rows that are eliminated.
static void take_black_turn(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    // A copy, so that the compiler knows that what is stored does not change it.
    const Halves copy = *data->halves, *halves = &copy;
    Lanes        gamma = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            if (halves->eliminated[half] != 0)
                gamma += take_turn(halves, halves->span[k], odd, halves->eliminated[half],
                                   halves->kept[half]);
        }
    data->partial[SPAN_SUMS * chunk] = lanes_sum(gamma);
}

// x for a black turn that is the last one.
static void advance_kept(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    const real    alpha = (real)data->current->alpha, beta = (real)data->current->beta;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            if (halves->kept[half] != 0)
                advance(halves->u, halves->p, halves->x, half, halves->kept[half], alpha, beta);
        }
}

// The black turn of an iteration, which may be its last.
static void multiply_by_turns(EngineData *data)
{
    System *system = data->current;
    Halves *halves = data->halves;
    system->beta = system->iterations ? system->gamma / system->gamma_before : 0;
    halves->rho =
        system->iterations ? next_rho(halves->rho, system->gamma, halves->black_gamma) : 1;
    system->alpha = 0;
    if (!(halves->rho > 0))
    {
        finish_halves(data);
        return;
    }
    parallel_spans(data, take_black_turn);
    data->row_multiplies += halves->eliminated_count;
    halves->black_gamma = sum_spans(data, 0);
    double first = halves->rho;
    system->converged =
        halves->black_gamma <= data->tolerance * data->tolerance * system->reference;
    if (!system->converged)
    {
        halves->rho = next_rho(first, halves->black_gamma, system->gamma);
        system->alpha = first * halves->rho;
        if (system->alpha > 0)
            return;
    }
    else
    {
        system->alpha = first;
        parallel_spans(data, advance_kept);
        system->alpha = 0;
        system->gamma = halves->black_gamma;
        system->iterations++;
    }
    finish_halves(data);
}

void WEFT_KERNEL(solve_multiply)(EngineData *data)
{
    System *system = data->current;
    if (system->halved && !data->halves->coupled)
    {
        multiply_by_turns(data);
        return;
    }
    if (system->halved)
        multiply_halves(data);
    else
        multiply_whole(data);
    data->row_multiplies += system->row_count;

    // A curvature that is not positive means that rounding has eaten the residual: alpha = 0 ends
    // the iteration.
    system->beta = system->iterations ? system->gamma / system->gamma_before : 0;
    double curvature = system->iterations
                           ? system->delta - system->beta * system->gamma / system->alpha
                           : system->delta;
    system->alpha = curvature > 0 ? system->gamma / curvature : 0;
    if (system->halved && !(system->alpha > 0))
        finish_halves(data);
}
