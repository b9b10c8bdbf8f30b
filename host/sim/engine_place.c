// engine_place.c: where solids and pins are during a step, and the wind.
#include "sim/engine.h"

#include <math.h>
#include <string.h>

#include "scene/motion.h"

static void set_pose(SolidPose *pose, const WeftTransform *transform)
{
    for (int entry = 0; entry < 9; entry++)
        pose->rotation[entry] = (real)transform->rotation[entry];
    for (int axis = 0; axis < 3; axis++)
        pose->translation[axis] = (real)transform->translation[axis];
}

// Middle and half extents of a solid along its own axes.
static void extents(const SolidData *data, const WeftSolid *solid, double middle[3], double half[3])
{
    middle[0] = middle[1] = middle[2] = 0;
    switch (solid->type)
    {
    case WEFT_SOLID_MESH:
        for (int axis = 0; axis < 3; axis++)
        {
            double low = (double)data->mesh->boxes[axis],
                   high = (double)data->mesh->boxes[3 + axis];
            middle[axis] = (low + high) / 2;
            half[axis] = (high - low) / 2;
        }
        break;
    case WEFT_SOLID_PLANE:
        half[0] = half[1] = half[2] = INFINITY;
        break;
    case WEFT_SOLID_BOX:
        for (int axis = 0; axis < 3; axis++)
            half[axis] = solid->size[axis] / 2;
        break;
    case WEFT_SOLID_TORUS:
        half[0] = half[2] = solid->radius + solid->tube_radius;
        half[1] = solid->tube_radius;
        break;
    default:
        half[0] = half[2] = solid->radius;
        half[1] = solid->type == WEFT_SOLID_SPHERE    ? solid->radius
                  : solid->type == WEFT_SOLID_CAPSULE ? solid->height / 2 + solid->radius
                                                      : solid->height / 2;
    }
}

// Where a solid begins and ends along an axis of the world.
static void bounds_along(const WeftTransform *place, int axis, const double middle[3],
                         const double half[3], double *low, double *high)
{
    double center = place->translation[axis], reach = 0;
    for (int column = 0; column < 3; column++)
    {
        double turn = place->rotation[3 * axis + column];
        center += turn * middle[column];
        reach += turn != 0 ? fabs(turn) * half[column] : 0;
    }
    *low = center - reach;
    *high = center + reach;
}

static void place_solid(SolidData *data, const WeftSolid *solid, double time, double h)
{
    WeftTransform before = weft_solid_place(solid, time), after = weft_solid_place(solid, time + h);
    double        middle[3], half[3];
    extents(data, solid, middle, half);
    set_pose(&data->before, &before);
    set_pose(&data->after, &after);
    for (int entry = 0; entry < 9; entry++)
        data->turn[entry] = (real)(after.rotation[entry] - before.rotation[entry]);
    for (int axis = 0; axis < 3; axis++)
    {
        data->shift[axis] = (real)(after.translation[axis] - before.translation[axis]);
        // Only ways through meshes are looked at from their start.
        double low[2], high[2];
        bounds_along(&after, axis, middle, half, &low[1], &high[1]);
        bounds_along(solid->type == WEFT_SOLID_MESH ? &before : &after, axis, middle, half, &low[0],
                     &high[0]);
        data->low[axis] = (real)fmin(low[0], low[1]);
        data->high[axis] = (real)fmax(high[0], high[1]);
    }
}

static void place_pin(PinData *data, const WeftPin *pin, double end)
{
    WeftTransform motion = weft_pin_motion(pin, end);
    memcpy(data->rotation, motion.rotation, sizeof(data->rotation));
    memcpy(data->translation, motion.translation, sizeof(data->translation));
    // A step that ends at or before the release still holds.
    data->active = end <= pin->release * (1 + 1e-12);
}

void WEFT_PRECISE(weft_engine_place)(Engine *engine, double time, double h)
{
    EngineData      *data = &engine->data;
    const WeftScene *scene = engine->model->scene;
    double           wind[3];
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        WEFT_PRECISE(weft_engine_place_mesh)(engine, k, time, h);
        place_solid(&data->solids[k], &scene->solids[k], time, h);
    }
    for (uint32_t k = 0; k < engine->model->pin_count; k++)
        place_pin(&data->pins[k], engine->model->pins[k], time + h);
    weft_air_wind(&scene->air, time + h, wind);
    for (int axis = 0; axis < 3; axis++)
        data->wind[axis] = (real)wind[axis];
}
