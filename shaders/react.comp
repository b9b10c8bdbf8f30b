#version 450
// react: the force that each contact needed, and so whether it sticks, slides or leaves.
// Reads change, rhs, diagonal, spring blocks, pairs, contacts, solids. Writes contact, contact_load. One
// thread per particle, or for several. Baraff and Witkin 1998, section 5.3: the constraint impulse is q = A dv - b
// in the constrained directions. A contact that would have to pull is let go; static friction bears
// at most mu times the normal impulse.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "block3.glsl"
#include "solid.glsl"
#include "touches.glsl"

// A dv - b at particle i.
real3 needed_impulse(uint i)
{
    uint padded = ENGINE.padded_count, stride = ENGINE.structural_count;
    real3 across = load3(ENGINE.diagonal, i);
    real xy = ENGINE.diagonal.at[3 * padded + i], xz = ENGINE.diagonal.at[4 * padded + i],
         yz = ENGINE.diagonal.at[5 * padded + i];
    real3x3 block = real3x3(across.x, xy, xz, xy, across.y, yz, xz, yz, across.z);
    real3 sum = block * load3(ENGINE.change, i) - load3(ENGINE.rhs, i);

    uint slice = i / SLICE_ROWS, lane = i % SLICE_ROWS;
    uint end = ENGINE.s_slice_slots.at[slice + 1];
    for (uint slot = ENGINE.s_slice_slots.at[slice]; slot < end; slot++)
    {
        uint flags = ENGINE.s_slot_flags.at[slot];
        if ((flags & SLOT_IS_LIVE) == 0)
            continue;
        bool is_scattered = (flags & SLOT_IS_SCATTERED) != 0;
        uint at = ENGINE.s_slots.at[2 * slot] + lane;
        uint spring = is_scattered ? ENGINE.s_lane_spring.at[at] : at;
        uint other = is_scattered ? ENGINE.s_lane_other.at[at] : ENGINE.s_slots.at[2 * slot + 1] + lane;
        if ((ENGINE.s_flags.at[spring] & SPRING_IMPLICIT) == 0)
            continue;
        real3 far = load3(ENGINE.change, other);
        real3 u = real3(ENGINE.s_block.at[stride + spring], ENGINE.s_block.at[2 * stride + spring],
                        ENGINE.s_block.at[3 * stride + spring]);
        sum -= ENGINE.s_block.at[spring] * far + dot(u, far) * u;
        if (ENGINE.weave_count > 0)
            sum -= block_multiply(block_at(Vectors(ENGINE.s_weave, stride), spring), far);
    }
    Touches touches = TOUCHES;
#define CHANGE_AT(j) load3(ENGINE.change, j)
    ADD_TOUCHES(touches, i, sum, CHANGE_AT)
    return sum;
}

void react(uint i)
{
    uint contact = ENGINE.contact.at[i];
    if (contact == CONTACT_NONE)
        return;
    uint solid = ENGINE.contact_solid.at[i];
    real3 x = load3(ENGINE.x, i) + value(VALUE_H) * (load3(ENGINE.v, i) + load3(ENGINE.change, i));
    real3 impulse = needed_impulse(i), n = solid_surface(solid, x).normal;
    real load = dot(impulse, n);
    if (load < 0)
    {
        ENGINE.contact.at[i] = CONTACT_NONE;
        return;
    }
    ENGINE.contact_load.at[i] = load;
    real grip = value(solid_place(solid) + SOLID_FRICTION) * load;
    real3 pull = impulse - load * n;
    if (contact == CONTACT_STICK && dot(pull, pull) > grip * grip)
        ENGINE.contact.at[i] = CONTACT_SLIP;
}

void main()
{
    uint count = has_failed() ? 0 : ENGINE.particle_count, threads = thread_count();
    for (uint i = thread_index(); i < count; i += threads)
        react(i);
}
