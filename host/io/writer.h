// writer.h: frames of a simulation as files for other programs.
//
//   obj, ply    one file a cloth and frame: frame_0000.obj, ..., or, with several cloths, their
//               name or cloth_N in place of "frame"
//   pc2, mdd    one point cache a cloth for all frames, and an OBJ file with its faces
//   usda, glb   one file for all cloths and frames: scene.usda, scene.glb
//
// A file appears under its name only when it is complete. An mdd, usda or glb file is put together
// when the writer is closed; until then its frames wait on the disk, where room for it is reserved.
#pragma once

#include "io/file.h"
#include "io/spool.h"
#include "weft.h"

typedef struct WeftWriterCloth
{
    char           *stem; // start of the file names, without the folder
    const WeftMesh *mesh;
    uint8_t *tail; // what follows the coordinates in every OBJ or PLY file: the faces, ready to be
                   // written
    size_t    tail_size;
    WeftFile  cache; // pc2, mdd
    WeftSpool spool; // mdd, usda, glb
} WeftWriterCloth;

typedef struct WeftWriter
{
    WeftFormat       format;
    char            *folder;
    double           frames_per_second;
    size_t           cloth_count;
    WeftWriterCloth *cloths;
    WeftFile         file;        // usda, glb
    uint64_t         usd_size;    // usda: of the file with the frames written so far, at most
    struct WeftGlb  *glb;         // glb
    double          *positions;   // (largest vertex_count x 3) m
    uint32_t         frame_count; // frames written so far, the starting one among them
} WeftWriter;

/// Makes the folder, with those above it, and prepares the files. Frames of an earlier run under
/// the same names are removed, so that a folder never holds frames of two runs. Fails with
/// WEFT_ERROR_INPUT if something cannot be written (then `writer` is zeroed). `sim` is kept by
/// reference until the writer is closed.
WEFT_CHECKED WeftStatus weft_writer_open(WeftWriter *writer, const char *folder, WeftFormat format,
                                         const WeftScene *scene, const WeftSim *sim);

/// Writes the present state as the next frame. Fails with WEFT_ERROR_INPUT if a file cannot be
/// written and WEFT_ERROR_FAILED if a coordinate is not finite; the frames before it stay complete.
WEFT_CHECKED WeftStatus weft_writer_frame(WeftWriter *writer, const WeftSim *sim);

/// Ends the files that hold several frames, which are all that were written so far, or, if not to
/// `keep`, removes them; frames in files of their own stay. Frees the writer; accepts a zeroed one.
WEFT_CHECKED WeftStatus weft_writer_close(WeftWriter *writer, bool keep);
