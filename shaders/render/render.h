// render.h: what the renderer and its shaders share.
//
//   surface, strain (compute)   state of an engine -> particles: place, normal, component, stretch
//   depth                       particles, solids -> maps of depth, seen from the light and parts of the sky
//   cloth, solid, plane, shade, line, pin, backdrop, overlay   -> the picture
#ifndef WEFT_RENDER_H
#define WEFT_RENDER_H

#include "layout.h"
#include "push.h"

#ifdef GL_EXT_buffer_reference
#ifndef QUADS_ARE
#define QUADS_ARE readonly // surface_shared.h lifts that
#endif
#define VEC4(name) vec4 name
#define VEC4S(name, count) vec4 name[count]
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words
{
    uint at[];
};
layout(buffer_reference, std430, buffer_reference_align = 16) QUADS_ARE buffer Quads
{
    uvec4 at[];
};
#else
#define VEC4(name) float name[4]
#define VEC4S(name, count) float name[count][4]
#endif

// What the cloth shows.
#define SHOW_FABRIC 0u
#define SHOW_COMPONENTS 1u
#define SHOW_STRETCH 2u
#define SHOW_WIREFRAME 3u

// Label of a particle before the first step.
#define LABEL_UNKNOWN 0xFFFFFFFEu

// What lines, pins and the legend tell apart.
#define SIGN_IMPLICIT 0u
#define SIGN_EXPLICIT 1u
#define SIGN_SLACK 2u
#define SIGN_PIN 3u

// Colours of the overlay that are not given outright: part of the range of heat, a sign.
#define INK_HEAT -1.0f
#define INK_SIGN -2.0f

// A particle is two quads of words: x, y, z, label; normal x, y, z, stretch.
#define PARTICLE_QUADS 2u

// Parts of the sky, at most: each has a map of depth.
#define SKY_MOST 32

// The part of a plane that shadows may fall on is drawn as a grid of so many cells along each side.
#define SHADE_CELLS 8u

// Specialization constants of the shaders that draw.
#define CONSTANT_SHOW 0    // SHOW_*
#define CONSTANT_SKY 1     // parts of the sky, 0 for an open one
#define CONSTANT_TAPS 2    // looks into the light's map that make a shadow soft
#define CONSTANT_TEXTURE 3 // 1: an image on the cloth, 0: checks
#define CONSTANT_ENCODES 4 // 1: the picture has no sRGB format; see encode.glsl
#define CONSTANT_COUNT 5

// The eye, the lights and the picture. Directions are of unit length; rows give u, v and depth in 0..1 of a
// point in a map: dot(row, vec4(point, 1)).
struct RenderView
{
    VEC4S(clip, 4); // rows: from the world to the clip space
    VEC4(eye);
    VEC4(up);    // against gravity
    VEC4(focus); // middle and radius of what is lit with care
    VEC4(key);   // towards the light; then a texel of its map, m
    VEC4S(key_rows, 3);
    VEC4(key_color);
    VEC4(sky_color);
    VEC4(ground_color);
    VEC4(top); // of the backdrop
    VEC4(bottom);
    VEC4(
        picture); // width and height, pixels; texel of the sky's maps, m; radius of soft shadows as a part of the map
    VEC4(stretch);                 // x: the stretch that gets the last colour
    VEC4S(sky, SKY_MOST);          // direction; 0 if a plane hides it, else 1
    VEC4S(sky_rows, 3 * SKY_MOST); // three rows each
};

// Push constants of the shaders that draw.
struct RenderPush
{
    ADDRESS(Quads)
    vertices; // cloth: particle, u, v; solid: two quads, place and normal; line: spring; pin: particle, release
    ADDRESS(Quads) particles; // shade: the reach of shadows in the light's map, low u, v, high u, v
    ADDRESS(Words) indices;   // cloth: corners of the triangles; line: flags of the springs
    float rows[12];           // solid, plane: rows of its place in the world
    float front[4];           // colour; then a length, m: towards the eye (line, pin, shade)
    float back[4];            // colour; plane: what the key light adds to it
    float checks[2];          // across and along; line, pin: width in pixels, time
    uint  map;                // depth: 0 the light's, then the sky's
    uint  has_flags;          // line
};

#ifndef GL_EXT_buffer_reference
typedef struct RenderView RenderView;
typedef struct RenderPush RenderPush;
#endif

#endif
