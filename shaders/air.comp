#version 450
// air: drag and lift of the surface against the wind.
// Reads positions, velocities, wind. Writes the force on each corner of each triangle. One thread
// per triangle, or for several. Per-triangle aerodynamic force as in Eberhardt, Weber and Strasser 1996: with the
// wind relative to the triangle w = wind - v and the unit normal n on the side that the wind leaves
// (w.n >= 0), drag acts along w and lift across it in the plane of w and n. Both are proportional
// to the area turned to the wind, A (w.n) / |w|, and lift also to the cosine of the angle of
// attack:
//   F = rho A / 2 (w.n) [ cd w + cl ( |w| n - (w.n) w / |w| ) ].
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    // Read at the start: inside of conditions an address costs as much as what stands there.
    Reals positions = ENGINE.x, velocities = ENGINE.v, forces = ENGINE.air_force;
    Uints corners = ENGINE.corners;
    real3 wind = value3(VALUE_WIND);
    real  density = value(VALUE_AIR_DENSITY), drag = value(VALUE_AIR_DRAG),
         lift_factor = value(VALUE_AIR_LIFT);
    uint count = ENGINE.triangle_count, stride = ENGINE.padded_count, threads = thread_count();
    uint end = has_failed() ? 0 : count;
    for (uint triangle = thread_index(); triangle < end; triangle += threads)
    {
        uint a = corners.at[triangle], b = corners.at[count + triangle],
             c = corners.at[2 * count + triangle];
        real3 origin = load3(positions, stride, a);
        real3 normal = cross(load3(positions, stride, b) - origin, load3(positions, stride, c) - origin);
        real3 w = wind - (load3(velocities, stride, a) + load3(velocities, stride, b) +
                          load3(velocities, stride, c)) / 3;
        real size = length(normal), speed = length(w);
        real3 force = real3(0);
        if (size > 0 && speed > 0)
        {
            // The normal is of twice the area. A third of the force on each corner.
            real3 n = dot(w, normal) < 0 ? -normal / size : normal / size;
            real through = dot(w, n);
            real3 lift = speed * n - through / speed * w;
            force = density * size / 12 * through * (drag * w + lift_factor * lift);
        }
        for (uint axis = 0; axis < 3; axis++)
            forces.at[axis * count + triangle] = force[axis];
    }
}
