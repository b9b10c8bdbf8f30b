// solid_distance.h: signed distance to a solid and its gradient, negative inside, in world space.
#pragma once

#include <math.h>

#include "data.h"
#include "mesh_distance.h"
#include "scene/scene.h"

#define WEFT_TINY ((real)1e-12)

static inline real length2(real a, real b)
{
    return WEFT_REAL_SQRT(a * a + b * b);
}

// A point in the half plane of a body of revolution: (radial, y). Gives distance and the gradient
// in that plane.
typedef struct Profile
{
    real distance, radial, axial;
} Profile;

// A rectangle of half width `a` (radial) and half height `b`: the profile of a cylinder.
static inline Profile rectangle_profile(real radial, real y, real a, real b)
{
    real side = y < 0 ? -1 : 1;
    real over_radial = radial - a, over_axial = y * side - b;
    if (over_radial > 0 && over_axial > 0)
    {
        real distance = length2(over_radial, over_axial);
        return (Profile){distance, over_radial / distance, side * over_axial / distance};
    }
    if (over_radial > over_axial)
        return (Profile){over_radial, 1, 0};
    return (Profile){over_axial, 0, side};
}

// A right triangle: base of radius `a` at y = -b, apex on the axis at y = b: the profile of a cone.
static inline Profile cone_profile(real radial, real y, real a, real b)
{
    real height = 2 * b, slant = length2(height, a);
    real slope_radial = height / slant, slope_axial = a / slant; // normal of the slanted side

    // Distances to the lines of side and base, and the place of the foot along the side from the
    // apex.
    real to_side = radial * slope_radial + (y - b) * slope_axial;
    real to_base = -b - y;
    real along = radial * slope_axial - (y - b) * slope_radial;
    real foot = along < 0 ? 0 : along > slant ? slant : along;
    real side_radial = radial - foot * slope_axial, side_axial = y - b + foot * slope_radial;

    if (to_side <= 0 && to_base <= 0)
        return to_side > to_base ? (Profile){to_side, slope_radial, slope_axial}
                                 : (Profile){to_base, 0, -1};

    // Outside: the nearer of side and base segment.
    real side_distance = length2(side_radial, side_axial);
    if (to_base > 0 && radial <= a)
    {
        if (to_base <= side_distance)
            return (Profile){to_base, 0, -1};
    }
    if (side_distance < WEFT_TINY)
        return (Profile){0, slope_radial, slope_axial};
    return (Profile){side_distance, side_radial / side_distance, side_axial / side_distance};
}

static inline Surface box_surface(const real p[3], const real size[3])
{
    // Vector to the nearest point of the box; inside, the nearest face.
    real out[3], outside2 = 0, deepest = -INFINITY;
    int  face = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        real over = (p[axis] < 0 ? -p[axis] : p[axis]) - size[axis] / 2;
        out[axis] = over > 0 ? (p[axis] < 0 ? -over : over) : 0;
        outside2 += out[axis] * out[axis];
        if (over > deepest)
        {
            deepest = over;
            face = axis;
        }
    }
    Surface surface = {deepest, {0, 0, 0}};
    if (outside2 > WEFT_TINY * WEFT_TINY)
    {
        surface.distance = WEFT_REAL_SQRT(outside2);
        for (int axis = 0; axis < 3; axis++)
            surface.normal[axis] = out[axis] / surface.distance;
    }
    else
        surface.normal[face] = p[face] < 0 ? -1 : 1;
    return surface;
}

