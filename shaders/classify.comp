#version 450
// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping, what weave adds; masses. Writes spring flags. One thread per
// spring, or for several. Stretch and shear springs act in extension only (Choi and Ko 2002), edges of triangles while
// a thread in them does, and they are implicit where weave gave them a block. Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the lighter of its two ends. Implicit springs are in the matrix already
// when they are nearly taut: kernels/classify.c says why.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "methods.glsl"
#include "tally.glsl"

// Read at the start of main: inside of loops an address costs as much as what stands there.
Uints spring_flags, ends;
Reals masses, lengths, slacks, bases, stiffness, dampings, tensions, weave;
uint  method;
bool  has_weave;
real  threshold;

// The spring's flags; those of a filling stay.
uint classify(uint spring, real h)
{
    uint kind = spring_flags.at[spring] & (SPRING_PRESENT | SPRING_SHEAR | SPRING_WOVEN), flags = kind;
    if ((kind & SPRING_PRESENT) == 0)
        return 0;
    real slack = slacks.at[spring], size = lengths.at[spring], base = bases.at[spring];
    bool pulls_itself = (kind & SPRING_WOVEN) == 0;
    bool acts = pulls_itself && size > slack,
         is_taut = pulls_itself && slack - size < slack * real(NEARLY_TAUT);
    bool is_woven = false;
    if (has_weave)
    {
        real3 across = load3(weave, ENGINE.structural_count, spring);
        acts = acts || tensions.at[spring] != 0;
        is_taut = is_taut || acts;
        is_woven = across != real3(0);
    }
    if (acts)
        flags |= SPRING_ACTIVE;
    if (is_taut || base > 0)
    {
        bool is_implicit = method == METHOD_IMPLICIT ||
                           (method == METHOD_IMEX && (kind & SPRING_SHEAR) == 0);
        if (method > METHOD_IMEX)
        {
            real         a = masses.at[ends.at[2 * spring]], b = masses.at[ends.at[2 * spring + 1]];
            precise real stiff = (is_taut ? stiffness.at[spring] : real(0)) + base;
            precise real kappa =
                h / min(a, b) * (stiff * h + 2 * (is_taut ? dampings.at[spring] : real(0)));
            is_implicit = kappa > threshold;
        }
        flags |= is_implicit ? SPRING_IMPLICIT : 0;
    }
    flags |= is_woven ? SPRING_IMPLICIT : 0;
    spring_flags.at[spring] = flags;
    return flags;
}

void main()
{
    uint count = ENGINE.structural_count, threads = thread_count(), acting = 0, implicit = 0;
    spring_flags = ENGINE.s_flags;
    ends = ENGINE.s_ends;
    masses = ENGINE.mass;
    lengths = ENGINE.s_length;
    slacks = ENGINE.s_slack;
    bases = ENGINE.s_base;
    stiffness = ENGINE.s_stiffness;
    dampings = ENGINE.s_damping;
    tensions = ENGINE.s_tension;
    weave = ENGINE.s_weave;
    has_weave = ENGINE.weave_count > 0;
    method = ENGINE.method;
    threshold = value(VALUE_THRESHOLD);
    precise real h = value(VALUE_H);
    if (has_failed())
        return;
    for (uint spring = thread_index(); spring < count; spring += threads)
    {
        uint flags = classify(spring, h);
        acting += (flags & SPRING_ACTIVE) != 0 ? 1 : 0;
        implicit += (flags & SPRING_IMPLICIT) != 0 ? 1 : 0;
    }
    tally_add(FOUND_ACTIVE, acting);
    tally_add(FOUND_IMPLICIT, implicit);
}
