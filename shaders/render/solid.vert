// solid.vert: a solid in its place.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/sky.glsl"

layout(location = 0) out vec3 place;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 sky;

void main()
{
    place = placed(uintBitsToFloat(push.vertices.at[2 * gl_VertexIndex].xyz), 1);
    normal = placed(uintBitsToFloat(push.vertices.at[2 * gl_VertexIndex + 1].xyz), 0);
    sky = sky_light(place, normal);
    gl_Position = to_clip(place);
}
