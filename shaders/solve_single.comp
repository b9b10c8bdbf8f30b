#version 450
// solve_single: components of a single particle, solved directly.
// Reads rhs, diagonal, degrees, direction, prescribed, spring blocks. Writes change. One thread per particle.
//   x = z + (S C S)^-1 (b - A z)
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"

uint label_of(uint row)
{
    return ENGINE.label.at[ENGINE.rows.at[row]];
}

void main()
{
    uint row = thread_index(), count = ENGINE.particle_count;
    if (row >= count || has_failed())
        return;
    uint i = ENGINE.rows.at[row];
    if (ENGINE.label.at[i] != i || (row + 1 < count && label_of(row + 1) == i))
        return;
    Block q = filtered_inverse(load_block(ENGINE.diagonal, i), ENGINE.degrees.at[i] & 3u,
                               load3(ENGINE.direction, i));
    real3 r = load3(ENGINE.rhs, i) - multiply_row(i, ENGINE.prescribed);
    store3(ENGINE.change, i, load3(ENGINE.prescribed, i) + block_multiply(q, r));
}
