// frames.h: reads back what `weft run` wrote: a folder of OBJ frames or point caches, or one point cache.
#pragma once

#include "io/cache.h"
#include "scene/scene.h"

typedef struct WeftFramesCloth
{
    char     *stem;      // start of its file names, without the folder
    char     *mesh_path; // an OBJ file with its faces
    uint32_t  vertex_count;
    bool      has_cache;
    WeftCache cache;
} WeftFramesCloth;

typedef struct WeftFrames
{
    char            *folder;
    size_t           cloth_count;
    WeftFramesCloth *cloths;
    uint32_t         frame_count; // that all cloths have
} WeftFrames;

/// Whether a name stands for frames: a folder, or a file that ends in .pc2 or .mdd.
bool weft_frames_named(const char *path);

/// Opens the frames of the cloths of `scene`, in its order, or without one of all cloths that are there, in the order of
/// their names. Fails with WEFT_ERROR_INPUT if there are none, or none of a cloth of the scene. On failure `frames` is
/// zeroed. Close with weft_frames_close(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_frames_open(WeftFrames *frames, const char *path,
                                         const WeftScene *scene);
void                    weft_frames_close(WeftFrames *frames);

/// Reads the positions of a cloth in a frame below frame_count, (vertex_count x 3) m.
WEFT_CHECKED WeftStatus weft_frames_read(WeftFrames *frames, size_t cloth, uint32_t frame,
                                         double *positions);
