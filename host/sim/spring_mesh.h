// spring_mesh.h: what the parts of the builder of a mesh's springs share.
#pragma once

#include "scene/motion.h"
#include "sim/spring_graph.h"

typedef struct MeshSide
{
    uint32_t low, high;  // ends of the edge
    uint32_t face, edge; // edge runs from corner `edge` to the next one
} MeshSide;

typedef struct MeshEdge
{
    uint32_t a, b;
    double   area;           // share of the cloth
    double   cells;          // of it, that of rectangles
    double   stretch, shear; // how much of each it is
    double   along;          // cos^4 + sin^4 of its angle to the warp
    double   turn; // sin^2 of its double angle to the warp; of a diagonal to its quad's edges
} MeshEdge;

typedef struct MeshBuilder
{
    const WeftMesh     *mesh;
    const WeftMaterial *material;
    WeftTransform       place; // where the cloth was put: its own axes
    MeshSide           *sides;
    size_t              side_count;
    MeshEdge           *items;
    uint32_t           *edge_springs; // (6 face_count) item of each edge and diagonal of each face
    size_t              count, capacity;
    bool                failed;
} MeshBuilder;

static inline void mesh_subtract(const double *a, const double *b, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = a[axis] - b[axis];
}

static inline double mesh_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline const double *mesh_position(const MeshBuilder *builder, uint32_t vertex)
{
    return builder->mesh->positions + 3 * (size_t)vertex;
}

static inline const uint32_t *mesh_corners(const MeshBuilder *builder, uint32_t face)
{
    return builder->mesh->face_corners + 4 * (size_t)face;
}

static inline uint32_t mesh_corner_count(const MeshBuilder *builder, uint32_t face)
{
    const uint32_t *corner = mesh_corners(builder, face);
    return corner[2] == corner[3] ? 3 : 4;
}

/// Where a vertex stands among the corners of a face that has it.
static inline uint32_t mesh_place_in(const MeshBuilder *builder, uint32_t face, uint32_t vertex)
{
    const uint32_t *corner = mesh_corners(builder, face);
    uint32_t        at = 0;
    while (at < 3 && corner[at] != vertex)
        at++;
    return at;
}

double weft_mesh_distance(const MeshBuilder *builder, uint32_t a, uint32_t b);
double weft_mesh_face_area(const MeshBuilder *builder, uint32_t face);

/// Whether a face is a rectangle, as far as the eye can tell.
bool weft_mesh_is_cell(const MeshBuilder *builder, uint32_t face);

/// The end of the run of sides, from `first` on, that are one edge.
size_t weft_mesh_edge_end(const MeshBuilder *builder, size_t first);

/// The stretch or shear spring between two corners of a face, by their places in it.
uint32_t weft_mesh_spring_between(const MeshBuilder *builder, uint32_t face, uint32_t from,
                                  uint32_t to);

/// Whether the faces are cells in rows that go straight on from cell to cell.
bool weft_mesh_is_gridded(const MeshBuilder *builder);

/// Bend springs of such a mesh, and of any other; they add to the tension of the stretch and shear springs. False for want of memory.
bool weft_mesh_add_beams(const MeshBuilder *builder, WeftSpringGraph *graph);
bool weft_mesh_add_rings(const MeshBuilder *builder, WeftSpringGraph *graph);
