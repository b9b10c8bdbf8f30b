// tint.frag: a colour as it is, without light: lines, pins and what is written over the picture.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#include "render/render.h"
#include "render/encode.glsl"

layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(to_pixel(tint.rgb), tint.a);
}
