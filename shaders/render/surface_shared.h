// surface_shared.h: what the renderer shares with its compute shaders.
#ifndef WEFT_SURFACE_SHARED_H
#define WEFT_SURFACE_SHARED_H

#define QUADS_ARE
#include "render/render.h"

// Push constants of surface.
struct SurfacePush
{
    ADDRESS(Reals) x;         // (3 x stride) m, axis by axis
    ADDRESS(Words) label;     // 0: none
    ADDRESS(Words) fan_begin; // (count + 1)
    ADDRESS(Words) fan;       // triangles around each particle
    ADDRESS(Words) corners;   // (triangles x 3)
    ADDRESS(Quads) particles;
    ADDRESS(Quads) reach; // of shadows in the light's map: low u, v, high u, v; each grows outwards
    float key_rows[2][4]; // of the light's map, as in RenderView
    uint  stride;
    uint  count;
    uint  has_label;
    uint  has_reach;
};

// Push constants of strain.
struct StrainPush
{
    ADDRESS(Quads) springs; // ends, rest length, place in storage
    ADDRESS(Quads) particles;
    uint count;
    uint filling;
};

#ifndef GL_EXT_buffer_reference
typedef struct SurfacePush SurfacePush;
typedef struct StrainPush  StrainPush;
#endif

#endif
