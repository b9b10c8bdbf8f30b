#version 450
// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping, what weave adds; shares. Writes spring flags. One thread per
// spring, or for several; with WEFT_WIDE per particle, for the springs that it owns. Stretch and shear springs act in extension only (Choi and Ko 2002), edges of triangles while
// a thread in them does, and they are implicit where weave gave them a block. Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the smaller share of its two ends. Implicit springs are in the matrix already
// when they are nearly taut: kernels/classify.c says why.
#extension GL_GOOGLE_include_directive : require
#ifdef WEFT_WIDE
#define ENGINE_PUSH ClassifyPush
#endif
#include "engine.glsl"
#include "methods.glsl"
#include "tally.glsl"
#ifdef WEFT_WIDE
#include "block3.glsl"
#include "lanes.glsl"
#include "pattern.glsl"
#include "owned.glsl"
#endif

struct Spring
{
    real size, slack, base, stiffness, damping;
};

// Read at the start of main: inside of loops an address costs as much as what stands there.
Uints spring_flags, ends;
Reals shares, lengths, slacks, bases, stiffness, dampings, tensions, weave;
uint  method;
bool  has_weave;
real  threshold, h;

uint acting, implicit;

// Whether a spring that is taut, or has tension at any length, is implicit. `mass` is the smaller share of its ends.
bool is_stiff(uint kind, bool is_taut, Spring spring, real mass)
{
    if (method <= METHOD_IMEX)
        return method == METHOD_IMPLICIT || (method == METHOD_IMEX && (kind & SPRING_SHEAR) == 0);
    precise real stiff = (is_taut ? spring.stiffness : real(0)) + spring.base;
    precise real kappa = h / mass * (stiff * h + 2 * (is_taut ? spring.damping : real(0)));
    return kappa > threshold;
}

void count_flags(uint flags)
{
    acting += (flags & SPRING_ACTIVE) != 0 ? 1 : 0;
    implicit += (flags & SPRING_IMPLICIT) != 0 ? 1 : 0;
}

// The flags of a filling stay.
void classify(uint spring)
{
    uint kind = spring_flags.at[spring] & (SPRING_PRESENT | SPRING_SHEAR | SPRING_WOVEN), flags = kind;
    if ((kind & SPRING_PRESENT) == 0)
        return;
    Spring found = Spring(lengths.at[spring], slacks.at[spring], bases.at[spring], stiffness.at[spring],
                          dampings.at[spring]);
    real   slack = found.slack, size = found.size;
    bool   pulls_itself = (kind & SPRING_WOVEN) == 0;
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
    flags |= acts ? SPRING_ACTIVE : 0;
    if (is_taut || found.base > 0)
    {
        real a = shares.at[ends.at[2 * spring]], b = shares.at[ends.at[2 * spring + 1]];
        flags |= is_stiff(kind, is_taut, found, min(a, b)) ? SPRING_IMPLICIT : 0;
    }
    flags |= is_woven ? SPRING_IMPLICIT : 0;
    spring_flags.at[spring] = flags;
    count_flags(flags);
}

#ifdef WEFT_WIDE
// The eight springs of a slot that the rows of a slice own. The pattern knows no threads of triangles.
void classify_pattern(uint k, uint slice, bool is_row, uint other, uint is_mirror, uint spring_offset, real near_share)
{
    if (is_mirror != 0)
        return;
    uint first = pattern_spring(slice, other, is_mirror, spring_offset);
    bool is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    uint kind = lane_word(word_place(push.flags, first), 0) & (SPRING_PRESENT | SPRING_SHEAR), flags = kind;
    real far_share = lane_at(place_of(push.share, min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS)), 0);
#define LANE(name) lane_at(place_of(push.name, first), 0)
    Spring spring = Spring(LANE(lengths), LANE(slacks), LANE(bases), LANE(stiffness), LANE(dampings));
    real   slack = spring.slack, size = spring.size;
    bool   is_taut = slack - size < slack * real(NEARLY_TAUT);
    bool   is_implicit = is_stiff(kind, is_taut, spring, min(near_share, far_share));
    flags |= size > slack ? SPRING_ACTIVE : 0;
    flags |= (is_taut || spring.base > 0) && is_implicit ? SPRING_IMPLICIT : 0;
    if (!is_row || !is_there || (kind & SPRING_PRESENT) == 0)
        return;
    spring_flags.at[first + gl_SubgroupInvocationID] = flags;
    count_flags(flags);
}
#endif

void main()
{
    uint i = thread_index();
    spring_flags = ENGINE.s_flags;
    ends = ENGINE.s_ends;
    shares = ENGINE.share;
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
    h = value(VALUE_H);
    acting = implicit = 0;
#ifdef WEFT_WIDE
    uint first_slice = known_to_all(i / SLICE_ROWS) * COUNTED_SLICES;
    bool is_going = !has_failed();
    [[unroll]] for (uint round = 0; round < COUNTED_SLICES; round++)
    {
        uint slice = min(first_slice + round, SLICE_COUNT - 1);
        bool is_row = is_going && first_slice + round < SLICE_COUNT;
        real near_share = lane_at(place_of(push.share, slice * SLICE_ROWS), 0);
#define CLASSIFY(k) classify_pattern(k, slice, is_row, OTHER##k, IS_MIRROR##k, SPRING##k, near_share)
        FOR_PATTERN(CLASSIFY)
    }
    uint last_slice = is_going ? min(first_slice + COUNTED_SLICES, SLICE_COUNT) : 0;
    FOR_ODD_SPRINGS(min(first_slice, last_slice), last_slice, i % SLICE_ROWS, classify)
#else
    if (has_failed())
        return;
    uint count = ENGINE.structural_count, threads = thread_count();
    for (uint spring = i; spring < count; spring += threads)
        classify(spring);
#endif
    tally_add(FOUND_ACTIVE, acting);
    tally_add(FOUND_IMPLICIT, implicit);
}
