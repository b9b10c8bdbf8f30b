// strain.comp: the largest extension among the springs of each particle, as a part of the rest length.
// One thread per spring. Positive floats are ordered as their bits are.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "render/surface_shared.h"
PUSH(StrainPush);

void main()
{
    uint k = thread_index();
    if (k >= push.count)
        return;
    uvec4 spring = push.springs.at[k];
    vec3  a = uintBitsToFloat(push.particles.at[PARTICLE_QUADS * spring.x].xyz);
    vec3  b = uintBitsToFloat(push.particles.at[PARTICLE_QUADS * spring.y].xyz);
    uint  stretch = floatBitsToUint(max(distance(a, b) / uintBitsToFloat(spring.z) - 1, 0));
    atomicMax(push.particles.at[PARTICLE_QUADS * spring.x + 1].w, stretch);
    atomicMax(push.particles.at[PARTICLE_QUADS * spring.y + 1].w, stretch);
}
