// pin.vert: pinned particles as discs of a width in pixels: sixteen triangles each. Released ones vanish.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/palette.glsl"

layout(location = 0) out vec4 tint;

void main()
{
    uvec4 pin = push.vertices.at[gl_VertexIndex / 48];
    uint  corner = gl_VertexIndex % 48;
    vec3  here = particle_place(pin.x);
    here += push.front[3] * normalize(view.eye.xyz - here);
    float angle = 0.39269908 * float(corner / 3 + (corner % 3 == 2 ? 1 : 0));
    float reach = corner % 3 == 0 || push.checks[1] >= uintBitsToFloat(pin.y) ? 0.0 : push.checks[0];
    gl_Position = to_clip(here);
    gl_Position.xy += gl_Position.w * reach * vec2(cos(angle), sin(angle)) / view.picture.xy;
    tint = sign_color(SIGN_PIN);
}
