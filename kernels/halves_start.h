// halves_start.h: whether a system is worth halving (halves.h); its first guess and residual.
//
// The guess for the rows that are kept is a part of y, the last step's solution: c y, with the c that brings its energy nearest to that of the
// solution. With M for what is left of the matrix and g for what is left of the right-hand side,
//   c = y.g / y.M y
// takes one product for the rows that are eliminated, which say what they would answer to y:
//   y.g = y.b_w - y.A_wb D_b^-1 b_b,  y.M y = y.A_ww y - y.A_wb D_b^-1 A_bw y
#pragma once

#include "halves_copy.h"
#include "halves_finish.h"

enum
{
    SUM_REFERENCE, // b.Q b of all rows
    SUM_ALONG,     // y.g
    SUM_STIFF,     // y.M y
    SUM_ROWS       // that have been multiplied by z
};

// Whether what is prescribed for a slice's particles or for one that they are joined to is not zero.
static bool is_near_moved(const EngineData *data, uint32_t slice)
{
    const SpringList *list = &data->structural;
    bool              found = data->moved[slice];
    for (uint32_t k = list->slice_slots[slice]; !found && k < list->slice_slots[slice + 1]; k++)
    {
        const RowSlot *slot = &list->slots[k];
        if (!(list->slot_flags[k] & SLOT_LIVE))
            continue;
        if (!(list->slot_flags[k] & SLOT_SCATTERED))
            found = data->moved[slot->other / SLICE] || data->moved[slot->other / SLICE + 1];
        else
            for (uint32_t lane = 0; !found && lane < SLICE; lane++)
                found = data->moved[list->lane_other[slot->spring + lane] / SLICE];
    }
    return found;
}

// b - A z of a span, half by half; returns how many rows were multiplied.
static uint32_t load_right_side(const EngineData *data, uint32_t k, const uint32_t lanes[2],
                                Lanes b[2][3])
{
    const Halves *halves = data->halves;
    uint32_t      rows = 0;
    Lanes         right[2][3];
    for (uint32_t part = 0; part < 2; part++)
    {
        uint32_t slice = 2 * halves->span[k] + part;
        uint32_t own = halves->lanes[k] >> (part * SLICE) & ALL_LANES;
        Lanes    image[3];
        load_half(data->rhs, slice, right[part]);
        if (!data->has_prescribed || own == 0 || !is_near_moved(data, slice))
            continue;
        multiply_slice(data, slice, data->prescribed, image);
        for (int axis = 0; axis < 3; axis++)
            right[part][axis] -= image[axis];
        rows += (uint32_t)__builtin_popcount(own);
    }
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes both[2];
        part_lanes(right[0][axis], right[1][axis], both);
        for (uint32_t odd = 0; odd < 2; odd++)
            b[odd][axis] = only_lanes(both[odd], lanes[odd]);
    }
    return rows;
}

// Matrix and right-hand side of the spans:
//   r <- S (b - A z);  of eliminated rows x_b <- D_b^-1 r_b
static void copy_spans(EngineData *data, uint32_t chunk, Tally *tally)
{
    Halves *halves = data->halves;
    Lanes   reference = {0};
    double  rows = 0;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
    {
        uint32_t span = halves->span[k];
        uint32_t lanes[2] = {part_bits(halves->lanes[k], 0), part_bits(halves->lanes[k], 1)};
        Lanes    inverse[2][6], r[2][3];
        copy_freedom(data, span, lanes);
        copy_entries(data, span, tally);
        copy_rows(data->inverse, 6, span, lanes, inverse);
        rows += load_right_side(data, k, lanes, r);
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, span, odd);
            Lanes    x[3];
            store_blocks(halves->inverse, half, inverse[odd]);
            filter_half(halves, half, r[odd]);
            multiply_blocks(halves->inverse, half, r[odd], x);
            reference += dot(r[odd], x);
            keep_lanes(halves->eliminated[half], x);
            keep_lanes(halves->kept[half], r[odd]);
            if (halves->eliminated[half] != 0)
                store_half(halves->x, half, x);
            store_half(halves->r, half, r[odd]);
        }
    }
    data->partial[SPAN_SUMS * chunk + SUM_REFERENCE] = lanes_sum(reference);
    data->partial[SPAN_SUMS * chunk + SUM_ROWS] = rows;
}

// The diagonal blocks of kept rows that are coupled to each other.
static void copy_diagonals(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves *halves = data->halves;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
    {
        uint32_t span = halves->span[k];
        uint32_t lanes[2] = {part_bits(halves->lanes[k], 0), part_bits(halves->lanes[k], 1)};
        Lanes    diagonal[2][6];
        copy_rows(data->diagonal, 6, span, lanes, diagonal);
        for (uint32_t odd = 0; odd < 2; odd++)
            store_blocks(halves->diagonal, half_of(halves, span, odd), diagonal[odd]);
    }
}

