// cloth.vert: the cloth. Indexed; where components are shown, each triangle by itself, so that a fragment knows the
// labels of all three corners.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/sky.glsl"
#include "render/light.glsl"

layout(location = 0) out vec3 place;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 sky;
layout(location = 3) out vec2 uv;
layout(location = 4) out float stretch;
layout(location = 5) out vec3 share; // of the three corners
layout(location = 6) flat out uvec3 labels;
layout(location = 7) out vec3 lit; // all light, where it is computed here

void main()
{
    uint vertex = gl_VertexIndex;
    if (SHOW == SHOW_COMPONENTS)
    {
        uint corner = vertex % 3, first = vertex - corner;
        share = vec3(corner == 0, corner == 1, corner == 2);
        for (uint k = 0; k < 3; k++)
            labels[k] = push.particles.at[PARTICLE_QUADS * push.vertices.at[push.indices.at[first + k]].x].w;
        vertex = push.indices.at[vertex];
    }
    else
    {
        share = vec3(0);
        labels = uvec3(0);
    }
    uvec4 record = push.vertices.at[vertex];
    place = particle_place(record.x);
    normal = particle_normal(record.x);
    sky = sky_light(place, normal);
    uv = uintBitsToFloat(record.yz);
    stretch = uintBitsToFloat(push.particles.at[PARTICLE_QUADS * record.x + 1].w);
    lit = vec3(0);
    if (IS_QUICK)
    {
        // The light on the side that is seen from the eye.
        bool front = dot(normal, view.eye.xyz - place) > 0;
        lit = light_on(place, front ? normal : -normal, front ? sky : sky.yxz, CLOTH_THROUGH);
    }
    gl_Position = to_clip(place);
}
