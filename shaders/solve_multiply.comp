#version 450
// solve_multiply: the matrix-vector product of a CG iteration on the large systems.
// Reads u, diagonal, spring blocks, pairs. Writes w; alpha and beta of each system. One thread per particle, one unit per tile.
//   w <- A u,  delta = w.u,  beta = gamma / gamma_before,  alpha = gamma / (delta - beta gamma / alpha_before)
// Conjugate gradients in the form of Chronopoulos and Gear 1989: A p is carried along as s, so that
// an iteration has two passes. MULTIPLY_START is the product alone, for solve_start; with WEFT_WIDE a pass before it packs the
// matrix (packed.glsl).
#extension GL_GOOGLE_include_directive : require
#define ENGINE_PUSH MultiplyPush
#include "engine.glsl"
#include "rows.glsl"
#include "systems.glsl"
#include "units.glsl"
#include "lanes.glsl"
#include "pattern.glsl"

#ifdef WEFT_WIDE
#include "packed.glsl"
#else
// What a slot of the pattern takes from the rows of a slice.
real3 pattern_product(uint k, uint slice, Uints slot_flags, uint offset, uint is_mirror, uint spring_offset)
{
    uint slot = push.regular.at[slice * PATTERN + k];
    if (slot == NO_SLOT || (slot_flags.at[slot] & SLOT_IS_LIVE) == 0)
        return real3(0);
    uint  other = slice * SLICE_ROWS + offset;
    Place block = place_of(push.springs, pattern_spring(slice, offset, is_mirror, spring_offset));
    real  alpha = lane_at(block, 0);
    real3 u = lane_vector(block, SPRING_COUNT, SPRING_COUNT);
    real3 far = lane_vector(place_of(push.from, other), STRIDE, 0);
    return alpha * far + u * dot(u, far);
}

// The product of the eight rows of a slice, without the slots that are not in the pattern.
real3 multiply_slice(uint slice, Uints slot_flags, real3 v)
{
    real3 sum = block_multiply(lane_block(place_of(push.diagonal, slice * SLICE_ROWS), STRIDE), v);
#define SUBTRACT_SLOT(k) sum -= pattern_product(k, slice, slot_flags, OTHER##k, IS_MIRROR##k, SPRING##k)
    FOR_PATTERN(SUBTRACT_SLOT)
    return sum;
}
#endif

// What the other slots add to the rows of a tile. Returns their part of delta.
real add_odd(Matrix matrix, Vectors from, Vectors to, uint slice, uint slice_end, Uints labels,
              uint label, uint count)
{
    Uints odd = ENGINE.s_odd, begin = ENGINE.s_odd_begin;
    uint  end = begin.at[slice_end], spring, other;
    real  delta = 0;
    for (uint k = begin.at[slice]; k < end; k++)
    {
        uint i = odd.at[2 * k] * SLICE_ROWS + slice_lane();
        if (i < count && labels.at[i] == label &&
            slot_ends(matrix, odd.at[2 * k + 1], slice_lane(), spring, other))
        {
            real3 more = spring_product(matrix, spring, vector_at(from, other));
            set_vector(to, i, vector_at(to, i) - more);
            delta -= dot(more, vector_at(from, i));
        }
    }
    return delta;
}

void find_scalars(uint system, real delta)
{
    uint at = system * SCALAR_COUNT;
    real gamma = ENGINE.scalars.at[at + SCALAR_GAMMA], beta = 0, curvature = delta;
    if (push.iteration > 0)
    {
        beta = gamma / ENGINE.scalars.at[at + SCALAR_GAMMA_BEFORE];
        curvature -= beta * gamma / ENGINE.scalars.at[at + SCALAR_ALPHA];
    }

    // A curvature that is not positive means that rounding has eaten the residual.
    if (!(curvature > 0))
        finish_system(system, push.iteration, 1, false, gamma, ENGINE.scalars.at[at + SCALAR_REFERENCE]);
    ENGINE.scalars.at[at + SCALAR_BETA] = beta;
    ENGINE.scalars.at[at + SCALAR_ALPHA] = gamma / curvature;
}

void main()
{
    Matrix  matrix = MATRIX;
    Touches touches = TOUCHES;
    Vectors from = Vectors(push.from, STRIDE), to = Vectors(push.to, STRIDE);
    Uints   labels = ENGINE.label, live = ENGINE.live;
#ifdef WEFT_WIDE
    if (PASS == MULTIPLY_PACK)
    {
        pack_slice();
        return;
    }
#endif
    uint    unit = unit_index(), tile_count = ENGINE.grids.at[GRID_LIVE + 3];
    uint    count = ENGINE.particle_count;
    uint    tile = live.at[min(unit, tile_count - 1)];
    uint    system = tile_word(tile, TILE_SYSTEM), label = system_word(system, SYSTEM_LABEL);
    bool    is_live = unit < tile_count && system_word(system, SYSTEM_END) == UNFINISHED;
    if (!IS_WIDE && !is_live)
        return;
    uint first_slice = known_to_all(tile_word(tile, TILE_PLACE)) * (TILE_ROWS / SLICE_ROWS);
    real delta = 0;
    [[unroll]] for (uint round = 0; round < UNIT_ROUNDS; round++)
    {
        uint slice = first_slice + round * (UNIT_THREADS / SLICE_ROWS);
        if (!IS_WIDE)
            slice += unit_lane() / SLICE_ROWS;
        slice = min(slice, SLICE_COUNT - 1);
        uint  i = first_slice * SLICE_ROWS + round * UNIT_THREADS + unit_lane();
        real3 v = lane_vector(place_of(push.from, slice * SLICE_ROWS), STRIDE, 0);
        real3 w = multiply_slice(slice, matrix.slot_flags, v);
        uint  own = lane_word(word_place(push.label, slice * SLICE_ROWS), 0);
        bool  is_row = is_live && i < count && own == label;
#ifdef PAIRED_STORES
        Stores stores = stores_of(is_row);
        store_vector(stores, place_of(push.to, slice * SLICE_ROWS), w, STRIDE);
        if (stores.is_single)
#else
        if (is_row)
#endif
            set_vector(to, i, w);
        delta += is_row ? dot(w, v) : real(0);
    }
    uint odd_rounds = IS_WIDE ? 1 : UNIT_ROUNDS;
    for (uint round = 0; is_live && round < odd_rounds; round++)
    {
        uint slice = first_slice, slice_end = first_slice + TILE_ROWS / SLICE_ROWS;
        if (!IS_WIDE)
        {
            slice += (round * UNIT_THREADS + unit_lane()) / SLICE_ROWS;
            slice_end = slice + 1;
        }
        slice_end = min(slice_end, SLICE_COUNT);
        delta += add_odd(matrix, from, to, min(slice, slice_end), slice_end, labels, label, count);
    }
    for (uint round = 0; is_live && touches.any && round < UNIT_ROUNDS; round++)
    {
        uint i = first_slice * SLICE_ROWS + round * UNIT_THREADS + unit_lane();
        if (i >= count || labels.at[i] != label)
            continue;
        real3 more = multiply_touches(touches, i, from);
        set_vector(to, i, vector_at(to, i) + more);
        delta += dot(more, vector_at(from, i));
    }
    if (push.phase == MULTIPLY_START)
        return;
    if (is_last_of_system(is_live, tile, system, delta) && unit_lane() == 0)
        find_scalars(system, delta);
}
