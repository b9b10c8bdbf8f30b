// mesh.h: the particles and faces of one cloth in its starting place, built once from a scene.
// Owns its arrays. Immutable after weft_mesh_create().
#pragma once

#include <stdint.h>

#include "error.h"
#include "scene.h"

/// The most particles of a scene: 32-bit indices of springs and matrix blocks stay safe.
#define WEFT_PARTICLE_LIMIT 50000000

typedef struct WeftMesh
{
    uint32_t  vertex_count;
    double   *positions; // (vertex_count x 3) m, world space at time 0
    double   *texture;   // (face_count x 4 x 2) u,v of each face corner; NULL if none, as grids
    uint32_t  triangle_count; // quads are split along the shorter diagonal, grids in turn
    uint32_t *triangles;      // (triangle_count x 3)
    uint32_t  face_count;     // the faces as given: triangles and quads
    uint32_t *face_corners;   // (face_count x 4); a triangle repeats its third corner
    uint32_t grid_counts[2]; // particles along width and height of a sheet or tube; 0, 0 for a file
    bool     grid_closed;    // a tube: column width-1 meets column 0
    double   grid_spacing[2]; // m between neighbours at rest, straight; the size where a count is 1
} WeftMesh;

/// Builds the mesh of cloth `index` in `scene`: grid or OBJ file, scaled, turned and placed.
/// Fails with WEFT_ERROR_INPUT on an unreadable file (with line), a face that names a missing
/// vertex or repeats one, a coordinate that is not finite, an edge of no length, a face of more
/// than four corners, a particle of no mass (in no face). On failure `mesh` is zeroed. Free with
/// weft_mesh_destroy().
WEFT_CHECKED WeftStatus weft_mesh_create(WeftMesh *mesh, const WeftScene *scene, size_t index);
void                    weft_mesh_destroy(WeftMesh *mesh);

/// Area that belongs to every particle (a third of each triangle; for a grid its share of the
/// cells; a chain, one particle wide, takes its strip), m^2. `areas` has vertex_count entries.
void weft_mesh_particle_areas(const WeftMesh *mesh, const WeftCloth *cloth, double *areas);

/// The particles of a pin. `selected` (vertex_count) gets true for each and false for the others.
/// `where` is the pin's key path for messages, such as "cloths[0].pins[1]". Regions are inclusive,
/// with a nanometre to spare against rounding. Fails if an index is out of range, a corner is asked
/// of something that is not a sheet, or nothing is selected.
WEFT_CHECKED WeftStatus weft_pin_select(const WeftPin *pin, const WeftMesh *mesh, const char *where,
                                        bool *selected, size_t *selected_count);
