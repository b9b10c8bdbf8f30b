#version 450
// bend: impulses of the bend springs, added to the right-hand side.
// Reads positions, velocities, diagonal, light. Adds to rhs. One thread per particle: both
// ends of a spring calculate its force.
//
// Choi and Ko 2002, type 2, immediate buckling, reached by a linear ramp; explicit, and bounded by
// what A offers along the chord, q = 2 / (1 / n.A_aa n + 1 / n.A_bb n): kernels/bend.c says why.
#extension GL_GOOGLE_include_directive : require
#include "buckle.glsl"
#include "engine.glsl"
#include "tally.glsl"
#include "block3.glsl"

// Parts of the mass, and of what A offers beyond it, that explicit forces may use; kernels/bend.c.
#define BEND_SHARE real(0.1)
#define BEND_TAUT_SHARE real(0.25)
#define BEND_THROW real(0.15)

struct End
{
    real3 x, v;
    Block a;
    real  light; // 1 / mass; 0 if held
};

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Vectors positions, velocities, diagonals;
Reals   lights, rests, ramps, stiffness, dampings;
real    h;
bool    is_projected;

End load_end(uint i)
{
    return End(vector_at(positions, i), vector_at(velocities, i), block_at(diagonals, i), lights.at[i]);
}

real give(End end, real3 n)
{
    return end.light > 0 ? 1 / dot(n, block_multiply(end.a, n)) : real(0);
}

// The impulse on `near`; adds to `softened` if the force was weakened.
real3 spring_impulse(End near, End far, uint spring, inout uint softened)
{
    real3 d = far.x - near.x, dv = far.v - near.v;
    real size = length(d), rest = rests.at[spring];
    if (size >= rest || size == 0)
        return real3(0);
    const real nothing = real(1e-30);
    real3 n = d / size;
    real q = 2 / (give(near, n) + give(far, n) + nothing);
    real mass = 2 / (near.light + far.light + nothing);
    real offer = BEND_SHARE * mass + BEND_TAUT_SHARE * (q - mass);
    real ramp = min(ramps.at[spring], offer / (h * h));
    real strongest = min(offer, BEND_THROW * mass) * rest / (h * h);
    real full = stiffness.at[spring] / (rest * rest) * buckling_force(size / rest);
    real push_force = min(min(full, strongest), ramp * (rest - size));
    softened += full > strongest ? 1 : 0;

    real damping = min(dampings.at[spring],
                       (is_projected ? offer : BEND_SHARE * mass) / (2 * h));
    return h * (damping * (is_projected ? dot(n, dv) * n : dv) - push_force * n);
}

// Returns how many of the springs that the particle owns were weakened.
uint add_springs(uint i, Vectors rhs, Uints slice_slots, Uints slots, Uints slot_flags, Uints lane_spring,
                 Uints lane_other)
{
    End near = load_end(i);
    real3 sum = real3(0);
    uint softened = 0, slice = i / SLICE_ROWS, end = slice_slots.at[slice + 1];
    for (uint slot = slice_slots.at[slice]; slot < end; slot++)
    {
        uint flags = slot_flags.at[slot], weakened = 0;
        uint spring = slots.at[2 * slot] + i % SLICE_ROWS, other;
        if ((flags & SLOT_IS_SCATTERED) != 0)
        {
            other = lane_other.at[spring];
            spring = lane_spring.at[spring];
        }
        else
            other = slots.at[2 * slot + 1] + i % SLICE_ROWS;
        sum += spring_impulse(near, load_end(other), spring, weakened);
        softened += (flags & SLOT_IS_MIRROR) != 0 ? 0 : weakened;
    }
    set_vector(rhs, i, vector_at(rhs, i) + sum);
    return softened;
}

void main()
{
    Vectors rhs = VECTORS(rhs);
    Uints   slice_slots = ENGINE.b_slice_slots, slots = ENGINE.b_slots, slot_flags = ENGINE.b_slot_flags,
          lane_spring = ENGINE.b_lane_spring, lane_other = ENGINE.b_lane_other;
    uint i = thread_index(), softened = 0;
    positions = VECTORS(x);
    velocities = VECTORS(v);
    diagonals = VECTORS(diagonal);
    lights = ENGINE.light;
    rests = ENGINE.b_rest;
    ramps = ENGINE.b_ramp;
    stiffness = ENGINE.b_stiffness;
    dampings = ENGINE.b_damping;
    h = value(VALUE_H);
    is_projected = ENGINE.damping_kind == 0;
    if (has_failed())
        return;
    if (i < ENGINE.particle_count)
        softened = add_springs(i, rhs, slice_slots, slots, slot_flags, lane_spring, lane_other);
    tally_add(FOUND_SOFTENED, softened);
}
