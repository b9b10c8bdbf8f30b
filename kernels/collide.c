// collide: particles found inside a solid are put on its surface, and touch it from now on.
// Reads solids, kept_x. Reads and writes x, v, contact, contact_solid, contact_load. One thread per
// particle. A new contact is an inelastic impact: the approach along the normal ends, and friction
// takes at most mu times that from the motion along the surface.
#include <math.h>

#include "contacts.h"
#include "solid_distance.h"
#include "tiles.h"

// Solids may overlap: putting a particle out of one can push it into another, so this is repeated.
#define ROUNDS 16
#define OPPOSED ((real)-0.25) // cosine between the outsides of a thin part
#define ROUNDING ((real)1e-6) // m, not worth another round

// The eight particles of a slice on their way out of the solids.
typedef struct Eight
{
    uint32_t first;
    uint32_t touched; // lanes that were inside a solid
    Lanes    x[3], from[3];
    Lanes    reach; // m
} Eight;

// What lanes that have been put on the surface of solid k, at their x, lose of their velocity.
static void impact(EngineData *data, const Eight *eight, uint32_t lanes, uint32_t k,
                   const Lanes n[3])
{
    const uint32_t   first = eight->first;
    const SolidData *solid = &data->solids[k];
    Lanes            solid_v[3], v[3], along[3], approach = {0}, speed2 = {0};
    solid_velocities(solid, eight->x, data->h, lanes, solid_v);
    for (int axis = 0; axis < 3; axis++)
    {
        v[axis] = lanes_load(data->v[axis] + first);
        approach -= (v[axis] - solid_v[axis]) * n[axis];
    }
    for (int axis = 0; axis < 3; axis++)
    {
        along[axis] = v[axis] - solid_v[axis] + approach * n[axis];
        speed2 += along[axis] * along[axis];
    }
    const Lanes    none = {0}, all = lanes_all(1);
    Lanes          speed = lanes_sqrt(speed2), grip = solid->friction * approach;
    const uint32_t known = lanes_touching(data, first) & lanes_on_solid(data, first, k);
    Lanes          keep = lanes_select(lanes_less(grip, speed), 1 - grip / speed, none);
    keep = lanes_select(lanes_mask(known) | lanes_equal(speed2, none), all, keep);
    LaneMask mask = lanes_mask(lanes) & ~lanes_at_most(approach, none);
    for (int axis = 0; axis < 3; axis++)
        lanes_store(data->v[axis] + first,
                    lanes_select(mask, solid_v[axis] + keep * along[axis], v[axis]));
}

// The contacts of lanes that were found inside solid k in the first round. What a particle has met before in this round counts more,
// and so does the solid that it sticks to.
static void begin_contacts(EngineData *data, const Eight *eight, uint32_t lanes, uint32_t k)
{
    const uint32_t first = eight->first, touching = lanes_touching(data, first);
    uint32_t       begun = lanes & (~touching | ~(eight->touched | lanes_on_solid(data, first, k) |
                                            lanes_in_state(data, first, CONTACT_STICK)));
    set_contacts(data, first, begun, CONTACT_SLIDE);
    for (; begun; begun &= begun - 1)
    {
        const uint32_t i = first + (uint32_t)__builtin_ctz(begun);
        data->contact_solid[i] = (int16_t)k;
        data->contact_load[i] = -1;
    }
}

// Puts lanes that are inside solid k on its surface. Returns them.
static uint32_t put_out(EngineData *data, Eight *eight, uint32_t lanes, uint32_t k, bool is_first)
{
    const SolidData *solid = &data->solids[k];
    Surfaces         through;
    const uint32_t   crossed =
        is_first ? solid_crossings(solid, eight->from, eight->x, lanes, &through) : 0;
    lanes &= crossed | solid_nears(solid, eight->x, eight->reach);
    if (lanes == 0)
        return 0;
    Surfaces surfaces = solid_surfaces(solid, &solid->after, eight->x, lanes);
    if (crossed)
    {
        // What has come through a thin part goes back to the side that it came from.
        LaneMask back = lanes_mask(crossed) &
                        lanes_less(lanes_dot(surfaces.normal, through.normal), lanes_all(OPPOSED));
        surfaces.distance = lanes_select(back, through.distance, surfaces.distance);
        for (int axis = 0; axis < 3; axis++)
            surfaces.normal[axis] = lanes_select(back, through.normal[axis], surfaces.normal[axis]);
    }
    Lanes depth = eight->reach - surfaces.distance;
    lanes &= lanes_bits(lanes_less(lanes_all(is_first ? data->on_surface : ROUNDING), depth));
    if (lanes == 0)
        return 0;
    LaneMask mask = lanes_mask(lanes);
    for (int axis = 0; axis < 3; axis++)
        eight->x[axis] =
            lanes_select(mask, eight->x[axis] + depth * surfaces.normal[axis], eight->x[axis]);
    if (is_first)
    {
        impact(data, eight, lanes, k, surfaces.normal);
        begin_contacts(data, eight, lanes, k);
        eight->touched |= lanes;
    }
    return lanes;
}

// The lanes of a slice that no pin holds in all directions.
static uint32_t lanes_loose(const EngineData *data, uint32_t first)
{
    uint32_t loose = lanes_before(first, data->particle_count);
    for (uint32_t left = lanes_with_pin(data, first); left; left &= left - 1)
    {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const PinData *pin = &data->pins[data->pin_of[first + lane]];
        if (pin->active && pin->degrees == 0)
            loose &= ~(1u << lane);
    }
    return loose;
}

static void collide_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        Eight    eight = {.first = first, .reach = lanes_load(data->thickness + first)};
        uint32_t moving = lanes_loose(data, first);
        for (int axis = 0; axis < 3; axis++)
        {
            eight.x[axis] = lanes_load(data->x[axis] + first);
            eight.from[axis] = lanes_load(data->kept_x[axis] + first);
        }
        for (int round = 0; round < ROUNDS && moving; round++)
        {
            uint32_t moved = 0;
            for (uint32_t k = 0; k < data->solid_count; k++)
                moved |= put_out(data, &eight, moving, k, round == 0);
            moving = moved;
        }
        for (int axis = 0; axis < 3 && eight.touched; axis++)
            lanes_store(data->x[axis] + first, eight.x[axis]);
    }
}

void WEFT_KERNEL(collide)(EngineData *data)
{
    if (data->solid_count > 0)
        parallel_strips(data, data->particle_count, collide_strip);
}
