// constrain: pins and contacts as the filter S and the prescribed change z of every particle; friction.
// Reads positions, velocities, rhs, pins, solids, contacts, change (of the last step). Writes degrees,
// direction, prescribed, contact; adds friction to rhs and diagonal. One thread per particle.
//
// Baraff and Witkin 1998, section 5: a constrained particle has its velocity change prescribed in the
// constrained directions. Here z is what takes it exactly to its place at the end of the step: a pin to
// its target, a contact to the surface of the moved solid. Friction is Coulomb's, with the normal impulse
// that the contact needed in the last step.
//
// All is done for the eight particles of a slice at once; the lanes that something is asked of are given as bits.
#include <math.h>

#include "contacts.h"
#include "solid_distance.h"
#include "tiles.h"

#define REST_SPEED ((real)1e-5) // m/s

// Directions in which the change of velocity is prescribed, as an orthonormal basis.
typedef struct Held
{
    uint32_t lanes[3]; // that have a first, a second and a third one
    Lanes    axis[3][3];
    Lanes    value[3]; // m/s
} Held;

// A slice whose particles are constrained.
typedef struct Eight
{
    uint32_t first;
    Lanes    x[3], v[3], rhs[3];
    Lanes    mass, thickness;
    Held     held;
} Eight;

// What particles touch: velocity and normal of the surface, and the most that friction bears.
typedef struct Touch
{
    Lanes solid_v[3];
    Lanes normal[3];
    Lanes slip[3], speed; // along the surface, relative to the solid
    Lanes grip;           // N s
} Touch;

static void hold_nothing(Held *held)
{
    for (int k = 0; k < 3; k++)
    {
        held->lanes[k] = 0;
        for (int axis = 0; axis < 3; axis++)
            held->axis[k][axis] = (Lanes){0};
        held->value[k] = (Lanes){0};
    }
}

// Asks that n.change = value. A direction almost within those already held is left out.
static void hold(Held *held, uint32_t lanes, const Lanes n[3], Lanes value)
{
    Lanes rest[3] = {n[0], n[1], n[2]};
    for (int k = 0; k < 3 && (lanes & held->lanes[k]); k++)
    {
        const LaneMask has = lanes_mask(held->lanes[k]);
        Lanes          part = lanes_dot(n, held->axis[k]);
        for (int axis = 0; axis < 3; axis++)
            rest[axis] = lanes_select(has, rest[axis] - part * held->axis[k][axis], rest[axis]);
        value = lanes_select(has, value - part * held->value[k], value);
    }
    Lanes size = lanes_sqrt(lanes_dot(rest, rest));
    lanes &= ~(held->lanes[2] | lanes_bits(lanes_less(size, lanes_all((real)0.1))));
    for (int k = 0; lanes; k++)
    {
        const uint32_t here = lanes & ~held->lanes[k];
        const LaneMask mask = lanes_mask(here);
        for (int axis = 0; axis < 3; axis++)
            held->axis[k][axis] = lanes_select(mask, rest[axis] / size, held->axis[k][axis]);
        held->value[k] = lanes_select(mask, value / size, held->value[k]);
        held->lanes[k] |= here;
        lanes &= ~here;
    }
}

// The same in all directions, for lanes in which nothing is held yet.
static void hold_all(Held *held, uint32_t lanes, const Lanes change[3])
{
    const LaneMask mask = lanes_mask(lanes);
    for (int k = 0; k < 3; k++)
    {
        for (int axis = 0; axis < 3; axis++)
            held->axis[k][axis] = lanes_select(mask, lanes_all(axis == k), held->axis[k][axis]);
        held->value[k] = lanes_select(mask, change[k], held->value[k]);
        held->lanes[k] |= lanes;
    }
}

// Holds what is still free. A pin comes before static friction.
static void hold_rest(Held *held, uint32_t lanes, const Lanes change[3])
{
    const uint32_t begun = lanes & held->lanes[0];
    hold_all(held, lanes & ~begun, change);
    for (int k = 0; k < 3 && (begun & ~held->lanes[2]); k++)
    {
        const Lanes unit[3] = {lanes_all(k == 0), lanes_all(k == 1), lanes_all(k == 2)};
        hold(held, begun, unit, change[k]);
    }
}

