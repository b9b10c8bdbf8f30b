// spring_grid.c: springs of a grid.
//
// With spacing dx, dy the continuum's moduli become spring constants as follows (energies compared
// for uniform strain):
//   stretch along x:  k = E w / dx, w the width of cloth that the row stands for (dy, half of it at
//   an edge); shear, diagonal d:  k = G d^2 / (dx dy): in shear one diagonal of a cell extends, and
//   only that one acts; bend: the eight neighbours measure curvature along x, y and both diagonals.
//   With 2/3 of D on each direction, bending about any axis costs D.
//     A beam spring of length 2s over three particles has the energy 3 k_b w^2 / s^3 at a
//     deflection w, a strip of bending stiffness B has 2 B w^2 / s^3, so k_b = 2/3 B.
#include "sim/spring_graph.h"

#include <math.h>

typedef struct Grid
{
    WeftSpringGraph    *graph;
    const WeftMesh     *mesh;
    const WeftMaterial *material;
    int                 width, height;
    bool                closed;
    double              dx, dy;
} Grid;

// The particle `across` columns and `up` rows from (column, row), or -1 if the grid ends before.
static int64_t neighbour(const Grid *grid, int column, int row, int across, int up)
{
    int to_column = column + across, to_row = row + up;
    if (to_row >= grid->height)
        return -1;
    if (grid->closed)
        to_column = (to_column + grid->width) % grid->width;
    else if (to_column < 0 || to_column >= grid->width)
        return -1;
    return (int64_t)to_row * grid->width + to_column;
}

static double distance(const WeftMesh *mesh, uint32_t a, uint32_t b)
{
    const double *pa = mesh->positions + 3 * (size_t)a, *pb = mesh->positions + 3 * (size_t)b;
    return sqrt((pa[0] - pb[0]) * (pa[0] - pb[0]) + (pa[1] - pb[1]) * (pa[1] - pb[1]) +
                (pa[2] - pb[2]) * (pa[2] - pb[2]));
}

// Cloth that a row or column of particles stands for across its springs: half at an edge.
static double share(double spacing, int line, int line_count, bool closed)
{
    if (line_count == 1 || closed)
        return spacing;
    return line == 0 || line == line_count - 1 ? spacing / 2 : spacing;
}

static bool add_stretch(const Grid *grid, int column, int row, int across, int up)
{
    int64_t far = neighbour(grid, column, row, across, up);
    if (far < 0)
        return true;
    uint32_t here = (uint32_t)(row * grid->width + column);
    double   length = across ? grid->dx : grid->dy;
    double   strip = across ? share(grid->dy, row, grid->height, false)
                            : share(grid->dx, column, grid->width, grid->closed);
    double   factor = strip / length;
    return weft_spring_graph_add(grid->graph, WEFT_SPRING_STRETCH, here, (uint32_t)far, length,
                                 grid->material->stretch_stiffness * factor,
                                 grid->material->stretch_damping * factor, 0);
}

static bool add_shear(const Grid *grid, int column, int row, int across)
{
    int64_t far = neighbour(grid, column, row, across, 1);
    if (far < 0)
        return true;
    uint32_t here = (uint32_t)(row * grid->width + column);
    double   length2 = grid->dx * grid->dx + grid->dy * grid->dy;
    double   factor = length2 / (grid->dx * grid->dy);
    return weft_spring_graph_add(grid->graph, WEFT_SPRING_SHEAR, here, (uint32_t)far, sqrt(length2),
                                 grid->material->shear_stiffness * factor,
                                 grid->material->shear_damping * factor, 0);
}

// A beam over (column, row), its middle particle and the one two steps on, in direction (across,
// up).
static bool add_bend(const Grid *grid, int column, int row, int across, int up)
{
    int64_t far = neighbour(grid, column, row, 2 * across, 2 * up);
    if (far < 0 || neighbour(grid, column, row, across, up) < 0)
        return true;
    uint32_t here = (uint32_t)(row * grid->width + column);
    double   run = across * grid->dx, rise = up * grid->dy, spacing = sqrt(run * run + rise * rise);

    // Area of cloth that the beam stands for, and its width.
    double area = share(grid->dx, up ? column : -1, grid->width, grid->closed) *
                  share(grid->dy, across ? row : -1, grid->height, false);
    if (across && up)
        area = grid->dx * grid->dy;
    double              strip = area / spacing;
    const WeftMaterial *material = grid->material;
    double              factor = strip / (2 * spacing);
    return weft_spring_graph_add(grid->graph, WEFT_SPRING_BEND, here, (uint32_t)far,
                                 distance(grid->mesh, here, (uint32_t)far),
                                 2.0 / 3 * (2.0 / 3 * material->bend_stiffness * strip),
                                 material->bend_damping * factor,
                                 material->stretch_stiffness * factor);
}

bool weft_spring_graph_build_grid(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth)
{
    Grid grid = {graph,
                 mesh,
                 &cloth->material,
                 (int)mesh->grid_counts[0],
                 (int)mesh->grid_counts[1],
                 mesh->grid_closed,
                 mesh->grid_spacing[0],
                 mesh->grid_spacing[1]};
    // On a tube of less than five columns a bend spring would double a stretch or another bend
    // spring.
    bool bend_across = !grid.closed || grid.width >= 5;
    for (int row = 0; row < grid.height; row++)
        for (int column = 0; column < grid.width; column++)
        {
            bool fine = add_stretch(&grid, column, row, 1, 0) &&
                        add_stretch(&grid, column, row, 0, 1) && add_shear(&grid, column, row, 1) &&
                        add_shear(&grid, column, row, -1) &&
                        (!bend_across || (add_bend(&grid, column, row, 1, 0) &&
                                          add_bend(&grid, column, row, 1, 1) &&
                                          add_bend(&grid, column, row, -1, 1))) &&
                        add_bend(&grid, column, row, 0, 1);
            if (!fine)
                return false;
        }
    return true;
}
