#version 450
// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    uint i = thread_index();
    if (i >= ENGINE.particle_count || has_failed())
        return;
    precise real3 v = load3(ENGINE.v, i) + load3(ENGINE.change, i);
    precise real3 x = load3(ENGINE.x, i) + value(VALUE_H) * v;
    store3(ENGINE.v, i, v);
    store3(ENGINE.x, i, x);
}
