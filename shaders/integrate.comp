#version 450
// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    Reals positions = ENGINE.x, velocities = ENGINE.v, changes = ENGINE.change;
    uint  i = thread_index(), stride = ENGINE.padded_count;
    real  h = value(VALUE_H);
    if (i >= ENGINE.particle_count || has_failed())
        return;
    precise real3 v = load3(velocities, stride, i) + load3(changes, stride, i);
    precise real3 x = load3(positions, stride, i) + h * v;
    store3(velocities, i, v);
    store3(positions, i, x);
}
