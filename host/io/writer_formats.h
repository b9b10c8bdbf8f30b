// writer_formats.h: what writer.c asks of each format. Private to io/.
#pragma once

#include "io/bytes.h"
#include "io/writer.h"

/// The start of a cloth's file names: its own name as far as a file may be called that, or its
/// number. Two cloths never share one. NULL if out of memory.
char *weft_writer_stem(const WeftWriter *writer, const WeftScene *scene, size_t index);

/// Fails with WEFT_ERROR_INPUT if `path` is a file that the scene itself is made from.
WEFT_CHECKED WeftStatus weft_writer_spare_input(const WeftScene *scene, const char *path);

/// Removes the frames of an earlier run whose names a cloth of this one would use. Fails with WEFT_ERROR_INPUT if one of
/// them is an input of the scene.
WEFT_CHECKED WeftStatus weft_writer_remove_frames(const WeftWriter *writer, const WeftScene *scene,
                                                  const char *ending);

/// A cloth without faces is a chain: its lines join consecutive vertices, and the last with the
/// first if it is closed.
static inline uint32_t weft_chain_line_count(const WeftMesh *mesh)
{
    if (mesh->face_count > 0 || mesh->vertex_count < 2)
        return 0;
    return mesh->grid_closed && mesh->vertex_count > 2 ? mesh->vertex_count
                                                       : mesh->vertex_count - 1;
}

/// A triangle repeats its third corner.
static inline int weft_face_corner_count(const WeftMesh *mesh, size_t face)
{
    const uint32_t *corners = mesh->face_corners + 4 * face;
    return corners[3] == corners[2] ? 3 : 4;
}

/// The faces, or the lines of a chain, as they stand in a file after the coordinates.
void weft_obj_tail(WeftBytes *bytes, const WeftMesh *mesh);
void weft_ply_tail(WeftBytes *bytes, const WeftMesh *mesh);

/// A whole file with the given positions (vertex_count x 3).
WEFT_CHECKED WeftStatus weft_obj_write(const char *path, const WeftWriterCloth *cloth,
                                       const double *positions);
WEFT_CHECKED WeftStatus weft_ply_write(const char *path, const WeftWriterCloth *cloth,
                                       const double *positions);

/// A PC2 point cache: begun without frames, then one frame after the other. After a failed frame
/// the cache holds the frames before it.
WEFT_CHECKED WeftStatus weft_pc2_begin(WeftFile *file, const char *path, uint32_t vertex_count);
WEFT_CHECKED WeftStatus weft_pc2_frame(WeftFile *file, uint32_t vertex_count, uint32_t frame_count,
                                       const double *positions);

/// Formats that are put together at the end, from the frames in the spools: an MDD point cache of
/// one cloth; the whole scene. Before a frame counts, room is reserved for the file with it, so that
/// a disk which runs full leaves the frames before it complete; a glb file has a bound of its own.
WEFT_CHECKED WeftStatus weft_mdd_reserve(WeftWriter *writer, size_t cloth);
WEFT_CHECKED WeftStatus weft_mdd_write(WeftWriter *writer, size_t cloth);
WEFT_CHECKED WeftStatus weft_usd_reserve(WeftWriter *writer);
WEFT_CHECKED WeftStatus weft_usd_write(WeftWriter *writer);
WEFT_CHECKED WeftStatus weft_glb_reserve(WeftWriter *writer);
WEFT_CHECKED WeftStatus weft_glb_write(WeftWriter *writer);

/// The cloths in the form that a glb file needs, in writer->glb; to be ended in any case.
WEFT_CHECKED WeftStatus weft_glb_begin(WeftWriter *writer);
void                    weft_glb_end(WeftWriter *writer);
