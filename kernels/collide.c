// collide: particles found inside a solid are put on its surface, and touch it from now on.
// Reads solids, kept_x. Reads and writes x, v, contact, contact_solid, contact_load. One thread per
// particle. A new contact is an inelastic impact: the approach along the normal ends, and friction
// takes at most mu times that from the motion along the surface.
#include <math.h>

#include "slices.h"
#include "solid_distance.h"
#include "tiles.h"

// Solids may overlap: putting a particle out of one can push it into another, so this is repeated.
#define ROUNDS 16
#define NEAR_SOLIDS 64u // of any others it is found out particle by particle whether they are near
#define OPPOSED ((real)-0.25) // cosine between the outsides of a thin part
#define ROUNDING ((real)1e-6) // m, not worth another round

static void impact(EngineData *data, uint32_t i, uint32_t k, const real x[3], const real n[3])
{
    const SolidData *solid = &data->solids[k];
    real             solid_v[3], along[3], approach = 0, speed2 = 0;
    solid_velocity(solid, x, data->h, solid_v);
    for (int axis = 0; axis < 3; axis++)
        approach -= (data->v[axis][i] - solid_v[axis]) * n[axis];
    if (approach <= 0)
        return;
    for (int axis = 0; axis < 3; axis++)
    {
        along[axis] = data->v[axis][i] - solid_v[axis] + approach * n[axis];
        speed2 += along[axis] * along[axis];
    }
    real speed = WEFT_REAL_SQRT(speed2), grip = solid->friction * approach;
    bool known = data->contact[i] != CONTACT_NONE && data->contact_solid[i] == (int)k;
    real keep = known || speed2 == 0 ? 1 : grip < speed ? 1 - grip / speed : 0;
    for (int axis = 0; axis < 3; axis++)
        data->v[axis][i] = solid_v[axis] + keep * along[axis];
}

// Which of the eight particles from `first` on are in front of a plane and do not touch it.
static LaneMask lanes_before_plane(const EngineData *data, const SolidPose *pose, uint32_t first)
{
    Lanes out[3];
    for (int axis = 0; axis < 3; axis++)
        out[axis] = lanes_load(data->x[axis] + first) - pose->translation[axis];
    return pose->rotation[1] * out[0] + pose->rotation[4] * out[1] + pose->rotation[7] * out[2] >
           lanes_load(data->thickness + first);
}

// Which of them are not far from a solid, nor come from there: a bit for each.
static uint32_t lanes_near(const EngineData *data, const SolidData *solid, uint32_t first)
{
    const Lanes reach = lanes_load(data->thickness + first);
    LaneMask    far = {0};
    if (solid->type == WEFT_SOLID_PLANE)
        return ~lanes_bits(lanes_before_plane(data, &solid->after, first)) & 0xFF;
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes    x = lanes_load(data->x[axis] + first);
        LaneMask below = (x < solid->low[axis] - reach), above = (x > solid->high[axis] + reach);
        if (solid->mesh != NULL)
        {
            Lanes from = lanes_load(data->kept_x[axis] + first);
            below &= from < solid->low[axis];
            above &= from > solid->high[axis];
        }
        far |= below | above;
    }
    return ~lanes_bits(far) & 0xFF;
}

static void collide_particle(EngineData *data, uint32_t i, const uint8_t near[NEAR_SOLIDS])
{
    real x[3] = {data->x[0][i], data->x[1][i], data->x[2][i]};
    real from[3] = {data->kept_x[0][i], data->kept_x[1][i], data->kept_x[2][i]};
    bool moved = true, touched = false;
    for (int round = 0; round < ROUNDS && moved; round++)
    {
        moved = false;
        for (uint32_t k = 0; k < data->solid_count; k++)
        {
            // What has been put out of a solid is no longer where `near` was found for.
            if (!touched && k < NEAR_SOLIDS && !(near[k] >> i % SLICE & 1))
                continue;
            const SolidData *solid = &data->solids[k];
            Surface          through = {0, {0, 0, 0}};
            bool             crossed = round == 0 && solid_crossing(solid, from, x, &through);
            if (!crossed && solid_is_far(solid, x, data->thickness[i]))
                continue;
            Surface surface = solid_surface(solid, &solid->after, x);
            // What has come through a thin part goes back to the side that it came from.
            if (crossed && mesh_dot(surface.normal, through.normal) < OPPOSED)
                surface = through;
            real depth = data->thickness[i] - surface.distance;
            if (!(depth > (round == 0 ? data->on_surface : ROUNDING)))
                continue;
            for (int axis = 0; axis < 3; axis++)
                x[axis] += depth * surface.normal[axis];
            moved = true;
            if (round == 0)
            {
                impact(data, i, k, x, surface.normal);
                if (data->contact[i] == CONTACT_NONE ||
                    (!touched && data->contact_solid[i] != (int)k &&
                     data->contact[i] != CONTACT_STICK))
                {
                    data->contact[i] = CONTACT_SLIDE;
                    data->contact_solid[i] = (int16_t)k;
                    data->contact_load[i] = -1;
                }
                touched = true;
            }
        }
    }
    if (touched)
        for (int axis = 0; axis < 3; axis++)
            data->x[axis][i] = x[axis];
}

static void collide_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        uint8_t  near[NEAR_SOLIDS];
        uint32_t lanes = data->solid_count > NEAR_SOLIDS ? 0xFF : 0;
        for (uint32_t k = 0; k < data->solid_count && k < NEAR_SOLIDS; k++)
            lanes |= near[k] = (uint8_t)lanes_near(data, &data->solids[k], first);
        for (; lanes; lanes &= lanes - 1)
        {
            uint32_t i = first + (uint32_t)__builtin_ctz(lanes);
            if (i >= data->particle_count)
                break;
            int pin = data->pin_of[i];
            if (pin < 0 || !data->pins[pin].active || data->pins[pin].degrees > 0)
                collide_particle(data, i, near);
        }
    }
}

void WEFT_KERNEL(collide)(EngineData *data)
{
    if (data->solid_count > 0)
        parallel_strips(data, data->particle_count, collide_strip);
}
