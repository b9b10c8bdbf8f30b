#version 450
// constrain: pins and contacts as the filter S and the prescribed change z of every particle; friction.
// Reads positions, velocities, rhs, pins, solids, contacts, change (of the last step). Writes degrees,
// direction, prescribed, contact; adds friction to rhs and diagonal. One thread per particle, or for several.
//
// Baraff and Witkin 1998, section 5: a constrained particle has its velocity change prescribed in the
// constrained directions. Here z is what takes it exactly to its place at the end of the step: a pin to
// its target, a contact to the surface of the moved solid. Friction is Coulomb's, with the normal impulse
// that the contact needed in the last step.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pin.glsl"
#include "solid.glsl"
#include "tally.glsl"

#define REST_SPEED real(1e-5) // m/s

// Directions in which the change of velocity is prescribed, as an orthonormal basis, and the change itself.
uint held_count;
real3 held[3];
real3 prescribed;

// Asks that n.change = wanted. A direction almost within those already held is left out.
void hold(real3 n, real wanted)
{
    real3 rest = n;
    for (uint k = 0; k < held_count; k++)
        rest -= dot(n, held[k]) * held[k];
    real size = length(rest);
    if (held_count == 3 || size < real(0.1))
        return;
    // What is missing along n has to come from the new direction alone.
    held[held_count++] = rest / size;
    prescribed += (wanted - dot(n, prescribed)) / size * (rest / size);
}

void hold_all(real3 change)
{
    held_count = 3;
    prescribed = change;
}

// Holds what is still free. A pin comes before static friction.
void hold_rest(real3 change)
{
    if (held_count == 0)
    {
        hold_all(change);
        return;
    }
    hold(real3(1, 0, 0), change.x);
    hold(real3(0, 1, 0), change.y);
    hold(real3(0, 0, 1), change.z);
}

void hold_pin(uint i)
{
    uint place = pin_place(ENGINE.pin_of.at[i]), padded = ENGINE.padded_count;
    real3 start = load3(ENGINE.pin_start, i);
    real3 rounded = real3(ENGINE.pin_start.at[3 * padded + i], ENGINE.pin_start.at[4 * padded + i],
                          ENGINE.pin_start.at[5 * padded + i]);

    // The way from x to the target, put together from differences: places are large, ways are small.
    precise real3 turned =
        real3(dot(value3(place + PIN_TURN), start), dot(value3(place + PIN_TURN + 3), start),
              dot(value3(place + PIN_TURN + 6), start));
    precise real3 way =
        ((turned + value3(place + PIN_TRANSLATION)) + rounded) + (start - load3(ENGINE.x, i));
    real3 need = way / value(VALUE_H) - load3(ENGINE.v, i);
    uint degrees = uint(value(place + PIN_DEGREES));
    real3 direction = value3(place + PIN_DIRECTION);
    if (degrees == 0)
        hold_all(need);
    else if (degrees == 2)
        hold(direction, dot(direction, need));
    else
    {
        // Two directions across the line; the first is the coordinate axis that is most across it.
        real3 size = abs(direction), axis = real3(1, 0, 0);
        if (size.y < size.x)
            axis = real3(0, 1, 0);
        if (size.z < min(size.x, size.y))
            axis = real3(0, 0, 1);
        real3 first = normalize(axis - dot(axis, direction) * direction);
        real3 second = cross(direction, first);
        hold(first, dot(first, need));
        hold(second, dot(second, need));
    }
}

// Coulomb's friction on a particle that slides, implicit so that it can only slow down: impulse -(grip / |slip|) v_new
// along the surface.
void rub(uint i, real3 n, real3 slip, real grip)
{
    real speed = length(slip);
    if (grip <= 0 || speed <= 0)
        return;
    uint padded = ENGINE.padded_count;
    real drag = grip / speed;
    store3(ENGINE.rhs, i, load3(ENGINE.rhs, i) - drag * slip);
    store3(ENGINE.diagonal, i, load3(ENGINE.diagonal, i) + drag * (1 - n * n));
    ENGINE.diagonal.at[3 * padded + i] -= drag * n.x * n.y;
    ENGINE.diagonal.at[4 * padded + i] -= drag * n.x * n.z;
    ENGINE.diagonal.at[5 * padded + i] -= drag * n.y * n.z;
}

