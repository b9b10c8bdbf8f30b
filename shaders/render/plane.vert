// plane.vert: a floor, ramp or wall: a grid that is fine where things happen and wide at its rim. The vertices hold
// places from -1 to 1; the placement has the foot of the view's focus in the middle.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/sky.glsl"

layout(location = 0) out vec3 place;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec3 sky;

void main()
{
    vec2 s = uintBitsToFloat(push.vertices.at[gl_VertexIndex].xy);
    vec2 local = view.focus.w * s * (1 + 3.2 * s * s * s * s);
    place = placed(vec3(local.x, 0, local.y), 1);
    normal = placed(vec3(0, 1, 0), 0);
    sky = sky_light(place, normal);
    gl_Position = to_clip(place);
}
