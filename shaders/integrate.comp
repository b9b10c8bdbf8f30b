#version 450
// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle, or for several.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    Reals positions = ENGINE.x, velocities = ENGINE.v, changes = ENGINE.change;
    uint  count = has_failed() ? 0 : ENGINE.particle_count, stride = ENGINE.padded_count, threads = thread_count();
    real  h = value(VALUE_H);
    for (uint i = thread_index(); i < count; i += threads)
    {
        precise real3 v = load3(velocities, stride, i) + load3(changes, stride, i);
        precise real3 x = load3(positions, stride, i) + h * v;
        store3(velocities, stride, i, v);
        store3(positions, stride, i, x);
    }
}
