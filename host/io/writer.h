// writer.h: frames of a simulation as files for other programs.
//
//   obj, ply   one file a cloth and frame: frame_0000.obj, ..., or, with several cloths, their name
//              or cloth_N in place of "frame"
//   pc2        one point cache a cloth for all frames, and an OBJ file with its faces
//
// A file appears under its name only when it is complete.
#pragma once

#include "io/file.h"
#include "weft.h"

typedef struct WeftWriterCloth
{
    char    *stem; // start of the file names, without the folder
    uint32_t vertex_count;
    uint8_t *tail; // what follows the coordinates in every frame: the faces, ready to be written
    size_t   tail_size;
    WeftFile cache; // PC2 only
} WeftWriterCloth;

typedef struct WeftWriter
{
    WeftFormat       format;
    char            *folder;
    size_t           cloth_count;
    WeftWriterCloth *cloths;
    double          *positions;   // (largest vertex_count x 3) m
    uint32_t         frame_count; // frames written so far, the starting one among them
} WeftWriter;

/// Makes the folder, with those above it, and prepares the files. Frames of an earlier run under
/// the same names are removed, so that a folder never holds frames of two runs. Fails with
/// WEFT_ERROR_INPUT if something cannot be written (then `writer` is zeroed).
WEFT_CHECKED WeftStatus weft_writer_open(WeftWriter *writer, const char *folder, WeftFormat format,
                                         const WeftScene *scene, const WeftSim *sim);

/// Writes the present state as the next frame. Fails with WEFT_ERROR_INPUT if a file cannot be
/// written and WEFT_ERROR_FAILED if a coordinate is not finite; the frames before it stay complete.
WEFT_CHECKED WeftStatus weft_writer_frame(WeftWriter *writer, const WeftSim *sim);

/// Ends the point caches, which then hold all frames written so far, or, if not to `keep`, removes
/// them; frames in files of their own stay. Frees the writer; accepts a zeroed one.
WEFT_CHECKED WeftStatus weft_writer_close(WeftWriter *writer, bool keep);