// Two directions across a line; the first is the coordinate axis that is most across it.
static void hold_across(Held *held, uint32_t lanes, const Lanes line[3], const Lanes need[3])
{
    LaneMask is_across[3] = {~(LaneMask){0}, {0}, {0}};
    Lanes    along = line[0], first[3];
    for (int axis = 1; axis < 3; axis++)
    {
        is_across[axis] =
            lanes_less(lanes_most(line[axis], -line[axis]), lanes_most(along, -along));
        along = lanes_select(is_across[axis], line[axis], along);
        for (int before = 0; before < axis; before++)
            is_across[before] &= ~is_across[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        first[axis] =
            lanes_select(is_across[axis], lanes_all(1), lanes_all(0)) - along * line[axis];
    Lanes second[3] = {line[1] * first[2] - line[2] * first[1],
                       line[2] * first[0] - line[0] * first[2],
                       line[0] * first[1] - line[1] * first[0]};
    Lanes size = lanes_sqrt(lanes_dot(first, first));
    for (int axis = 0; axis < 3; axis++)
    {
        first[axis] /= size;
        second[axis] /= size;
    }
    hold(held, lanes, first, lanes_dot(first, need));
    hold(held, lanes, second, lanes_dot(second, need));
}

// Change of velocity that takes a particle to where its pin is at the end of the step.
static void pin_need(const EngineData *data, uint32_t i, const PinData *pin, real need[3])
{
    const double *start = data->pin_start + 3 * data->pin_slot[i];
    for (int axis = 0; axis < 3; axis++)
    {
        const double *row = pin->rotation + 3 * axis;
        double        target =
            row[0] * start[0] + row[1] * start[1] + row[2] * start[2] + pin->translation[axis];
        need[axis] =
            (real)((target - (double)data->x[axis][i]) / (double)data->h) - data->v[axis][i];
    }
}

static void hold_pins(EngineData *data, Eight *eight, uint32_t pinned)
{
    Held    *held = &eight->held;
    uint32_t lanes[3] = {0, 0, 0}; // by the degrees of freedom that pins leave
    Lanes    need[3] = {{0}, {0}, {0}}, direction[3] = {{0}, {0}, {0}};
    for (; pinned; pinned &= pinned - 1)
    {
        const uint32_t lane = (uint32_t)__builtin_ctz(pinned), i = eight->first + lane;
        const PinData *pin = &data->pins[data->pin_of[i]];
        real           own[3];
        if (!pin->active)
            continue;
        lanes[pin->degrees] |= 1u << lane;
        pin_need(data, i, pin, own);
        for (int axis = 0; axis < 3; axis++)
        {
            need[axis][lane] = own[axis];
            direction[axis][lane] = pin->direction[axis];
        }
    }
    hold_all(held, lanes[0], need);
    set_contacts(data, eight->first, lanes[0], CONTACT_NONE);
    if (lanes[1])
        hold_across(held, lanes[1], direction, need);
    if (lanes[2])
        hold(held, lanes[2], direction, lanes_dot(direction, need));
}

// The normal impulse of contacts that have not been through a solve yet: what presses the particles
// on.
static Lanes expected_load(const Eight *eight, const Touch *touch)
{
    const Lanes none = {0};
    Lanes       inward = {0};
    for (int axis = 0; axis < 3; axis++)
        inward -= (eight->mass * (eight->v[axis] - touch->solid_v[axis]) + eight->rhs[axis]) *
                  touch->normal[axis];
    return lanes_select(lanes_less(none, inward), inward, none);
}

static void find_slip(const Eight *eight, Touch *touch)
{
    for (int axis = 0; axis < 3; axis++)
        touch->slip[axis] = eight->v[axis] - touch->solid_v[axis];
    Lanes out = lanes_dot(touch->slip, touch->normal);
    for (int axis = 0; axis < 3; axis++)
        touch->slip[axis] -= out * touch->normal[axis];
    touch->speed = lanes_sqrt(lanes_dot(touch->slip, touch->slip));
}

// Whether static friction takes over: the particle hardly moves, or it is slowing down and friction
// could take all its momentum and all that pulls at it along the surface. Without the pull, a
// particle that starts to slide would be caught again by any jolt. react finds out whether friction
// can hold it.
static LaneMask comes_to_rest(const EngineData *data, const Eight *eight, const Touch *touch)
{
    const Lanes none = {0};
    Lanes       speeding_up = {0}, out = {0}, pull2 = {0};
    for (int axis = 0; axis < 3; axis++)
    {
        speeding_up += touch->slip[axis] * lanes_load(data->change[axis] + eight->first);
        out += eight->rhs[axis] * touch->normal[axis];
    }
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes pull = eight->mass * touch->slip[axis] + eight->rhs[axis] - out * touch->normal[axis];
        pull2 += pull * pull;
    }
    LaneMask slows = lanes_at_most(eight->mass * touch->speed, touch->grip) &
                     lanes_at_most(speeding_up, none) &
                     lanes_at_most(pull2, touch->grip * touch->grip);
    return lanes_less(none, touch->grip) &
           (lanes_less(touch->speed, lanes_all(REST_SPEED)) | slows);
}

static void store_rhs(EngineData *data, const Eight *eight)
{
    for (int axis = 0; axis < 3; axis++)
        lanes_store(data->rhs[axis] + eight->first, eight->rhs[axis]);
}

static void add_to_diagonal(EngineData *data, uint32_t entry, uint32_t first, LaneMask mask,
                            Lanes value)
{
    Lanes before = lanes_load(data->diagonal[entry] + first);
    lanes_store(data->diagonal[entry] + first, lanes_select(mask, before + value, before));
}

// Sliding friction, implicit so that it can only slow down: impulse -(mu load / |v|) v_new along
// the surface.
static void rub(EngineData *data, Eight *eight, uint32_t lanes, const Touch *touch)
{
    const Lanes none = {0}, *n = touch->normal;
    lanes &= ~lanes_bits(lanes_at_most(touch->grip, none) | lanes_at_most(touch->speed, none));
    if (lanes == 0)
        return;
    const LaneMask mask = lanes_mask(lanes);
    Lanes          drag = touch->grip / touch->speed;
    for (int axis = 0; axis < 3; axis++)
    {
        eight->rhs[axis] =
            lanes_select(mask, eight->rhs[axis] - drag * touch->slip[axis], eight->rhs[axis]);
        add_to_diagonal(data, axis, eight->first, mask, drag * (1 - n[axis] * n[axis]));
    }
    add_to_diagonal(data, 3, eight->first, mask, -(drag * n[0] * n[1]));
    add_to_diagonal(data, 4, eight->first, mask, -(drag * n[0] * n[2]));
    add_to_diagonal(data, 5, eight->first, mask, -(drag * n[1] * n[2]));
    store_rhs(data, eight);
}

// First step of particles that static friction could not hold: friction against the pull.
static void break_away(EngineData *data, Eight *eight, uint32_t lanes, const Touch *touch)
{
    Lanes pull[3], out = {0};
    for (int axis = 0; axis < 3; axis++)
    {
        pull[axis] = eight->mass * (eight->v[axis] - touch->solid_v[axis]) + eight->rhs[axis];
        out += pull[axis] * touch->normal[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        pull[axis] -= out * touch->normal[axis];
    Lanes    size = lanes_sqrt(lanes_dot(pull, pull));
    Lanes    borne = lanes_select(lanes_less(touch->grip, size), touch->grip, size);
    LaneMask mask = lanes_mask(lanes) & lanes_less((Lanes){0}, size);
    for (int axis = 0; axis < 3; axis++)
        eight->rhs[axis] =
            lanes_select(mask, eight->rhs[axis] - borne * pull[axis] / size, eight->rhs[axis]);
    store_rhs(data, eight);
}

// Static friction: carried along with the solid, at the cloth's distance from its surface.
static void stick(EngineData *data, Eight *eight, uint32_t lanes, const SolidData *solid,
                  const Lanes solid_v[3])
{
    const Lanes none = {0};
    Lanes       carried[3], change[3];
    for (int axis = 0; axis < 3; axis++)
        carried[axis] = eight->x[axis] + data->h * solid_v[axis];
    Surfaces surfaces = solid_surfaces(solid, &solid->after, carried, lanes);
    Lanes    gap = eight->thickness - surfaces.distance;
    LaneMask is_off = lanes_less(lanes_all(data->on_surface), lanes_most(gap, -gap));
    Lanes    correction = lanes_select(is_off, gap / data->h, none);
    for (int axis = 0; axis < 3; axis++)
        change[axis] = solid_v[axis] - eight->v[axis] + correction * surfaces.normal[axis];
    set_contacts(data, eight->first, lanes, CONTACT_STICK);
    hold_rest(&eight->held, lanes, change);
}

// Lanes that touch a solid and do not stick to it: keeps them on its surface, where they rub. Returns those that come to rest.
static uint32_t slide(EngineData *data, Eight *eight, uint32_t lanes, const SolidData *solid,
                      Touch *touch)
{
    const uint32_t first = eight->first;
    const real     h = data->h;
    Lanes          expected[3];
    for (int axis = 0; axis < 3; axis++)
        expected[axis] = eight->x[axis] + h * eight->v[axis];
    Surfaces surfaces = solid_surfaces(solid, &solid->after, expected, lanes);
    memcpy(touch->normal, surfaces.normal, sizeof(touch->normal));
    Lanes          gap = surfaces.distance - eight->thickness;
    const uint32_t leaving = lanes & lanes_bits(lanes_less(lanes_all(data->contact_margin), gap));
    set_contacts(data, first, leaving, CONTACT_NONE);
    lanes &= ~leaving;
    if (lanes == 0)
        return 0;

    Lanes load = lanes_load(data->contact_load + first);
    touch->grip = solid->friction *
                  lanes_select(lanes_less(load, (Lanes){0}), expected_load(eight, touch), load);
    find_slip(eight, touch);
    const uint32_t slips = lanes & lanes_in_state(data, first, CONTACT_SLIP);
    const uint32_t rests = lanes & ~slips & lanes_bits(comes_to_rest(data, eight, touch));
    lanes &= ~rests;
    if (lanes == 0)
        return rests;
    hold(&eight->held, lanes, touch->normal, -gap / h);
    if (slips)
        break_away(data, eight, slips, touch);
    rub(data, eight, lanes & ~slips, touch);
    set_contacts(data, first, slips, CONTACT_SLIDE);
    return rests;
}

// The contacts of lanes with one solid: keeps them on its surface and decides which of them friction holds.
static void hold_contacts(EngineData *data, Eight *eight, uint32_t lanes, const SolidData *solid)
{
    Touch    touch;
    uint32_t sticking = lanes & lanes_in_state(data, eight->first, CONTACT_STICK);
    solid_velocities(solid, eight->x, data->h, lanes, touch.solid_v);
    if (lanes & ~sticking)
        sticking |= slide(data, eight, lanes & ~sticking, solid, &touch);
    if (sticking)
        stick(data, eight, sticking, solid, touch.solid_v);
}

// Other solids that lanes would enter in this step, or another part of the same mesh.
static void hold_out_of_others(const EngineData *data, Eight *eight, uint32_t lanes)
{
    Held      *held = &eight->held;
    const real h = data->h;
    Lanes      expected[3];
    for (int axis = 0; axis < 3; axis++)
    {
        expected[axis] = eight->x[axis] + h * eight->v[axis];
        for (int k = 0; k < 3 && (lanes & held->lanes[k]); k++)
            expected[axis] = lanes_select(lanes_mask(held->lanes[k]),
                                          expected[axis] + h * held->axis[k][axis] * held->value[k],
                                          expected[axis]);
    }
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const SolidData *solid = &data->solids[k];
        const uint32_t   own = lanes_on_solid(data, eight->first, k);
        const uint32_t asked = lanes & ~held->lanes[2] & (solid->mesh == NULL ? ~own : ALL_LANES) &
                               solid_nears(solid, expected, eight->thickness);
        if (asked == 0)
            continue;
        Surfaces       surfaces = solid_surfaces(solid, &solid->after, expected, asked);
        const Lanes    none = {0};
        Lanes          gap = surfaces.distance - eight->thickness;
        Lanes          least = lanes_select(lanes_mask(own), lanes_all(-data->on_surface), none);
        const uint32_t entering = asked & lanes_bits(lanes_less(gap, least));
        if (entering == 0)
            continue;
        // n.(change so far) brought it to `expected`; what is missing is the gap.
        Lanes already = {0};
        for (int m = 0; m < 3 && (entering & held->lanes[m]); m++)
            already = lanes_select(
                lanes_mask(held->lanes[m]),
                already + lanes_dot(surfaces.normal, held->axis[m]) * held->value[m], already);
        hold(held, entering, surfaces.normal, already - gap / h);
    }
}

// Filter and prescribed change of the slice; directions of those lanes only that something could be asked of. Returns whether
// some change is prescribed.
static bool write_held(EngineData *data, const Held *held, uint32_t first, uint32_t asked)
{
    const LaneMask one = lanes_mask(held->lanes[0] & ~held->lanes[1]),
                   two = lanes_mask(held->lanes[1] & ~held->lanes[2]), mask = lanes_mask(asked);
    const Lanes none = {0};
    LaneMask    prescribed = {0};
    uint64_t    degrees = 0x0303030303030303ull;
    for (int k = 0; k < 3; k++)
        degrees -= spread_bits(held->lanes[k]);
    memcpy(data->degrees + first, &degrees, sizeof(degrees));
    for (int axis = 0; axis < 3; axis++)
    {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        Lanes     line =
            held->axis[0][next] * held->axis[1][last] - held->axis[0][last] * held->axis[1][next];
        Lanes direction = lanes_select(one, held->axis[0][axis], lanes_select(two, line, none));
        Lanes z = {0};
        for (int k = 0; k < 3; k++)
            z = lanes_select(lanes_mask(held->lanes[k]), z + held->axis[k][axis] * held->value[k],
                             z);
        prescribed |= ~lanes_equal(z, none);
        lanes_store(data->prescribed[axis] + first, z);
        lanes_store(data->direction[axis] + first,
                    lanes_select(mask, direction, lanes_load(data->direction[axis] + first)));
    }
    return lanes_bits(prescribed) != 0;
}

// A slice of which something could be asked: by pins, of these lanes, or by solids.
static void constrain_slice(EngineData *data, uint32_t first, uint32_t pinned, Tally *tally)
{
    const uint32_t asked = pinned | lanes_touching(data, first);
    Eight          eight;
    eight.first = first;
    for (int axis = 0; axis < 3; axis++)
    {
        eight.x[axis] = lanes_load(data->x[axis] + first);
        eight.v[axis] = lanes_load(data->v[axis] + first);
        eight.rhs[axis] = lanes_load(data->rhs[axis] + first);
    }
    eight.mass = lanes_load(data->mass + first);
    eight.thickness = lanes_load(data->thickness + first);
    hold_nothing(&eight.held);
    if (pinned)
        hold_pins(data, &eight, pinned);
    const uint32_t touching = lanes_touching(data, first);
    for (uint32_t left = touching, solid; left;)
    {
        const uint32_t lanes = take_solid(data, first, &left, &solid);
        hold_contacts(data, &eight, lanes, &data->solids[solid]);
    }
    if (touching & ~eight.held.lanes[2])
        hold_out_of_others(data, &eight, touching);
    tally->count[0] += write_held(data, &eight.held, first, asked);
    tally->count[1] += (uint64_t)__builtin_popcount(lanes_touching(data, first));
    tally->count[2] += (uint64_t)__builtin_popcount(lanes_in_state(data, first, CONTACT_STICK));
}

static void constrain_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    for (uint32_t first = strip_begin(strip); first < strip_end(data->particle_count, strip);
         first += SLICE)
    {
        const uint32_t pinned = lanes_with_pin(data, first);
        if (pinned | lanes_touching(data, first))
        {
            constrain_slice(data, first, pinned, tally);
            continue;
        }
        // Free; the common case.
        memset(data->degrees + first, 3, SLICE);
        for (int axis = 0; axis < 3; axis++)
            lanes_store(data->prescribed[axis] + first, (Lanes){0});
    }
}

void WEFT_KERNEL(constrain)(EngineData *data)
{
    Tally tally = parallel_strips(data, data->particle_count, constrain_strip);
    data->has_prescribed = tally.count[0] > 0;
    data->contact_count = (uint32_t)tally.count[1];
    data->stick_count = (uint32_t)tally.count[2];
}
