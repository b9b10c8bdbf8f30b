// react: the force that each contact needed, and so whether it sticks, slides or leaves.
// Reads change, rhs, diagonal, spring blocks, contacts, solids. Writes contact, contact_load. One
// thread per particle. Baraff and Witkin 1998, section 5.3: the constraint impulse is q = A dv - b
// in the constrained directions. A contact that would have to pull is let go; static friction bears
// at most mu times the normal impulse.
#include <math.h>

#include "contacts.h"
#include "multiply.h"
#include "solid_distance.h"
#include "tiles.h"

// The lanes of a slice that touch one solid, by their rows of A dv.
static void react_to_solid(EngineData *data, uint32_t first, const SolidData *solid, uint32_t lanes,
                           const Lanes image[3])
{
    Lanes impulse[3], x[3], known = lanes_load(data->contact_load + first);
    for (int axis = 0; axis < 3; axis++)
    {
        impulse[axis] = image[axis] - lanes_load(data->rhs[axis] + first);
        x[axis] =
            lanes_load(data->x[axis] + first) +
            data->h * (lanes_load(data->v[axis] + first) + lanes_load(data->change[axis] + first));
    }
    const Surfaces surfaces = solid_surfaces(solid, &solid->after, x, lanes);
    Lanes          load = lanes_dot(impulse, surfaces.normal);
    const uint32_t leaving = lanes & lanes_bits(lanes_less(load, (Lanes){0})),
                   staying = lanes & ~leaving;
    lanes_store(data->contact_load + first, lanes_select(lanes_mask(staying), load, known));

    Lanes grip = solid->friction * load;
    for (int axis = 0; axis < 3; axis++)
        impulse[axis] -= load * surfaces.normal[axis];
    const uint32_t slipping = staying & lanes_in_state(data, first, CONTACT_STICK) &
                              lanes_bits(lanes_less(grip * grip, lanes_dot(impulse, impulse)));
    set_contacts(data, first, slipping, CONTACT_SLIP);
    set_contacts(data, first, leaving, CONTACT_NONE);
}

static void react_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    // Where one particle touches a solid its neighbours mostly do, so that A dv is formed for all eight of a slice.
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        uint32_t left = lanes_touching(data, first), solid;
        Lanes    image[3];
        if (left)
            multiply_slice(data, first / SLICE, data->change, image);
        while (left)
        {
            const uint32_t lanes = take_solid(data, first, &left, &solid);
            react_to_solid(data, first, &data->solids[solid], lanes, image);
        }
    }
}

void WEFT_KERNEL(react)(EngineData *data)
{
    if (data->contact_count > 0)
        parallel_strips(data, data->particle_count, react_strip);
}
