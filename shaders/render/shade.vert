// shade.vert: the part of a plane that shadows may fall on, over the plane as it was drawn without them: what lies behind cloth
// and solids as the light sees them. A grid of cells, six vertices each, a little before the plane.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/plane.glsl"

void main()
{
    uint cell = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;
    vec2 part = vec2(cell % SHADE_CELLS, cell / SHADE_CELLS) +
                vec2(corner == 1 || corner == 2 || corner == 4, corner == 2 || corner == 4 || corner == 5);

    // Wider by a few texels, for shadows are soft; but within the map.
    vec4  reach = uintBitsToFloat(push.particles.at[0]);
    float margin = 2 * view.key.w / view.focus.w, side = 2 * view.focus.w;
    vec2  low = max(reach.xy - margin, 0), high = min(reach.zw + margin, 1);
    vec2  uv = mix(low, high, part / float(SHADE_CELLS)) - 0.5;

    // From that place in the map along the light to the plane.
    vec3 from = view.focus.xyz + side * side * (uv.x * view.key_rows[0].xyz + uv.y * view.key_rows[1].xyz);
    vec3 normal = placed(vec3(0, 1, 0), 0), foot = placed(vec3(0), 1);
    vec3 place = from + view.key.xyz * (dot(normal, foot - from) / dot(normal, view.key.xyz));
    set_plane_vertex(place, normal);
    gl_Position = to_clip(place + push.front[3] * normalize(view.eye.xyz - place));
}
