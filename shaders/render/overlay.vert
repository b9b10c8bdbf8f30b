// overlay.vert: strokes over the picture, in pixels from its upper left: six vertices each. A stroke is two quads: its
// ends; half its width, then colour, or INK_* and what it is the colour of.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/palette.glsl"

layout(location = 0) out vec4 tint;

void main()
{
    uint corner = gl_VertexIndex % 6, stroke = 2 * (gl_VertexIndex / 6);
    vec4 ends = uintBitsToFloat(push.vertices.at[stroke]), look = uintBitsToFloat(push.vertices.at[stroke + 1]);
    vec2 along = ends.zw - ends.xy;
    along = dot(along, along) > 0 ? normalize(along) : vec2(1, 0);
    bool  far = corner == 1 || corner == 2 || corner == 4;
    float side = corner == 0 || corner == 1 || corner == 3 ? look.x : -look.x;
    vec2  at = (far ? ends.zw : ends.xy) + side * vec2(-along.y, along.x);
    tint = look.y == INK_HEAT   ? vec4(heat_color(look.z), 1)
           : look.y == INK_SIGN ? sign_color(uint(look.z))
                                : vec4(look.yzw, 1);
    // Before the scene, but behind what is foremost.
    gl_Position = vec4(2 * at / view.picture.xy - 1, 1e-6, 1);
}
