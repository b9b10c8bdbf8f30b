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
//
// A beam pushes its two ends apart with P = 12 k_b / (2s)^2 while it is straight, too. The two springs
// below it bear that: at rest they have the tension P, so that flat cloth is in balance and every bend,
// however gentle, is felt. Along warp and weft such a spring gives way in compression, until only the
// beams push back: Choi and Ko's immediate buckling. Along a diagonal it does not, because a diagonal
// that is shortened is sheared, not compressed; there a beam's push is P c / 2s at a chord c.
#include "sim/spring_graph.h"

#include <math.h>
#include <stdlib.h>

typedef struct Grid
{
    WeftSpringGraph    *graph;
    const WeftMesh     *mesh;
    const WeftMaterial *material;
    int                 width, height;
    bool                closed;
    double              dx, dy;
    uint32_t           *stretch[2]; // (particles) the stretch spring from each one across, and up
} Grid;

// The particle `across` columns and `up` rows from (column, row), or -1 if the grid ends before.
static int64_t neighbour(const Grid *grid, int column, int row, int across, int up)
{
    int to_column = column + across, to_row = row + up;
    if (to_row < 0 || to_row >= grid->height)
        return -1;
    if (grid->closed)
        to_column = (to_column + grid->width) % grid->width;
    else if (to_column < 0 || to_column >= grid->width)
        return -1;
    return (int64_t)to_row * grid->width + to_column;
}

// Cloth that a row or column of particles stands for across its springs: half at an edge.
static double share(double spacing, int line, int line_count, bool closed)
{
    if (line_count == 1 || closed)
        return spacing;
    return line == 0 || line == line_count - 1 ? spacing / 2 : spacing;
}

// Whether a beam lies over (column, row), the next particle in direction (across, up) and the one after it.
static bool has_beam(const Grid *grid, int column, int row, int across, int up)
{
    // On a tube of less than five columns it would double a stretch or another bend spring.
    bool fits = across == 0 || !grid->closed || grid->width >= 5;
    return fits && grid->material->bend_stiffness > 0 && neighbour(grid, column, row, 0, 0) >= 0 &&
           neighbour(grid, column, row, across, up) >= 0 &&
           neighbour(grid, column, row, 2 * across, 2 * up) >= 0;
}

// Half of the length of such a beam, the width of cloth that it stands for, and its k_b.
typedef struct Beam
{
    double half, strip, stiffness;
} Beam;

static Beam beam_at(const Grid *grid, int column, int row, int across, int up)
{
    double run = across * grid->dx, rise = up * grid->dy, half = sqrt(run * run + rise * rise);
    double area = share(grid->dx, up ? column : -1, grid->width, grid->closed) *
                  share(grid->dy, across ? row : -1, grid->height, false);
    if (across && up)
        area = grid->dx * grid->dy;
    double strip = area / half;
    // As rounded as the spring will have it.
    float stiffness = (float)(2.0 / 3 * (2.0 / 3 * grid->material->bend_stiffness * strip));
    return (Beam){half, strip, (double)stiffness};
}

// The tension in the spring from (column, row) in direction (across, up) that bears the beams over it.
static double tension_at_rest(const Grid *grid, int column, int row, int across, int up)
{
    Beam beam = beam_at(grid, column, row, across, up);
    int  count = has_beam(grid, column, row, across, up) +
                has_beam(grid, column - across, row - up, across, up);
    return count * 3 * beam.stiffness / (beam.half * beam.half);
}

static bool add_stretch(const Grid *grid, int column, int row, int across, int up)
{
    int64_t far = neighbour(grid, column, row, across, up);
    if (far < 0)
        return true;
    double length = across ? grid->dx : grid->dy;
    double strip = across ? share(grid->dy, row, grid->height, false)
                          : share(grid->dx, column, grid->width, grid->closed);
    double factor = strip / length;
    grid->stretch[up][row * grid->width + column] = (uint32_t)grid->graph->structural_count;
    return weft_spring_graph_add(
        grid->graph, WEFT_SPRING_STRETCH,
        (WeftSpring){.a = (uint32_t)(row * grid->width + column),
                     .b = (uint32_t)far,
                     .rest = length,
                     .stiffness = (float)(grid->material->stretch_stiffness * factor),
                     .damping = (float)(grid->material->stretch_damping * factor),
                     .hold = tension_at_rest(grid, column, row, across, up)});
}

static bool add_shear(const Grid *grid, int column, int row, int across)
{
    int64_t far = neighbour(grid, column, row, across, 1);
    if (far < 0)
        return true;
    double length2 = grid->dx * grid->dx + grid->dy * grid->dy, length = sqrt(length2);
    double factor = length2 / (grid->dx * grid->dy);
    return weft_spring_graph_add(
        grid->graph, WEFT_SPRING_SHEAR,
        (WeftSpring){.a = (uint32_t)(row * grid->width + column),
                     .b = (uint32_t)far,
                     .rest = length,
                     .stiffness = (float)(grid->material->shear_stiffness * factor),
                     .damping = (float)(grid->material->shear_damping * factor),
                     .base = tension_at_rest(grid, column, row, across, 1) / length});
}

static bool add_bend(const Grid *grid, int column, int row, int across, int up)
{
    if (!has_beam(grid, column, row, across, up))
        return true;
    Beam            beam = beam_at(grid, column, row, across, up);
    bool            diagonal = across != 0 && up != 0;
    uint32_t        near = (uint32_t)(row * grid->width + column);
    double          push = 1.5 * beam.stiffness / (beam.half * beam.half * beam.half);
    const uint32_t *stretch = grid->stretch[up];
    return weft_spring_graph_add(
        grid->graph, WEFT_SPRING_BEND,
        (WeftSpring){
            .a = near,
            .b = (uint32_t)neighbour(grid, column, row, 2 * across, 2 * up),
            .rest = 2 * beam.half,
            .stiffness = diagonal ? 0 : (float)beam.stiffness,
            .damping = (float)(grid->material->bend_damping * beam.strip / (2 * beam.half)),
            .base = diagonal ? push : grid->material->stretch_stiffness * beam.strip / beam.half,
            .below = {stretch[near], stretch[neighbour(grid, column, row, across, up)]}});
}

static bool add_springs(const Grid *grid)
{
    bool fine = true;
    for (int row = 0; row < grid->height; row++)
        for (int column = 0; column < grid->width; column++)
            fine = fine && add_stretch(grid, column, row, 1, 0) &&
                   add_stretch(grid, column, row, 0, 1) && add_shear(grid, column, row, 1) &&
                   add_shear(grid, column, row, -1);
    // Beams know the springs below them.
    for (int row = 0; row < grid->height; row++)
        for (int column = 0; column < grid->width; column++)
            fine = fine && add_bend(grid, column, row, 1, 0) && add_bend(grid, column, row, 1, 1) &&
                   add_bend(grid, column, row, -1, 1) && add_bend(grid, column, row, 0, 1);
    return fine;
}

bool weft_spring_graph_build_grid(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth)
{
    const size_t particles = (size_t)mesh->grid_counts[0] * mesh->grid_counts[1];
    uint32_t    *stretch = calloc(2 * particles + 1, sizeof(*stretch));
    const Grid   grid = {graph,
                         mesh,
                         &cloth->material,
                         (int)mesh->grid_counts[0],
                         (int)mesh->grid_counts[1],
                         mesh->grid_closed,
                         mesh->grid_spacing[0],
                         mesh->grid_spacing[1],
                         {stretch, stretch == NULL ? NULL : stretch + particles}};
    bool         built = stretch != NULL && add_springs(&grid);
    free(stretch);
    return built;
}
