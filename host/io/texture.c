// texture.c: texture coordinates of a cloth.
#include "io/texture.h"

bool weft_texture_exists(const WeftMesh *mesh)
{
    return mesh->face_count > 0 && (mesh->texture || mesh->grid_counts[0] > 0);
}

void weft_texture_corner(const WeftMesh *mesh, size_t face, int corner, float uv[2])
{
    if (mesh->texture)
    {
        for (size_t k = 0; k < 2; k++)
            uv[k] = (float)mesh->texture[8 * face + 2 * (size_t)corner + k];
        return;
    }

    // The cells of a grid stand row by row; their corners run around from the lower left.
    size_t wide = mesh->grid_closed ? mesh->grid_counts[0] : mesh->grid_counts[0] - 1;
    size_t high = mesh->grid_counts[1] - 1;
    size_t column = face % wide + (corner == 1 || corner == 2);
    size_t row = face / wide + (corner >= 2);
    uv[0] = (float)((double)column / (double)wide);
    uv[1] = (float)((double)row / (double)high);
}
