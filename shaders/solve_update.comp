#version 450
// solve_update: the scalars and the vector updates of a CG iteration on the large systems.
// Reads and writes p, s, change, r, u; reads w, inverse, the tiles' parts of gamma and delta. Writes their parts of
// the next gamma; iterations, converged. One thread per particle, one workgroup per tile.
//   beta = gamma / gamma_before,  alpha = gamma / (delta - beta gamma / alpha_before)
//   p <- u + beta p,  s <- w + beta s,  x <- x + alpha p,  r <- S (r - alpha s),  u <- Q r,  gamma =
//   r.u
// All workgroups of a system add the same parts in the same order and so find the same scalars. A system is found to be
// finished one pass late, before anything of it is changed. UPDATE_LIVE takes the tiles of finished systems
// off the list; UPDATE_END looks at those that are left after the last recorded iteration.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "block3.glsl"
#include "sums.glsl"
#include "systems.glsl"

shared uint kept[gl_WorkGroupSize.x];
shared uint kept_count;

// Gamma before this iteration, and delta.
real2 sum_tiles(uint system)
{
    uint  begin = system_word(system, SYSTEM_TILE), end = begin + system_word(system, SYSTEM_TILES);
    uint  which = PARTIAL_GAMMA + 1 - push.iteration % 2;
    uint  gamma = partial_place(which, 0), delta = partial_place(PARTIAL_DELTA, 0);
    Reals partial = ENGINE.partial;
    real2 sums = real2(0);
    for (uint k = begin + gl_LocalInvocationID.x; k < end; k += gl_WorkGroupSize.x)
        sums += real2(partial.at[gamma + k], partial.at[delta + k]);
    return group_sum_for_all(sums);
}

void update_vectors(uint tile)
{
    Vectors residual = VECTORS(r), scaled = VECTORS(u), product = VECTORS(w), way = VECTORS(p),
            image = VECTORS(s), change = VECTORS(change), inverse = VECTORS(inverse);
    Uints rows = ENGINE.rows, freedom = ENGINE.degrees;
    // Others may note the end in this very pass: that is no reason to stop here yet.
    uint system = tile_word(tile, TILE_SYSTEM), iteration = push.iteration;
    uint lane = gl_LocalInvocationID.x, scalars = system * SCALAR_COUNT;
    bool is_first = lane == 0 && tile == system_word(system, SYSTEM_TILE);
    if (system_word(system, SYSTEM_END) < iteration)
        return;
    real2 sums = sum_tiles(system);
    real  gamma = sums.x, beta = 0, curvature = sums.y;
    if (iteration > 0)
    {
        beta = gamma / ENGINE.scalars.at[scalars + SCALAR_GAMMA + iteration % 2];
        curvature -= beta * gamma / ENGINE.scalars.at[scalars + SCALAR_ALPHA + iteration % 2];
    }

    // A curvature that is not positive means that rounding has eaten the residual.
    real tolerance = value(VALUE_TOLERANCE);
    real reference = ENGINE.scalars.at[scalars + SCALAR_REFERENCE];
    bool converged = gamma <= tolerance * tolerance * reference;
    bool is_last = iteration >= ENGINE.max_iterations;
    if (converged || is_last || !(curvature > 0))
    {
        uint products = system_word(system, SYSTEM_PRODUCTS) + iteration;
        products += converged || is_last ? 0 : 1;
        if (is_first)
            report_system(system, iteration, products, converged, gamma, reference);
        return;
    }
    real alpha = gamma / curvature;
    if (is_first)
    {
        ENGINE.scalars.at[scalars + SCALAR_GAMMA + 1 - iteration % 2] = gamma;
        ENGINE.scalars.at[scalars + SCALAR_ALPHA + 1 - iteration % 2] = alpha;
    }
    uint first = tile_word(tile, TILE_FIRST), end = first + tile_word(tile, TILE_ROWS);
    real next = 0;
    for (uint row = first + lane; row < end; row += gl_WorkGroupSize.x)
    {
        uint  i = rows.at[row];
        real3 p = vector_at(scaled, i) + beta * vector_at(way, i);
        real3 s = vector_at(product, i) + beta * vector_at(image, i);
        real3 r = vector_at(residual, i) - alpha * s;
        uint  degrees = freedom.at[i] & 3u;
        if (degrees != 3)
            r = filtered(degrees, load3(ENGINE.direction, i), r);
        real3 u = block_multiply(block_at(inverse, i), r);
        set_vector(way, i, p);
        set_vector(image, i, s);
        set_vector(change, i, vector_at(change, i) + alpha * p);
        set_vector(residual, i, r);
        set_vector(scaled, i, u);
        next += dot(r, u);
    }
    next = group_sum(real2(next, 0)).x;
    if (lane == 0)
        ENGINE.partial.at[partial_place(PARTIAL_GAMMA + iteration % 2, tile)] = next;
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
    if (lane == 0)
        set_grid(GRID_LIVE, total);
}

void end_system(uint tile)
{
    uint system = tile_word(tile, TILE_SYSTEM);
    if (tile != system_word(system, SYSTEM_TILE) || system_word(system, SYSTEM_END) != UNFINISHED)
        return;
    real gamma = sum_tiles(system).x, tolerance = value(VALUE_TOLERANCE);
    real reference = ENGINE.scalars.at[system * SCALAR_COUNT + SCALAR_REFERENCE];
    bool converged = gamma <= tolerance * tolerance * reference;
    if (gl_LocalInvocationID.x != 0)
        return;
    if (converged || push.iteration >= ENGINE.max_iterations)
        report_system(system, push.iteration, system_word(system, SYSTEM_PRODUCTS) + push.iteration,
                      converged, gamma, reference);
    else
        found_add(FOUND_UNFINISHED, 1);
}

void main()
{
    uint index = group_index();
    if (has_failed())
        return;
    if (push.phase == UPDATE_LIVE)
        keep_live();
    else if (index < ENGINE.grids.at[GRID_LIVE + 3])
    {
        if (push.phase == UPDATE_VECTORS)
            update_vectors(ENGINE.live.at[index]);
        else
            end_system(ENGINE.live.at[index]);
    }
}
