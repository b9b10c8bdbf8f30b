// line.vert: springs as lines of a width in pixels, turned to the eye: six vertices each. Without flags all have the
// colour of the front: chains, which have no faces.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/palette.glsl"

layout(location = 0) out vec4 tint;

void main()
{
    uvec4 spring = push.vertices.at[gl_VertexIndex / 6];
    uint  corner = gl_VertexIndex % 6;
    vec3  here = particle_place(spring.x), there = particle_place(spring.y);
    here += push.front[3] * normalize(view.eye.xyz - here);
    there += push.front[3] * normalize(view.eye.xyz - there);
    vec4  a = to_clip(here), b = to_clip(there);
    vec2  along = (b.xy / b.w - a.xy / a.w) * view.picture.xy;
    along = dot(along, along) > 0 ? normalize(along) : vec2(1, 0);
    float width = push.checks[0];
    tint = vec4(push.front[0], push.front[1], push.front[2], 1);
    if (push.has_flags != 0)
    {
        uint flags = push.indices.at[spring.w];
        bool acts = (flags & SPRING_ACTIVE) != 0, implicit = (flags & SPRING_IMPLICIT) != 0;
        tint = sign_color(implicit ? SIGN_IMPLICIT : acts ? SIGN_EXPLICIT : SIGN_SLACK);
        width *= acts ? 1.0 : 0.6;
    }
    bool  far = corner == 1 || corner == 2 || corner == 4;
    float side = corner == 0 || corner == 1 || corner == 3 ? 1.0 : -1.0;
    gl_Position = far ? b : a;
    gl_Position.xy += gl_Position.w * side * width * vec2(-along.y, along.x) / view.picture.xy;
}
