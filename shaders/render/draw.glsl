// draw.glsl: what every shader that draws starts with.
#extension GL_EXT_buffer_reference : require
#include "render/render.h"

layout(constant_id = CONSTANT_SHOW) const uint SHOW = SHOW_FABRIC;
layout(constant_id = CONSTANT_SKY) const uint SKY_COUNT = 0;
layout(constant_id = CONSTANT_TAPS) const uint TAPS = 1;
layout(constant_id = CONSTANT_TEXTURE) const uint HAS_TEXTURE = 0;

// Without maps of the sky the light on cloth is computed at vertices.
const bool IS_QUICK = SKY_COUNT == 0;

#include "render/encode.glsl"

PUSH(RenderPush);
layout(set = 0, binding = 0, std140) uniform ViewBlock
{
    RenderView view;
};
layout(set = 0, binding = 1) uniform sampler2DShadow key_map;
layout(set = 0, binding = 2) uniform sampler2DArrayShadow sky_maps;
layout(set = 0, binding = 3) uniform sampler2D cloth_image;

vec4 to_clip(vec3 point)
{
    vec4 p = vec4(point, 1);
    return vec4(dot(view.clip[0], p), dot(view.clip[1], p), dot(view.clip[2], p), dot(view.clip[3], p));
}

vec3 particle_place(uint i)
{
    return uintBitsToFloat(push.particles.at[PARTICLE_QUADS * i].xyz);
}

vec3 particle_normal(uint i)
{
    return uintBitsToFloat(push.particles.at[PARTICLE_QUADS * i + 1].xyz);
}

// The rows of a placement, applied to a point (w = 1) or a direction (w = 0).
vec3 placed(vec3 v, float w)
{
    return vec3(push.rows[0] * v.x + push.rows[1] * v.y + push.rows[2] * v.z + push.rows[3] * w,
                push.rows[4] * v.x + push.rows[5] * v.y + push.rows[6] * v.z + push.rows[7] * w,
                push.rows[8] * v.x + push.rows[9] * v.y + push.rows[10] * v.z + push.rows[11] * w);
}

vec3 backdrop(float y)
{
    return mix(view.top.rgb, view.bottom.rgb, clamp(y / view.picture.y, 0, 1));
}
