// tint.frag: a colour as it is, without light: lines, pins and what is written over the picture.
#version 460

layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;

void main()
{
    color = tint;
}
