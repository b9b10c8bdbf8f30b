// plane.vert: a floor, ramp or wall: a grid that is fine where things happen and wide at its rim. The vertices hold
// places from -1 to 1; the placement has the foot of the view's focus in the middle. A plane fills most of a picture, so
// all but the shadow is computed here.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/sky.glsl"
#include "render/light.glsl"

layout(location = 0) out vec3 at;      // in the light's map
layout(location = 1) out vec3 ambient; // colour without the key light
layout(location = 2) out float fade;   // into the backdrop

void main()
{
    vec2 s = uintBitsToFloat(push.vertices.at[gl_VertexIndex].xy);
    vec2 local = view.focus.w * s * (1 + 3.2 * s * s * s * s);
    vec3 place = placed(vec3(local.x, 0, local.y), 1);
    vec3 normal = placed(vec3(0, 1, 0), 0);
    at = key_place(place + 2 * view.key.w * normal);
    ambient = vec3(push.front[0], push.front[1], push.front[2]) * ambient_on(normal, sky_light(place, normal), 0);
    fade = smoothstep(1.0, 3.6, distance(place, view.focus.xyz) / view.focus.w);
    gl_Position = to_clip(place);
}
