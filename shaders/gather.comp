#version 450
// gather: right-hand side b and diagonal block of A of every particle.
// Reads spring impulses and blocks, pairs, air forces, velocities, pins. Writes rhs, diagonal, light; marks
// slots with a block as live. One thread per particle, then one per slot; GATHER_SLOTS has the slots alone.
//   b = h (f + h K v): gravity, air, the drag (a + b|v|) v of Liu et al. 2010, and the impulses of
//   the stretch, shear and contact springs at the particle. A_ii = m I + h (drag Jacobian) + sum over implicit springs of
//   (alpha I + u u^T + W), of contact springs weight^2 (alpha I + beta n n^T).
#extension GL_GOOGLE_include_directive : require
#ifdef WEFT_WIDE
#define ENGINE_PUSH GatherPush
#endif
#include "engine.glsl"
#include "pin.glsl"
#include "touches.glsl"
#ifdef WEFT_WIDE
#include "block3.glsl"
#include "lanes.glsl"
#include "pattern.glsl"
#endif

real3 rhs, across, along; // along: the entries xy xz yz

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints slice_slots, slots, slot_flags, lane_spring, spring_flags, fan_begin, fan;
Reals impulses, blocks, weave, air_force;
bool  is_woven;
uint  spring_stride, triangle_stride;
real  h;

void add_outer(real3 u, real even, real factor)
{
    across += even + factor * u * u;
    along += factor * real3(u.x * u.y, u.x * u.z, u.y * u.z);
}

void add_slot(uint slot, uint lane)
{
    uint flags = slot_flags.at[slot], stride = spring_stride;
    uint spring = slots.at[2 * slot] + lane;
    if ((flags & SLOT_IS_SCATTERED) != 0)
        spring = lane_spring.at[spring];
    uint state = spring_flags.at[spring];
    if ((state & SPRING_PRESENT) == 0)
        return;
    real3 impulse = load3(impulses, stride, spring);
    rhs += (flags & SLOT_IS_MIRROR) != 0 ? -impulse : impulse;
    if ((state & SPRING_IMPLICIT) == 0)
        return;
    add_outer(load3(blocks, stride, stride + spring), blocks.at[spring], real(1));
    if (!is_woven)
        return;
    across += load3(weave, stride, spring);
    along += load3(weave, stride, 3 * stride + spring);
}

#ifdef WEFT_WIDE
// A spring that does not act has zeros in its impulse and block.
void add_pattern_slot(uint k, uint slice, uint other, uint is_mirror, uint spring_offset)
{
    uint  spring = pattern_spring(slice, other, is_mirror, spring_offset);
    bool  is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    Place block = place_of(push.blocks, spring);
    real3 impulse = lane_vector(place_of(push.impulses, spring), SPRING_COUNT, 0);
    real3 u = lane_vector(block, SPRING_COUNT, SPRING_COUNT);
    real  alpha = lane_at(block, 0);
    impulse = is_there ? impulse : real3(0);
    rhs += is_mirror != 0 ? -impulse : impulse;
    add_outer(is_there ? u : real3(0), is_there ? alpha : real(0), real(1));
}

// The slots that are not in the pattern.
void add_odd(uint slice, uint lane)
{
    Uints odd = ENGINE.s_odd, begin = ENGINE.s_odd_begin;
    uint  end = begin.at[slice + 1];
    for (uint k = begin.at[slice]; k < end; k++)
        add_slot(odd.at[2 * k + 1], lane);
}
#endif

void add_structural(uint i)
{
    uint slice = i / SLICE_ROWS, lane = i % SLICE_ROWS;
#ifdef WEFT_WIDE
    add_odd(slice, lane);
#else
    uint end = slice_slots.at[slice + 1];
    for (uint slot = slice_slots.at[slice]; slot < end; slot++)
        add_slot(slot, lane);
#endif
}

