// solve_small: filtered CG of the small components, one thread each.
// Reads rhs, diagonal, inverse, spring blocks, change (starting guess), prescribed. Writes change; figures of each system. One thread per
// component. The iteration is that of solve_multiply and solve_update, on the rows of one component (Boxerman and Ascher 2004,
// section 5.3).
//
// The rows of a component may lie anywhere in the cloth, so they are copied to a bench of the thread's own, in order, eight to a slice,
// each with the blocks that couple it to others: [slice][neighbour][lane]. There the iterations run in cache and in vectors.
#include "bench.h"
#include "block3.h"
#include "multiply.h"
#include "parallel.h"

// Lists the rows and where each particle's row is.
static void list_rows(EngineData *data, const System *system, Bench *bench)
{
    bench->row_count = 0;
    for (uint32_t k = 0; k < system->group_count; k++)
    {
        uint32_t group = system->group_begin + k;
        for (uint32_t lanes = data->group_lanes[group]; lanes; lanes &= lanes - 1)
        {
            uint32_t i = data->group_slice[group] * SLICE + (uint32_t)__builtin_ctz(lanes);
            data->row_of[i] = bench->row_count;
            bench->particle[bench->row_count++] = i;
        }
    }
    bench->slice_count = (bench->row_count + SLICE - 1) / SLICE;
}

// Copies the blocks of a row behind those that its slice already has; returns their number.
static uint32_t copy_blocks(const EngineData *data, Bench *bench, uint32_t row,
                            uint32_t first_entry)
{
    const SpringList *list = &data->structural;
    uint32_t          i = bench->particle[row], slice = i / SLICE, lane = i % SLICE, count = 0;
    for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
    {
        uint8_t  flags = list->slot_flags[k];
        bool     scattered = (flags & SLOT_SCATTERED) != 0;
        uint32_t at = list->slots[k].spring + lane;
        if (!(flags & SLOT_LIVE))
            continue;
        uint32_t spring = scattered ? list->lane_spring[at] : at;
        if (!(list->flags[spring] & SPRING_IMPLICIT))
            continue;
        uint32_t other = scattered ? list->lane_other[at] : list->slots[k].other + lane;
        if (data->degrees[other] == 0)
            continue; // held: nothing moves there
        uint32_t entry = (first_entry + count++) * SLICE + row % SLICE;
        bench->other[entry] = data->row_of[other];
        bench->alpha[entry] = list->alpha[spring];
        for (int axis = 0; axis < 3; axis++)
            bench->block_u[axis][entry] = list->u[axis][spring];
        for (int part = 0; data->weave.count > 0 && part < 6; part++)
            bench->weave[part][entry] = list->weave[part][spring];
    }
    return count;
}

// The matrix. Rows with fewer neighbours than others of their slice are filled up with blocks of zero.
static void copy_matrix(const EngineData *data, Bench *bench)
{
    uint32_t entries = 0;
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        uint32_t counts[SLICE] = {0}, most = 0;
        bench->slice_entry[slice] = entries;
        for (uint32_t lane = 0; lane < SLICE && slice * SLICE + lane < bench->row_count; lane++)
        {
            counts[lane] = copy_blocks(data, bench, slice * SLICE + lane, entries);
            most = counts[lane] > most ? counts[lane] : most;
        }
        for (uint32_t lane = 0; lane < SLICE; lane++)
            for (uint32_t k = counts[lane]; k < most; k++)
            {
                uint32_t entry = (entries + k) * SLICE + lane;
                bench->other[entry] = slice * SLICE + lane;
                bench->alpha[entry] = 0;
                for (int axis = 0; axis < 3; axis++)
                    bench->block_u[axis][entry] = 0;
                for (int part = 0; data->weave.count > 0 && part < 6; part++)
                    bench->weave[part][entry] = 0;
            }
        entries += most;
    }
    bench->slice_entry[bench->slice_count] = entries;
}

static void copy_rows(const EngineData *data, Bench *bench)
{
    for (uint32_t row = 0; row < bench->slice_count * SLICE; row++)
    {
        bool     filling = row >= bench->row_count;
        uint32_t i = filling ? 0 : bench->particle[row];
        bench->degrees[row] = filling ? 3 : data->degrees[i];
        for (int entry = 0; entry < 6; entry++)
        {
            bench->diagonal[entry][row] = filling ? 0 : data->diagonal[entry][i];
            bench->inverse[entry][row] = filling ? 0 : data->inverse[entry][i];
        }
        for (int axis = 0; axis < 3; axis++)
        {
            bench->x[axis][row] = filling ? 0 : data->change[axis][i];
            bench->direction[axis][row] = filling ? 0 : data->direction[axis][i];
            bench->r[axis][row] = bench->u[axis][row] = 0;
        }
    }
}

