// block3.h: symmetric 3x3 blocks, stored as xx yy zz xy xz yz.
#pragma once

#include <stdint.h>

#include "data.h"

static inline void block_multiply(const real block[6], const real v[3], real out[3])
{
    out[0] = block[0] * v[0] + block[3] * v[1] + block[4] * v[2];
    out[1] = block[3] * v[0] + block[1] * v[1] + block[5] * v[2];
    out[2] = block[4] * v[0] + block[5] * v[1] + block[2] * v[2];
}

// The inverse of a positive definite block, by cofactors.
static inline void block_invert(const real a[6], real out[6])
{
    real xx = a[1] * a[2] - a[5] * a[5], xy = a[4] * a[5] - a[3] * a[2],
         xz = a[3] * a[5] - a[4] * a[1];
    real inverse = 1 / (a[0] * xx + a[3] * xy + a[4] * xz);
    out[0] = xx * inverse;
    out[1] = (a[0] * a[2] - a[4] * a[4]) * inverse;
    out[2] = (a[0] * a[1] - a[3] * a[3]) * inverse;
    out[3] = xy * inverse;
    out[4] = xz * inverse;
    out[5] = (a[3] * a[4] - a[0] * a[5]) * inverse;
}

// S v, in place: S = I, I - n n^T, l l^T or 0 for 3, 2, 1, 0 degrees of freedom.
static inline void filter(uint8_t degrees, const real direction[3], real v[3])
{
    if (degrees == 3)
        return;
    real along = v[0] * direction[0] + v[1] * direction[1] + v[2] * direction[2];
    for (int axis = 0; axis < 3; axis++)
        v[axis] = degrees == 2   ? v[axis] - along * direction[axis]
                  : degrees == 1 ? along * direction[axis]
                                 : 0;
}

// S B S, in place.
static inline void filter_block(uint8_t degrees, const real direction[3], real block[6])
{
    real full[3][3] = {{block[0], block[3], block[4]},
                       {block[3], block[1], block[5]},
                       {block[4], block[5], block[2]}};
    for (int row = 0; row < 3; row++)
        filter(degrees, direction, full[row]);
    for (int column = 0; column < 3; column++)
    {
        real entries[3] = {full[0][column], full[1][column], full[2][column]};
        filter(degrees, direction, entries);
        for (int row = 0; row < 3; row++)
            full[row][column] = entries[row];
    }
    block[0] = full[0][0];
    block[1] = full[1][1];
    block[2] = full[2][2];
    block[3] = full[0][1];
    block[4] = full[0][2];
    block[5] = full[1][2];
}

// The inverse of S C S on the range of S, zero outside: what P = S C + (I - S) does to filtered
// vectors.
static inline void filtered_inverse(const real block[6], uint8_t degrees, const real direction[3],
                                    real out[6])
{
    if (degrees == 3)
    {
        block_invert(block, out);
        return;
    }
    for (int entry = 0; entry < 6; entry++)
        out[entry] = 0;
    if (degrees == 0)
        return;

    const real *n = direction;
    real outer[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2]};
    if (degrees == 1)
    {
        // l l^T / (l.C l)
        real image[3];
        block_multiply(block, n, image);
        real inverse = 1 / (n[0] * image[0] + n[1] * image[1] + n[2] * image[2]);
        for (int entry = 0; entry < 6; entry++)
            out[entry] = outer[entry] * inverse;
        return;
    }

    // S C S + t n n^T is invertible for any t > 0; its inverse without the part along n is what is
    // wanted. A t of the block's own size keeps it well conditioned.
    real full[6], trace = block[0] + block[1] + block[2];
    for (int entry = 0; entry < 6; entry++)
        full[entry] = block[entry];
    filter_block(2, n, full);
    for (int entry = 0; entry < 6; entry++)
        full[entry] += trace * outer[entry];
    block_invert(full, out);
    filter_block(2, n, out);
}
