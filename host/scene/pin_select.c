// pin_select.c: which particles a pin holds.
#include "mesh.h"

#include <math.h>
#include <string.h>

// Regions reach this much beyond their border, so that a particle that was meant to lie on it is
// not lost to rounding.
#define REGION_TOLERANCE 1e-9 // m

static bool in_box(const WeftBoxRegion *box, const double *position)
{
    for (int k = 0; k < 3; k++)
        if (position[k] < box->min[k] - REGION_TOLERANCE ||
            position[k] > box->max[k] + REGION_TOLERANCE)
            return false;
    return true;
}

static bool in_sphere(const WeftSphereRegion *sphere, const double *position)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (position[k] - sphere->center[k]) * (position[k] - sphere->center[k]);
    return sqrt(square) <= sphere->radius + REGION_TOLERANCE;
}

static WeftStatus select_indices(const WeftPin *pin, const WeftMesh *mesh, const char *where,
                                 bool *selected)
{
    for (size_t i = 0; i < pin->indices_count; i++)
    {
        if (pin->indices[i] < 0 || (uint32_t)pin->indices[i] >= mesh->vertex_count)
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s.indices[%zu]: there is no particle %d; the cloth has %u, numbered "
                             "from 0",
                             where, i, pin->indices[i], mesh->vertex_count);
        selected[pin->indices[i]] = true;
    }
    return WEFT_OK;
}

static WeftStatus select_corner(const WeftPin *pin, const WeftMesh *mesh, const char *where,
                                bool *selected)
{
    if (mesh->grid_counts[0] == 0 || mesh->grid_closed)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s.corner: only a grid of shape \"sheet\" has corners; use indices, box "
                         "or sphere here",
                         where);
    bool     all = pin->corner == WEFT_CORNER_ALL;
    uint32_t last_column = mesh->grid_counts[0] - 1,
             last_row = mesh->vertex_count - 1 - last_column;
    if (all || pin->corner == WEFT_CORNER_BOTTOM_LEFT)
        selected[0] = true;
    if (all || pin->corner == WEFT_CORNER_BOTTOM_RIGHT)
        selected[last_column] = true;
    if (all || pin->corner == WEFT_CORNER_TOP_LEFT)
        selected[last_row] = true;
    if (all || pin->corner == WEFT_CORNER_TOP_RIGHT)
        selected[last_row + last_column] = true;
    return WEFT_OK;
}

WeftStatus weft_pin_select(const WeftPin *pin, const WeftMesh *mesh, const char *where,
                           bool *selected, size_t *selected_count)
{
    memset(selected, 0, mesh->vertex_count * sizeof(bool));
    *selected_count = 0;
    WEFT_TRY(select_indices(pin, mesh, where, selected));
    if (pin->corner != WEFT_CORNER_NONE)
        WEFT_TRY(select_corner(pin, mesh, where, selected));
    for (size_t i = 0; i < mesh->vertex_count; i++)
    {
        const double *position = mesh->positions + 3 * i;
        if ((pin->has_box && in_box(&pin->box, position)) ||
            (pin->has_sphere && in_sphere(&pin->sphere, position)))
            selected[i] = true;
        *selected_count += selected[i];
    }
    if (*selected_count == 0)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s: holds no particle; move or enlarge its region, which is in world "
                         "coordinates at the start",
                         where);
    return WEFT_OK;
}
