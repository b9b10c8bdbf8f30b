#version 450
// solve_update: the vector updates of a CG iteration on the large systems.
// Reads and writes p, s, change, r, u; reads w, inverse, alpha, beta. Writes gamma; iterations, converged. One thread per
// particle, one unit per tile.
//   p <- u + beta p,  s <- w + beta s,  x <- x + alpha p,  r <- S (r - alpha s),  u <- Q r,  gamma = r.u
// UPDATE_LIVE takes the tiles of finished systems off the list; UPDATE_END looks at those that are left after the last
// recorded iteration.
#extension GL_GOOGLE_include_directive : require
#define ENGINE_PUSH UpdatePush
#include "engine.glsl"
#include "block3.glsl"
#include "systems.glsl"
#include "units.glsl"
#include "lanes.glsl"

layout(constant_id = 2) const uint PASS = UPDATE_VECTORS;
layout(constant_id = 3) const uint STRIDE = 0; // padded_count

shared uint kept[gl_WorkGroupSize.x];
shared uint kept_count;

void end_iteration(uint system, real gamma)
{
    uint at = system * SCALAR_COUNT, iterations = push.iteration + 1;
    real tolerance = value(VALUE_TOLERANCE), reference = ENGINE.scalars.at[at + SCALAR_REFERENCE];
    bool converged = gamma <= tolerance * tolerance * reference;
    ENGINE.scalars.at[at + SCALAR_GAMMA_BEFORE] = ENGINE.scalars.at[at + SCALAR_GAMMA];
    ENGINE.scalars.at[at + SCALAR_GAMMA] = gamma;
    if (converged || iterations >= ENGINE.max_iterations)
        finish_system(system, iterations, 0, converged, gamma, reference);
}

void update_vectors()
{
    Vectors residual = Vectors(push.r, STRIDE), scaled = Vectors(push.u, STRIDE),
            way = Vectors(push.p, STRIDE), image = Vectors(push.s, STRIDE),
            change = Vectors(push.change, STRIDE), directions = VECTORS(direction);
    Uints   live = ENGINE.live;
    Reals   scalars = ENGINE.scalars;
    uint    unit = unit_index(), tile_count = ENGINE.grids.at[GRID_LIVE + 3];
    uint    count = ENGINE.particle_count;
    uint    tile = live.at[min(unit, tile_count - 1)];
    uint    system = tile_word(tile, TILE_SYSTEM), label = system_word(system, SYSTEM_LABEL);
    bool    is_live = unit < tile_count && system_word(system, SYSTEM_END) == UNFINISHED;
    if (!IS_WIDE && !is_live)
        return;
    real alpha = scalars.at[system * SCALAR_COUNT + SCALAR_ALPHA];
    real beta = scalars.at[system * SCALAR_COUNT + SCALAR_BETA], gamma = 0;
    uint first_slice = known_to_all(tile_word(tile, TILE_PLACE)) * (TILE_ROWS / SLICE_ROWS);
    [[unroll]] for (uint round = 0; round < UNIT_ROUNDS; round++)
    {
        uint slice = first_slice + round * (UNIT_THREADS / SLICE_ROWS);
        if (!IS_WIDE)
            slice += unit_lane() / SLICE_ROWS;
        uint  i = first_slice * SLICE_ROWS + round * UNIT_THREADS + unit_lane();
        uint  at = min(slice, push.slice_count - 1) * SLICE_ROWS;
#define LANE_VECTOR(name) lane_vector(place_of(push.name, at), STRIDE, 0)
        real3 p = LANE_VECTOR(u) + beta * LANE_VECTOR(p);
        real3 s = LANE_VECTOR(w) + beta * LANE_VECTOR(s);
        real3 x = LANE_VECTOR(change) + alpha * p;
        real3 r = LANE_VECTOR(r) - alpha * s;
        Block q = lane_block(place_of(push.inverse, at), STRIDE);
        uint  own = lane_word(word_place(push.label, at), 0);
        uint  degrees = lane_word(word_place(push.degrees, at), 0) & 3u;
        bool  is_row = is_live && i < count && own == label;
        if (is_row && degrees != 3)
            r = filtered(degrees, vector_at(directions, i), r);
        real3 u = block_multiply(q, r);
#ifdef PAIRED_STORES
        Stores stores = stores_of(is_row);
        store_two_vectors(stores, place_of(push.p, at), p, place_of(push.s, at), s, STRIDE);
        store_two_vectors(stores, place_of(push.change, at), x, place_of(push.r, at), r, STRIDE);
        store_vector(stores, place_of(push.u, at), u, STRIDE);
        if (stores.is_single)
#else
        if (is_row)
#endif
        {
            set_vector(way, i, p);
            set_vector(image, i, s);
            set_vector(change, i, x);
            set_vector(residual, i, r);
            set_vector(scaled, i, u);
        }
        gamma += is_row ? dot(r, u) : real(0);
    }
    if (is_last_of_system(is_live, tile, system, gamma) && unit_lane() == 0)
        end_iteration(system, gamma);
}

// One workgroup closes the list up, in place: what is kept never moves back.
void keep_live()
{
    uint lane = gl_LocalInvocationID.x, count = ENGINE.grids.at[GRID_LIVE + 3], total = 0;
    for (uint base = 0; base < count; base += gl_WorkGroupSize.x)
    {
        uint tile = 0;
        bool is_live = base + lane < count;
        if (is_live)
        {
            tile = ENGINE.live.at[base + lane];
            is_live = system_word(tile_word(tile, TILE_SYSTEM), SYSTEM_END) == UNFINISHED;
        }
        kept[lane] = is_live ? 1 : 0;
        barrier();
        if (lane == 0)
        {
            uint sum = 0;
            for (uint k = 0; k < gl_WorkGroupSize.x; k++)
            {
                uint next = kept[k];
                kept[k] = sum;
                sum += next;
            }
            kept_count = sum;
        }
        barrier();
        if (is_live)
            ENGINE.live.at[total + kept[lane]] = tile;
        total += kept_count;
        barrier();
    }
    if (lane != 0)
        return;
    set_tile_grid(GRID_LIVE, total);
    ENGINE.grids.at[GRID_SHORTEN] = 0;
}

void end_system()
{
    uint unit = thread_index();
    if (unit >= ENGINE.grids.at[GRID_LIVE + 3])
        return;
    uint tile = ENGINE.live.at[unit], system = tile_word(tile, TILE_SYSTEM);
    if (tile == system_word(system, SYSTEM_TILE) && system_word(system, SYSTEM_END) == UNFINISHED)
        found_add(FOUND_UNFINISHED, 1);
}

void main()
{
    if (PASS == UPDATE_VECTORS)
        update_vectors();
    else if (PASS == UPDATE_LIVE)
        keep_live();
    else
        end_system();
}
