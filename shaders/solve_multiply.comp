#version 450
// solve_multiply: the matrix-vector product of a CG iteration on the large systems.
// Reads u, diagonal, spring blocks. Writes w; each tile's part of delta. One thread per particle, one workgroup per tile.
//   w <- A u,  delta = w.u
// Conjugate gradients in the form of Chronopoulos and Gear 1989: A p is carried along as s, so that
// an iteration has two passes. The scalars of the iteration are found by solve_update.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"
#include "sums.glsl"
#include "systems.glsl"

void main()
{
    Matrix  matrix = MATRIX;
    Vectors from = VECTORS(u), to = VECTORS(w);
    Uints   rows = ENGINE.rows;
    uint    index = group_index(), lane = gl_LocalInvocationID.x;
    if (has_failed() || index >= ENGINE.grids.at[GRID_LIVE + 3])
        return;
    uint tile = ENGINE.live.at[index];
    if (system_word(tile_word(tile, TILE_SYSTEM), SYSTEM_END) != UNFINISHED)
        return;
    uint first = tile_word(tile, TILE_FIRST), end = first + tile_word(tile, TILE_ROWS);
    real delta = 0;
    for (uint row = first + lane; row < end; row += gl_WorkGroupSize.x)
    {
        uint  i = rows.at[row];
        real3 w = multiply_row(matrix, i, from);
        set_vector(to, i, w);
        delta += dot(w, vector_at(from, i));
    }
    delta = group_sum(real2(delta, 0)).x;
    if (lane == 0)
        ENGINE.partial.at[partial_place(PARTIAL_DELTA, tile)] = delta;
}
