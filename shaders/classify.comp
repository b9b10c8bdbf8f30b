#version 450
// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping; masses. Writes spring flags. One thread per
// spring. Stretch and shear springs act in extension only (Choi and Ko 2002). Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the lighter of its two ends. Implicit springs are in the matrix already
// when they are nearly taut: kernels/classify.c says why.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "tally.glsl"

#define METHOD_EXPLICIT 0
#define METHOD_IMPLICIT 1
#define METHOD_IMEX 2

bool is_implicit(uint spring, bool is_shear)
{
    if (ENGINE.method <= METHOD_IMEX)
        return ENGINE.method == METHOD_IMPLICIT || (ENGINE.method == METHOD_IMEX && !is_shear);
    real a = ENGINE.mass.at[ENGINE.s_ends.at[2 * spring]];
    real b = ENGINE.mass.at[ENGINE.s_ends.at[2 * spring + 1]];
    precise real h = value(VALUE_H);
    precise real kappa =
        h / min(a, b) * (ENGINE.s_stiffness.at[spring] * h + 2 * ENGINE.s_damping.at[spring]);
    return kappa > value(VALUE_THRESHOLD);
}

void main()
{
    uint spring = thread_index(), flags = 0;
    if (spring >= ENGINE.structural_count || has_failed())
        return;
    uint kind = ENGINE.s_flags.at[spring] & (SPRING_PRESENT | SPRING_SHEAR);
    if ((kind & SPRING_PRESENT) != 0)
    {
        flags = kind;
        real rest = ENGINE.s_rest.at[spring], size = ENGINE.s_length.at[spring];
        if (size > rest)
            flags |= SPRING_ACTIVE;
        if (rest - size < rest * real(NEARLY_TAUT) && is_implicit(spring, (kind & SPRING_SHEAR) != 0))
            flags |= SPRING_IMPLICIT;
        ENGINE.s_flags.at[spring] = flags;
    }
    tally_add(FOUND_ACTIVE, (flags & SPRING_ACTIVE) != 0 ? 1 : 0);
    tally_add(FOUND_IMPLICIT, (flags & SPRING_IMPLICIT) != 0 ? 1 : 0);
}
