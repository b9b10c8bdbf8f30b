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

// Which of the rows in `lanes` have a block in a slot of their slice that couples them to something that is not held.
static uint32_t coupled_lanes(const EngineData *data, uint32_t k, uint32_t lanes)
{
    const SpringList *list = &data->structural;
    const RowSlot    *slot = &list->slots[k];
    if (!(list->slot_flags[k] & SLOT_LIVE))
        return 0;
    if (!(list->slot_flags[k] & SLOT_SCATTERED))
        return lanes & lanes_with(list->flags + slot->spring, SPRING_IMPLICIT) &
               lanes_with(data->degrees + slot->other, 3);
    uint32_t found = 0;
    for (; lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), at = slot->spring + lane;
        if ((list->flags[list->lane_spring[at]] & SPRING_IMPLICIT) &&
            data->degrees[list->lane_other[at]] > 0)
            found |= 1u << lane;
    }
    return found;
}

static void copy_block(const EngineData *data, Bench *bench, uint32_t k, uint32_t lane,
                       uint32_t entry)
{
    const SpringList *list = &data->structural;
    bool              scattered = (list->slot_flags[k] & SLOT_SCATTERED) != 0;
    uint32_t          at = list->slots[k].spring + lane;
    uint32_t          spring = scattered ? list->lane_spring[at] : at;
    uint32_t          other = scattered ? list->lane_other[at] : list->slots[k].other + lane;
    bench->other[entry] = data->row_of[other];
    bench->alpha[entry] = list->alpha[spring];
    for (int axis = 0; axis < 3; axis++)
        bench->block_u[axis][entry] = list->u[axis][spring];
    for (int part = 0; data->weave.count > 0 && part < 6; part++)
        bench->weave[part][entry] = list->weave[part][spring];
}

// An entry that couples a row to nothing.
static void fill_block(const EngineData *data, Bench *bench, uint32_t row, uint32_t entry)
{
    bench->other[entry] = row;
    bench->alpha[entry] = 0;
    for (int axis = 0; axis < 3; axis++)
        bench->block_u[axis][entry] = 0;
    for (int part = 0; data->weave.count > 0 && part < 6; part++)
        bench->weave[part][entry] = 0;
}

// Goes through the blocks of the system, those of each row in the order of the slots: counts them and, if wanted, copies them.
static void visit_blocks(const EngineData *data, const System *system, Bench *bench, bool copies)
{
    const SpringList *list = &data->structural;
    uint32_t          first_row = 0;
    for (uint32_t g = system->group_begin; g < system->group_begin + system->group_count; g++)
    {
        uint32_t slice = data->group_slice[g], lanes = data->group_lanes[g];
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
            for (uint32_t left = coupled_lanes(data, k, lanes); left; left &= left - 1)
            {
                uint32_t lane = (uint32_t)__builtin_ctz(left);
                uint32_t row = first_row + (uint32_t)__builtin_popcount(lanes & ((1u << lane) - 1));
                uint32_t place = bench->slice_entry[row / SLICE] + bench->count[row]++;
                if (copies)
                    copy_block(data, bench, k, lane, place * SLICE + row % SLICE);
            }
        first_row += (uint32_t)__builtin_popcount(lanes);
    }
}

// The matrix. Rows with fewer neighbours than others of their slice are filled up with blocks of zero.
static void copy_matrix(const EngineData *data, const System *system, Bench *bench)
{
    uint32_t entries = 0, rows = bench->slice_count * SLICE;
    memset(bench->count, 0, rows * sizeof(*bench->count));
    visit_blocks(data, system, bench, false);
    for (uint32_t slice = 0; slice < bench->slice_count; slice++)
    {
        uint32_t most = 0;
        for (uint32_t row = slice * SLICE; row < (slice + 1) * SLICE; row++)
            most = bench->count[row] > most ? bench->count[row] : most;
        bench->slice_entry[slice] = entries;
        entries += most;
    }
    bench->slice_entry[bench->slice_count] = entries;
    memset(bench->count, 0, rows * sizeof(*bench->count));
    visit_blocks(data, system, bench, true);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t k = bench->slice_entry[row / SLICE] + bench->count[row];
             k < bench->slice_entry[row / SLICE + 1]; k++)
            fill_block(data, bench, row, k * SLICE + row % SLICE);
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
            bench->r[axis][row] = filling ? 0 : data->r[axis][i];
            bench->w[axis][row] = filling ? 0 : data->w[axis][i];
        }
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

static uint64_t solve(EngineData *data, System *system, Bench *bench)
{
    list_rows(data, system, bench);
    copy_rows(data, bench);
    system->reference = size_of_residual(bench, bench->w);
    system->gamma = start(bench, bench->r);
    uint64_t products = bench->row_count;
    if (system->gamma > system->reference)
    {
        // The last step's solution is a worse guess than none.
        for (uint32_t row = 0; row < bench->row_count; row++)
            for (int axis = 0; axis < 3; axis++)
                bench->x[axis][row] = data->prescribed[axis][bench->particle[row]];
        system->gamma = start(bench, bench->w);
        products += bench->row_count;
    }
    double target = data->tolerance * data->tolerance * system->reference;
    system->converged = system->gamma <= target;
    if (!system->converged)
        copy_matrix(data, system, bench);
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

static bool is_small(const System *system)
{
    return system->row_count <= SMALL_COMPONENT;
}

// Residuals of the starting guess, b - A x, in r, and of the prescribed values alone, b - A z, in w. Here A also couples to held
// particles, whose x is z. This comes before any system is solved: slices are multiplied whole, and others may own a part of them.
static void find_residuals(EngineData *data, uint32_t k, Tally *tally)
{
    (void)tally;
    const System *system = &data->systems[k];
    if (!is_small(system))
        return;
    for (uint32_t g = system->group_begin; g < system->group_begin + system->group_count; g++)
    {
        uint32_t first = data->group_slice[g] * SLICE;
        Lanes    image[3], prescribed_image[3] = {{0}};
        multiply_slice(data, data->group_slice[g], data->change, image);
        if (data->has_prescribed)
            multiply_slice(data, data->group_slice[g], data->prescribed, prescribed_image);
        for (uint32_t lanes = data->group_lanes[g]; lanes; lanes &= lanes - 1)
            for (int axis = 0; axis < 3; axis++)
            {
                uint32_t lane = (uint32_t)__builtin_ctz(lanes), i = first + lane;
                data->r[axis][i] = data->rhs[axis][i] - image[axis][lane];
                data->w[axis][i] = data->rhs[axis][i] - prescribed_image[axis][lane];
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
    parallel_shares(data, data->system_count, 1, find_residuals);
    data->row_multiplies += parallel_shares(data, data->system_count, 1, solve_system).count[0];
}
