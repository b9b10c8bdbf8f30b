// solve_small: filtered CG of the small components, one thread each; single particles are solved
// directly. Reads rhs, diagonal, inverse, spring blocks, change (starting guess), prescribed.
// Writes change; iterations of each system. One thread per component. The iteration is that of
// solve_multiply and solve_update, on the rows of one component (Boxerman and Ascher 2004,
// section 5.3).
#include "multiply.h"

typedef struct Rows
{
    uint32_t count;
    uint32_t index[SMALL_COMPONENT];
} Rows;

static void list_rows(const EngineData *data, const System *system, Rows *rows)
{
    rows->count = 0;
    for (uint32_t k = 0; k < system->group_count; k++)
    {
        uint32_t group = system->group_begin + k;
        for (uint32_t lanes = data->group_lanes[group]; lanes; lanes &= lanes - 1)
            rows->index[rows->count++] =
                data->group_slice[group] * SLICE + (uint32_t)__builtin_ctz(lanes);
    }
}

// S v, in place. Without it the forces that hold contacts, often thousands of times what is left of
// the residual, would leak back through the rounding of Q.
static void filter_row(const EngineData *data, uint32_t i, real v[3])
{
    const real direction[3] = {data->direction[0][i], data->direction[1][i], data->direction[2][i]};
    filter(data->degrees[i], direction, v);
}

// u <- Q r; returns r.u
static double apply_inverse(const EngineData *data, uint32_t i, const real r[3], real u[3])
{
    real q[6];
    for (int entry = 0; entry < 6; entry++)
        q[entry] = data->inverse[entry][i];
    block_multiply(q, r, u);
    return (double)r[0] * (double)u[0] + (double)r[1] * (double)u[1] + (double)r[2] * (double)u[2];
}

// r <- S (b - A x), u <- Q r, p, s <- 0; gamma = r.u; reference = the same for x = z.
static void start(EngineData *data, System *system, const Rows *rows)
{
    system->gamma = system->reference = 0;
    for (uint32_t k = 0; k < rows->count; k++)
    {
        uint32_t i = rows->index[k];
        real     image[3], r[3], u[3], plain[3], unused[3];
        multiply_row(data, i, data->change, image);
        for (int axis = 0; axis < 3; axis++)
            r[axis] = plain[axis] = data->rhs[axis][i];
        for (int axis = 0; axis < 3; axis++)
            r[axis] -= image[axis];
        if (data->has_prescribed)
        {
            multiply_row(data, i, data->prescribed, image);
            for (int axis = 0; axis < 3; axis++)
                plain[axis] -= image[axis];
        }
        filter_row(data, i, r);
        filter_row(data, i, plain);
        system->reference += apply_inverse(data, i, plain, unused);
        system->gamma += apply_inverse(data, i, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            data->r[axis][i] = r[axis];
            data->u[axis][i] = u[axis];
            data->p[axis][i] = data->s[axis][i] = 0;
        }
    }
}

static void forget_guess(EngineData *data, const Rows *rows)
{
    for (uint32_t k = 0; k < rows->count; k++)
        for (int axis = 0; axis < 3; axis++)
            data->change[axis][rows->index[k]] = data->prescribed[axis][rows->index[k]];
}

static double multiply(EngineData *data, const Rows *rows)
{
    double delta = 0;
    for (uint32_t k = 0; k < rows->count; k++)
    {
        uint32_t i = rows->index[k];
        real     w[3];
        multiply_row(data, i, data->u, w);
        filter_row(data, i, w);
        for (int axis = 0; axis < 3; axis++)
        {
            data->w[axis][i] = w[axis];
            delta += (double)w[axis] * (double)data->u[axis][i];
        }
    }
    return delta;
}

static double update(EngineData *data, const Rows *rows, real alpha, real beta)
{
    double gamma = 0;
    for (uint32_t k = 0; k < rows->count; k++)
    {
        uint32_t i = rows->index[k];
        real     r[3], u[3];
        for (int axis = 0; axis < 3; axis++)
        {
            real p = data->u[axis][i] + beta * data->p[axis][i];
            real s = data->w[axis][i] + beta * data->s[axis][i];
            data->p[axis][i] = p;
            data->s[axis][i] = s;
            data->change[axis][i] += alpha * p;
            data->r[axis][i] = r[axis] = data->r[axis][i] - alpha * s;
        }
        gamma += apply_inverse(data, i, r, u);
        for (int axis = 0; axis < 3; axis++)
            data->u[axis][i] = u[axis];
    }
    return gamma;
}

static uint64_t solve(EngineData *data, System *system)
{
    Rows rows;
    list_rows(data, system, &rows);
    start(data, system, &rows);
    if (system->gamma > BAD_GUESS * system->reference)
    {
        // The last step's solution is much worse a guess than none: what came to rest, with b = 0.
        forget_guess(data, &rows);
        start(data, system, &rows);
    }
    double target = data->tolerance * data->tolerance * system->reference;
    system->converged = system->gamma <= target;
    while (!system->converged && system->iterations < data->max_iterations)
    {
        double delta = multiply(data, &rows);
        double beta = system->iterations ? system->gamma / system->gamma_before : 0;
        double curvature =
            system->iterations ? delta - beta * system->gamma / system->alpha : delta;
        if (!(curvature > 0))
            break;
        system->alpha = system->gamma / curvature;
        system->gamma_before = system->gamma;
        system->gamma = update(data, &rows, (real)system->alpha, (real)beta);
        system->iterations++;
        system->converged = system->gamma <= target;
    }
    return (uint64_t)rows.count * (system->iterations + 1);
}

// A particle without implicit springs to free ones: x = z + (S C S)^-1 (b - A z).
static void solve_single(EngineData *data, uint32_t i)
{
    real block[6], direction[3], q[6], image[3], r[3], out[3];
    for (int entry = 0; entry < 6; entry++)
        block[entry] = data->diagonal[entry][i];
    for (int axis = 0; axis < 3; axis++)
        direction[axis] = data->direction[axis][i];
    filtered_inverse(block, data->degrees[i], direction, q);
    multiply_row(data, i, data->prescribed, image);
    for (int axis = 0; axis < 3; axis++)
        r[axis] = data->rhs[axis][i] - image[axis];
    block_multiply(q, r, out);
    for (int axis = 0; axis < 3; axis++)
        data->change[axis][i] = data->prescribed[axis][i] + out[axis];
}

void WEFT_KERNEL(solve_small)(EngineData *data)
{
    uint64_t row_multiplies = 0;
#pragma omp parallel for num_threads(data->threads) schedule(dynamic, 4) reduction(+ : row_multiplies)
    for (uint32_t k = 0; k < data->system_count; k++)
        if (data->systems[k].row_count <= SMALL_COMPONENT)
            row_multiplies += solve(data, &data->systems[k]);

#pragma omp parallel for num_threads(data->threads) schedule(static) reduction(+ : row_multiplies)
    for (uint32_t group = data->single_begin; group < data->group_count; group++)
        for (uint32_t lanes = data->group_lanes[group]; lanes; lanes &= lanes - 1)
        {
            solve_single(data, data->group_slice[group] * SLICE + (uint32_t)__builtin_ctz(lanes));
            row_multiplies++;
        }
    data->row_multiplies += row_multiplies;
}
