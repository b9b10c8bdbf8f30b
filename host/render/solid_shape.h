// solid_shape.h: what is drawn of a mesh solid: its triangles, smooth where they meet at a small angle, cut where they are large
// because the light of the sky is computed at vertices.
#pragma once

#include "render/vec3.h"
#include "sim/solid_mesh.h"

typedef struct WeftSolidShape
{
    const WeftSolidMesh *mesh;
    uint32_t             vertex_count, index_count;
    uint32_t            *cuts;            // (triangles) parts that the edges of each are cut into
    uint32_t            *fan_begin, *fan; // (points + 1) triangles around each point
    double              *points;          // (points x 3) at the time that was asked for last
    Vec3                *faces;           // (triangles) normals, as long as the area is large
} WeftSolidShape;

/// `cells` is how many parts an edge as long as the whole mesh is cut into. False if there is no memory. Free with
/// weft_solid_shape_destroy(), which also takes a zeroed or half-built one.
bool weft_solid_shape_create(WeftSolidShape *shape, const WeftSolidMesh *mesh, uint32_t cells);
void weft_solid_shape_destroy(WeftSolidShape *shape);

/// Writes index_count indices, counted from `first` on.
void weft_solid_shape_indices(const WeftSolidShape *shape, uint32_t first, uint32_t *indices);

/// Places and normals of the vertices at a time, moved inwards by `inset` metres.
void weft_solid_shape_vertices(WeftSolidShape *shape, double time, float inset, Vec3 *places,
                               Vec3 *normals);

/// The smallest extent of the mesh along an axis, m.
float weft_solid_shape_thinnest(const WeftSolidShape *shape);
