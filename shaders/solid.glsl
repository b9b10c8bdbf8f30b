// solid.glsl: signed distance to a solid and its gradient, negative inside, in world space; motion of a solid.
#define SHAPE_PLANE 0
#define SHAPE_SPHERE 1
#define SHAPE_BOX 2
#define SHAPE_CYLINDER 3
#define SHAPE_CAPSULE 4
#define SHAPE_CONE 5
#define SHAPE_TORUS 6
#define SHAPE_MESH 7

#define TINY real(1e-12)

// m; a particle this near to its place on a solid is there. Less than the rounding of positions would make it creep.
#ifdef WEFT_DOUBLE
#define ON_SURFACE 1e-12LF
#else
#define ON_SURFACE 1e-6
#endif

#ifdef WEFT_DOUBLE
#define real2 dvec2
#else
#define real2 vec2
#endif

struct Surface
{
    real distance;
    real3 normal; // unit, away from the solid
};

// In the half plane of a body of revolution, (radial, y).
struct Profile
{
    real distance;
    real2 normal;
};

uint solid_place(uint solid)
{
    return VALUE_SOLIDS + solid * SOLID_REALS;
}

// Meshes take a driver longer to compile than all the rest, so that shaders are built with and without them.
#ifdef WEFT_MESHES
#include "mesh.glsl"

bool is_mesh(uint solid)
{
    return uint(value(solid_place(solid) + SOLID_TYPE)) == SHAPE_MESH;
}
#else
bool is_mesh(uint solid)
{
    return false;
}
#endif

// Rows as they are stored become the columns of a matrix: m * v is then the transposed times v.
real3x3 value_transposed(uint place)
{
    return real3x3(value3(place), value3(place + 3), value3(place + 6));
}

Surface box_surface(real3 p, real3 size)
{
    real3 over = abs(p) - size / 2, facing = real3(p.x < 0 ? -1 : 1, p.y < 0 ? -1 : 1, p.z < 0 ? -1 : 1);
    real3 outside = max(over, real3(0));
    real away = length(outside);
    if (away > TINY)
        return Surface(away, facing * outside / away);
    // Inside: the nearest face, the first of equals.
    uint face = over.x >= over.y && over.x >= over.z ? 0 : over.y >= over.z ? 1 : 2;
    real3 normal = real3(0);
    normal[face] = facing[face];
    return Surface(over[face], normal);
}

Profile cylinder_profile(real2 p, real radius, real half_height)
{
    real facing = p.y < 0 ? -1 : 1;
    real2 over = real2(p.x - radius, abs(p.y) - half_height);
    if (over.x > 0 && over.y > 0)
    {
        real away = length(over);
        return Profile(away, real2(over.x, facing * over.y) / away);
    }
    return over.x > over.y ? Profile(over.x, real2(1, 0)) : Profile(over.y, real2(0, facing));
}

// A right triangle: base at y = -half_height, apex on the axis at y = half_height.
Profile cone_profile(real2 p, real radius, real half_height)
{
    real2 apex = real2(0, half_height), down = real2(radius, -2 * half_height);
    real slant = length(down);
    down /= slant;
    real2 side_normal = real2(-down.y, down.x), from_apex = p - apex;
    real to_side = dot(from_apex, side_normal), to_base = -half_height - p.y;
    if (to_side <= 0 && to_base <= 0)
        return to_side > to_base ? Profile(to_side, side_normal) : Profile(to_base, real2(0, -1));

    // Outside: the nearer of the two edges.
    real2 out_of_side = from_apex - clamp(dot(from_apex, down), real(0), slant) * down;
    real away = length(out_of_side);
    if (to_base > 0 && p.x <= radius && to_base <= away)
        return Profile(to_base, real2(0, -1));
    return away < TINY ? Profile(0, side_normal) : Profile(away, out_of_side / away);
}

// A circle around a centre: sphere, capsule, torus.
Profile round_profile(real2 p, real2 center, real radius, real2 inmost)
{
    real2 out_of_center = p - center;
    real away = length(out_of_center);
    return away > TINY ? Profile(away - radius, out_of_center / away) : Profile(-radius, inmost);
}

