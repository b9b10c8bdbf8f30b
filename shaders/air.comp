#version 450
// air: drag and lift of the surface against the wind.
// Reads positions, velocities, wind. Writes the force on each corner of each triangle. One thread
// per triangle. Per-triangle aerodynamic force as in Eberhardt, Weber and Strasser 1996: with the
// wind relative to the triangle w = wind - v and the unit normal n on the side that the wind leaves
// (w.n >= 0), drag acts along w and lift across it in the plane of w and n. Both are proportional
// to the area turned to the wind, A (w.n) / |w|, and lift also to the cosine of the angle of
// attack:
//   F = rho A / 2 (w.n) [ cd w + cl ( |w| n - (w.n) w / |w| ) ].
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    uint triangle = thread_index(), count = ENGINE.triangle_count;
    if (triangle >= count || has_failed())
        return;
    uint a = ENGINE.corners.at[triangle], b = ENGINE.corners.at[count + triangle],
         c = ENGINE.corners.at[2 * count + triangle];
    real3 origin = load3(ENGINE.x, a);
    real3 normal = cross(load3(ENGINE.x, b) - origin, load3(ENGINE.x, c) - origin);
    real3 w = value3(VALUE_WIND) -
              (load3(ENGINE.v, a) + load3(ENGINE.v, b) + load3(ENGINE.v, c)) / 3;
    real size = length(normal), speed = length(w);
    real3 force = real3(0);
    if (size > 0 && speed > 0)
    {
        // The normal is of twice the area. A third of the force on each corner.
        real3 n = dot(w, normal) < 0 ? -normal / size : normal / size;
        real through = dot(w, n);
        real3 lift = speed * n - through / speed * w;
        force = value(VALUE_AIR_DENSITY) * size / 12 * through *
                (value(VALUE_AIR_DRAG) * w + value(VALUE_AIR_LIFT) * lift);
    }
    for (uint axis = 0; axis < 3; axis++)
        ENGINE.air_force.at[axis * count + triangle] = force[axis];
}
