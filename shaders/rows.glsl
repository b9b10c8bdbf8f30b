// rows.glsl: rows of the matrix.
//   (A v)_i = A_ii v_i - sum over implicit springs of (alpha v_j + u (u.v_j) + W v_j), and contact springs
// W is there where a mesh has triangles.
#include "block3.glsl"
#include "touches.glsl"

struct Matrix
{
    Vectors diagonal;
    Reals   block; // of the springs: alpha, then u axis by axis
    uint    spring_count;
    Reals   weave; // of the springs: W entry by entry
    bool    is_woven;
    Uints   slice_slots, slots, slot_flags, lane_spring, lane_other;
};

#define MATRIX                                                                                     \
    Matrix(VECTORS(diagonal), ENGINE.s_block, ENGINE.structural_count, ENGINE.s_weave,             \
           ENGINE.weave_count > 0, ENGINE.s_slice_slots, ENGINE.s_slots,                           \
           ENGINE.s_slot_flags, ENGINE.s_lane_spring, ENGINE.s_lane_other)

// The far side of a slot: spring and particle. False if no lane of the slot has a block.
bool slot_ends(Matrix matrix, uint slot, uint lane, out uint spring, out uint other)
{
    uint flags = matrix.slot_flags.at[slot];
    if ((flags & SLOT_IS_LIVE) == 0)
        return false;
    spring = matrix.slots.at[2 * slot] + lane;
    if ((flags & SLOT_IS_SCATTERED) != 0)
    {
        other = matrix.lane_other.at[spring];
        spring = matrix.lane_spring.at[spring];
    }
    else
        other = matrix.slots.at[2 * slot + 1] + lane;
    return true;
}

// (alpha I + u u^T + W) v
real3 spring_product(Matrix matrix, uint spring, real3 v)
{
    real3 u = vector_at(Vectors(matrix.block, matrix.spring_count), matrix.spring_count + spring);
    real3 product = matrix.block.at[spring] * v + u * dot(u, v);
    if (matrix.is_woven)
        product += block_multiply(block_at(Vectors(matrix.weave, matrix.spring_count), spring), v);
    return product;
}

// The contact springs of a row.
real3 multiply_touches(Touches touches, uint i, Vectors v)
{
    real3 sum = real3(0);
#define VECTOR_AT(j) vector_at(v, j)
    ADD_TOUCHES(touches, i, sum, VECTOR_AT)
    return sum;
}

// A spring without a block has zeros there.
real3 multiply_row(Matrix matrix, Touches touches, uint i, Vectors v)
{
    real3 sum = block_multiply(block_at(matrix.diagonal, i), vector_at(v, i));
    uint  slice = i / SLICE_ROWS, end = matrix.slice_slots.at[slice + 1], spring, other;
    for (uint slot = matrix.slice_slots.at[slice]; slot < end; slot++)
        if (slot_ends(matrix, slot, i % SLICE_ROWS, spring, other))
            sum -= spring_product(matrix, spring, vector_at(v, other));
    return sum + multiply_touches(touches, i, v);
}
