// writer_glb.h: the parts of a glb file. Private to io/writer_glb*.c.
//
//   header | JSON: what is where | binary: for every cloth its indices, texture coordinates,
//   positions at the start and their change up to every later frame; times; weights
//
// Every frame but the first is a morph target; its weight is 1 at its time and 0 at the others, and
// in between the weights of two neighbours change places.
#pragma once

#include "io/bytes.h"
#include "io/writer.h"

typedef enum WeftGlbMode
{
    WEFT_GLB_POINTS = 0,
    WEFT_GLB_LINES = 1,
    WEFT_GLB_TRIANGLES = 4
} WeftGlbMode;

/// A cloth as glTF wants it: a vertex has one texture coordinate, so a particle on a seam becomes
/// several vertices. The first vertices are the particles in their order.
typedef struct WeftGlbMesh
{
    uint32_t    vertex_count;
    uint32_t   *particles; // (vertex_count) which particle a vertex is
    float      *texture;   // (vertex_count x 2) origin at the top left; NULL if there are none
    WeftGlbMode mode;
    uint32_t    index_count;
    uint32_t   *indices; // (index_count)
} WeftGlbMesh;

/// Where the data of a cloth are in the binary part, and what their accessors are numbered.
typedef struct WeftGlbPlace
{
    uint64_t indices;
    uint64_t texture;
    uint64_t positions; // frame after frame
    uint32_t indices_accessor;
    uint32_t texture_accessor;
    uint32_t positions_accessor; // of the first frame; the others follow
} WeftGlbPlace;

typedef struct WeftGlb
{
    WeftGlbMesh  *meshes; // one a cloth
    WeftGlbPlace *places;
    uint64_t      times, weights; // offsets
    uint32_t      times_accessor;
    uint64_t      size; // of the binary part
} WeftGlb;

/// Fails with WEFT_ERROR_FAILED if out of memory. Free with weft_glb_mesh_destroy() in any case.
WEFT_CHECKED WeftStatus weft_glb_mesh_create(WeftGlbMesh *result, const WeftMesh *mesh);
void                    weft_glb_mesh_destroy(WeftGlbMesh *mesh);

/// Finds the places for a number of frames.
void weft_glb_plan(WeftGlb *glb, size_t cloth_count, uint32_t frame_count);

/// The JSON part, padded to a multiple of four bytes. Reads the spools for the bounds of each
/// frame.
WEFT_CHECKED WeftStatus weft_glb_json(WeftBytes *json, WeftWriter *writer);

/// Never less than what weft_glb_json() makes.
uint64_t weft_glb_json_bound(const WeftWriter *writer, uint32_t frame_count);

/// Brings frame `frame` of a cloth into its spool's `frame`, for later frames as the change from
/// `start` (vertex_count x 3).
WEFT_CHECKED WeftStatus weft_glb_frame(WeftSpool *spool, uint32_t frame, const float *start);
