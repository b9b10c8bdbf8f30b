// react: the force that each contact needed, and so whether it sticks, slides or leaves.
// Reads change, rhs, diagonal, spring blocks, contacts, solids. Writes contact, contact_load. One
// thread per particle. Baraff and Witkin 1998, section 5.3: the constraint impulse is q = A dv - b
// in the constrained directions. A contact that would have to pull is let go; static friction bears
// at most mu times the normal impulse.
#include <math.h>

#include "multiply.h"
#include "solid_distance.h"
#include "tiles.h"

static void react_particle(EngineData *data, uint32_t i, const real image[3])
{
    const SolidData *solid = &data->solids[data->contact_solid[i]];
    real             impulse[3], x[3];
    for (int axis = 0; axis < 3; axis++)
    {
        impulse[axis] = image[axis] - data->rhs[axis][i];
        x[axis] = data->x[axis][i] + data->h * (data->v[axis][i] + data->change[axis][i]);
    }
    const Surface surface = solid_surface(solid, &solid->after, x);
    const real   *n = surface.normal;
    real          load = impulse[0] * n[0] + impulse[1] * n[1] + impulse[2] * n[2];
    if (load < 0)
    {
        data->contact[i] = CONTACT_NONE;
        return;
    }
    data->contact_load[i] = load;
    if (data->contact[i] != CONTACT_STICK)
        return;
    for (int axis = 0; axis < 3; axis++)
        impulse[axis] -= load * n[axis];
    real grip = solid->friction * load;
    if (impulse[0] * impulse[0] + impulse[1] * impulse[1] + impulse[2] * impulse[2] > grip * grip)
        data->contact[i] = CONTACT_SLIP;
}

static void react_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    // Where one particle touches a solid its neighbours mostly do, so that A dv is formed for all eight of a slice.
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        Lanes    image[3];
        uint64_t contacts;
        memcpy(&contacts, data->contact + first, sizeof(contacts));
        if (contacts == 0)
            continue;
        multiply_slice(data, first / SLICE, data->change, image);
        for (uint32_t lane = 0; lane < SLICE && first + lane < data->particle_count; lane++)
        {
            const real own[3] = {image[0][lane], image[1][lane], image[2][lane]};
            if (data->contact[first + lane] != CONTACT_NONE)
                react_particle(data, first + lane, own);
        }
    }
}

void WEFT_KERNEL(react)(EngineData *data)
{
    if (data->contact_count > 0)
        parallel_strips(data, data->particle_count, react_strip);
}
