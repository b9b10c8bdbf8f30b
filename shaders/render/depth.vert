// depth.vert: cloth (SHOW_FABRIC), whose vertices are here the particles, or solids, for the maps of the light and of
// the sky.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"

void main()
{
    vec3 place = SHOW == SHOW_FABRIC ? particle_place(gl_VertexIndex)
                                     : placed(uintBitsToFloat(push.vertices.at[2 * gl_VertexIndex].xyz), 1);
    vec4 p = vec4(place, 1);
    uint k = 3 * (max(push.map, 1) - 1);
    vec3 at = push.map == 0
                  ? vec3(dot(view.key_rows[0], p), dot(view.key_rows[1], p), dot(view.key_rows[2], p))
                  : vec3(dot(view.sky_rows[k], p), dot(view.sky_rows[k + 1], p), dot(view.sky_rows[k + 2], p));
    gl_Position = vec4(2 * at.xy - 1, at.z, 1);
}
