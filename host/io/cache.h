// cache.h: reads a point cache (PC2 or MDD) back, a frame at a time, with the OBJ file next to it.
#pragma once

#include <stdint.h>

#include "scene/mesh.h"

typedef struct WeftCache
{
    char    *path;
    int      descriptor;
    bool     is_open;
    bool     big_endian;
    uint32_t vertex_count;
    uint32_t frame_count;
    double   first_frame, frame_step; // number of its first frame, and from frame to frame
    uint64_t frames;                  // offset of the first
    uint8_t *bytes;                   // (vertex_count x 12) of one frame
} WeftCache;

/// Opens a cache; a name that ends in .mdd is read as MDD, any other as PC2. Fails with
/// WEFT_ERROR_INPUT if the file cannot be read, has another format, no point or no frame, or not
/// the size that its header asks for (then `cache` is zeroed). Close with weft_cache_close().
WEFT_CHECKED WeftStatus weft_cache_open(WeftCache *cache, const char *path);

/// Reads the faces from the OBJ file of the same name. Fails with WEFT_ERROR_INPUT if it cannot be
/// read or has another number of vertices (then `mesh` is zeroed). Free with weft_mesh_destroy().
WEFT_CHECKED WeftStatus weft_cache_mesh(const WeftCache *cache, WeftMesh *mesh);

/// Reads the positions of a frame below frame_count, (vertex_count x 3) m. Fails with
/// WEFT_ERROR_INPUT if the file cannot be read or a coordinate is not finite.
WEFT_CHECKED WeftStatus weft_cache_read(WeftCache *cache, uint32_t frame, double *positions);

/// Accepts a zeroed cache.
void weft_cache_close(WeftCache *cache);
