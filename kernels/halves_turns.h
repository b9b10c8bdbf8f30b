// halves_turns.h: CG on a system whose particles are of two colours, none of which is coupled to its own (halves.h).
//
// If the first residual is zero in the black rows, that of conjugate gradients on the whole system, with the blocks of the diagonal
// as preconditioner, is zero in the black and in the white rows by turns, and a product for one colour is all that an iteration takes (Reid
// 1972; Hageman and Young 1981, chapter 8). In the form with three terms, where z = Q r and gamma = r.z of the turn before,
//   rho = 1 / (1 - gamma / (gamma_before rho_before)),  1 in the first turn
//   r_b <- S (rho (-A_bw z_w) + (1 - rho) r_b)
// and the same with the colours changed. Two turns make an iteration of CG on the white rows alone, with alpha the product of their rhos:
//   p <- z_w + beta p,  x_w <- x_w + alpha p
// Each turn is one loop, which finds the sum gamma as well: for one colour rho is known before its product.
//
// A solution may be good enough after a black turn. The residual is zero in the white rows then, and x_w is to be taken by rho rather
// than alpha. Solving the black rows once more does not make it larger.
#pragma once

#include "halves.h"

// The rho of the next turn; 0 where rounding has eaten the residual.
static inline double next_rho(double rho, double gamma, double gamma_before)
{
    double part = 1 - gamma / (gamma_before * rho);
    return part > 0 ? 1 / part : 0;
}

// Rows of a half and their residual. Returns r.z
WEFT_INLINE Lanes take_turn(const Halves *halves, uint32_t span, uint32_t odd, uint32_t lanes,
                            uint32_t others)
{
    const real rho = (real)halves->rho, rest = 1 - rho;
    uint32_t   half = half_of(halves, span, odd);
    Lanes      r[3], z[3], sum[3] = {{0}};
    load_half(halves->r, half, r);
    add_entries(halves, span, odd, halves->u, sum);
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = rho * sum[axis] + rest * r[axis];
    filter_half(halves, half, sum);
    multiply_blocks(halves->inverse, half, sum, z);
    store_rows(halves->r, half, sum, lanes, others);
    store_rows(halves->u, half, z, lanes, others);
    if (others != 0)
        keep_lanes(lanes, z);
    return dot(sum, z);
}

// x_w <- x_w + alpha (p <- z_w + beta p) in these lanes of a half
WEFT_INLINE void advance(real *const u[3], real *const p_at[3], real *const x_at[3], uint32_t half,
                         uint32_t lanes, real alpha, real beta)
{
    Lanes z[3], p[3], x[3];
    load_half(u, half, z);
    load_half(p_at, half, p);
    load_half(x_at, half, x);
    keep_lanes(lanes, z);
    for (int axis = 0; axis < 3; axis++)
    {
        p[axis] = z[axis] + beta * p[axis];
        x[axis] += alpha * p[axis];
    }
    store_half(p_at, half, p);
    store_half(x_at, half, x);
}
