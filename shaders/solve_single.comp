#version 450
// solve_single: components of a single particle, solved directly.
// Reads rhs, diagonal, degrees, direction, prescribed, spring blocks. Writes change. One thread per particle, or for several.
//   x = z + (S C S)^-1 (b - A z)
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"

void main()
{
    Matrix  matrix = MATRIX;
    Touches touches = TOUCHES;
    Vectors rhs = VECTORS(rhs), direction = VECTORS(direction), prescribed = VECTORS(prescribed),
            change = VECTORS(change);
    Uints rows = ENGINE.rows, label = ENGINE.label, degrees = ENGINE.degrees;
    uint  count = has_failed() ? 0 : ENGINE.particle_count, threads = thread_count();
    for (uint row = thread_index(); row < count; row += threads)
    {
        // A particle that has its own label begins a component; it is alone if the next row begins another.
        uint i = rows.at[row];
        if (label.at[i] != i || (row + 1 < count && label.at[rows.at[row + 1]] == i))
            continue;
        Block q = filtered_inverse(block_at(matrix.diagonal, i), degrees.at[i] & 3u,
                                   vector_at(direction, i));
        real3 r = vector_at(rhs, i) - multiply_row(matrix, touches, i, prescribed);
        set_vector(change, i, vector_at(prescribed, i) + block_multiply(q, r));
    }
}
