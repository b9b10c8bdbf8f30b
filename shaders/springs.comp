#version 450
// springs: impulse and Jacobian block of every acting stretch and shear spring.
// Reads positions, velocities, spring flags and lengths. Writes spring impulses and blocks. One
// thread per spring.
//
// Stretch and shear (Choi and Ko 2002, type 1), d = x_b - x_a, l = |d|, n = d / l, force on a:
//   f = k (l - L) n + kd ((v_b - v_a).n) n,   df_a/dx_b = k (1 - L/l) I + k (L/l) n n^T, df_a/dv_b
//   = kd n n^T
// so the block of A = M - h df/dv - h^2 df/dx between a and b is -(alpha I + u u^T) with
//   alpha = h^2 k (1 - L/l),   u = sqrt(h^2 k L/l + h kd) n.
// Full instead of projected damping has f = kd (v_b - v_a) and moves h kd from u to alpha.
// A spring that is nearly taut has f = 0 and the block of one at its rest length.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

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
    if ((flags & (SPRING_ACTIVE | SPRING_IMPLICIT)) != 0)
    {
        uint a = ENGINE.s_ends.at[2 * spring], b = ENGINE.s_ends.at[2 * spring + 1];
        real h = value(VALUE_H), size = ENGINE.s_length.at[spring], rest = ENGINE.s_rest.at[spring];
        real k = ENGINE.s_stiffness.at[spring], kd = ENGINE.s_damping.at[spring];
        real3 n = (load3(ENGINE.x, b) - load3(ENGINE.x, a)) / size;
        real3 dv = load3(ENGINE.v, b) - load3(ENGINE.v, a);
        bool is_projected = ENGINE.damping_kind == 0;
        if ((flags & SPRING_ACTIVE) == 0)
        {
            size = rest;
            kd = 0;
        }
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

void main()
{
    uint spring = thread_index();
    if (!has_failed() && spring < ENGINE.structural_count)
        do_structural(spring);
}
