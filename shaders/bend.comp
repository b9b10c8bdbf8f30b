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

End load_end(uint i)
{
    return End(load3(ENGINE.x, i), load3(ENGINE.v, i), block_at(VECTORS(diagonal), i),
               ENGINE.light.at[i]);
}

real give(End end, real3 n)
{
    return end.light > 0 ? 1 / dot(n, block_multiply(end.a, n)) : real(0);
}

// The impulse on `near`; adds to `softened` if the force was weakened.
real3 spring_impulse(End near, End far, uint spring, inout uint softened)
{
    real3 d = far.x - near.x, dv = far.v - near.v;
    real size = length(d), rest = ENGINE.b_rest.at[spring];
    if (size >= rest || size == 0)
        return real3(0);
    const real nothing = real(1e-30);
    real3 n = d / size;
    real h = value(VALUE_H), q = 2 / (give(near, n) + give(far, n) + nothing);
    real mass = 2 / (near.light + far.light + nothing);
    real offer = BEND_SHARE * mass + BEND_TAUT_SHARE * (q - mass);
    real ramp = min(ENGINE.b_ramp.at[spring], offer / (h * h));
    real strongest = min(offer, BEND_THROW * mass) * rest / (h * h);
    real full = ENGINE.b_stiffness.at[spring] / (rest * rest) * buckling_force(size / rest);
    real push_force = min(min(full, strongest), ramp * (rest - size));
    softened += full > strongest ? 1 : 0;

    bool is_projected = ENGINE.damping_kind == 0;
    real damping = min(ENGINE.b_damping.at[spring],
                       (is_projected ? offer : BEND_SHARE * mass) / (2 * h));
    return h * (damping * (is_projected ? dot(n, dv) * n : dv) - push_force * n);
}

// Returns how many of the springs that the particle owns were weakened.
uint add_springs(uint i)
{
    End near = load_end(i);
    real3 sum = real3(0);
    uint softened = 0, slice = i / SLICE_ROWS, end = ENGINE.b_slice_slots.at[slice + 1];
    for (uint slot = ENGINE.b_slice_slots.at[slice]; slot < end; slot++)
    {
        uint flags = ENGINE.b_slot_flags.at[slot], weakened = 0;
        uint spring = ENGINE.b_slots.at[2 * slot] + i % SLICE_ROWS, other;
        if ((flags & SLOT_IS_SCATTERED) != 0)
        {
            other = ENGINE.b_lane_other.at[spring];
            spring = ENGINE.b_lane_spring.at[spring];
        }
        else
            other = ENGINE.b_slots.at[2 * slot + 1] + i % SLICE_ROWS;
        sum += spring_impulse(near, load_end(other), spring, weakened);
        softened += (flags & SLOT_IS_MIRROR) != 0 ? 0 : weakened;
    }
    store3(ENGINE.rhs, i, load3(ENGINE.rhs, i) + sum);
    return softened;
}

void main()
{
    uint i = thread_index();
    if (has_failed())
        return;
    tally_add(FOUND_SOFTENED, i < ENGINE.particle_count ? add_springs(i) : 0);
}
