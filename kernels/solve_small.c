// solve_small: filtered CG of the small components, one thread each; single particles are solved
// directly. Reads rhs, diagonal, inverse, spring blocks, change (starting guess), prescribed.
// Writes change; iterations of each system. One thread per component. The iteration is that of
// solve_multiply and solve_update, on the rows of one component (Boxerman and Ascher 2004,
// section 5.3).
#include "multiply.h"
#include "parallel.h"

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

// r <- S r, u <- Q r; returns r.u. Why r is filtered: see filter_slice in groups.h.
static double apply_inverse(const EngineData *data, uint32_t i, real r[3], real u[3])
{
    const real direction[3] = {data->direction[0][i], data->direction[1][i], data->direction[2][i]};
    real       q[6];
    filter(data->degrees[i], direction, r);
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

static double multiply(EngineData *data, const Rows *rows)
{
    double delta = 0;
    for (uint32_t k = 0; k < rows->count; k++)
    {
        uint32_t i = rows->index[k];
        real     w[3];
        multiply_row(data, i, data->u, w);
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
            r[axis] = data->r[axis][i] - alpha * s;
        }
        gamma += apply_inverse(data, i, r, u);
        for (int axis = 0; axis < 3; axis++)
        {
            data->r[axis][i] = r[axis];
            data->u[axis][i] = u[axis];
        }
    }
    return gamma;
}

static uint64_t solve(EngineData *data, System *system)
{
    Rows rows;
    list_rows(data, system, &rows);
    start(data, system, &rows);
    uint64_t products = rows.count;
    if (system->gamma > system->reference)
    {
        // The last step's solution is a worse guess than none.
        for (uint32_t k = 0; k < rows.count; k++)
            for (int axis = 0; axis < 3; axis++)
                data->change[axis][rows.index[k]] = data->prescribed[axis][rows.index[k]];
        start(data, system, &rows);
        products += rows.count;
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
    return products + (uint64_t)rows.count * system->iterations;
}

static void solve_system(EngineData *data, uint32_t k, Tally *tally)
{
    if (data->systems[k].row_count <= SMALL_COMPONENT)
        tally->count[0] += solve(data, &data->systems[k]);
}

void WEFT_KERNEL(solve_small)(EngineData *data)
{
    if (data->decompose)
        data->row_multiplies += parallel_for(data, data->system_count, 4, solve_system).count[0];
}
