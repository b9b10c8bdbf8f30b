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
#ifdef WEFT_WIDE
#define ENGINE_PUSH PreconditionPush
#endif
#include "engine.glsl"
#include "block3.glsl"
#ifdef WEFT_WIDE
#include "lanes.glsl"
#include "pattern.glsl"
#endif

#define NONE 0u
#define DIAGONAL 1u
#define BLOCK 2u

Block inverse_of(uint kind, Block block, uint degrees, real3 direction)
{
    switch (kind)
    {
    case NONE:
        return filtered_block(degrees, direction, Block(real3(1), real3(0)));
    case DIAGONAL:
        return filtered_block(degrees, direction, Block(1 / block.diagonal, real3(0)));
    case BLOCK:
        return filtered_block(degrees, direction, block_invert(block));
    default:
        return filtered_inverse(block, degrees, direction);
    }
}

void main()
{
    Vectors directions = VECTORS(direction), diagonal = VECTORS(diagonal), inverse = VECTORS(inverse),
            change = VECTORS(change), prescribed = VECTORS(prescribed), scaled = VECTORS(u);
    Uints   freedom = ENGINE.degrees;
    uint    i = thread_index(), kind = ENGINE.preconditioner;
    bool    has_guess = ENGINE.start_guess == 1, is_row = i < ENGINE.particle_count && !has_failed();
#ifdef WEFT_WIDE
    uint  at = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1) * SLICE_ROWS;
    uint  degrees = lane_word(word_place(push.degrees, at), 0) & 3u;
    Block block = lane_block(place_of(push.diagonal, at), STRIDE);
    real3 before = lane_vector(place_of(push.change, at), STRIDE, 0);
    real3 held = lane_vector(place_of(push.prescribed, at), STRIDE, 0);
#else
    if (!is_row)
        return;
    uint  degrees = freedom.at[i] & 3u;
    Block block = block_at(diagonal, i);
    real3 before = vector_at(change, i), held = vector_at(prescribed, i);
#endif
    real3 direction = real3(0);
    if (is_row && degrees != 3)
        direction = vector_at(directions, i);
    Block q = inverse_of(kind, block, degrees, direction);
    real3 guess = filtered(degrees, direction, has_guess ? before : real3(0)) + held;
#ifdef WEFT_WIDE
    Stores stores = stores_of(is_row);
    Place  blocks = place_of(inverse.array, at);
    store_two_vectors(stores, blocks, q.diagonal, blocks + 3 * REAL_BYTES * uint64_t(STRIDE), q.rest, STRIDE);
    store_two_vectors(stores, place_of(change.array, at), guess, place_of(scaled.array, at), real3(0), STRIDE);
#ifdef PAIRED_STORES
    is_row = stores.is_single;
#else
    is_row = false;
#endif
#endif
    if (!is_row)
        return;
    set_block(inverse, i, q);
    set_vector(change, i, guess);
    set_vector(scaled, i, real3(0));
}
