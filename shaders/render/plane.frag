// plane.frag: a floor that fades into the backdrop far from what happens on it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/light.glsl"

layout(location = 0) in vec3 at;
layout(location = 1) in vec3 ambient;
layout(location = 2) in float fade;
layout(location = 0) out vec4 color;

void main()
{
    // `back` has what the key light adds where it arrives.
    vec3 lit = ambient + key_seen(at) * vec3(push.back[0], push.back[1], push.back[2]);
    color = vec4(to_pixel(mix(lit, backdrop(gl_FragCoord.y), fade)), 1);
}
