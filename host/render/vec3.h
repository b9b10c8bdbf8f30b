// vec3.h: three-component float vectors for positions, directions and linear colours.
#pragma once

#include <math.h>

typedef struct Vec3
{
    float x, y, z;
} Vec3;

static inline Vec3 vec3(float x, float y, float z)
{
    return (Vec3){x, y, z};
}

static inline Vec3 add(Vec3 a, Vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline Vec3 sub(Vec3 a, Vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline Vec3 scale(Vec3 a, float factor)
{
    return vec3(a.x * factor, a.y * factor, a.z * factor);
}

// a + factor b
static inline Vec3 mad(Vec3 a, float factor, Vec3 b)
{
    return vec3(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z);
}

static inline Vec3 multiply(Vec3 a, Vec3 b)
{
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline Vec3 mix(Vec3 a, Vec3 b, float part)
{
    return mad(a, part, sub(b, a));
}

// Axis by axis.
static inline Vec3 lowest(Vec3 a, Vec3 b)
{
    return vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}

static inline Vec3 highest(Vec3 a, Vec3 b)
{
    return vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static inline float dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 cross(Vec3 a, Vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float length(Vec3 a)
{
    return sqrtf(dot(a, a));
}

// A vector of no length stays as it is.
static inline Vec3 normalize(Vec3 a)
{
    float size = length(a);
    return size > 0 ? scale(a, 1 / size) : a;
}

// Some unit vector at right angles to the unit vector `a`.
static inline Vec3 perpendicular(Vec3 a)
{
    return normalize(cross(a, fabsf(a.y) < 0.9f ? vec3(0, 1, 0) : vec3(1, 0, 0)));
}

static inline float clampf(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}
