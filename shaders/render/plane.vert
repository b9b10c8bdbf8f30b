// plane.vert: a floor, ramp or wall: a grid that is fine where things happen and wide at its rim. The vertices hold
// places from -1 to 1; the placement has the foot of the view's focus in the middle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/plane.glsl"

void main()
{
    vec2 s = uintBitsToFloat(push.vertices.at[gl_VertexIndex].xy);
    vec2 local = view.focus.w * s * (1 + 3.2 * s * s * s * s);
    vec3 place = placed(vec3(local.x, 0, local.y), 1);
    set_plane_vertex(place, placed(vec3(0, 1, 0), 0));
    gl_Position = to_clip(place);
}
