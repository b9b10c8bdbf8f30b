#version 450
// springs: impulse and Jacobian block of every acting stretch and shear spring.
// Reads positions, velocities, spring flags and lengths, what weave adds. Writes spring impulses and
// blocks. One thread per spring.
//
// Stretch and shear (Choi and Ko 2002, type 1), d = x_b - x_a, l = |d|, n = d / l, force on a:
//   f = k (l - L) n + kd ((v_b - v_a).n) n,   df_a/dx_b = k (1 - L/l) I + k (L/l) n n^T, df_a/dv_b
//   = kd n n^T
// so the block of A = M - h df/dv - h^2 df/dx between a and b is -(alpha I + u u^T) with
//   alpha = h^2 k (1 - L/l),   u = sqrt(h^2 k L/l + h kd) n.
// Full instead of projected damping has f = kd (v_b - v_a) and moves h kd from u to alpha.
// A spring that is nearly taut has f = 0 and the block of one at its rest length. The threads of
// triangles add their tension t and block W, of weave: h t d + W (v_b - v_a).
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "block3.glsl"

void store_axes(Reals array, uint first, uint stride, uint spring, real3 vector)
{
    for (uint axis = 0; axis < 3; axis++)
        array.at[(first + axis) * stride + spring] = vector[axis];
}

void main()
{
    Uints spring_flags = ENGINE.s_flags, ends = ENGINE.s_ends;
    Reals x = ENGINE.x, v = ENGINE.v, impulses = ENGINE.s_impulse, blocks = ENGINE.s_block;
    Reals lengths = ENGINE.s_length, rests = ENGINE.s_rest, stiffness = ENGINE.s_stiffness,
          dampings = ENGINE.s_damping, bases = ENGINE.s_base, slacks = ENGINE.s_slack,
          reaches = ENGINE.s_reach;
    uint spring = thread_index(), stride = ENGINE.structural_count, apart = ENGINE.padded_count;
    real h = value(VALUE_H);
    real ahead = ENGINE.method == 0 ? real(0) : h;
    bool is_projected = ENGINE.damping_kind == 0;
    if (has_failed() || spring >= stride)
        return;
    uint flags = spring_flags.at[spring];
    if ((flags & SPRING_PRESENT) == 0)
        return;
    real3 impulse = real3(0), u = real3(0);
    real alpha = 0, base = bases.at[spring], push_over_length = 0;
    if (ENGINE.weave_count > 0)
        push_over_length = ENGINE.s_push.at[spring];
    if ((flags & (SPRING_ACTIVE | SPRING_IMPLICIT)) != 0 || base != 0 || push_over_length != 0)
    {
        uint a = ends.at[2 * spring], b = ends.at[2 * spring + 1];
        real size = lengths.at[spring], rest = rests.at[spring], slack = slacks.at[spring];
        real k = stiffness.at[spring], kd = dampings.at[spring];
        real3 d = load3(x, apart, b) - load3(x, apart, a), n = size > 0 ? d / size : real3(0);
        real3 dv = load3(v, apart, b) - load3(v, apart, a);
        if ((flags & SPRING_ACTIVE) == 0)
            kd = 0;
        // Tension over length, of what is drawn out beyond rest and up to it; K = even I + outer n n^T.
        real drawn = max(size - rest, real(0)) + clamp(size - slack, real(0), reaches.at[spring]);
        real even = size > 0 ? k * drawn / size : real(0);
        real outer = slack - size < slack * real(NEARLY_TAUT) ? k - even : real(0);
        real always = base + push_over_length;
        impulse = h * (even + always) * d + h * ahead * always * dv;
        if (ENGINE.weave_count > 0)
        {
            impulse += h * ENGINE.s_tension.at[spring] * d;
            impulse += block_multiply(block_at(Vectors(ENGINE.s_weave, stride), spring), dv);
        }
        impulse += h * kd * (is_projected ? dot(dv, n) * n : dv);
        if ((flags & SPRING_IMPLICIT) != 0)
        {
            impulse += h * h * (even * dv + outer * dot(n, dv) * n);
            alpha = h * h * (even + base) + (is_projected ? real(0) : h * kd);
            u = sqrt(h * h * outer + (is_projected ? h * kd : real(0))) * n;
        }
    }
    store_axes(impulses, 0, stride, spring, impulse);
    blocks.at[spring] = alpha;
    store_axes(blocks, 1, stride, spring, u);
}
