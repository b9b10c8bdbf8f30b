#version 450
// springs: impulse and Jacobian block of every acting stretch and shear spring.
// Reads positions, velocities, spring flags and lengths, what weave adds. Writes spring impulses and
// blocks. One thread per spring; with WEFT_WIDE per particle, for the springs that it owns.
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
#ifdef WEFT_WIDE
#define ENGINE_PUSH SpringsPush
#endif
#include "engine.glsl"
#include "block3.glsl"
#ifdef WEFT_WIDE
#include "lanes.glsl"
#include "pattern.glsl"
#include "owned.glsl"
#endif

struct Spring
{
    real size, rest, slack, reach, stiffness, damping, base;
};

// What a spring is given: impulse on its owner, and block.
struct Force
{
    real3 impulse;
    real  alpha;
    real3 u;
};

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints spring_flags, ends;
Reals x, v, impulses, blocks, lengths, rests, stiffness, dampings, bases, slacks, reaches;
uint  spring_count, apart;
real  h, ahead;
bool  is_projected, is_woven;

// `push_over_length` is that of threads.
Force force_of(uint flags, Spring spring, real push_over_length, real3 d, real3 dv)
{
    Force force = Force(real3(0), real(0), real3(0));
    real  size = spring.size, k = spring.stiffness;
    real  kd = (flags & SPRING_ACTIVE) != 0 ? spring.damping : real(0);
    real3 n = size > 0 ? d / size : real3(0);
    // Tension over length, of what is drawn out beyond rest and up to it; K = even I + outer n n^T.
    real drawn = max(size - spring.rest, real(0)) + clamp(size - spring.slack, real(0), spring.reach);
    real even = size > 0 ? k * drawn / size : real(0);
    real outer = spring.slack - size < spring.slack * real(NEARLY_TAUT) ? k - even : real(0);
    real always = spring.base + push_over_length;
    force.impulse = h * (even + always) * d + h * ahead * always * dv;
    force.impulse += h * kd * (is_projected ? dot(dv, n) * n : dv);
    if ((flags & SPRING_IMPLICIT) != 0)
    {
        force.impulse += h * h * (even * dv + outer * dot(n, dv) * n);
        force.alpha = h * h * (even + spring.base) + (is_projected ? real(0) : h * kd);
        force.u = sqrt(h * h * outer + (is_projected ? h * kd : real(0))) * n;
    }
    return force;
}

void store_axes(Reals array, uint first, uint spring, real3 vector)
{
    for (uint axis = 0; axis < 3; axis++)
        array.at[(first + axis) * spring_count + spring] = vector[axis];
}

void store_force(uint spring, Force force)
{
    store_axes(impulses, 0, spring, force.impulse);
    blocks.at[spring] = force.alpha;
    store_axes(blocks, 1, spring, force.u);
}

void find_force(uint spring)
{
    uint flags = spring_flags.at[spring];
    if ((flags & SPRING_PRESENT) == 0)
        return;
    Force force = Force(real3(0), real(0), real3(0));
    real  base = bases.at[spring], push_over_length = 0;
    if (is_woven)
        push_over_length = ENGINE.s_push.at[spring];
    if ((flags & (SPRING_ACTIVE | SPRING_IMPLICIT)) != 0 || base != 0 || push_over_length != 0)
    {
        uint   a = ends.at[2 * spring], b = ends.at[2 * spring + 1];
        real3  d = load3(x, apart, b) - load3(x, apart, a), dv = load3(v, apart, b) - load3(v, apart, a);
        Spring all = Spring(lengths.at[spring], rests.at[spring], slacks.at[spring], reaches.at[spring],
                            stiffness.at[spring], dampings.at[spring], base);
        force = force_of(flags, all, push_over_length, d, dv);
        if (is_woven)
        {
            force.impulse += h * ENGINE.s_tension.at[spring] * d;
            force.impulse += block_multiply(block_at(Vectors(ENGINE.s_weave, spring_count), spring), dv);
        }
    }
    store_force(spring, force);
}

#ifdef WEFT_WIDE
// The eight springs of a slot that the rows of a slice own.
void find_pattern_forces(uint k, uint slice, bool is_row, uint other, uint is_mirror, uint spring_offset,
                         real3 near_x, real3 near_v)
{
    if (is_mirror != 0)
        return;
    uint  first = pattern_spring(slice, other, is_mirror, spring_offset);
    uint  far = min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS);
    bool  is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    uint  flags = lane_word(word_place(push.flags, first), 0);
    real3 d = lane_vector(place_of(push.x, far), STRIDE, 0) - near_x;
    real3 dv = lane_vector(place_of(push.v, far), STRIDE, 0) - near_v;
#define LANE(name) lane_at(place_of(push.name, first), 0)
    Spring spring = Spring(LANE(lengths), LANE(rests), LANE(slacks), LANE(reaches), LANE(stiffness),
                           LANE(dampings), LANE(bases));
    Force  force = force_of(flags, spring, real(0), d, dv);
    bool   acts = (flags & (SPRING_ACTIVE | SPRING_IMPLICIT)) != 0 || spring.base != 0;
    if (!acts)
        force = Force(real3(0), real(0), real3(0));
    Stores stores = stores_of(is_row && is_there && (flags & SPRING_PRESENT) != 0);
    Place  impulse = place_of(impulses, first), block = place_of(blocks, first);
    Place  u = block + REAL_BYTES * uint64_t(SPRING_COUNT);
    store_two_vectors(stores, impulse, force.impulse, u, force.u, SPRING_COUNT);
    store_two(stores, block, force.alpha, block, force.alpha);
#ifdef PAIRED_STORES
    if (stores.is_single)
        store_force(first + gl_SubgroupInvocationID, force);
#endif
}
#endif

void main()
{
    spring_flags = ENGINE.s_flags;
    ends = ENGINE.s_ends;
    x = ENGINE.x;
    v = ENGINE.v;
    impulses = ENGINE.s_impulse;
    blocks = ENGINE.s_block;
    lengths = ENGINE.s_length;
    rests = ENGINE.s_rest;
    stiffness = ENGINE.s_stiffness;
    dampings = ENGINE.s_damping;
    bases = ENGINE.s_base;
    slacks = ENGINE.s_slack;
    reaches = ENGINE.s_reach;
    spring_count = ENGINE.structural_count;
    apart = ENGINE.padded_count;
    h = value(VALUE_H);
    ahead = ENGINE.method == 0 ? real(0) : h;
    is_projected = ENGINE.damping_kind == 0;
    is_woven = ENGINE.weave_count > 0;
    uint i = thread_index();
#ifdef WEFT_WIDE
    uint  slice = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1);
    bool  is_row = i < SLICE_COUNT * SLICE_ROWS && !has_failed();
    real3 near_x = lane_vector(place_of(push.x, slice * SLICE_ROWS), STRIDE, 0);
    real3 near_v = lane_vector(place_of(push.v, slice * SLICE_ROWS), STRIDE, 0);
#define FIND_FORCES(k)                                                                             \
    find_pattern_forces(k, slice, is_row, OTHER##k, IS_MIRROR##k, SPRING##k, near_x, near_v)
    FOR_PATTERN(FIND_FORCES)
    if (!is_row)
        return;
    FOR_ODD_SPRINGS(slice, slice + 1, i % SLICE_ROWS, find_force)
#else
    if (!has_failed() && i < spring_count)
        find_force(i);
#endif
}
