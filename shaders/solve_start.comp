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

// S (b - A z)
real3 plain_residual(uint i, uint degrees, real3 direction)
{
    real3 plain = load3(ENGINE.rhs, i);
    if (ENGINE.findings.at[FOUND_PRESCRIBED] != 0)
        plain -= multiply_row(i, ENGINE.prescribed);
    return filtered(degrees, direction, plain);
}

void main()
{
    uint tile = group_index(), lane = gl_LocalInvocationID.x;
    if (has_failed() || tile >= ENGINE.grids.at[GRID_TILES + 3])
        return;
    bool  is_row = lane < tile_word(tile, TILE_ROWS);
    uint  i = ENGINE.rows.at[tile_word(tile, TILE_FIRST) + (is_row ? lane : 0)];
    uint  degrees = ENGINE.degrees.at[i] & 3u;
    real3 direction = load3(ENGINE.direction, i);

    if (push.phase == START_RESIDUAL)
    {
        real gamma = 0, reference = 0;
        if (is_row)
        {
            Block q = load_block(ENGINE.inverse, i);
            real3 r = load3(ENGINE.rhs, i) - multiply_row(i, ENGINE.change);
            r = filtered(degrees, direction, r);
            real3 u = block_multiply(q, r), plain = plain_residual(i, degrees, direction);
            gamma = dot(r, u);
            reference = dot(plain, block_multiply(q, plain));
            store3(ENGINE.r, i, r);
            store3(ENGINE.u, i, u);
            store3(ENGINE.p, i, real3(0));
            store3(ENGINE.s, i, real3(0));
        }
        real2 sums = group_sum2(real2(gamma, reference));
        if (lane == 0)
        {
            ENGINE.partial.at[partial_place(PARTIAL_GAMMA, tile)] = sums.x;
            ENGINE.partial.at[partial_place(PARTIAL_REFERENCE, tile)] = sums.y;
        }
        return;
    }

    uint  system = tile_word(tile, TILE_SYSTEM);
    uint  begin = system_word(system, SYSTEM_TILE), end = begin + system_word(system, SYSTEM_TILES);
    real2 sums = real2(0);
    for (uint k = begin + lane; k < end; k += gl_WorkGroupSize.x)
        sums += real2(ENGINE.partial.at[partial_place(PARTIAL_GAMMA, k)],
                      ENGINE.partial.at[partial_place(PARTIAL_REFERENCE, k)]);
    sums = group_sum2(sums);
    bool is_worse = sums.x > sums.y;
    if (is_worse && is_row)
    {
        real3 r = plain_residual(i, degrees, direction);
        store3(ENGINE.change, i, load3(ENGINE.prescribed, i));
        store3(ENGINE.r, i, r);
        store3(ENGINE.u, i, block_multiply(load_block(ENGINE.inverse, i), r));
    }
    if (lane == 0)
        ENGINE.partial.at[partial_place(PARTIAL_GAMMA + 1, tile)] =
            ENGINE.partial.at[partial_place(is_worse ? PARTIAL_REFERENCE : PARTIAL_GAMMA, tile)];
    if (lane == 0 && tile == begin)
    {
        set_system_word(system, SYSTEM_PRODUCTS, is_worse ? 2 : 1);
        ENGINE.scalars.at[system * SCALAR_COUNT + SCALAR_REFERENCE] = sums.y;
    }
}
