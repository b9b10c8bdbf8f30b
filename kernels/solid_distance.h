// solid_distance.h: signed distance to a solid and its gradient, negative inside, in world space. For the eight places of a slice: where
// one particle is near a solid its neighbours mostly are. Only some lanes are asked for; those that are not may get anything.
#pragma once

#include <math.h>

#include "data.h"
#include "mesh_distance.h"
#include "scene/scene.h"
#include "slices.h"

#define WEFT_TINY ((real)1e-12)

// Of eight places.
typedef struct Surfaces
{
    Lanes distance;  // m, negative inside
    Lanes normal[3]; // unit, away from the solid
} Surfaces;

static inline Lanes lanes_length2(Lanes a, Lanes b)
{
    return lanes_sqrt(a * a + b * b);
}

// Points in the half plane of a body of revolution: (radial, y). Distance and the gradient in that plane.
typedef struct Profile
{
    Lanes distance, radial, axial;
} Profile;

static inline Profile profile_select(LaneMask mask, Profile value, Profile otherwise)
{
    return (Profile){lanes_select(mask, value.distance, otherwise.distance),
                     lanes_select(mask, value.radial, otherwise.radial),
                     lanes_select(mask, value.axial, otherwise.axial)};
}

// A rectangle of half width `a` (radial) and half height `b`: the profile of a cylinder.
static inline Profile rectangle_profile(Lanes radial, Lanes y, real a, real b)
{
    const Lanes none = {0}, one = lanes_all(1);
    Lanes       side = lanes_select(lanes_less(y, none), -one, one);
    Lanes       over_radial = radial - a, over_axial = y * side - b;
    Lanes       distance = lanes_length2(over_radial, over_axial);
    Profile     edge = {distance, over_radial / distance, side * over_axial / distance};
    Profile     face =
        profile_select(lanes_less(over_axial, over_radial), (Profile){over_radial, one, none},
                       (Profile){over_axial, none, side});
    return profile_select(lanes_less(none, over_radial) & lanes_less(none, over_axial), edge, face);
}

// A right triangle: base of radius `a` at y = -b, apex on the axis at y = b: the profile of a cone.
static inline Profile cone_profile(Lanes radial, Lanes y, real a, real b)
{
    const Lanes none = {0}, one = lanes_all(1);
    real        height = 2 * b, slant = WEFT_REAL_SQRT(height * height + a * a);
    real slope_radial = height / slant, slope_axial = a / slant; // normal of the slanted side

    // Distances to the lines of side and base, and the place of the foot along the side from the
    // apex.
    Lanes to_side = radial * slope_radial + (y - b) * slope_axial;
    Lanes to_base = -b - y;
    Lanes along = radial * slope_axial - (y - b) * slope_radial;
    Lanes foot =
        lanes_select(lanes_less(along, none), none,
                     lanes_select(lanes_less(lanes_all(slant), along), lanes_all(slant), along));
    Lanes side_radial = radial - foot * slope_axial, side_axial = y - b + foot * slope_radial;

    // Outside: the nearer of side and base segment.
    Lanes   side_distance = lanes_length2(side_radial, side_axial);
    Profile base = {to_base, none, -one};
    Profile side = {side_distance, side_radial / side_distance, side_axial / side_distance};
    Profile tip = {none, lanes_all(slope_radial), lanes_all(slope_axial)};
    Profile outside = profile_select(
        lanes_less(none, to_base) & lanes_at_most(radial, lanes_all(a)) &
            lanes_at_most(to_base, side_distance),
        base, profile_select(lanes_less(side_distance, lanes_all(WEFT_TINY)), tip, side));
    tip.distance = to_side;
    Profile inside = profile_select(lanes_less(to_base, to_side), tip, base);
    return profile_select(lanes_at_most(to_side, none) & lanes_at_most(to_base, none), inside,
                          outside);
}

// A circle of some radius around a centre in the half plane: the profile of a sphere, a capsule and a torus.
static inline Profile circle_profile(const SolidData *solid, Lanes radial, Lanes y)
{
    const Lanes none = {0}, one = lanes_all(1);
    const bool  is_capsule = solid->type == WEFT_SOLID_CAPSULE;
    const bool  is_torus = solid->type == WEFT_SOLID_TORUS;
    const real  radius = is_torus ? solid->tube_radius : solid->radius;
    Lanes       out_radial = radial, out_axial = y;
    if (is_capsule)
    {
        const Lanes top = lanes_all(solid->height / 2), bottom = -top;
        out_axial = y - lanes_select(lanes_less(top, y), top,
                                     lanes_select(lanes_less(y, bottom), bottom, y));
    }
    if (is_torus)
        out_radial = radial - solid->radius;
    Lanes   out = lanes_length2(out_radial, out_axial);
    Profile center = {lanes_all(-radius), is_capsule ? one : none, is_capsule ? none : one};
    return profile_select(lanes_less(lanes_all(WEFT_TINY), out),
                          (Profile){out - radius, out_radial / out, out_axial / out}, center);
}

