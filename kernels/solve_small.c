// solve_small: filtered CG of the small components, one thread each.
// Reads rhs, diagonal, inverse, spring blocks, change (starting guess), prescribed. Writes change; figures of each system. One thread per
// component. The iteration is that of solve_multiply and solve_update, on the rows of one component (Boxerman and Ascher 2004,
// section 5.3).
//
// The rows of a component may lie anywhere in the cloth, so they are copied to a bench of the thread's own, in order, eight to a slice,
// each with the blocks that couple it to others: [slice][neighbour][lane]. There the iterations run in cache and in vectors.
#include "bench_turns.h"
#include "parallel.h"

// r <- S r0, u <- Q r, p, s <- 0 with the residual r0; returns r.u
static double start(Bench *bench, real *const residual[3])
{
    const Lanes none = {0};
    Lanes       gamma = {0};
    for (uint32_t first = 0; first < bench->slice_count * SLICE; first += SLICE)
    {
        Lanes r[3], u[3];
        for (int axis = 0; axis < 3; axis++)
            r[axis] = lanes_load(residual[axis] + first);
        filter_lanes(bench->degrees, bench->direction, first, r);
        gamma += apply_inverse(bench, first, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(bench->r[axis] + first, r[axis]);
            lanes_store(bench->u[axis] + first, u[axis]);
            lanes_store(bench->p[axis] + first, none);
            lanes_store(bench->s[axis] + first, none);
        }
    }
    return lanes_sum(gamma);
}

// r.Q r of a residual.
static double size_of_residual(const Bench *bench, real *const residual[3])
{
    Lanes size = {0};
    for (uint32_t first = 0; first < bench->slice_count * SLICE; first += SLICE)
    {
        Lanes r[3], u[3];
        for (int axis = 0; axis < 3; axis++)
            r[axis] = lanes_load(residual[axis] + first);
        filter_lanes(bench->degrees, bench->direction, first, r);
        size += apply_inverse(bench, first, r, u);
    }
    return lanes_sum(size);
}

// w <- A u; returns w.u
static double multiply(const EngineData *data, Bench *bench)
{
    Lanes delta = {0};
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        uint32_t first = slice * SLICE;
        Lanes    d[6], own[3], sum[3];
        for (int entry = 0; entry < 6; entry++)
            d[entry] = lanes_load(bench->diagonal[entry] + first);
        for (int axis = 0; axis < 3; axis++)
            own[axis] = lanes_load(bench->u[axis] + first);
        sum[0] = d[0] * own[0] + d[3] * own[1] + d[4] * own[2];
        sum[1] = d[3] * own[0] + d[1] * own[1] + d[5] * own[2];
        sum[2] = d[4] * own[0] + d[5] * own[1] + d[2] * own[2];
        for (uint32_t k = first_of(bench, slice); k < bench->entry_end[slice]; k++)
        {
            const uint32_t *other = bench->other + k * SLICE;
            Lanes           alpha = lanes_load(bench->alpha + k * SLICE), u[3], far[3];
            for (int axis = 0; axis < 3; axis++)
            {
                u[axis] = lanes_load(bench->block_u[axis] + k * SLICE);
                far[axis] = lanes_gather(bench->u[axis], other);
            }
            Lanes along = u[0] * far[0] + u[1] * far[1] + u[2] * far[2];
            for (int axis = 0; axis < 3; axis++)
                sum[axis] -= alpha * far[axis] + u[axis] * along;
            if (data->weave.count == 0)
                continue;
            for (int entry = 0; entry < 6; entry++)
                d[entry] = lanes_load(bench->weave[entry] + k * SLICE);
            sum[0] -= d[0] * far[0] + d[3] * far[1] + d[4] * far[2];
            sum[1] -= d[3] * far[0] + d[1] * far[1] + d[5] * far[2];
            sum[2] -= d[4] * far[0] + d[5] * far[1] + d[2] * far[2];
        }
        for (uint32_t row = first; data->pairs.implicit_count > 0 && row < first + SLICE; row++)
        {
            if (bench->particle[row] == NO_ROW)
                continue;
            real add[3] = {0, 0, 0};
            multiply_touches(data, bench->particle[row], bench->u, data->row_of, add);
            for (int axis = 0; axis < 3; axis++)
                sum[axis][row - first] += add[axis];
        }
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(bench->w[axis] + first, sum[axis]);
            delta += sum[axis] * own[axis];
        }
    }
    return lanes_sum(delta);
}

