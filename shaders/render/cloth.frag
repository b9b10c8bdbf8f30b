// cloth.frag: what the cloth looks like: fabric with checks or an image, components, or stretch.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "render/draw.glsl"
#include "render/light.glsl"
#include "render/palette.glsl"

layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 sky;
layout(location = 3) in vec2 uv;
layout(location = 4) in float stretch;
layout(location = 5) in vec3 share;
layout(location = 6) flat in uvec3 labels;
layout(location = 7) in vec3 lit;
layout(location = 0) out vec4 pixel;

// Mean over a pixel of a wave that is 1 on [0, 1), 0 on [1, 2) and so on: a difference of its integral.
vec2 stripes(vec2 middle, vec2 width)
{
    vec2 low = (middle - 0.5 * width) * 0.5, high = (middle + 0.5 * width) * 0.5;
    vec2 below = floor(low) + min(2 * fract(low), 1), above = floor(high) + min(2 * fract(high), 1);
    return (above - below) / width;
}

// Threads that go over and under each other, as far as they can be seen.
float weave(vec2 thread)
{
    vec2  width = fwidth(thread), wave = cos(3.1415927 * thread);
    float fade = clamp(1.4 - 1.6 * max(width.x, width.y), 0, 1);
    return 1 - 0.16 * fade * (0.5 + 0.5 * wave.x * wave.y);
}

// Warp and weft are dyed in stripes: where both are, the colour is full.
vec3 checks(vec3 dye)
{
    vec2 stripes_at = uv * vec2(push.checks[0], push.checks[1]);
    vec2 stripe = stripes(stripes_at, clamp(fwidth(stripes_at), 0.01, 4));
    vec3 pale = mix(dye, vec3(0.80, 0.77, 0.70), 0.80);
    return mix(pale, dye, 0.5 * (stripe.x + stripe.y)) * (IS_QUICK ? 1.0 : weave(stripes_at * 10));
}

// The corner that is nearest, with a border of a pixel's width.
vec3 component()
{
    vec3 sharp = share / max(fwidth(share), 1e-5);
    float most = max(sharp.x, max(sharp.y, sharp.z));
    vec3 part = clamp(sharp - most + 1, 0, 1);
    part /= part.x + part.y + part.z;
    return part.x * component_color(labels.x) + part.y * component_color(labels.y) + part.z * component_color(labels.z);
}

// The colour of the cloth itself.
vec3 surface()
{
    float side = gl_FrontFacing ? 1.0 : 0.8;
    if (SHOW == SHOW_COMPONENTS)
        return component() * side;
    if (SHOW == SHOW_STRETCH)
        return heat_color(stretch / view.stretch.x) * side;
    if (SHOW == SHOW_WIREFRAME)
        return vec3(0.62, 0.63, 0.65);
    vec3 color = HAS_TEXTURE != 0 ? texture(cloth_image, vec2(uv.x, 1 - uv.y)).rgb
                                  : checks(vec3(push.front[0], push.front[1], push.front[2]));
    return gl_FrontFacing ? color : mix(color, vec3(push.back[0], push.back[1], push.back[2]), 0.3);
}

vec3 shade(vec3 color)
{
    if (IS_QUICK)
        return color * lit;

    // The side that is seen. Seen edge-on, a smooth normal may point away.
    vec3  n = normalize(normal) * (gl_FrontFacing ? 1 : -1);
    vec3  to_eye = normalize(view.eye.xyz - place);
    float facing = dot(n, to_eye);
    if (facing < 0.02)
        n = normalize(n + (0.02 - facing) * to_eye);

    // Loose fibres catch light at the rim of a fold.
    float away = 1 - max(facing, 0), rim = 0.35 * away * away * away * away;
    color += rim * mix(color, vec3(0.6), 0.5);
    return color * light_on(place, n, gl_FrontFacing ? sky : sky.yxz, CLOTH_THROUGH);
}

void main()
{
    pixel = vec4(to_pixel(shade(surface())), 1);
}
