#version 450
// precondition: the preconditioner's inverse within the filter, and the starting guess.
// Reads diagonal, degrees, direction, prescribed, change (of the last step). Writes inverse,
// change; zeroes u. One thread per particle. CG only ever applies S P^-1 S,
// so one symmetric block Q a particle serves filter and preconditioner together:
//   none: Q = S;  diagonal: Q = S diag(A)^-1 S (Baraff and Witkin 1998);  block: Q = S C^-1 S (Choi
//   and Ko 2002); modified: Q = (S C S)^-1 on the range of S, from P = S C + (I - S) (Boxerman and
//   Ascher 2004, equation 11).
// The starting guess is x = S y + (I - S) z (Ascher and Boxerman 2003), y the last step's solution
// or zero.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "block3.glsl"

#define NONE 0u
#define DIAGONAL 1u
#define BLOCK 2u

void main()
{
    Vectors directions = VECTORS(direction), diagonal = VECTORS(diagonal), inverse = VECTORS(inverse),
            change = VECTORS(change), prescribed = VECTORS(prescribed), scaled = VECTORS(u);
    Uints   freedom = ENGINE.degrees;
    uint    i = thread_index(), kind = ENGINE.preconditioner;
    bool    has_guess = ENGINE.start_guess == 1;
    if (i >= ENGINE.particle_count || has_failed())
        return;
    uint  degrees = freedom.at[i] & 3u;
    real3 direction = vector_at(directions, i);
    Block block = block_at(diagonal, i), q;
    switch (kind)
    {
    case NONE:
        q = filtered_block(degrees, direction, Block(real3(1), real3(0)));
        break;
    case DIAGONAL:
        q = filtered_block(degrees, direction, Block(1 / block.diagonal, real3(0)));
        break;
    case BLOCK:
        q = filtered_block(degrees, direction, block_invert(block));
        break;
    default:
        q = filtered_inverse(block, degrees, direction);
    }
    set_block(inverse, i, q);

    real3 guess = has_guess ? vector_at(change, i) : real3(0);
    set_vector(change, i, filtered(degrees, direction, guess) + vector_at(prescribed, i));
    set_vector(scaled, i, real3(0));
}
