// surface.comp: the state of an engine as the renderer draws it: place and normal of every particle, its component.
// One thread per particle. Reads x, label and the fan of triangles; writes particles, and where in
// the light's map they are. The normal is the mean of the
// triangles around, weighted by their area.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "render/surface_shared.h"
PUSH(SurfacePush);

vec3 place(uint i)
{
    return vec3(push.x.at[i], push.x.at[push.stride + i], push.x.at[2 * push.stride + i]);
}

// Numbers that are not negative are ordered as their bits are. A look beforehand spares most particles the atomics.
void add_to_reach(vec3 here)
{
    vec2 at;
    for (int axis = 0; axis < 2; axis++)
        at[axis] = dot(vec3(push.key_rows[axis][0], push.key_rows[axis][1], push.key_rows[axis][2]), here) +
                   push.key_rows[axis][3];
    uvec2 bits = floatBitsToUint(clamp(at, 0, 1));
    uvec4 reach = push.reach.at[0];
    if (bits.x < reach.x)
        atomicMin(push.reach.at[0].x, bits.x);
    if (bits.y < reach.y)
        atomicMin(push.reach.at[0].y, bits.y);
    if (bits.x > reach.z)
        atomicMax(push.reach.at[0].z, bits.x);
    if (bits.y > reach.w)
        atomicMax(push.reach.at[0].w, bits.y);
}

void main()
{
    uint i = thread_index();
    if (i >= push.count)
        return;
    vec3 normal = vec3(0);
    for (uint k = push.fan_begin.at[i]; k < push.fan_begin.at[i + 1]; k++)
    {
        uint triangle = 3 * push.fan.at[k];
        vec3 a = place(push.corners.at[triangle]);
        normal += cross(place(push.corners.at[triangle + 1]) - a, place(push.corners.at[triangle + 2]) - a);
    }
    float size = length(normal);
    normal = size > 0 ? normal / size : vec3(0, 1, 0);
    uint label = push.has_label != 0 ? push.label.at[i] : LABEL_UNKNOWN;
    push.particles.at[PARTICLE_QUADS * i] = uvec4(floatBitsToUint(place(i)), label);
    push.particles.at[PARTICLE_QUADS * i + 1] = uvec4(floatBitsToUint(normal), 0);
    if (push.has_reach != 0)
        add_to_reach(place(i));
}
