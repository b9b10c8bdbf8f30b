#version 450
// collide: particles found inside a solid are put on its surface, and touch it from now on.
// Reads solids, kept_x. Reads and writes x, v, contact, contact_solid, contact_load. One thread per
// particle, or for several. A new contact is an inelastic impact: the approach along the normal ends, and friction
// takes at most mu times that from the motion along the surface.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pin.glsl"
#include "solid.glsl"

// Solids may overlap: putting a particle out of one can push it into another, so this is repeated.
#define ROUNDS 16
#define OPPOSED real(-0.25) // cosine between the outsides of a thin part
#define ROUNDING real(1e-6) // m, not worth another round

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Reals positions, velocities, kept, thickness;
Uints contacts, solids;
uint  stride, solid_count;

uint contact, contact_solid;

real3 after_impact(uint solid, real3 x, real3 n, real3 v)
{
    real3 solid_v = solid_velocity(solid, x), slip = v - solid_v;
    real approach = -dot(slip, n);
    if (approach <= 0)
        return v;
    slip += approach * n;
    real speed = length(slip), grip = value(solid_place(solid) + SOLID_FRICTION) * approach;
    bool is_known = contact != CONTACT_NONE && contact_solid == solid;
    real part = is_known || speed == 0 ? real(1) : max(1 - grip / speed, real(0));
    return solid_v + part * slip;
}

void collide(uint i)
{
    if (is_pinned(i) && value(pin_place(ENGINE.pin_of.at[i]) + PIN_DEGREES) == 0)
        return;
    real3 x = load3(positions, stride, i), v = load3(velocities, stride, i), from = load3(kept, stride, i);
    real reach = thickness.at[i];
    contact = contacts.at[i];
    contact_solid = solids.at[i];
    bool touched = false, moved = true;
    for (int round = 0; round < ROUNDS && moved; round++)
    {
        moved = false;
        for (uint solid = 0; solid < solid_count; solid++)
        {
            Surface through = Surface(0, real3(0));
            bool crossed = round == 0 && solid_crossing(solid, from, x, through);
            if (!crossed && solid_is_far(solid, x, reach))
                continue;
            Surface surface = solid_surface(solid, x);
            // What has come through a thin part goes back to the side that it came from.
            if (crossed && dot(surface.normal, through.normal) < OPPOSED)
                surface = through;
            real depth = reach - surface.distance;
            if (!(depth > (round == 0 ? ON_SURFACE : ROUNDING)))
                continue;
            x += depth * surface.normal;
            moved = true;
            if (round > 0)
                continue;
            v = after_impact(solid, x, surface.normal, v);
            if (contact == CONTACT_NONE ||
                (!touched && contact_solid != solid && contact != CONTACT_STICK))
            {
                contact = CONTACT_SLIDE;
                contact_solid = solid;
                ENGINE.contact_load.at[i] = -1;
            }
            touched = true;
        }
    }
    if (touched)
    {
        store3(ENGINE.x, i, x);
        store3(ENGINE.v, i, v);
        ENGINE.contact.at[i] = contact;
        ENGINE.contact_solid.at[i] = contact_solid;
    }
}

void main()
{
    positions = ENGINE.x;
    velocities = ENGINE.v;
    kept = ENGINE.kept_x;
    thickness = ENGINE.thickness;
    contacts = ENGINE.contact;
    solids = ENGINE.contact_solid;
    stride = ENGINE.padded_count;
    solid_count = ENGINE.solid_count;
    uint count = has_failed() ? 0 : ENGINE.particle_count, threads = thread_count();
    for (uint i = thread_index(); i < count; i += threads)
        collide(i);
}