static inline Surfaces revolved_surfaces(const SolidData *solid, const Lanes p[3])
{
    // Bodies of revolution about y.
    Lanes   radial = lanes_length2(p[0], p[2]);
    Profile profile;
    if (solid->type == WEFT_SOLID_CYLINDER)
        profile = rectangle_profile(radial, p[1], solid->radius, solid->height / 2);
    else if (solid->type == WEFT_SOLID_CONE)
        profile = cone_profile(radial, p[1], solid->radius, solid->height / 2);
    else
        profile = circle_profile(solid, radial, p[1]);

    // On the axis every radial direction is as good as another.
    LaneMask is_off = lanes_less(lanes_all(WEFT_TINY), radial);
    Lanes    over_x = lanes_select(is_off, p[0] / radial, lanes_all(1)),
          over_z = lanes_select(is_off, p[2] / radial, lanes_all(0));
    return (Surfaces){profile.distance,
                      {profile.radial * over_x, profile.axial, profile.radial * over_z}};
}

static inline Surfaces box_surfaces(const Lanes p[3], const real size[3])
{
    // Vector to the nearest point of the box; inside, the nearest face.
    const Lanes none = {0}, one = lanes_all(1);
    Lanes       out[3], side[3], outside2 = {0}, deepest = lanes_all(-INFINITY);
    LaneMask    is_face[3] = {{0}, {0}, {0}};
    for (int axis = 0; axis < 3; axis++)
    {
        LaneMask is_below = lanes_less(p[axis], none);
        Lanes    over = lanes_select(is_below, -p[axis], p[axis]) - size[axis] / 2;
        out[axis] = lanes_select(lanes_less(none, over), lanes_select(is_below, -over, over), none);
        side[axis] = lanes_select(is_below, -one, one);
        outside2 += out[axis] * out[axis];
        is_face[axis] = lanes_less(deepest, over);
        deepest = lanes_select(is_face[axis], over, deepest);
    }
    is_face[1] &= ~is_face[2];
    is_face[0] = ~(is_face[1] | is_face[2]);
    LaneMask is_outside = lanes_less(lanes_all(WEFT_TINY * WEFT_TINY), outside2);
    Lanes    distance = lanes_sqrt(outside2);
    Surfaces surfaces = {.distance = lanes_select(is_outside, distance, deepest)};
    for (int axis = 0; axis < 3; axis++)
        surfaces.normal[axis] = lanes_select(is_outside, out[axis] / distance,
                                             lanes_select(is_face[axis], side[axis], none));
    return surfaces;
}

static inline Surfaces mesh_surfaces(const MeshTree *tree, const MeshShape *shape, const Lanes p[3],
                                     uint32_t lanes)
{
    Surfaces surfaces = {.distance = {0}};
    for (; lanes; lanes &= lanes - 1)
    {
        const int  lane = __builtin_ctz(lanes);
        const real place[3] = {p[0][lane], p[1][lane], p[2][lane]};
        Surface    surface = mesh_surface(tree, shape, place);
        surfaces.distance[lane] = surface.distance;
        for (int axis = 0; axis < 3; axis++)
            surfaces.normal[axis][lane] = surface.normal[axis];
    }
    return surfaces;
}

static inline Surfaces local_surfaces(const SolidData *solid, const MeshShape *shape,
                                      const Lanes p[3], uint32_t lanes)
{
    if (solid->mesh != NULL)
        return mesh_surfaces(solid->mesh, shape, p, lanes);
    if (solid->type == WEFT_SOLID_PLANE)
        return (Surfaces){p[1], {lanes_all(0), lanes_all(1), lanes_all(0)}};
    if (solid->type == WEFT_SOLID_BOX)
        return box_surfaces(p, solid->size);
    return revolved_surfaces(solid, p);
}

// From the world to the solid's own coordinates.
static inline void to_solid(const SolidPose *pose, const Lanes x[3], Lanes local[3])
{
    const real *rotation = pose->rotation;
    Lanes       out[3];
    for (int axis = 0; axis < 3; axis++)
        out[axis] = x[axis] - pose->translation[axis];
    for (int axis = 0; axis < 3; axis++)
        local[axis] =
            rotation[axis] * out[0] + rotation[3 + axis] * out[1] + rotation[6 + axis] * out[2];
}

// A direction from the solid's own coordinates to the world.
static inline void turn_out(const SolidPose *pose, const Lanes local[3], Lanes world[3])
{
    for (int axis = 0; axis < 3; axis++)
        world[axis] = pose->rotation[3 * axis] * local[0] +
                      pose->rotation[3 * axis + 1] * local[1] +
                      pose->rotation[3 * axis + 2] * local[2];
}

