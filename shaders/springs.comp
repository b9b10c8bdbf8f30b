#version 450
// springs: impulse and Jacobian block of every acting spring.
// Reads positions, velocities, spring flags and lengths. Writes spring impulses and blocks. One
// thread per spring.
//
// Stretch and shear (Choi and Ko 2002, type 1), d = x_b - x_a, l = |d|, n = d / l, force on a:
//   f = k (l - L) n + kd ((v_b - v_a).n) n,   df_a/dx_b = k (1 - L/l) I + k (L/l) n n^T, df_a/dv_b
//   = kd n n^T
// so the block of A = M - h df/dv - h^2 df/dx between a and b is -(alpha I + u u^T) with
//   alpha = h^2 k (1 - L/l),   u = sqrt(h^2 k L/l + h kd) n.
// Full instead of projected damping has f = kd (v_b - v_a) and moves h kd from u to alpha.
//
// Bend (type 2, immediate buckling): the spring is a beam that buckles into an arc whose chord is l
// < L. Its force along the chord is k_b kappa^2 / (cos(kappa L/2) - sinc(kappa L/2)), kappa = (2/L)
// sinc^-1(l/L), reached by a linear ramp. It is explicit, so ramp, force and damping are bounded to
// what a step of this size can take; where that weakens the force it is counted.
#extension GL_GOOGLE_include_directive : require
#include "buckle.glsl"
#include "engine.glsl"
#include "tally.glsl"

// Largest h^2 (ramp) / m, h (2 damping) / m and h^2 (force / length) / m of a bend spring; kernels/springs.c says why.
#define BEND_SHARE real(0.1)

void store_axes(Reals array, uint first, uint stride, uint spring, real3 vector)
{
    for (uint axis = 0; axis < 3; axis++)
        array.at[(first + axis) * stride + spring] = vector[axis];
}

void do_structural(uint spring)
{
    uint flags = ENGINE.s_flags.at[spring], stride = ENGINE.structural_count;
    if ((flags & SPRING_PRESENT) == 0)
        return;
    real3 impulse = real3(0), u = real3(0);
    real alpha = 0;
    if ((flags & SPRING_ACTIVE) != 0)
    {
        uint a = ENGINE.s_ends.at[2 * spring], b = ENGINE.s_ends.at[2 * spring + 1];
        real h = value(VALUE_H), size = ENGINE.s_length.at[spring], rest = ENGINE.s_rest.at[spring];
        real k = ENGINE.s_stiffness.at[spring], kd = ENGINE.s_damping.at[spring];
        real3 n = (load3(ENGINE.x, b) - load3(ENGINE.x, a)) / size;
        real3 dv = load3(ENGINE.v, b) - load3(ENGINE.v, a);
        bool is_projected = ENGINE.damping_kind == 0;
        real longer = size - rest;
        impulse = h * k * longer * n + h * kd * (is_projected ? dot(dv, n) * n : dv);
        if ((flags & SPRING_IMPLICIT) != 0)
        {
            // h^2 K dv, K = (k longer / size) I + (k rest / size) n n^T.
            real even = h * h * k * longer / size, outer = h * h * k * rest / size;
            impulse += even * dv + outer * dot(n, dv) * n;
            alpha = even + (is_projected ? real(0) : h * kd);
            u = sqrt(outer + (is_projected ? h * kd : real(0))) * n;
        }
    }
    store_axes(ENGINE.s_impulse, 0, stride, spring, impulse);
    ENGINE.s_block.at[spring] = alpha;
    store_axes(ENGINE.s_block, 1, stride, spring, u);
}

// Returns whether the force was weakened.
bool do_bend(uint spring)
{
    if ((ENGINE.b_flags.at[spring] & SPRING_PRESENT) == 0)
        return false;
    uint a = ENGINE.b_ends.at[2 * spring], b = ENGINE.b_ends.at[2 * spring + 1];
    real3 d = load3(ENGINE.x, b) - load3(ENGINE.x, a), impulse = real3(0);
    real size = length(d), rest = ENGINE.b_rest.at[spring];
    bool softened = false;
    if (size < rest && size > 0)
    {
        real h = value(VALUE_H), mass = min(ENGINE.mass.at[a], ENGINE.mass.at[b]);
        real ramp = min(ENGINE.b_ramp.at[spring], BEND_SHARE * mass / (h * h));
        real damping = min(ENGINE.b_damping.at[spring], BEND_SHARE / 2 * mass / h);
        real strongest = BEND_SHARE * mass * rest / (h * h);
        real push_force =
            ENGINE.b_stiffness.at[spring] / (rest * rest) * buckling_force(size / rest);
        softened = push_force > strongest;
        push_force = min(min(push_force, strongest), ramp * (rest - size));

        real3 n = d / size, dv = load3(ENGINE.v, b) - load3(ENGINE.v, a);
        impulse = h * (damping * (ENGINE.damping_kind == 0 ? dot(n, dv) * n : dv) - push_force * n);
    }
    store_axes(ENGINE.b_impulse, 0, ENGINE.bend_count, spring, impulse);
    return softened;
}

void main()
{
    uint spring = thread_index(), structural = ENGINE.structural_count;
    if (has_failed())
        return;
    bool softened = false;
    if (spring < structural)
        do_structural(spring);
    else if (spring - structural < ENGINE.bend_count)
        softened = do_bend(spring - structural);
    tally_add(FOUND_SOFTENED, softened ? 1 : 0);
}
