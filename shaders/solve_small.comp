#version 450
// solve_small: filtered CG of the small components, one workgroup each.
// Reads rhs, diagonal, inverse, spring blocks, change (starting guess), prescribed.
// Writes change; iterations of each system. One workgroup per component, a thread a row. The iteration is that of
// solve_multiply and solve_update, on the rows of one component (Boxerman and Ascher 2004,
// section 5.3). Only u is looked at by other rows: it is in shared memory, all else in registers.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"
#include "sums.glsl"
#include "systems.glsl"

shared real3 shared_u[gl_WorkGroupSize.x];

// u of a particle; 0 outside of the system.
real3 shared_value(Uints position, uint particle, uint first, uint rows)
{
    uint row = position.at[particle] - first;
    return row < rows ? shared_u[row] : real3(0);
}

// A u. The springs of a row that lead out of the system lead to what is held or have no block.
real3 multiply_shared(Matrix matrix, Touches touches, Uints position, uint i, Block diagonal, real3 u,
                      uint first, uint rows)
{
    real3 sum = block_multiply(diagonal, u);
    uint  slice = i / SLICE_ROWS, end = matrix.slice_slots.at[slice + 1], spring, other;
    for (uint slot = matrix.slice_slots.at[slice]; slot < end; slot++)
        if (slot_ends(matrix, slot, i % SLICE_ROWS, spring, other))
            sum -= spring_product(matrix, spring, shared_value(position, other, first, rows));
#define SHARED_AT(j) shared_value(position, j, first, rows)
    ADD_TOUCHES(touches, i, sum, SHARED_AT)
    return sum;
}

void main()
{
    Matrix  matrix = MATRIX;
    Touches touches = TOUCHES;
    Vectors change = VECTORS(change), prescribed = VECTORS(prescribed), inverse = VECTORS(inverse);
    Uints   position = ENGINE.position;
    uint list = push.phase, index = group_index(), lane = gl_LocalInvocationID.x;
    if (has_failed() || index >= ENGINE.grids.at[4 * list + 3])
        return;
    uint system = ENGINE.small.at[list * SYSTEM_MOST(ENGINE.padded_count) + index];
    uint first = system_word(system, SYSTEM_FIRST), rows = system_word(system, SYSTEM_ROWS);
    bool is_row = lane < rows;
    uint i = ENGINE.rows.at[first + (is_row ? lane : 0)];

    // r <- S (b - A x), u <- Q r, p, s <- 0; gamma = r.u; reference = the same for x = z.
    real3 x = real3(0), z = real3(0), r = real3(0), u = real3(0), plain = real3(0);
    real3 p = real3(0), s = real3(0), scaled = real3(0), direction = real3(0);
    uint  degrees = 0;
    Block diagonal, q;
    if (is_row)
    {
        degrees = ENGINE.degrees.at[i] & 3u;
        direction = load3(ENGINE.direction, i);
        diagonal = block_at(matrix.diagonal, i);
        q = block_at(inverse, i);
        x = vector_at(change, i);
        z = vector_at(prescribed, i);
        plain = load3(ENGINE.rhs, i);
        r = filtered(degrees, direction, plain - multiply_row(matrix, touches, i, change));
        if (ENGINE.findings.at[FOUND_PRESCRIBED] != 0)
            plain -= multiply_row(matrix, touches, i, prescribed);
        plain = filtered(degrees, direction, plain);
        u = block_multiply(q, r);
        scaled = block_multiply(q, plain);
    }
    real2 sums = group_sum_for_all(real2(dot(r, u), dot(plain, scaled)));
    real  gamma = sums.x, reference = sums.y, gamma_before = 0, alpha = 0;
    uint  products = 1, iterations = 0;
    if (gamma > reference)
    {
        // The last step's solution is a worse guess than none.
        x = z;
        r = plain;
        u = scaled;
        gamma = reference;
        products = 2;
    }
    real tolerance = value(VALUE_TOLERANCE), target = tolerance * tolerance * reference;
    bool converged = gamma <= target;
    while (!converged && iterations < ENGINE.max_iterations)
    {
        shared_u[lane] = u;
        barrier();
        real3 w = real3(0);
        if (is_row)
            w = multiply_shared(matrix, touches, position, i, diagonal, u, first, rows);
        real delta = group_sum_for_all(real2(dot(w, u), 0)).x;
        real beta = iterations > 0 ? gamma / gamma_before : 0;
        real curvature = iterations > 0 ? delta - beta * gamma / alpha : delta;
        if (!(curvature > 0))
            break;
        alpha = gamma / curvature;
        if (is_row)
        {
            p = u + beta * p;
            s = w + beta * s;
            x += alpha * p;
            r = filtered(degrees, direction, r - alpha * s);
            u = block_multiply(q, r);
        }
        gamma_before = gamma;
        gamma = group_sum_for_all(real2(dot(r, u), 0)).x;
        iterations++;
        converged = gamma <= target;
    }
    if (is_row)
        set_vector(change, i, x);
    if (lane == 0)
        report_system(system, iterations, products + iterations, converged, gamma, reference);
}
