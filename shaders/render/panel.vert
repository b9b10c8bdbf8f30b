// panel.vert: triangles of the panel over the picture. A vertex is five words: place in pixels, place in the font, colour.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#include "render/panel.h"
#include "render/encode.glsl"

PUSH(PanelPush);
layout(location = 0) out vec4 tint;
layout(location = 1) out vec2 place;

void main()
{
    uint first = PANEL_VERTEX_WORDS * gl_VertexIndex;
    vec2 at = uintBitsToFloat(uvec2(push.vertices.at[first], push.vertices.at[first + 1]));
    place = uintBitsToFloat(uvec2(push.vertices.at[first + 2], push.vertices.at[first + 3]));
    tint = unpackUnorm4x8(push.vertices.at[first + 4]);
    // Colours are given as a screen shows them; a picture that the device encodes is linear.
    if (ENCODES == 0)
        tint.rgb = pow(tint.rgb, vec3(2.2));
    gl_Position = vec4(2 * at / vec2(push.size[0], push.size[1]) - 1, 0, 1);
}