static inline Surface local_surface(const SolidData *solid, const MeshShape *shape, const real p[3])
{
    if (solid->mesh != NULL)
        return mesh_surface(solid->mesh, shape, p);
    if (solid->type == WEFT_SOLID_PLANE)
        return (Surface){p[1], {0, 1, 0}};
    if (solid->type == WEFT_SOLID_BOX)
        return box_surface(p, solid->size);

    // Bodies of revolution about y.
    real    radial = length2(p[0], p[2]), half = solid->height / 2;
    Profile profile;
    switch (solid->type)
    {
    case WEFT_SOLID_CYLINDER:
        profile = rectangle_profile(radial, p[1], solid->radius, half);
        break;
    case WEFT_SOLID_CONE:
        profile = cone_profile(radial, p[1], solid->radius, half);
        break;
    default:
    {
        // A circle of some radius around a centre in the half plane: sphere, capsule, torus.
        real center_radial = 0, center_axial = 0, radius = solid->radius;
        if (solid->type == WEFT_SOLID_CAPSULE)
            center_axial = p[1] > half ? half : p[1] < -half ? -half : p[1];
        if (solid->type == WEFT_SOLID_TORUS)
        {
            center_radial = solid->radius;
            radius = solid->tube_radius;
        }
        real out_radial = radial - center_radial, out_axial = p[1] - center_axial;
        real out = length2(out_radial, out_axial);
        profile = out > WEFT_TINY ? (Profile){out - radius, out_radial / out, out_axial / out}
                                  : (Profile){-radius, solid->type == WEFT_SOLID_CAPSULE ? 1 : 0,
                                              solid->type == WEFT_SOLID_CAPSULE ? 0 : 1};
    }
    }

    // On the axis every radial direction is as good as another.
    real over_x = radial > WEFT_TINY ? p[0] / radial : 1,
         over_z = radial > WEFT_TINY ? p[2] / radial : 0;
    return (Surface){profile.distance,
                     {profile.radial * over_x, profile.axial, profile.radial * over_z}};
}

// From the world to the solid's own coordinates.
static inline void to_solid(const SolidPose *pose, const real x[3], real local[3])
{
    const real *rotation = pose->rotation;
    real        out[3];
    for (int axis = 0; axis < 3; axis++)
        out[axis] = x[axis] - pose->translation[axis];
    for (int axis = 0; axis < 3; axis++)
        local[axis] =
            rotation[axis] * out[0] + rotation[3 + axis] * out[1] + rotation[6 + axis] * out[2];
}

// A direction from the solid's own coordinates to the world.
static inline void turn_out(const SolidPose *pose, const real local[3], real world[3])
{
    for (int axis = 0; axis < 3; axis++)
        world[axis] = pose->rotation[3 * axis] * local[0] +
                      pose->rotation[3 * axis + 1] * local[1] +
                      pose->rotation[3 * axis + 2] * local[2];
}

static inline Surface solid_surface(const SolidData *solid, const SolidPose *pose, const real x[3])
{
    real local[3];
    to_solid(pose, x, local);
    Surface surface = local_surface(solid, &pose->shape, local), world = surface;
    turn_out(pose, surface.normal, world.normal);
    return world;
}

// Whether the particle's way in the step, from `from` to `to`, goes into a mesh, however thin it is there. The surface is then the
// plane of the triangle that it goes through first.
static inline bool solid_crossing(const SolidData *solid, const real from[3], const real to[3],
                                  Surface *surface)
{
    real local_from[3], local_to[3];
    if (solid->mesh == NULL)
        return false;
    for (int axis = 0; axis < 3; axis++)
        if ((from[axis] < solid->low[axis] && to[axis] < solid->low[axis]) ||
            (from[axis] > solid->high[axis] && to[axis] > solid->high[axis]))
            return false;
    to_solid(&solid->before, from, local_from);
    to_solid(&solid->after, to, local_to);
    Surface found = {0, {0, 0, 0}};
    if (!mesh_crossing(solid->mesh, &solid->before.shape, &solid->after.shape, local_from, local_to,
                       &found))
        return false;
    surface->distance = found.distance;
    turn_out(&solid->after, found.normal, surface->normal);
    return true;
}

// The velocity with which the solid carries a point x along during the step.
static inline void solid_velocity(const SolidData *solid, const real x[3], real h, real velocity[3])
{
    real local[3], move[3], moved[3] = {0, 0, 0};
    to_solid(&solid->before, x, local);
    if (solid->before.shape.points != solid->after.shape.points)
    {
        mesh_move(solid->mesh, &solid->before.shape, &solid->after.shape, local, move);
        turn_out(&solid->after, move, moved);
    }
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = (solid->turn[3 * axis] * local[0] + solid->turn[3 * axis + 1] * local[1] +
                          solid->turn[3 * axis + 2] * local[2] + solid->shift[axis] + moved[axis]) /
                         h;
}

// Whether x is so far from the solid that they cannot touch during the step.
static inline bool solid_is_far(const SolidData *solid, const real x[3], real reach)
{
    for (int axis = 0; axis < 3; axis++)
        if (x[axis] < solid->low[axis] - reach || x[axis] > solid->high[axis] + reach)
            return true;
    return false;
}
