// plane.glsl: a vertex of a plane. A plane fills most of a picture, so all but the shadow is computed here.
#include "render/sky.glsl"
#include "render/light.glsl"

layout(location = 0) out vec3 at;      // in the light's map
layout(location = 1) out vec3 ambient; // colour without the key light
layout(location = 2) out float fade;   // into the backdrop

void set_plane_vertex(vec3 place, vec3 normal)
{
    at = key_place(place + 2 * view.key.w * normal);
    ambient = vec3(push.front[0], push.front[1], push.front[2]) * ambient_on(normal, sky_light(place, normal), 0);
    fade = smoothstep(1.0, 3.6, distance(place, view.focus.xyz) / view.focus.w);
}
