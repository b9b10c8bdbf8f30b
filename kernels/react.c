// react: the force that each contact needed, and so whether it sticks, slides or leaves.
// Reads change, rhs, diagonal, spring blocks, contacts, solids. Writes contact, contact_load. One
// thread per particle. Baraff and Witkin 1998, section 5.3: the constraint impulse is q = A dv - b
// in the constrained directions. A contact that would have to pull is let go; static friction bears
// at most mu times the normal impulse.
#include <math.h>

#include "multiply.h"
#include "parallel.h"
#include "solid_distance.h"
#include "tiles.h"

static void react_particle(EngineData *data, uint32_t i)
{
    const SolidData *solid = &data->solids[data->contact_solid[i]];
    real             image[3], impulse[3], x[3];
    multiply_row(data, i, data->change, image);
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

static void react_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
        if (data->contact[i] != CONTACT_NONE)
            react_particle(data, i);
}

void WEFT_KERNEL(react)(EngineData *data)
{
    if (data->contact_count > 0)
        parallel_tiles(data, data->tile_count, react_tile);
}
