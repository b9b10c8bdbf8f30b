// writer_formats.h: what writer.c asks of each format. Private to io/.
#pragma once

#include "io/writer.h"

typedef struct WeftBytes
{
    uint8_t *data;
    size_t   size;
    size_t   capacity;
    bool     failed; // out of memory
} WeftBytes;

/// Adds bytes at the end; remembers a failure.
void weft_bytes_add(WeftBytes *bytes, const void *data, size_t size);

/// Four bytes, lowest first.
static inline void weft_bytes_little(uint8_t bytes[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}
static inline uint32_t weft_float_bits(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// A cloth without faces is a chain: its lines join consecutive vertices, and the last with the
/// first if it is closed.
static inline uint32_t weft_chain_line_count(const WeftMesh *mesh)
{
    if (mesh->face_count > 0 || mesh->vertex_count < 2)
        return 0;
    return mesh->grid_closed && mesh->vertex_count > 2 ? mesh->vertex_count
                                                       : mesh->vertex_count - 1;
}

/// The faces, or the lines of a chain, as they stand in a file after the coordinates.
void weft_obj_tail(WeftBytes *bytes, const WeftMesh *mesh);
void weft_ply_tail(WeftBytes *bytes, const WeftMesh *mesh);

/// A whole file with the given positions (vertex_count x 3).
WEFT_CHECKED WeftStatus weft_obj_write(const char *path, const WeftWriterCloth *cloth,
                                       const double *positions);
WEFT_CHECKED WeftStatus weft_ply_write(const char *path, const WeftWriterCloth *cloth,
                                       const WeftMesh *mesh, const double *positions);

/// A point cache: begun without frames, then one frame after the other. After a failed frame the
/// cache holds the frames before it.
WEFT_CHECKED WeftStatus weft_pc2_begin(WeftFile *file, const char *path, uint32_t vertex_count);
WEFT_CHECKED WeftStatus weft_pc2_frame(WeftFile *file, uint32_t vertex_count, uint32_t frame_count,
                                       const double *positions);
