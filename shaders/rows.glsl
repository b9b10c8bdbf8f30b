// rows.glsl: rows of the matrix.
//   (A v)_i = A_ii v_i - sum over implicit springs of (alpha v_j + u (u.v_j))
#include "block3.glsl"

// The far side of a slot: spring and particle. False if no lane of the slot has a block.
bool slot_ends(uint slot, uint lane, out uint spring, out uint other)
{
    uint flags = ENGINE.s_slot_flags.at[slot];
    if ((flags & SLOT_IS_LIVE) == 0)
        return false;
    spring = ENGINE.s_slots.at[2 * slot] + lane;
    other = ENGINE.s_slots.at[2 * slot + 1] + lane;
    if ((flags & SLOT_IS_SCATTERED) != 0)
    {
        other = ENGINE.s_lane_other.at[spring];
        spring = ENGINE.s_lane_spring.at[spring];
    }
    return true;
}

// (alpha I + u u^T) v
real3 spring_product(uint spring, real3 v)
{
    uint  count = ENGINE.structural_count;
    Reals block = ENGINE.s_block;
    real3 u = real3(block.at[count + spring], block.at[2 * count + spring], block.at[3 * count + spring]);
    return block.at[spring] * v + u * dot(u, v);
}

// A spring without a block has zeros there.
real3 multiply_row(uint i, Reals v)
{
    real3 sum = block_multiply(load_block(ENGINE.diagonal, i), load3(v, i));
    uint  slice = i / SLICE_ROWS, end = ENGINE.s_slice_slots.at[slice + 1], spring, other;
    for (uint slot = ENGINE.s_slice_slots.at[slice]; slot < end; slot++)
        if (slot_ends(slot, i % SLICE_ROWS, spring, other))
            sum -= spring_product(spring, load3(v, other));
    return sum;
}
