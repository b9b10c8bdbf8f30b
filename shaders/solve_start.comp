#version 450
// solve_start: first residual of the large systems.
// Reads rhs, change (starting guess), w (its product with A), prescribed, diagonal, inverse, spring blocks. Writes r, u, p,
// s; gamma and reference. One thread per particle, one unit per tile.
//   r <- S (b - A x),  u <- Q r,  p, s <- 0;  gamma = r.u;  reference = (b - A z).Q (b - A z)
// START_RESIDUAL does that; START_CHOICE gives a starting guess up that turned out to be worse than none.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "rows.glsl"
#include "systems.glsl"
#define TWO_SUMS
#include "units.glsl"

// The last tile of a system knows how good the starting guess is.
void choose(uint system, real gamma, real reference)
{
    bool is_worse = gamma > reference;
    real tolerance = value(VALUE_TOLERANCE);
    gamma = is_worse ? reference : gamma;
    set_system_word(system, SYSTEM_PRODUCTS, is_worse ? 2 : 1);
    ENGINE.scalars.at[system * SCALAR_COUNT + SCALAR_REFERENCE] = reference;
    ENGINE.scalars.at[system * SCALAR_COUNT + SCALAR_GAMMA] = gamma;
    if (is_worse)
        set_tile_grid(GRID_CHOICE, ENGINE.grids.at[GRID_TILES + 3]);
    if (gamma <= tolerance * tolerance * reference)
        finish_system(system, 0, 0, true, gamma, reference);
}

void main()
{
    Matrix  matrix = MATRIX;
    Touches touches = TOUCHES;
    Vectors change = VECTORS(change), prescribed = VECTORS(prescribed), inverse = VECTORS(inverse),
            directions = VECTORS(direction), rhs = VECTORS(rhs), residual = VECTORS(r),
            scaled = VECTORS(u), p = VECTORS(p), s = VECTORS(s), product = VECTORS(w);
    Uints labels = ENGINE.label, freedom = ENGINE.degrees;
    uint  tile = unit_index(), count = ENGINE.particle_count;
    bool  is_prescribed = ENGINE.findings.at[FOUND_PRESCRIBED] != 0;
    if (tile >= ENGINE.grids.at[GRID_TILES + 3])
        return;
    uint  system = tile_word(tile, TILE_SYSTEM), label = system_word(system, SYSTEM_LABEL);
    uint  first = tile_word(tile, TILE_PLACE) * TILE_ROWS + unit_lane();
    bool  is_choice = push.phase == START_CHOICE;
    real2 sums = real2(0);
    if (is_choice && system_word(system, SYSTEM_PRODUCTS) != 2)
        return;
    for (uint i = first; i < min(first + TILE_ROWS, count); i += UNIT_THREADS)
    {
        if (labels.at[i] != label)
            continue;
        uint  degrees = freedom.at[i] & 3u;
        real3 direction = vector_at(directions, i), b = vector_at(rhs, i), plain = b;
        Block q = block_at(inverse, i);
        if (is_prescribed)
            plain -= multiply_row(matrix, touches, i, prescribed);
        plain = filtered(degrees, direction, plain);
        real3 r = is_choice ? plain : filtered(degrees, direction, b - vector_at(product, i));
        real3 u = block_multiply(q, r);
        set_vector(residual, i, r);
        set_vector(scaled, i, u);
        if (is_choice)
            set_vector(change, i, vector_at(prescribed, i));
        else
        {
            sums += real2(dot(r, u), dot(plain, block_multiply(q, plain)));
            set_vector(p, i, real3(0));
            set_vector(s, i, real3(0));
        }
    }
    if (!is_choice && is_last_of_system(true, tile, system, sums) && unit_lane() == 0)
        choose(system, sums.x, sums.y);
}
