// texture.h: texture coordinates of a cloth: those of its OBJ file, or for a grid its width and
// height from 0 to 1. The origin is at the bottom left.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "scene/mesh.h"

bool weft_texture_exists(const WeftMesh *mesh);

/// u and v at a corner of a face. On a tube the corners of one particle differ along the seam.
void weft_texture_corner(const WeftMesh *mesh, size_t face, int corner, float uv[2]);
