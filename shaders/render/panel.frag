// panel.frag: the panel's colour, as opaque as the font is at this place.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#include "render/panel.h"

PUSH(PanelPush);
layout(location = 0) in vec4 tint;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 color;

void main()
{
    uvec2 size = uvec2(push.font_width, push.font_height);
    uvec2 texel = min(uvec2(place * vec2(size)), size - 1);
    uint  index = texel.y * size.x + texel.x;
    uint  opacity = push.font.at[index / 4] >> (8 * (index % 4)) & 255;
    color = vec4(tint.rgb, tint.a * opacity / 255.0);
}
