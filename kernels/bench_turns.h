// bench_turns.h: a small system whose rows are of two colours, solved by turns on a bench.
//
// What halves_start.h, halves_turns.h and halves_finish.h explain, and do with a large one. Black rows are eliminated.
#pragma once

#include "bench_matrix.h"
#include "halves_turns.h"

// u <- Q r on a slice; returns r.u of each lane.
static Lanes apply_inverse(const Bench *bench, uint32_t first, const Lanes r[3], Lanes u[3])
{
    Lanes q[6];
    for (int entry = 0; entry < 6; entry++)
        q[entry] = lanes_load(bench->inverse[entry] + first);
    u[0] = q[0] * r[0] + q[3] * r[1] + q[4] * r[2];
    u[1] = q[3] * r[0] + q[1] * r[1] + q[5] * r[2];
    u[2] = q[4] * r[0] + q[5] * r[1] + q[2] * r[2];
    return r[0] * u[0] + r[1] * u[1] + r[2] * u[2];
}

static void store_none(real *const to[3], uint32_t slice)
{
    store_half(to, slice, (const Lanes[3]){{0}});
}

// sum += (alpha v + u (u.v)) over the entries of a slice
static inline void add_pulls(const Bench *bench, uint32_t slice, real *const v[3], Lanes sum[3])
{
    for (uint32_t k = first_of(bench, slice); k < bench->entry_end[slice]; k++)
    {
        Lanes alpha = lanes_load(bench->alpha + k * SLICE), u[3], far[3];
        load_half(bench->block_u, k, u);
        for (int axis = 0; axis < 3; axis++)
            far[axis] = lanes_gather(v[axis], bench->other + k * SLICE);
        Lanes along = dot(u, far);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += alpha * far[axis] + u[axis] * along;
    }
}

// b <- S b;  x <- Q b of black rows, 0 of white ones. Returns b.Q b
static double start_rows(Bench *bench, uint32_t black_slices)
{
    Lanes reference = {0};
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        Lanes b[3], x[3];
        load_half(bench->b, slice, b);
        filter_lanes(bench->degrees, bench->direction, slice * SLICE, b);
        reference += apply_inverse(bench, slice * SLICE, b, x);
        store_half(bench->b, slice, b);
        if (slice < black_slices)
            store_half(bench->x, slice, x);
        else
            store_none(bench->x, slice);
    }
    return lanes_sum(reference);
}

// The part c of y to begin with: w <- D y of white rows, x <- x - c D^-1 A_bw y of black ones. Returns how many rows were multiplied.
static double scale_of_guess(Bench *bench, uint32_t black_slices)
{
    Lanes along = {0}, stiff = {0};
    for (uint32_t slice = black_slices; slice < bench->slice_count; slice++)
    {
        Lanes d[6], y[3], w[3], b[3];
        for (int entry = 0; entry < 6; entry++)
            d[entry] = lanes_load(bench->diagonal[entry] + slice * SLICE);
        load_half(bench->y, slice, y);
        load_half(bench->b, slice, b);
        multiply_lanes(d, y, w);
        along += dot(y, b);
        stiff += dot(y, w);
        store_half(bench->w, slice, w);
    }
    for (uint32_t slice = 0; slice < black_slices; slice++)
    {
        Lanes sum[3] = {{0}}, answer[3], x[3];
        add_pulls(bench, slice, bench->y, sum);
        stiff -= apply_inverse(bench, slice * SLICE, sum, answer);
        load_half(bench->x, slice, x);
        along += dot(sum, x);
        store_half(bench->s, slice, answer);
    }
    double scale = part_of_guess(lanes_sum(along), lanes_sum(stiff));
    for (uint32_t slice = 0; slice < black_slices; slice++)
    {
        Lanes answer[3], x[3];
        load_half(bench->s, slice, answer);
        load_half(bench->x, slice, x);
        for (int axis = 0; axis < 3; axis++)
            x[axis] += (real)scale * answer[axis];
        store_half(bench->x, slice, x);
    }
    return scale;
}

// r <- S (b - c w - A_wb x_b), u <- Q r, p <- 0 of white rows; returns r.u
static double start_white(Bench *bench, uint32_t black_slices, real scale)
{
    Lanes gamma = {0};
    for (uint32_t slice = 0; slice < black_slices; slice++)
        store_none(bench->r, slice);
    for (uint32_t slice = black_slices; slice < bench->slice_count; slice++)
    {
        Lanes r[3], w[3], u[3];
        load_half(bench->b, slice, r);
        load_half(bench->w, slice, w);
        for (int axis = 0; scale != 0 && axis < 3; axis++)
            r[axis] -= scale * w[axis];
        add_pulls(bench, slice, bench->x, r);
        filter_lanes(bench->degrees, bench->direction, slice * SLICE, r);
        gamma += apply_inverse(bench, slice * SLICE, r, u);
        store_half(bench->r, slice, r);
        store_half(bench->u, slice, u);
        store_none(bench->p, slice);
    }
    return lanes_sum(gamma);
}

