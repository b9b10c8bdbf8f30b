// solid_mesh.h: a solid whose surface is a closed mesh of triangles from a file, in its own coordinates, at rest or animated by
// a point cache. Owns its arrays. Immutable after weft_solid_mesh_create().
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "scene/scene.h"

// Triangles of a leaf of the tree, at most.
#define WEFT_MESH_LEAF 4

typedef struct WeftSolidMesh
{
    uint32_t  vertex_count, triangle_count, edge_count;
    double   *points;                 // (vertex_count x 3) m, as in the file
    uint32_t *triangles;              // (triangle_count x 3) counter-clockwise seen from outside
    uint32_t *edges;                  // (triangle_count x 3) edge k goes from corner k to the next
    uint32_t  leaf_count;             // a power of two: see below
    uint32_t  frame_count;            // of the animation; 0 if there is none
    double    first_time, frame_time; // s, of its first frame and from frame to frame
    float    *frames;                 // (frame_count x vertex_count x 3) m
} WeftSolidMesh;

// The triangles are in the order of a binary tree whose halves lie apart in space. Leaf k has those from
// weft_solid_mesh_leaf(k) up to that of k + 1. Node 0 is the root, nodes 2n + 1 and 2n + 2 are below node n, the last leaf_count
// nodes are the leaves.
static inline uint32_t weft_solid_mesh_leaf(const WeftSolidMesh *mesh, uint32_t leaf)
{
    return (uint32_t)((uint64_t)leaf * mesh->triangle_count / mesh->leaf_count);
}

/// Reads the mesh of solid `index` and its animation. Fails with WEFT_ERROR_INPUT, and the key, if a file cannot be read, the
/// surface is not closed or has no volume, or the animation has another number of points. On failure `mesh` is zeroed. Free
/// with weft_solid_mesh_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_solid_mesh_create(WeftSolidMesh *mesh, const WeftScene *scene,
                                               size_t index);
void                    weft_solid_mesh_destroy(WeftSolidMesh *mesh);

/// The points at a time, (vertex_count x 3) m: between two frames of the animation on the straight way, before the first and
/// after the last at rest.
void weft_solid_mesh_points(const WeftSolidMesh *mesh, double time, double *points);

/// Directions that tell outside from inside at each point (vertex_count x 3) and edge (edge_count x 3), of unit length: normals
/// of the faces around, weighted by their angles.
void weft_solid_mesh_normals(const WeftSolidMesh *mesh, const double *points, double *point_normals,
                             double *edge_normals);