// The last step's solution in the kept rows: u <- y, w <- D y; sums of y.b and y.D y
static void copy_guess(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves *halves = data->halves;
    Lanes   along = {0}, stiff = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
    {
        uint32_t span = halves->span[k];
        uint32_t lanes[2] = {halves->kept[half_of(halves, span, 0)],
                             halves->kept[half_of(halves, span, 1)]};
        Lanes    y[2][6], z[2][6] = {{{0}}}, d[2][6];
        copy_rows(data->change, 3, span, lanes, y);
        copy_rows(data->diagonal, 6, span, lanes, d);
        if (data->has_prescribed)
            copy_rows(data->prescribed, 3, span, lanes, z);
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, span, odd);
            Lanes    r[3], image[3];
            if (lanes[odd] == 0)
                continue;
            for (int axis = 0; axis < 3; axis++)
                y[odd][axis] -= z[odd][axis];
            multiply_lanes(d[odd], y[odd], image);
            load_half(halves->r, half, r);
            along += dot(y[odd], r);
            stiff += dot(y[odd], image);
            store_half(halves->u, half, y[odd]);
            store_half(halves->w, half, image);
        }
    }
    data->partial[SPAN_SUMS * chunk + SUM_ALONG] = lanes_sum(along);
    data->partial[SPAN_SUMS * chunk + SUM_STIFF] = lanes_sum(stiff);
}

// What the rows say to y. Eliminated ones: s <- -D_b^-1 A_bw y; kept ones that are coupled: w <- A_ww y. Sums the rest of y.g and y.M y
static void answer_guess(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves *halves = data->halves;
    Lanes   along = {0}, stiff = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            uint32_t kept = halves->kept[half], eliminated = halves->eliminated[half];
            Lanes    sum[3] = {{0}}, answer[3], x[3];
            if (eliminated == 0 && !halves->coupled)
                continue;
            add_entries(halves, halves->span[k], odd, halves->u, sum);
            if (eliminated != 0)
            {
                Lanes own[3] = {sum[0], sum[1], sum[2]};
                keep_lanes(eliminated, own);
                multiply_blocks(halves->inverse, half, own, answer);
                load_half(halves->x, half, x);
                along += dot(own, x);
                stiff -= dot(own, answer);
                store_half(halves->s, half, answer);
            }
            if (kept != 0 && halves->coupled)
            {
                Lanes y[3], image[3];
                load_half(halves->u, half, y);
                load_half(halves->w, half, image);
                stiff -= dot(y, sum);
                for (int axis = 0; axis < 3; axis++)
                    image[axis] -= sum[axis];
                keep_lanes(kept, image);
                store_half(halves->w, half, image);
            }
        }
    data->partial[SPAN_SUMS * chunk + SUM_ALONG] += lanes_sum(along);
    data->partial[SPAN_SUMS * chunk + SUM_STIFF] += lanes_sum(stiff);
}

// x_b <- x_b + c s
static void add_answers(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    const Halves *halves = data->halves;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    x[3], s[3];
            if (halves->eliminated[half] == 0)
                continue;
            load_half(halves->x, half, x);
            load_half(halves->s, half, s);
            for (int axis = 0; axis < 3; axis++)
                x[axis] += halves->scale * s[axis];
            store_half(halves->x, half, x);
        }
}

// The residual of the kept rows: r_w <- S (r_w - c A_ww y - A_wb x_b), u <- Q r, p, s <- 0; sums r.u
static void start_kept(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves     *halves = data->halves;
    const Lanes none[3] = {{0}};
    Lanes       gamma = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    r[3], u[3], w[3];
            if (halves->kept[half] == 0)
                continue;
            load_half(halves->r, half, r);
            if (halves->guesses)
            {
                load_half(halves->w, half, w);
                for (int axis = 0; axis < 3; axis++)
                    r[axis] -= halves->scale * w[axis];
            }
            add_entries(halves, halves->span[k], odd, halves->x, r);
            filter_half(halves, half, r);
            keep_lanes(halves->kept[half], r);
            multiply_blocks(halves->inverse, half, r, u);
            store_half(halves->r, half, r);
            store_half(halves->u, half, u);
            store_half(halves->p, half, none);
            store_half(halves->s, half, none);
            gamma += dot(r, u);
        }
    data->partial[SPAN_SUMS * chunk] = lanes_sum(gamma);
}

// How much of y to begin with.
static void scale_guess(EngineData *data)
{
    Halves *halves = data->halves;
    parallel_spans(data, copy_guess);
    halves->guesses = sum_spans(data, SUM_STIFF) > 0;
    if (!halves->guesses)
        return;
    parallel_spans(data, answer_guess);
    data->row_multiplies += halves->eliminated_count + (halves->coupled ? halves->kept_count : 0);
    halves->scale = (real)part_of_guess(sum_spans(data, SUM_ALONG), sum_spans(data, SUM_STIFF));
    parallel_spans(data, add_answers);
}

// Halves the current system if nearly half of its rows can be eliminated, and finds its first residual.
static void start_halves(EngineData *data)
{
    System *system = data->current;
    Halves *halves = data->halves;
    if (halves == NULL || !data->eliminate || data->preconditioner != 3 ||
        data->pairs.implicit_count > 0)
        return;
    list_spans(data, system);
    halves->eliminated_count = (uint32_t)parallel_spans(data, choose_rows).count[0];
    halves->kept_count = system->row_count - halves->eliminated_count;
    if (5 * halves->eliminated_count < 2 * system->row_count)
        return;
    system->halved = true;
    halves->coupled = parallel_spans(data, copy_spans).count[0] > 0;
    system->reference = sum_spans(data, SUM_REFERENCE);
    data->row_multiplies += (uint64_t)sum_spans(data, SUM_ROWS);
    if (halves->coupled)
        parallel_spans(data, copy_diagonals);
    halves->guesses = data->start_guess == 1;
    if (halves->guesses)
        scale_guess(data);
    parallel_spans(data, start_kept);
    data->row_multiplies += halves->kept_count;
    system->gamma = sum_spans(data, 0);
    system->converged = system->gamma <= data->tolerance * data->tolerance * system->reference;
    if (system->converged)
        finish_halves(data);
}
