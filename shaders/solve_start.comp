#version 450
// solve_start: first residual of the large systems.
// Reads rhs, change (starting guess), prescribed, diagonal, inverse, spring blocks. Writes r, u, p,
// s; gamma and reference. One thread per particle, one workgroup per tile.
//   r <- S (b - A x),  u <- Q r,  p, s <- 0;  gamma = r.u;  reference = (b - A z).Q (b - A z)
// START_RESIDUAL does that; START_CHOICE gives a starting guess up that turns out to be worse than none.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"
#include "sums.glsl"
#include "systems.glsl"

// b - A z
real3 plain_residual(Matrix matrix, Vectors prescribed, real3 b, uint i)
{
    if (ENGINE.findings.at[FOUND_PRESCRIBED] != 0)
        b -= multiply_row(matrix, i, prescribed);
    return b;
}

void main()
{
    Matrix  matrix = MATRIX;
    Vectors change = VECTORS(change), prescribed = VECTORS(prescribed), inverse = VECTORS(inverse),
            directions = VECTORS(direction), rhs = VECTORS(rhs), residual = VECTORS(r), scaled = VECTORS(u), p = VECTORS(p), s = VECTORS(s);
    Reals partial = ENGINE.partial;
    Uints rows = ENGINE.rows, freedom = ENGINE.degrees;
    uint tile = group_index(), lane = gl_LocalInvocationID.x;
    if (has_failed() || tile >= ENGINE.grids.at[GRID_TILES + 3])
        return;
    uint first = tile_word(tile, TILE_FIRST), end = first + tile_word(tile, TILE_ROWS);
    if (push.phase == START_RESIDUAL)
    {
        real2 sums = real2(0);
        for (uint row = first + lane; row < end; row += gl_WorkGroupSize.x)
        {
            uint  i = rows.at[row], degrees = freedom.at[i] & 3u;
            real3 direction = vector_at(directions, i), b = vector_at(rhs, i);
            Block q = block_at(inverse, i);
            real3 r = filtered(degrees, direction, b - multiply_row(matrix, i, change));
            real3 u = block_multiply(q, r), plain = plain_residual(matrix, prescribed, b, i);
            plain = filtered(degrees, direction, plain);
            sums += real2(dot(r, u), dot(plain, block_multiply(q, plain)));
            set_vector(residual, i, r);
            set_vector(scaled, i, u);
            set_vector(p, i, real3(0));
            set_vector(s, i, real3(0));
        }
        sums = group_sum(sums);
        if (lane == 0)
        {
            partial.at[partial_place(PARTIAL_GAMMA, tile)] = sums.x;
            partial.at[partial_place(PARTIAL_REFERENCE, tile)] = sums.y;
        }
        return;
    }

    uint  system = tile_word(tile, TILE_SYSTEM), gammas = partial_place(PARTIAL_GAMMA, 0);
    uint  begin = system_word(system, SYSTEM_TILE), tiles = system_word(system, SYSTEM_TILES);
    uint  references = partial_place(PARTIAL_REFERENCE, 0);
    real2 sums = real2(0);
    for (uint k = begin + lane; k < begin + tiles; k += gl_WorkGroupSize.x)
        sums += real2(partial.at[gammas + k], partial.at[references + k]);
    sums = group_sum_for_all(sums);
    bool is_worse = sums.x > sums.y;
    for (uint row = first + lane; is_worse && row < end; row += gl_WorkGroupSize.x)
    {
        uint  i = rows.at[row];
        real3 r = filtered(freedom.at[i] & 3u, vector_at(directions, i),
                           plain_residual(matrix, prescribed, vector_at(rhs, i), i));
        set_vector(change, i, vector_at(prescribed, i));
        set_vector(residual, i, r);
        set_vector(scaled, i, block_multiply(block_at(inverse, i), r));
    }
    if (lane == 0)
        partial.at[partial_place(PARTIAL_GAMMA + 1, tile)] = partial.at[(is_worse ? references : gammas) + tile];
    if (lane == 0 && tile == begin)
    {
        set_system_word(system, SYSTEM_PRODUCTS, is_worse ? 2 : 1);
        ENGINE.scalars.at[system * SCALAR_COUNT + SCALAR_REFERENCE] = sums.y;
    }
}