// r <- S (rho (what the others pull with) + (1 - rho) r), u <- Q r of the slices of a colour; returns r.u
static double take_bench_turn(Bench *bench, uint32_t begin, uint32_t end, real rho)
{
    Lanes gamma = {0};
    for (uint32_t slice = begin; slice < end; slice++)
    {
        Lanes r[3], u[3], sum[3] = {{0}};
        load_half(bench->r, slice, r);
        add_pulls(bench, slice, bench->u, sum);
        for (int axis = 0; axis < 3; axis++)
            r[axis] = rho * sum[axis] + (1 - rho) * r[axis];
        filter_lanes(bench->degrees, bench->direction, slice * SLICE, r);
        gamma += apply_inverse(bench, slice * SLICE, r, u);
        store_half(bench->r, slice, r);
        store_half(bench->u, slice, u);
    }
    return lanes_sum(gamma);
}

// p <- u + beta p, x <- x + alpha p of white rows
static void advance_white(Bench *bench, uint32_t black_slices, real alpha, real beta)
{
    for (uint32_t slice = black_slices; slice < bench->slice_count; slice++)
        advance(bench->u, bench->p, bench->x, slice, 0xFF, alpha, beta);
}

// Black rows are solved for once more, and the guess is added: x is the solution without what is prescribed.
static void finish_rows(Bench *bench, uint32_t black_slices, real scale)
{
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        Lanes x[3], y[3], more[3], sum[3] = {{0}};
        load_half(bench->x, slice, x);
        load_half(bench->y, slice, y);
        for (int axis = 0; axis < 3; axis++)
            more[axis] = scale * y[axis];
        if (slice < black_slices)
        {
            add_pulls(bench, slice, bench->x, sum);
            apply_inverse(bench, slice * SLICE, sum, more);
        }
        for (int axis = 0; axis < 3; axis++)
            x[axis] += more[axis];
        store_half(bench->x, slice, x);
    }
}

static bool has_guess(const Bench *bench, uint32_t black_slices)
{
    Lanes size = {0};
    for (uint32_t slice = black_slices; slice < bench->slice_count; slice++)
    {
        Lanes y[3];
        load_half(bench->y, slice, y);
        size += dot(y, y);
    }
    return lanes_sum(size) > 0;
}

// Solves the system and returns how many rows were multiplied.
static uint64_t solve_by_turns(const EngineData *data, System *system, Bench *bench)
{
    const uint32_t black = bench->black_count, white = system->row_count - black;
    const uint32_t slices = bench->white_begin / SLICE;
    const double   tolerance = data->tolerance * data->tolerance;
    double         scale = 0, rho = 0, black_gamma = 0;
    uint64_t       products =
        white + black; // in the first residual, and when black rows are solved for at the end
    system->reference = start_rows(bench, slices);
    if (has_guess(bench, slices))
    {
        scale = scale_of_guess(bench, slices);
        products += black;
    }
    system->gamma = start_white(bench, slices, (real)scale);
    system->converged = system->gamma <= tolerance * system->reference;
    while (!system->converged && system->iterations < data->max_iterations)
    {
        double beta = system->iterations ? system->gamma / system->gamma_before : 0;
        rho = system->iterations ? next_rho(rho, system->gamma, black_gamma) : 1;
        if (!(rho > 0))
            break;
        black_gamma = take_bench_turn(bench, 0, slices, (real)rho);
        products += black;
        system->converged = black_gamma <= tolerance * system->reference;
        double first = rho;
        rho = system->converged ? 1 : next_rho(rho, black_gamma, system->gamma);
        if (!(rho > 0))
            break;
        advance_white(bench, slices, (real)(first * rho), (real)beta);
        system->gamma_before = system->gamma;
        system->iterations++;
        if (system->converged)
        {
            system->gamma = black_gamma;
            break;
        }
        system->gamma = take_bench_turn(bench, slices, bench->slice_count, (real)rho);
        products += white;
        system->converged = system->gamma <= tolerance * system->reference;
    }
    finish_rows(bench, slices, (real)scale);
    return products;
}
