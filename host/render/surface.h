// surface.h: the cloths of a scene as the renderer draws them: vertices with texture coordinates, triangles, springs and
// pins, on the device. Made once; the particles' places come frame by frame (see state.h).
#pragma once

#include "gpu/memory.h"
#include "render/vec3.h"
#include "sim/model.h"

// A spring between two particles. `storage` is its place among the engine's flags.
typedef struct WeftRenderSpring
{
    uint32_t a, b;
    float    rest; // m
    uint32_t storage;
} WeftRenderSpring;

// One cloth.
typedef struct WeftRenderPart
{
    uint32_t first_index, index_count; // of its triangles
    uint32_t first_edge, edge_count;   // of a chain, which has no triangles
    Vec3     front, back;              // dye, linear
    float    checks[2];                // across and along
} WeftRenderPart;

typedef struct WeftRenderSurface
{
    WeftGpu          *gpu;
    uint32_t          particle_count, vertex_count, index_count, triangle_count;
    uint32_t          spring_count, edge_count, pin_count;
    size_t            part_count;
    WeftRenderPart   *parts;
    WeftRenderSpring *springs;  // (spring_count)
    float             spacing;  // m, mean length of the springs
    bool              is_tiled; // texture coordinates go beyond 0 to 1
    WeftGpuBuffer     vertices, indices, corners, fan_begin, fan, spring_records, edges, pins;
    WeftGpuBuffer     particles; // filled on the device for every picture
} WeftRenderSurface;

/// Puts the cloths of `model` on the device; `springs` are copied. On failure `surface` is zeroed. Free with
/// weft_render_surface_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_render_surface_create(WeftGpu *gpu, WeftRenderSurface *surface,
                                                   const WeftModel        *model,
                                                   const WeftRenderSpring *springs,
                                                   uint32_t                spring_count);
void                    weft_render_surface_destroy(WeftRenderSurface *surface);
