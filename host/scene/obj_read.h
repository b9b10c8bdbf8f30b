// obj_read.h: triangles and quads from a Wavefront OBJ file.
#pragma once

#include "mesh.h"

/// Reads vertices, faces and texture coordinates into `mesh`, in the file's own coordinates times
/// `scale`. `needs_area` refuses vertices in no face, which have no mass of their own. The mesh's
/// triangles are made here as well. Fails as weft_mesh_create() says; `mesh` may then be half
/// filled.
WEFT_CHECKED WeftStatus weft_obj_read(WeftMesh *mesh, const char *path, double scale,
                                      bool needs_area);
