#version 450
// gather: right-hand side b and diagonal block of A of every particle.
// Reads spring impulses and blocks, air forces, velocities, pins. Writes rhs, diagonal, light; marks
// slots with a block as live. One thread per particle, then one per slot.
//   b = h (f + h K v): gravity, air, the drag (a + b|v|) v of Liu et al. 2010, and the impulses of
//   the stretch and shear springs at the particle. A_ii = m I + h (drag Jacobian) + sum over implicit springs of
//   (alpha I + u u^T).
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pin.glsl"

real3 rhs, across, along; // along: the entries xy xz yz

void add_outer(real3 u, real even, real factor)
{
    across += even + factor * u * u;
    along += factor * real3(u.x * u.y, u.x * u.z, u.y * u.z);
}

void add_structural(uint i)
{
    uint slice = i / SLICE_ROWS, lane = i % SLICE_ROWS, stride = ENGINE.structural_count;
    uint end = ENGINE.s_slice_slots.at[slice + 1];
    for (uint slot = ENGINE.s_slice_slots.at[slice]; slot < end; slot++)
    {
        uint flags = ENGINE.s_slot_flags.at[slot];
        uint spring = ENGINE.s_slots.at[2 * slot] + lane;
        if ((flags & SLOT_IS_SCATTERED) != 0)
            spring = ENGINE.s_lane_spring.at[spring];
        uint state = ENGINE.s_flags.at[spring];
        if ((state & (SPRING_ACTIVE | SPRING_IMPLICIT)) == 0)
            continue;
        real3 impulse = real3(ENGINE.s_impulse.at[spring], ENGINE.s_impulse.at[stride + spring],
                              ENGINE.s_impulse.at[2 * stride + spring]);
        rhs += (flags & SLOT_IS_MIRROR) != 0 ? -impulse : impulse;
        if ((state & SPRING_IMPLICIT) != 0)
            add_outer(real3(ENGINE.s_block.at[stride + spring],
                            ENGINE.s_block.at[2 * stride + spring],
                            ENGINE.s_block.at[3 * stride + spring]),
                      ENGINE.s_block.at[spring], real(1));
    }
}

// f = -m (a + b|v|) v, df/dv = -m ((a + b|v|) I + b v v^T / |v|).
void add_drag(uint i, real mass)
{
    real3 v = load3(ENGINE.v, i);
    real speed = length(v), impulse = value(VALUE_H) * mass;
    real even = impulse * (value(VALUE_LINEAR_DRAG) + value(VALUE_QUADRATIC_DRAG) * speed);
    rhs -= even * v;
    if (ENGINE.method != 0)
        add_outer(v, even, speed > 0 ? impulse * value(VALUE_QUADRATIC_DRAG) / speed : real(0));
}

void add_air(uint i)
{
    uint stride = ENGINE.triangle_count;
    real3 force = real3(0);
    for (uint k = ENGINE.fan_begin.at[i]; k < ENGINE.fan_begin.at[i + 1]; k++)
    {
        uint triangle = ENGINE.fan.at[k];
        force += real3(ENGINE.air_force.at[triangle], ENGINE.air_force.at[stride + triangle],
                       ENGINE.air_force.at[2 * stride + triangle]);
    }
    rhs += value(VALUE_H) * force;
}

// A slot is live if one of its lanes has a block.
void mark_slot(uint slot)
{
    uint flags = ENGINE.s_slot_flags.at[slot] & ~SLOT_IS_LIVE;
    uint first = ENGINE.s_slots.at[2 * slot], any = 0;
    for (uint lane = 0; lane < SLICE_ROWS; lane++)
    {
        uint spring = first + lane;
        if ((flags & SLOT_IS_SCATTERED) != 0)
            spring = ENGINE.s_lane_spring.at[spring];
        any |= ENGINE.s_flags.at[spring];
    }
    ENGINE.s_slot_flags.at[slot] = flags | ((any & SPRING_IMPLICIT) != 0 ? SLOT_IS_LIVE : 0u);
}

void main()
{
    uint i = thread_index(), rows = ENGINE.slice_count * SLICE_ROWS;
    if (has_failed())
        return;
    if (i >= rows)
    {
        if (i - rows < ENGINE.structural_slots)
            mark_slot(i - rows);
        return;
    }
    real mass = ENGINE.mass.at[i];
    rhs = mass * value(VALUE_H) * value3(VALUE_GRAVITY);
    across = real3(mass);
    along = real3(0);
    add_structural(i);
    if (value(VALUE_LINEAR_DRAG) > 0 || value(VALUE_QUADRATIC_DRAG) > 0)
        add_drag(i, mass);
    if (value(VALUE_AIR_DENSITY) > 0 && i < ENGINE.particle_count)
        add_air(i);
    bool held = i < ENGINE.particle_count && is_pinned(i) &&
                value(pin_place(ENGINE.pin_of.at[i]) + PIN_DEGREES) == 0;
    ENGINE.light.at[i] = held ? real(0) : 1 / mass;
    store3(ENGINE.rhs, i, rhs);
    store3(ENGINE.diagonal, i, across);
    for (uint axis = 0; axis < 3; axis++)
        ENGINE.diagonal.at[(3 + axis) * ENGINE.padded_count + i] = along[axis];
}
