// backdrop.frag: a soft gradient.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"

layout(location = 0) out vec4 color;

void main()
{
    color = vec4(to_pixel(backdrop(gl_FragCoord.y)), 1);
}
