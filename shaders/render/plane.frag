// plane.frag: a floor that fades into the backdrop far from what happens on it.
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
    vec3  surface = vec3(push.front[0], push.front[1], push.front[2]);
    float away = distance(place, view.focus.xyz) / view.focus.w;
    vec3  lit = surface * light_on(place, normal, sky, 0);
    color = vec4(mix(lit, backdrop(gl_FragCoord.y), smoothstep(1.0, 3.6, away)), 1);
}