// r <- S r on a slice of the bench; see filter_slice in groups.h for why.
static void filter_slice_of(const Bench *bench, uint32_t first, Lanes r[3])
{
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        uint8_t degrees = bench->degrees[first + lane];
        if (degrees == 3)
            continue;
        real direction[3], v[3];
        for (int axis = 0; axis < 3; axis++)
        {
            direction[axis] = bench->direction[axis][first + lane];
            v[axis] = r[axis][lane];
        }
        filter(degrees, direction, v);
        for (int axis = 0; axis < 3; axis++)
            r[axis][lane] = v[axis];
    }
}

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

// r <- S (b - A x), u <- Q r, p, s <- 0; gamma = r.u; reference = the same for x = z. Here A also couples to held particles, whose x is z.
static void start(EngineData *data, System *system, Bench *bench)
{
    Lanes gamma = {0}, reference = {0};
    for (uint32_t first = 0; first < bench->slice_count * SLICE; first += SLICE)
    {
        Lanes r[3] = {{0}}, plain[3] = {{0}}, u[3], scaled[3];
        for (uint32_t lane = 0; lane < SLICE && first + lane < bench->row_count; lane++)
        {
            uint32_t i = bench->particle[first + lane];
            real     image[3], prescribed_image[3] = {0, 0, 0};
            multiply_row(data, i, data->change, image);
            if (data->has_prescribed)
                multiply_row(data, i, data->prescribed, prescribed_image);
            for (int axis = 0; axis < 3; axis++)
            {
                r[axis][lane] = data->rhs[axis][i] - image[axis];
                plain[axis][lane] = data->rhs[axis][i] - prescribed_image[axis];
            }
        }
        filter_slice_of(bench, first, r);
        filter_slice_of(bench, first, plain);
        gamma += apply_inverse(bench, first, r, u);
        reference += apply_inverse(bench, first, plain, scaled);
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(bench->r[axis] + first, r[axis]);
            lanes_store(bench->u[axis] + first, u[axis]);
            lanes_store(bench->p[axis] + first, r[axis] - r[axis]);
            lanes_store(bench->s[axis] + first, r[axis] - r[axis]);
        }
    }
    system->gamma = lanes_sum(gamma);
    system->reference = lanes_sum(reference);
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
        for (uint32_t k = bench->slice_entry[slice]; k < bench->slice_entry[slice + 1]; k++)
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
        for (uint32_t row = first;
             data->pairs.implicit_count > 0 && row < first + SLICE && row < bench->row_count; row++)
        {
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
        filter_slice_of(bench, first, r);
        gamma += apply_inverse(bench, first, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            lanes_store(bench->r[axis] + first, r[axis]);
            lanes_store(bench->u[axis] + first, u[axis]);
        }
    }
    return lanes_sum(gamma);
}

static uint64_t solve(EngineData *data, System *system, Bench *bench)
{
    list_rows(data, system, bench);
    copy_rows(data, bench);
    start(data, system, bench);
    uint64_t products = bench->row_count;
    if (system->gamma > system->reference)
    {
        // The last step's solution is a worse guess than none.
        for (uint32_t row = 0; row < bench->row_count; row++)
            for (int axis = 0; axis < 3; axis++)
            {
                uint32_t i = bench->particle[row];
                bench->x[axis][row] = data->change[axis][i] = data->prescribed[axis][i];
            }
        start(data, system, bench);
        products += bench->row_count;
    }
    double target = data->tolerance * data->tolerance * system->reference;
    system->converged = system->gamma <= target;
    if (!system->converged)
        copy_matrix(data, bench);
    while (!system->converged && system->iterations < data->max_iterations)
    {
        double delta = multiply(data, bench);
        double beta = system->iterations ? system->gamma / system->gamma_before : 0;
        double curvature =
            system->iterations ? delta - beta * system->gamma / system->alpha : delta;
        products += bench->row_count;
        if (!(curvature > 0))
            break;
        system->alpha = system->gamma / curvature;
        system->gamma_before = system->gamma;
        system->gamma = update(bench, (real)system->alpha, (real)beta);
        system->iterations++;
        system->converged = system->gamma <= target;
    }
    for (uint32_t row = 0; row < bench->row_count; row++)
        for (int axis = 0; axis < 3; axis++)
            data->change[axis][bench->particle[row]] = bench->x[axis][row];
    return products;
}

static void solve_system(EngineData *data, uint32_t k, Tally *tally)
{
    if (data->systems[k].row_count <= SMALL_COMPONENT)
        tally->count[0] += solve(data, &data->systems[k], &data->benches[tally->thread]);
}

void WEFT_KERNEL(solve_small)(EngineData *data)
{
    if (data->decompose)
        data->row_multiplies += parallel_for(data, data->system_count, 1, solve_system).count[0];
}