static inline Surfaces solid_surfaces(const SolidData *solid, const SolidPose *pose,
                                      const Lanes x[3], uint32_t lanes)
{
    Lanes local[3];
    to_solid(pose, x, local);
    Surfaces surfaces = local_surfaces(solid, &pose->shape, local, lanes), world = surfaces;
    turn_out(pose, surfaces.normal, world.normal);
    return world;
}

// A bit for each lane whose way in the step, from `from` to `to`, goes into a mesh, however thin it is there. The surface is then the
// plane of the triangle that it goes through first.
static inline uint32_t solid_crossings(const SolidData *solid, const Lanes from[3],
                                       const Lanes to[3], uint32_t lanes, Surfaces *through)
{
    Lanes    local_from[3], local_to[3];
    LaneMask apart = {0};
    if (solid->mesh == NULL)
        return 0;
    for (int axis = 0; axis < 3; axis++)
    {
        const Lanes low = lanes_all(solid->low[axis]), high = lanes_all(solid->high[axis]);
        apart |= (lanes_less(from[axis], low) & lanes_less(to[axis], low)) |
                 (lanes_less(high, from[axis]) & lanes_less(high, to[axis]));
    }
    lanes &= ~lanes_bits(apart);
    if (lanes == 0)
        return 0;
    to_solid(&solid->before, from, local_from);
    to_solid(&solid->after, to, local_to);
    Surfaces local = {.distance = {0}};
    uint32_t crossing = 0;
    for (; lanes; lanes &= lanes - 1)
    {
        const int  lane = __builtin_ctz(lanes);
        const real start[3] = {local_from[0][lane], local_from[1][lane], local_from[2][lane]},
                   end[3] = {local_to[0][lane], local_to[1][lane], local_to[2][lane]};
        Surface found;
        if (!mesh_crossing(solid->mesh, &solid->before.shape, &solid->after.shape, start, end,
                           &found))
            continue;
        crossing |= 1u << lane;
        local.distance[lane] = found.distance;
        for (int axis = 0; axis < 3; axis++)
            local.normal[axis][lane] = found.normal[axis];
    }
    through->distance = local.distance;
    turn_out(&solid->after, local.normal, through->normal);
    return crossing;
}

// The velocities with which the solid carries places along during the step.
static inline void solid_velocities(const SolidData *solid, const Lanes x[3], real h,
                                    uint32_t lanes, Lanes velocity[3])
{
    Lanes local[3], moved[3] = {{0}, {0}, {0}};
    to_solid(&solid->before, x, local);
    if (solid->before.shape.points != solid->after.shape.points)
    {
        Lanes moves[3] = {{0}, {0}, {0}};
        for (; lanes; lanes &= lanes - 1)
        {
            const int  lane = __builtin_ctz(lanes);
            const real place[3] = {local[0][lane], local[1][lane], local[2][lane]};
            real       move[3];
            mesh_move(solid->mesh, &solid->before.shape, &solid->after.shape, place, move);
            for (int axis = 0; axis < 3; axis++)
                moves[axis][lane] = move[axis];
        }
        turn_out(&solid->after, moves, moved);
    }
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = (solid->turn[3 * axis] * local[0] + solid->turn[3 * axis + 1] * local[1] +
                          solid->turn[3 * axis + 2] * local[2] + solid->shift[axis] + moved[axis]) /
                         h;
}

// A bit for each lane that is not so far from the solid that they cannot touch during the step.
static inline uint32_t solid_nears(const SolidData *solid, const Lanes x[3], Lanes reach)
{
    LaneMask far = {0};
    for (int axis = 0; axis < 3; axis++)
        far |= lanes_less(x[axis], solid->low[axis] - reach) |
               lanes_less(solid->high[axis] + reach, x[axis]);
    return ~lanes_bits(far) & ALL_LANES;
}

// A single place in every lane.
static inline void lanes_of_place(const real x[3], Lanes places[3])
{
    for (int axis = 0; axis < 3; axis++)
        places[axis] = lanes_all(x[axis]);
}

static inline Surface solid_surface(const SolidData *solid, const SolidPose *pose, const real x[3])
{
    Lanes places[3];
    lanes_of_place(x, places);
    Surfaces surfaces = solid_surfaces(solid, pose, places, 1);
    return (Surface){surfaces.distance[0],
                     {surfaces.normal[0][0], surfaces.normal[1][0], surfaces.normal[2][0]}};
}

static inline bool solid_is_near(const SolidData *solid, const real x[3], real reach)
{
    Lanes places[3];
    lanes_of_place(x, places);
    return solid_nears(solid, places, lanes_all(reach)) != 0;
}
