// constrain: pins and contacts as the filter S and the prescribed change z of every particle; friction.
// Reads positions, velocities, rhs, pins, solids, contacts, change (of the last step). Writes degrees,
// direction, prescribed, contact; adds friction to rhs and diagonal. One thread per particle.
//
// Baraff and Witkin 1998, section 5: a constrained particle has its velocity change prescribed in the
// constrained directions. Here z is what takes it exactly to its place at the end of the step: a pin to
// its target, a contact to the surface of the moved solid. Friction is Coulomb's, with the normal impulse
// that the contact needed in the last step.
#include <math.h>

#include "solid_distance.h"
#include "tiles.h"

#define REST_SPEED ((real)1e-5) // m/s

// Directions in which the change of velocity is prescribed, as an orthonormal basis.
typedef struct Held
{
    int  count;
    real axis[3][3];
    real value[3]; // m/s
} Held;

static inline real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Asks that n.change = value. A direction almost within those already held is left out.
static void hold(Held *held, const real n[3], real value)
{
    real rest[3] = {n[0], n[1], n[2]};
    for (int k = 0; k < held->count; k++)
    {
        real part = dot(n, held->axis[k]);
        for (int axis = 0; axis < 3; axis++)
            rest[axis] -= part * held->axis[k][axis];
        value -= part * held->value[k];
    }
    real size = WEFT_REAL_SQRT(dot(rest, rest));
    if (held->count == 3 || size < (real)0.1)
        return;
    for (int axis = 0; axis < 3; axis++)
        held->axis[held->count][axis] = rest[axis] / size;
    held->value[held->count++] = value / size;
}

static void hold_all(Held *held, const real change[3])
{
    *held = (Held){3, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {change[0], change[1], change[2]}};
}

// Holds what is still free. A pin comes before static friction.
static void hold_rest(Held *held, const real change[3])
{
    const real units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (held->count == 0)
        hold_all(held, change);
    for (int axis = 0; axis < 3 && held->count < 3; axis++)
        hold(held, units[axis], change[axis]);
}

static void hold_pin(const EngineData *data, uint32_t i, const PinData *pin, Held *held)
{
    const double *start = data->pin_start + 3 * data->pin_slot[i];
    real          need[3];
    for (int axis = 0; axis < 3; axis++)
    {
        const double *row = pin->rotation + 3 * axis;
        double        target =
            row[0] * start[0] + row[1] * start[1] + row[2] * start[2] + pin->translation[axis];
        need[axis] =
            (real)((target - (double)data->x[axis][i]) / (double)data->h) - data->v[axis][i];
    }
    if (pin->degrees == 0)
        hold_all(held, need);
    else if (pin->degrees == 2)
        hold(held, pin->direction, dot(pin->direction, need));
    else
    {
        // Two directions across the line; the first is the coordinate axis that is most across it.
        const real *line = pin->direction;
        int         across = 0;
        for (int axis = 1; axis < 3; axis++)
            if (WEFT_REAL_FABS(line[axis]) < WEFT_REAL_FABS(line[across]))
                across = axis;
        real first[3] = {0, 0, 0};
        first[across] = 1;
        for (int axis = 0; axis < 3; axis++)
            first[axis] -= line[across] * line[axis];
        real second[3] = {line[1] * first[2] - line[2] * first[1],
                          line[2] * first[0] - line[0] * first[2],
                          line[0] * first[1] - line[1] * first[0]};
        real size = WEFT_REAL_SQRT(dot(first, first));
        for (int axis = 0; axis < 3; axis++)
        {
            first[axis] /= size;
            second[axis] /= size;
        }
        hold(held, first, dot(first, need));
        hold(held, second, dot(second, need));
    }
}

// Velocity along the surface, relative to the solid; returns its size.
static real slip_velocity(const EngineData *data, uint32_t i, const real n[3],
                          const real solid_v[3], real slip[3])
{
    for (int axis = 0; axis < 3; axis++)
        slip[axis] = data->v[axis][i] - solid_v[axis];
    real out = dot(slip, n);
    for (int axis = 0; axis < 3; axis++)
        slip[axis] -= out * n[axis];
    return WEFT_REAL_SQRT(dot(slip, slip));
}

