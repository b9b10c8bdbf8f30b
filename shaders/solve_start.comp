#version 450
// solve_start: first residual of the large systems.
// Reads rhs, change (starting guess), w (its product with A), prescribed, diagonal, inverse, spring blocks. Writes r, u, p,
// s; gamma and reference. One thread per particle, one unit per tile.
//   r <- S (b - A x),  u <- Q r,  p, s <- 0;  gamma = r.u;  reference = (b - A z).Q (b - A z)
// START_RESIDUAL does that; START_CHOICE gives a starting guess up that turned out to be worse than none.
// With WEFT_WIDE most tiles have a shorter way: where nothing is prescribed the product with z is none.
#extension GL_GOOGLE_include_directive : require
#ifdef WEFT_WIDE
#define ENGINE_PUSH StartPush
#endif
#include "engine.glsl"
#include "rows.glsl"
#include "systems.glsl"
#define TWO_SUMS
#include "units.glsl"
#ifdef WEFT_WIDE
#include "lanes.glsl"

layout(constant_id = 3) const uint STRIDE = 0; // padded_count
#endif

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

#ifdef WEFT_WIDE
// The rows of a tile with nothing prescribed, if it is live.
real2 start_rows(bool is_live, uint first_slice, uint label)
{
    Vectors directions = VECTORS(direction), residual = VECTORS(r), scaled = VECTORS(u), way = VECTORS(p),
            image = VECTORS(s);
    Reals all_r = ENGINE.r, all_u = ENGINE.u, all_p = ENGINE.p, all_s = ENGINE.s;
    uint  count = ENGINE.particle_count;
    real2 sums = real2(0);
    [[unroll]] for (uint round = 0; round < UNIT_ROUNDS; round++)
    {
        uint  slice = min(first_slice + round, push.slice_count - 1), at = slice * SLICE_ROWS;
        uint  i = (first_slice + round) * SLICE_ROWS + unit_lane();
        real3 plain = lane_vector(place_of(push.rhs, at), STRIDE, 0);
        real3 r = plain - lane_vector(place_of(push.product, at), STRIDE, 0);
        Block q = lane_block(place_of(push.inverse, at), STRIDE);
        uint  own = lane_word(word_place(push.label, at), 0);
        uint  degrees = lane_word(word_place(push.degrees, at), 0) & 3u;
        bool  is_row = is_live && i < count && own == label;
        if (is_row && degrees != 3)
        {
            real3 direction = vector_at(directions, i);
            plain = filtered(degrees, direction, plain);
            r = filtered(degrees, direction, r);
        }
        real3 u = block_multiply(q, r);
        sums += is_row ? real2(dot(r, u), dot(plain, block_multiply(q, plain))) : real2(0);
        Stores stores = stores_of(is_row);
        store_two_vectors(stores, place_of(all_r, at), r, place_of(all_u, at), u, STRIDE);
        store_two_vectors(stores, place_of(all_p, at), real3(0), place_of(all_s, at), real3(0), STRIDE);
#ifdef PAIRED_STORES
        if (stores.is_single)
        {
            set_vector(residual, i, r);
            set_vector(scaled, i, u);
            set_vector(way, i, real3(0));
            set_vector(image, i, real3(0));
        }
#endif
    }
    return sums;
}
#endif

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
    bool  is_choice = push.phase == START_CHOICE, is_live = tile < ENGINE.grids.at[GRID_TILES + 3];
    real2 sums = real2(0);
#ifdef WEFT_WIDE
    tile = is_live ? tile : 0;
    uint  system = tile_word(tile, TILE_SYSTEM), label = system_word(system, SYSTEM_LABEL);
    uint  place = tile_word(tile, TILE_PLACE), end = count;
    bool  is_short = !is_prescribed && !is_choice;
    sums = start_rows(is_live && is_short, known_to_all(place) * (TILE_ROWS / SLICE_ROWS), label);
    if (!is_live)
        return;
    if (is_short)
        end = 0;
#else
    if (!is_live)
        return;
    uint  system = tile_word(tile, TILE_SYSTEM), label = system_word(system, SYSTEM_LABEL);
    uint  place = tile_word(tile, TILE_PLACE), end = count;
#endif
    uint first = place * TILE_ROWS + unit_lane();
    if (is_choice && system_word(system, SYSTEM_PRODUCTS) != 2)
        return;
    for (uint i = first; i < min(first + TILE_ROWS, end); i += UNIT_THREADS)
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