// p <- u + beta p, s <- w + beta s, x <- x + alpha p, r <- S (r - alpha s), u <- Q r; returns r.u
static double update(Bench *bench, real alpha, real beta)
{
    Lanes gamma = {0};
    for (uint32_t first = 0; first < bench->slice_count * SLICE; first += SLICE)
    {
        Lanes r[3], u[3];
        for (int axis = 0; axis < 3; axis++)
        {
            Lanes p =
                lanes_load(bench->u[axis] + first) + beta * lanes_load(bench->p[axis] + first);
            Lanes s =
                lanes_load(bench->w[axis] + first) + beta * lanes_load(bench->s[axis] + first);
            lanes_store(bench->p[axis] + first, p);
            lanes_store(bench->s[axis] + first, s);
            lanes_store(bench->x[axis] + first, lanes_load(bench->x[axis] + first) + alpha * p);
            r[axis] = lanes_load(bench->r[axis] + first) - alpha * s;
        }
        filter_lanes(bench->degrees, bench->direction, first, r);
        gamma += apply_inverse(bench, first, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(bench->r[axis] + first, r[axis]);
            lanes_store(bench->u[axis] + first, u[axis]);
        }
    }
    return lanes_sum(gamma);
}

// x, u <- y,  r <- b - A y
static void subtract_guess(const EngineData *data, Bench *bench)
{
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        Lanes y[3];
        load_half(bench->y, slice, y);
        store_half(bench->x, slice, y);
        store_half(bench->u, slice, y);
    }
    multiply(data, bench);
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        Lanes b[3], w[3];
        load_half(bench->b, slice, b);
        load_half(bench->w, slice, w);
        for (int axis = 0; axis < 3; axis++)
            b[axis] -= w[axis];
        store_half(bench->r, slice, b);
    }
}

// Conjugate gradients on all rows; returns how many were multiplied.
static uint64_t solve_whole(const EngineData *data, System *system, Bench *bench)
{
    uint64_t products = system->row_count;
    system->reference = size_of_residual(bench, bench->b);
    subtract_guess(data, bench);
    system->gamma = start(bench, bench->r);
    if (system->gamma > system->reference)
    {
        // The last step's solution is a worse guess than none.
        for (uint32_t slice = 0; slice < bench->slice_count; slice++)
            store_none(bench->x, slice);
        system->gamma = start(bench, bench->b);
        products += system->row_count;
    }
    double target = data->tolerance * data->tolerance * system->reference;
    system->converged = system->gamma <= target;
    while (!system->converged && system->iterations < data->max_iterations)
    {
        double delta = multiply(data, bench);
        double beta = system->iterations ? system->gamma / system->gamma_before : 0;
        double curvature =
            system->iterations ? delta - beta * system->gamma / system->alpha : delta;
        products += system->row_count;
        if (!(curvature > 0))
            break;
        system->alpha = system->gamma / curvature;
        system->gamma_before = system->gamma;
        system->gamma = update(bench, (real)system->alpha, (real)beta);
        system->iterations++;
        system->converged = system->gamma <= target;
    }
    return products;
}

// Whether the cloth is such that its rows may be of two colours.
static bool has_colours(const EngineData *data)
{
    return data->halves != NULL && data->eliminate && data->preconditioner == 3 &&
           data->pairs.implicit_count == 0;
}

static uint64_t solve(EngineData *data, System *system, Bench *bench)
{
    list_rows(data, system, bench, has_colours(data));
    copy_rows(data, bench);
    copy_matrix(data, system, bench);
    system->halved = bench->black_count > 0 && !bench->coupled;
    uint64_t products =
        system->halved ? solve_by_turns(data, system, bench) : solve_whole(data, system, bench);
    for (uint32_t row = 0; row < bench->row_end; row++)
    {
        uint32_t i = bench->particle[row];
        for (int axis = 0; i != NO_ROW && axis < 3; axis++)
            data->change[axis][i] = data->prescribed[axis][i] + bench->x[axis][row];
    }
    return products;
}

static bool is_small(const System *system)
{
    return system->row_count <= SMALL_COMPONENT;
}

// b - A z in w. Here A also couples to held particles. This comes before any system is solved: slices are multiplied whole, and others may
// own a part of them.
static void find_right_side(EngineData *data, uint32_t k, Tally *tally)
{
    (void)tally;
    const System *system = &data->systems[k];
    if (!is_small(system))
        return;
    for (uint32_t g = system->group_begin; g < system->group_begin + system->group_count; g++)
    {
        uint32_t first = data->group_slice[g] * SLICE;
        Lanes    image[3];
        multiply_slice(data, data->group_slice[g], data->prescribed, image);
        for (uint32_t lanes = data->group_lanes[g]; lanes; lanes &= lanes - 1)
            for (int axis = 0; axis < 3; axis++)
            {
                uint32_t lane = (uint32_t)__builtin_ctz(lanes), i = first + lane;
                data->w[axis][i] = data->rhs[axis][i] - image[axis][lane];
            }
    }
}

static void solve_system(EngineData *data, uint32_t k, Tally *tally)
{
    if (is_small(&data->systems[k]))
        tally->count[0] += solve(data, &data->systems[k], &data->benches[tally->thread]);
}

void WEFT_KERNEL(solve_small)(EngineData *data)
{
    if (!data->decompose)
        return;
    if (data->has_prescribed)
        parallel_shares(data, data->system_count, 1, find_right_side);
    data->row_multiplies += parallel_shares(data, data->system_count, 1, solve_system).count[0];
}