// The normal impulse of a contact that has not been through a solve yet: what presses the particle
// on.
static real expected_load(const EngineData *data, uint32_t i, const real n[3],
                          const real solid_v[3])
{
    real inward = 0;
    for (int axis = 0; axis < 3; axis++)
        inward -=
            (data->mass[i] * (data->v[axis][i] - solid_v[axis]) + data->rhs[axis][i]) * n[axis];
    return inward > 0 ? inward : 0;
}

// Whether static friction takes over: the particle hardly moves, or it is slowing down and friction
// could take all its momentum and all that pulls at it along the surface. Without the pull, a
// particle that starts to slide would be caught again by any jolt. react finds out whether friction
// can hold it.
static bool comes_to_rest(const EngineData *data, uint32_t i, const real n[3],
                          const real solid_v[3], real grip)
{
    real slip[3], pull[3], speed = slip_velocity(data, i, n, solid_v, slip), speeding_up = 0;
    real out = 0, pull2 = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        speeding_up += slip[axis] * data->change[axis][i];
        out += data->rhs[axis][i] * n[axis];
    }
    for (int axis = 0; axis < 3; axis++)
    {
        pull[axis] = data->mass[i] * slip[axis] + data->rhs[axis][i] - out * n[axis];
        pull2 += pull[axis] * pull[axis];
    }
    return grip > 0 && (speed < REST_SPEED || (data->mass[i] * speed <= grip && speeding_up <= 0 &&
                                               pull2 <= grip * grip));
}

// Sliding friction, implicit so that it can only slow down: impulse -(mu load / |v|) v_new along
// the surface.
static void rub(EngineData *data, uint32_t i, const real n[3], const real solid_v[3], real grip)
{
    real slip[3], speed = slip_velocity(data, i, n, solid_v, slip);
    if (grip <= 0 || speed <= 0)
        return;
    real drag = grip / speed;
    for (int axis = 0; axis < 3; axis++)
    {
        data->rhs[axis][i] -= drag * slip[axis];
        data->diagonal[axis][i] += drag * (1 - n[axis] * n[axis]);
    }
    data->diagonal[3][i] -= drag * n[0] * n[1];
    data->diagonal[4][i] -= drag * n[0] * n[2];
    data->diagonal[5][i] -= drag * n[1] * n[2];
}

