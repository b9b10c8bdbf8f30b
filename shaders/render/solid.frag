// solid.frag: matte solids.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/light.glsl"

layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 sky;
layout(location = 0) out vec4 color;

void main()
{
    vec3 surface = vec3(push.front[0], push.front[1], push.front[2]);
    color = vec4(to_pixel(surface * light_on(place, normalize(normal), sky, 0)), 1);
}