void add_touches(Touches touches, uint i)
{
    Reals impulse = ENGINE.pair_impulse;
    uint  end = touches.begin.at[i + 1], stride = touches.stride;
    for (uint k = touches.begin.at[i]; k < end; k++)
    {
        uint pair = touches.list.at[k] / 4, corner = touches.list.at[k] % 4;
        if ((touches.flags.at[pair] & PAIR_ACTIVE) == 0)
            continue;
        real weight = touches.weight.at[corner * stride + pair], square = weight * weight;
        rhs += weight * load3(impulse, stride, pair);
        add_outer(load3(touches.normal, stride, pair), square * touches.alpha.at[pair],
                  square * touches.beta.at[pair]);
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
    real3 force = real3(0);
    uint  end = fan_begin.at[i + 1];
    for (uint k = fan_begin.at[i]; k < end; k++)
        force += load3(air_force, triangle_stride, fan.at[k]);
    rhs += h * force;
}

// A slot is live if one of its lanes has a block.
void mark_slot(uint slot)
{
    uint flags = slot_flags.at[slot] & ~SLOT_IS_LIVE;
    uint first = slots.at[2 * slot], any = 0;
    for (uint lane = 0; lane < SLICE_ROWS; lane++)
    {
        uint spring = first + lane;
        if ((flags & SLOT_IS_SCATTERED) != 0)
            spring = lane_spring.at[spring];
        any |= spring_flags.at[spring];
    }
    slot_flags.at[slot] = flags | ((any & SPRING_IMPLICIT) != 0 ? SLOT_IS_LIVE : 0u);
}

void main()
{
    uint  i = thread_index(), rows = ENGINE.slice_count * SLICE_ROWS;
    uint  count = ENGINE.particle_count, stride = ENGINE.padded_count;
    Reals masses = ENGINE.mass, light = ENGINE.light, all_rhs = ENGINE.rhs, diagonal = ENGINE.diagonal;
    real3 gravity = value3(VALUE_GRAVITY);
    Touches touches = TOUCHES;
    real  density = value(VALUE_AIR_DENSITY);
    bool  has_drag = value(VALUE_LINEAR_DRAG) > 0 || value(VALUE_QUADRATIC_DRAG) > 0;
    h = value(VALUE_H);
    spring_stride = ENGINE.structural_count;
    triangle_stride = ENGINE.triangle_count;
    slice_slots = ENGINE.s_slice_slots;
    slots = ENGINE.s_slots;
    slot_flags = ENGINE.s_slot_flags;
    lane_spring = ENGINE.s_lane_spring;
    spring_flags = ENGINE.s_flags;
    impulses = ENGINE.s_impulse;
    blocks = ENGINE.s_block;
    weave = ENGINE.s_weave;
    is_woven = ENGINE.weave_count > 0;
    fan_begin = ENGINE.fan_begin;
    fan = ENGINE.fan;
    air_force = ENGINE.air_force;
#ifdef WEFT_WIDE
    uint slice = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1);
    real mass = lane_at(place_of(push.mass, slice * SLICE_ROWS), 0);
    rhs = mass * h * gravity;
    across = real3(mass);
    along = real3(0);
#define ADD_SLOT(k) add_pattern_slot(k, slice, OTHER##k, IS_MIRROR##k, SPRING##k)
    FOR_PATTERN(ADD_SLOT)
    if (has_failed() || i >= rows)
        return;
#else
    if (has_failed())
        return;
    uint first_slot = push.phase == GATHER_SLOTS ? 0 : rows;
    if (i >= first_slot)
    {
        if (i - first_slot < ENGINE.structural_slots)
            mark_slot(i - first_slot);
        return;
    }
    real mass = masses.at[i];
    rhs = mass * h * gravity;
    across = real3(mass);
    along = real3(0);
#endif
    add_structural(i);
    if (ENGINE.pair_counts.at[PAIR_TOUCHING] > 0)
        add_touches(touches, i);
    if (has_drag)
        add_drag(i, mass);
    if (density > 0 && i < count)
        add_air(i);
    bool held = i < count && is_pinned(i) &&
                value(pin_place(ENGINE.pin_of.at[i]) + PIN_DEGREES) == 0;
    light.at[i] = held ? real(0) : 1 / mass;
    for (uint axis = 0; axis < 3; axis++)
    {
        all_rhs.at[axis * stride + i] = rhs[axis];
        diagonal.at[axis * stride + i] = across[axis];
        diagonal.at[(3 + axis) * stride + i] = along[axis];
    }
}