// The contact of particle i: keeps it on the surface and decides whether friction holds it. Returns what becomes of it.
uint hold_contact(uint i, uint contact, uint solid)
{
    real h = value(VALUE_H), thickness = ENGINE.thickness.at[i], mass = ENGINE.mass.at[i];
    real3 x = load3(ENGINE.x, i), v = load3(ENGINE.v, i), rhs = load3(ENGINE.rhs, i);
    Surface surface = solid_surface(solid, x + h * v);
    real3 n = surface.normal;
    real gap = surface.distance - thickness;
    if (gap > value(VALUE_CONTACT_MARGIN) && contact != CONTACT_STICK)
        return CONTACT_NONE;

    // What presses the particle on stands for the normal impulse of a contact that has not been through a solve yet.
    real3 solid_v = solid_velocity(solid, x), momentum = mass * (v - solid_v) + rhs;
    real load = ENGINE.contact_load.at[i];
    if (load < 0)
        load = max(-dot(momentum, n), real(0));
    real grip = value(solid_place(solid) + SOLID_FRICTION) * load;

    // Static friction takes over where the particle hardly moves, or slows down and friction could take all its
    // momentum and all that pulls at it along the surface. react finds out whether friction can hold it.
    real3 slip = v - solid_v;
    slip -= dot(slip, n) * n;
    real3 pull = mass * slip + rhs - dot(rhs, n) * n;
    real speed = length(slip);
    bool comes_to_rest =
        grip > 0 && (speed < REST_SPEED ||
                     (mass * speed <= grip && dot(slip, load3(ENGINE.change, i)) <= 0 &&
                      dot(pull, pull) <= grip * grip));
    if (contact == CONTACT_STICK || (contact == CONTACT_SLIDE && comes_to_rest))
    {
        // Carried along with the solid, at the cloth's distance from its surface.
        surface = solid_surface(solid, x + h * solid_v);
        real missing = thickness - surface.distance;
        real correction = abs(missing) > ON_SURFACE ? missing / h : real(0);
        hold_rest(solid_v - v + correction * surface.normal);
        return CONTACT_STICK;
    }
    hold(n, -gap / h);
    if (contact != CONTACT_SLIP)
        rub(i, n, slip, grip);
    else
    {
        // First step of a particle that static friction could not hold: friction against the pull.
        pull = momentum - dot(momentum, n) * n;
        real size = length(pull);
        if (size > 0)
            store3(ENGINE.rhs, i, rhs - min(grip, size) / size * pull);
    }
    return CONTACT_SLIDE;
}

// Other solids that the particle would enter in this step, or another part of the same mesh.
void hold_out_of_others(uint i, uint solid)
{
    real h = value(VALUE_H), thickness = ENGINE.thickness.at[i];
    real3 expected = load3(ENGINE.x, i) + h * (load3(ENGINE.v, i) + prescribed);
    for (uint k = 0; k < ENGINE.solid_count && held_count < 3; k++)
    {
        bool is_own = k == solid;
        if ((is_own && !is_mesh(k)) || solid_is_far(k, expected, thickness))
            continue;
        Surface surface = solid_surface(k, expected);
        real gap = surface.distance - thickness;
        if (gap < (is_own ? -ON_SURFACE : real(0)))
            hold(surface.normal, dot(surface.normal, prescribed) - gap / h);
    }
}

uint prescribed_count, contact_count, stick_count;

void constrain(uint i)
{
    uint contact = ENGINE.contact.at[i], now = CONTACT_NONE;
    held_count = 0;
    prescribed = real3(0);
    if (is_pinned(i))
        hold_pin(i);
    if (contact != CONTACT_NONE)
    {
        uint solid = ENGINE.contact_solid.at[i];
        if (held_count < 3)
        {
            now = hold_contact(i, contact, solid);
            hold_out_of_others(i, solid);
        }
        ENGINE.contact.at[i] = now;
    }
    ENGINE.degrees.at[i] = held_count == 3 ? DEAD_END : 3 - held_count;
    store3(ENGINE.prescribed, i, prescribed);
    if (held_count > 0)
        store3(ENGINE.direction, i,
               held_count == 1   ? held[0]
               : held_count == 2 ? cross(held[0], held[1])
                                 : real3(0));
    prescribed_count += prescribed != real3(0) ? 1 : 0;
    contact_count += now != CONTACT_NONE ? 1 : 0;
    stick_count += now == CONTACT_STICK ? 1 : 0;
}

void main()
{
    uint count = has_failed() ? 0 : ENGINE.particle_count, threads = thread_count();
    prescribed_count = contact_count = stick_count = 0;
    for (uint i = thread_index(); i < count; i += threads)
        constrain(i);
    tally_add(FOUND_PRESCRIBED, prescribed_count);
    tally_add(FOUND_CONTACTS, contact_count);
    tally_add(FOUND_STICKS, stick_count);
}
