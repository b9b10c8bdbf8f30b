// surface.comp: the state of an engine as the renderer draws it: place and normal of every particle, its component.
// One thread per particle. Reads x, label and the fan of triangles; writes particles. The normal is the mean of the
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
}
