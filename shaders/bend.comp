#version 450
// bend: impulses of the bend springs, added to the right-hand side.
// Reads positions, velocities, light, blocks of the stretch springs. Adds to rhs. One thread per particle: both
// ends of a spring calculate its force.
//
// A beam pushes as Choi and Ko 2002 have it, type 2, immediate buckling, and on when it is straight; diagonals and meshes have pushes
// in proportion to the chord. Both are explicit, where the velocities lead; a beam only as far as the tension of the implicit springs
// below bears it, and bounded beyond that: kernels/bend.c says why.
#extension GL_GOOGLE_include_directive : require
#ifdef WEFT_WIDE
#define ENGINE_PUSH BendPush
#endif
#include "buckle.glsl"
#include "engine.glsl"
#include "tally.glsl"
#include "block3.glsl"
#ifdef WEFT_WIDE
#include "lanes.glsl"
#include "pattern.glsl"
#endif

// Parts of the mass, and of the springs below, that explicit forces and damping may use, and how much push tension bears; kernels/bend.c.
#define BEND_THROW real(0.15)
#define BEND_SHARE real(0.1)
#define BEND_TAUT_SHARE real(0.25)
#define BEND_BORNE real(2)

struct End
{
    real3 x, v;
    real  light; // 1 / mass; 0 if held
};

struct Beam
{
    real rest, base, stiffness, damping;
    uint below[2];
};

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Vectors positions, velocities;
Uints   slice_slots, slots, slot_flags, lane_spring, lane_other, belows;
Reals   lights, rests, bases, stiffness, dampings, blocks;
uint    bend_count;
real    h, ahead;
bool    is_projected;

End load_end(uint i)
{
    return End(vector_at(positions, i), vector_at(velocities, i), lights.at[i]);
}

// The impulse on `near`; adds to `softened` if the force of a beam was weakened.
real3 spring_impulse(End near, End far, Beam beam, inout uint softened)
{
    real3 d = far.x - near.x, dv = far.v - near.v;
    real size = length(d), rest = beam.rest;
    // Of a beam `base` is the stiffness of each spring below it.
    real push_over_length = beam.stiffness > 0 ? real(0) : beam.base, leading = push_over_length;
    real3 n = size > 0 ? d / size : real3(0);
    real mass = 2 / (near.light + far.light + real(1e-30)), most = BEND_SHARE * mass;
    if (beam.stiffness > 0)
    {
        // The block's first number is h^2 (tension / length).
        real tension = min(blocks.at[beam.below[0]], blocks.at[beam.below[1]]) * rest / (2 * h * h), ratio = size / rest;
        real full = beam.stiffness / (rest * rest) * buckling_force(min(ratio, real(1)));
        real borne = min(BEND_BORNE * tension, full);
        real bounded = min(full, borne + BEND_THROW * mass * rest / (h * h)), per_size = size > 0 ? 1 / size : real(0);
        softened += full > bounded ? 1 : 0;
        push_over_length += bounded * per_size;
        leading += borne * per_size;
        most += is_projected && borne > 0 ? BEND_TAUT_SHARE * beam.base * ratio * ratio * h * h : real(0);
    }

    // Damping only resists more bend.
    real damping = size < rest ? min(beam.damping, most / (2 * h)) : real(0);
    return h * (damping * (is_projected ? dot(n, dv) * n : dv) - push_over_length * d - ahead * leading * dv);
}

// Adds a slot's impulse; to `softened`, if the particle owns the spring and its force was weakened.
void add_slot(uint slot, uint lane, End near, inout real3 sum, inout uint softened)
{
    uint flags = slot_flags.at[slot], weakened = 0;
    uint spring = slots.at[2 * slot] + lane, other;
    if ((flags & SLOT_IS_SCATTERED) != 0)
    {
        other = lane_other.at[spring];
        spring = lane_spring.at[spring];
    }
    else
        other = slots.at[2 * slot + 1] + lane;
    End far = load_end(other);
    Beam beam = Beam(rests.at[spring], bases.at[spring], stiffness.at[spring], dampings.at[spring],
                     uint[](belows.at[spring], belows.at[bend_count + spring]));
    sum += spring_impulse(near, far, beam, weakened);
    softened += (flags & SLOT_IS_MIRROR) != 0 ? 0 : weakened;
}

#ifdef WEFT_WIDE
End lane_end(uint first)
{
    return End(lane_vector(place_of(push.x, first), STRIDE, 0), lane_vector(place_of(push.v, first), STRIDE, 0),
               lane_at(place_of(push.light, first), 0));
}

void add_pattern_slot(uint k, uint slice, uint other, uint is_mirror, uint spring_offset, End near,
                      inout real3 sum, inout uint softened)
{
    uint spring = pattern_spring(slice, other, is_mirror, spring_offset), weakened = 0;
    bool is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    End  far = lane_end(min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS));
#define LANE(name) lane_at(place_of(push.name, spring), 0)
    Place below = word_place(push.below, spring);
    Beam  beam = Beam(LANE(rest), LANE(base), LANE(stiffness), LANE(damping),
                     uint[](lane_word(below, 0), lane_word(below, SPRING_COUNT)));
    if (is_there)
        sum += spring_impulse(near, far, beam, weakened);
    softened += is_mirror != 0 ? 0 : weakened;
}
#endif

void main()
{
    Vectors rhs = VECTORS(rhs);
    uint    i = thread_index(), softened = 0;
    slice_slots = ENGINE.b_slice_slots;
    slots = ENGINE.b_slots;
    slot_flags = ENGINE.b_slot_flags;
    lane_spring = ENGINE.b_lane_spring;
    lane_other = ENGINE.b_lane_other;
    positions = VECTORS(x);
    velocities = VECTORS(v);
    lights = ENGINE.light;
    rests = ENGINE.b_rest;
    bases = ENGINE.b_base;
    belows = ENGINE.b_below;
    blocks = ENGINE.s_block;
    bend_count = ENGINE.bend_count;
    stiffness = ENGINE.b_stiffness;
    dampings = ENGINE.b_damping;
    h = value(VALUE_H);
    ahead = ENGINE.method == 0 ? real(0) : h;
    is_projected = ENGINE.damping_kind == 0;
    real3 sum = real3(0);
#ifdef WEFT_WIDE
    Uints odd = ENGINE.b_odd, odd_begin = ENGINE.b_odd_begin;
    uint  slice = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1);
    End   near = lane_end(slice * SLICE_ROWS);
#define ADD_SLOT(k) add_pattern_slot(k, slice, OTHER##k, IS_MIRROR##k, SPRING##k, near, sum, softened)
    FOR_PATTERN(ADD_SLOT)
#endif
    if (has_failed())
        return;
    if (i < ENGINE.particle_count)
    {
#ifdef WEFT_WIDE
        uint end = odd_begin.at[slice + 1];
        for (uint k = odd_begin.at[slice]; k < end; k++)
            add_slot(odd.at[2 * k + 1], i % SLICE_ROWS, near, sum, softened);
#else
        End  near = load_end(i);
        uint slice = i / SLICE_ROWS, end = slice_slots.at[slice + 1];
        for (uint slot = slice_slots.at[slice]; slot < end; slot++)
            add_slot(slot, i % SLICE_ROWS, near, sum, softened);
#endif
        set_vector(rhs, i, vector_at(rhs, i) + sum);
    }
    else
        softened = 0;
    tally_add(FOUND_SOFTENED, softened);
}