// First step of a particle that static friction could not hold: friction against the pull.
static void break_away(EngineData *data, uint32_t i, const real n[3], const real solid_v[3],
                       real grip)
{
    real pull[3], out = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        pull[axis] = data->mass[i] * (data->v[axis][i] - solid_v[axis]) + data->rhs[axis][i];
        out += pull[axis] * n[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        pull[axis] -= out * n[axis];
    real size = WEFT_REAL_SQRT(dot(pull, pull));
    for (int axis = 0; axis < 3 && size > 0; axis++)
        data->rhs[axis][i] -= (grip < size ? grip : size) * pull[axis] / size;
}

// Static friction: carried along with the solid, at the cloth's distance from its surface.
static void stick(EngineData *data, uint32_t i, const SolidData *solid, const real solid_v[3],
                  Held *held)
{
    real carried[3], change[3];
    for (int axis = 0; axis < 3; axis++)
        carried[axis] = data->x[axis][i] + data->h * solid_v[axis];
    Surface surface = solid_surface(solid, &solid->after, carried);
    real    gap = data->thickness[i] - surface.distance;
    real    correction = WEFT_REAL_FABS(gap) > data->on_surface ? gap / data->h : 0;
    for (int axis = 0; axis < 3; axis++)
        change[axis] = solid_v[axis] - data->v[axis][i] + correction * surface.normal[axis];
    data->contact[i] = CONTACT_STICK;
    hold_rest(held, change);
}

// The contact of particle i: keeps it on the surface and decides whether friction holds it.
static void hold_contact(EngineData *data, uint32_t i, Held *held)
{
    const SolidData *solid = &data->solids[data->contact_solid[i]];
    const real       h = data->h;
    real             x[3], expected[3], solid_v[3];
    for (int axis = 0; axis < 3; axis++)
    {
        x[axis] = data->x[axis][i];
        expected[axis] = x[axis] + h * data->v[axis][i];
    }
    solid_velocity(solid, x, h, solid_v);
    if (data->contact[i] == CONTACT_STICK)
    {
        stick(data, i, solid, solid_v, held);
        return;
    }
    Surface surface = solid_surface(solid, &solid->after, expected);
    real    gap = surface.distance - data->thickness[i];
    if (gap > data->contact_margin)
    {
        data->contact[i] = CONTACT_NONE;
        return;
    }

    real load = data->contact_load[i];
    if (load < 0)
        load = expected_load(data, i, surface.normal, solid_v);
    real grip = solid->friction * load;
    if (data->contact[i] == CONTACT_SLIDE && comes_to_rest(data, i, surface.normal, solid_v, grip))
    {
        stick(data, i, solid, solid_v, held);
        return;
    }
    hold(held, surface.normal, -gap / h);
    if (data->contact[i] == CONTACT_SLIP)
        break_away(data, i, surface.normal, solid_v, grip);
    else
        rub(data, i, surface.normal, solid_v, grip);
    data->contact[i] = CONTACT_SLIDE;
}

// Other solids that the particle would enter in this step, or another part of the same mesh.
static void hold_out_of_others(const EngineData *data, uint32_t i, Held *held)
{
    const real h = data->h;
    real       expected[3];
    for (int axis = 0; axis < 3; axis++)
    {
        expected[axis] = data->x[axis][i] + h * data->v[axis][i];
        for (int k = 0; k < held->count; k++)
            expected[axis] += h * held->axis[k][axis] * held->value[k];
    }
    for (uint32_t k = 0; k < data->solid_count && held->count < 3; k++)
    {
        const SolidData *solid = &data->solids[k];
        bool             is_own = (int)k == data->contact_solid[i];
        if ((is_own && solid->mesh == NULL) || solid_is_far(solid, expected, data->thickness[i]))
            continue;
        Surface surface = solid_surface(solid, &solid->after, expected);
        real    gap = surface.distance - data->thickness[i];
        if (gap < (is_own ? -data->on_surface : 0))
        {
            // n.(change so far) brought it to `expected`; what is missing is the gap.
            real already = 0;
            for (int m = 0; m < held->count; m++)
                already += dot(surface.normal, held->axis[m]) * held->value[m];
            hold(held, surface.normal, already - gap / h);
        }
    }
}

static bool constrain_particle(EngineData *data, uint32_t i)
{
    Held held = {0};
    int  pin = data->pin_of[i];
    if (pin >= 0 && data->pins[pin].active)
        hold_pin(data, i, &data->pins[pin], &held);
    if (held.count == 3)
        data->contact[i] = CONTACT_NONE;
    if (data->contact[i] != CONTACT_NONE)
    {
        hold_contact(data, i, &held);
        hold_out_of_others(data, i, &held);
    }

    real line[3] = {0, 0, 0};
    if (held.count == 2)
        for (int axis = 0; axis < 3; axis++)
        {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            line[axis] =
                held.axis[0][next] * held.axis[1][last] - held.axis[0][last] * held.axis[1][next];
        }
    data->degrees[i] = (uint8_t)(3 - held.count);
    bool prescribed = false;
    for (int axis = 0; axis < 3; axis++)
    {
        real z = 0;
        for (int k = 0; k < held.count; k++)
            z += held.axis[k][axis] * held.value[k];
        data->prescribed[axis][i] = z;
        data->direction[axis][i] = held.count == 1 ? held.axis[0][axis] : line[axis];
        prescribed = prescribed || z != 0;
    }
    return prescribed;
}

static void constrain_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    for (uint32_t i = strip_begin(strip); i < strip_end(data->particle_count, strip); i++)
    {
        if (data->pin_of[i] < 0 && data->contact[i] == CONTACT_NONE)
        {
            // Free; the common case.
            data->degrees[i] = 3;
            for (int axis = 0; axis < 3; axis++)
                data->prescribed[axis][i] = 0;
            continue;
        }
        tally->count[0] += constrain_particle(data, i);
        tally->count[1] += data->contact[i] != CONTACT_NONE;
        tally->count[2] += data->contact[i] == CONTACT_STICK;
    }
}

void WEFT_KERNEL(constrain)(EngineData *data)
{
    Tally tally = parallel_strips(data, data->particle_count, constrain_strip);
    data->has_prescribed = tally.count[0] > 0;
    data->contact_count = (uint32_t)tally.count[1];
    data->stick_count = (uint32_t)tally.count[2];
}