Surface local_surface(uint place, real3 p)
{
    uint shape = uint(value(place + SOLID_TYPE));
    if (shape == SHAPE_PLANE)
        return Surface(p.y, real3(0, 1, 0));
    if (shape == SHAPE_BOX)
        return box_surface(p, value3(place + SOLID_SIZE));

    // Bodies of revolution about y.
    real radius = value(place + SOLID_RADIUS), half_height = value(place + SOLID_HEIGHT) / 2;
    real2 q = real2(length(real2(p.x, p.z)), p.y);
    Profile profile;
    if (shape == SHAPE_CYLINDER)
        profile = cylinder_profile(q, radius, half_height);
    else if (shape == SHAPE_CONE)
        profile = cone_profile(q, radius, half_height);
    else if (shape == SHAPE_CAPSULE)
        profile = round_profile(q, real2(0, clamp(q.y, -half_height, half_height)), radius, real2(1, 0));
    else if (shape == SHAPE_TORUS)
        profile = round_profile(q, real2(radius, 0), value(place + SOLID_TUBE_RADIUS), real2(0, 1));
    else
        profile = round_profile(q, real2(0), radius, real2(0, 1));

    // On the axis every radial direction is as good as another.
    real2 around = q.x > TINY ? real2(p.x, p.z) / q.x : real2(1, 0);
    return Surface(profile.distance, real3(profile.normal.x * around.x, profile.normal.y,
                                           profile.normal.x * around.y));
}

// With the solid where a rotation and a translation among its values take it, and the shape that a mesh has then.
Surface surface_at(uint solid, uint rotation, uint translation, uint shape, real3 x)
{
    uint place = solid_place(solid);
    real3x3 back = value_transposed(place + rotation);
    real3 p = back * (x - value3(place + translation));
    Surface surface;
#ifdef WEFT_MESHES
    if (is_mesh(solid))
        surface = mesh_surface(solid, shape, p);
    else
#endif
        surface = local_surface(place, p);
    surface.normal = surface.normal * back;
    return surface;
}

// At the solid's place at the end of the step, and at its beginning.
Surface solid_surface(uint solid, real3 x)
{
    return surface_at(solid, SOLID_AFTER_ROTATION, SOLID_AFTER_TRANSLATION, MESH_AFTER, x);
}

Surface solid_surface_before(uint solid, real3 x)
{
    return surface_at(solid, SOLID_BEFORE_ROTATION, SOLID_BEFORE_TRANSLATION, MESH_BEFORE, x);
}

// Whether the way of a particle in the step goes into a mesh, however thin it is there; the surface is the plane of the triangle
// that it goes through first.
bool solid_crossing(uint solid, real3 from, real3 to, inout Surface surface)
{
#ifdef WEFT_MESHES
    uint place = solid_place(solid);
    if (!is_mesh(solid) || any(lessThan(max(from, to), value3(place + SOLID_LOW))) ||
        any(greaterThan(min(from, to), value3(place + SOLID_HIGH))))
        return false;
    real3x3 back = value_transposed(place + SOLID_AFTER_ROTATION);
    real3 own_from = value_transposed(place + SOLID_BEFORE_ROTATION) *
                     (from - value3(place + SOLID_BEFORE_TRANSLATION)),
          own_to = back * (to - value3(place + SOLID_AFTER_TRANSLATION));
    if (!mesh_crossing(solid, own_from, own_to, surface))
        return false;
    surface.normal = surface.normal * back;
    return true;
#else
    return false;
#endif
}

// The velocity with which the solid carries a point x along during the step.
real3 solid_velocity(uint solid, real3 x)
{
    uint place = solid_place(solid);
    real3 own = value_transposed(place + SOLID_BEFORE_ROTATION) *
                (x - value3(place + SOLID_BEFORE_TRANSLATION));
    real3 way = own * value_transposed(place + SOLID_TURN) + value3(place + SOLID_SHIFT);
#ifdef WEFT_MESHES
    if (is_mesh(solid) && mesh_word(solid, MESH_BEFORE) != mesh_word(solid, MESH_AFTER))
        way += mesh_move(solid, own) * value_transposed(place + SOLID_AFTER_ROTATION);
#endif
    return way / value(VALUE_H);
}

// Whether x is so far from the solid that they cannot touch during the step.
bool solid_is_far(uint solid, real3 x, real reach)
{
    uint place = solid_place(solid);
    return any(lessThan(x, value3(place + SOLID_LOW) - reach)) ||
           any(greaterThan(x, value3(place + SOLID_HIGH) + reach));
}
