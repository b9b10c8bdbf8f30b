// limit: motion that would take cloth through cloth is cut short.
// Reads kept_x, pairs, contact, light, solids. Reads and writes x, v; writes push, held. One thread per pair, then one per particle.
//
// At the beginning of the step the normal of a pair separates its two sides by the gap. Corners move in straight lines, so if it
// still separates them at the end, the sides did not meet in between. First, pairs that come out too close push their two
// sides apart along the normal, all at once, each particle by the mean of what its pairs ask for; repeated, that is an
// inelastic impact of the cloths. For what is then still too close there is a way that is free whatever the others do: a
// particle that moves, measured against a common frame, by less than half of its smallest gap meets nobody that does the same.
// Particles are held to that, and their neighbours if that makes new pairs too close. If there is no end to it the step has failed.
// Those that are blind, because there was no room for all of their pairs, are held as well, and stay where they are in that frame.
#include "cells.h"
#include "parallel.h"
#include "solid_distance.h"
#include "tiles.h"

#define ROUNDS 32          // of pushing
#define HOLDS 12           // rounds of holding; if they are not enough, a shorter step is
#define RESTARTS 4         // so many of them have the same frame and the same balls
#define LEAST ((real)0.05) // part of its distance that a pair keeps at least
#define CLOSER ((real)0.2) // part of the gap that is left at least after a step
#define SPARE ((real)0.45) // part of the gap that one side may use up

// The gaps that eight pairs must keep.
static Lanes gaps_to_keep(const PairList *pairs, uint32_t first, LaneMask are_edges)
{
    Lanes side[2] = {{0}, {0}}, gap = lanes_load(pairs->gap + first);
    for (int k = 0; k < 4; k++)
    {
        Lanes radius = lanes_gather(pairs->radius, pairs->corner[k] + first);
        // Corner 1 is of either side.
        if (k == 0)
            side[0] = radius;
        else if (k == 1)
        {
            side[1] = lanes_select(are_edges, (Lanes){0} + INFINITY, radius);
            side[0] = lanes_select(are_edges, lanes_least(side[0], radius), side[0]);
        }
        else
            side[1] = lanes_least(side[1], radius);
    }
    const Lanes one = (Lanes){0} + 1;
    Lanes       distance = (side[0] + side[1]) * lanes_select(are_edges, EDGE_SHARE * one, one);
    return lanes_least(gap, lanes_most(LEAST * distance, CLOSER * gap));
}

// What they have at the end of the step.
static Lanes gaps_left(const EngineData *data, uint32_t first, LaneMask are_edges)
{
    const PairList *pairs = &data->pairs;
    const Lanes     none = {0};
    Lanes           x[4][3], low = none, high = none;
    corner_places(pairs->corner, first, data->x, x);
    for (int k = 0; k < 4; k++)
    {
        Lanes along = none;
        for (int axis = 0; axis < 3; axis++)
            along += lanes_load(pairs->normal[axis] + first) * (x[k][axis] - x[0][axis]);
        if (k == 0)
            low = along;
        else if (k == 1)
        {
            high = lanes_select(are_edges, none - INFINITY, along);
            low = lanes_select(are_edges, lanes_least(low, along), low);
        }
        else
            high = lanes_most(high, along);
    }
    return low - high;
}

static bool is_held(const EngineData *data, uint32_t pair)
{
    for (int k = 0; k < 4; k++)
        if (!data->pairs.held[data->pairs.corner[k][pair]] &&
            !data->pairs.blind[data->pairs.corner[k][pair]])
            return false;
    return true;
}

// What each pair is short of. Half of what must be kept is enough, so that this comes to an end.
static void measure_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    uint32_t  end = (tile + 1) * TILE < pairs->count ? (tile + 1) * TILE : pairs->count;
    for (uint32_t first = tile * TILE; first < end; first += SLICE)
    {
        LaneMask are_edges = {0};
        for (uint32_t lane = 0; lane < SLICE; lane++)
            are_edges[lane] = (pairs->flags[first + lane] & PAIR_EDGES) != 0 ? -1 : 0;
        Lanes    keep = gaps_to_keep(pairs, first, are_edges);
        Lanes    left = gaps_left(data, first, are_edges), lack = keep - left, push = {0};
        uint32_t some = lanes_bits(left < keep / 2);
        for (some &= lanes_before(first, end); some != 0; some &= some - 1)
        {
            uint32_t lane = (uint32_t)__builtin_ctz(some);
            if (is_held(data, first + lane))
                continue;
            push[lane] = lack[lane];
            tally->count[0]++;
        }
        lanes_store(pairs->push + first, push);
    }
}

static uint64_t measure(EngineData *data)
{
    return parallel_tiles(data, (data->pairs.count + TILE - 1) / TILE, measure_tile).count[0];
}

static void move(EngineData *data, uint32_t i, const real by[3])
{
    for (int axis = 0; axis < 3; axis++)
    {
        data->x[axis][i] += by[axis];
        data->v[axis][i] += by[axis] / data->h;
    }
}

// Cuts the way of a particle, measured against the frame, to `most`.
static void shorten(EngineData *data, uint32_t i, real most)
{
    real way[3], size2 = 0, by[3];
    for (int axis = 0; axis < 3; axis++)
    {
        way[axis] = data->x[axis][i] - data->kept_x[axis][i] - data->pairs.frame[axis];
        size2 += way[axis] * way[axis];
    }
    real size = WEFT_REAL_SQRT(size2);
    if (!(size > most))
        return;
    for (int axis = 0; axis < 3; axis++)
        by[axis] = way[axis] * (most / size - 1);
    move(data, i, by);
}

// Only what the particles would have met on the ways they wished to go is listed: they may not be pushed far from those.
static void stay_known(EngineData *data, uint32_t i)
{
    const PairList *pairs = &data->pairs;
    real            off[3], size2 = 0, by[3];
    real            most = RADIUS_SHARE * EDGE_SHARE * pairs->radius[i];
    for (int axis = 0; axis < 3; axis++)
    {
        off[axis] = data->x[axis][i] - pairs->wish[axis][i];
        size2 += off[axis] * off[axis];
    }
    real size = WEFT_REAL_SQRT(size2);
    if (!(size > most))
        return;
    for (int axis = 0; axis < 3; axis++)
        by[axis] = off[axis] * (most / size - 1);
    move(data, i, by);
}

// Leaves out the part of a push that would go into a solid.
static void stay_outside(const EngineData *data, uint32_t i, real by[3])
{
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const SolidData *solid = &data->solids[k];
        real             x[3], inward = 0;
        for (int axis = 0; axis < 3; axis++)
            x[axis] = data->x[axis][i] + by[axis];
        if (!solid_is_near(solid, x, data->thickness[i]))
            continue;
        Surface surface = solid_surface(solid, &solid->after, x);
        for (int axis = 0; axis < 3; axis++)
            inward -= by[axis] * surface.normal[axis];
        real depth = data->thickness[i] - surface.distance;
        inward = inward < depth ? inward : depth;
        for (int axis = 0; axis < 3 && inward > 0; axis++)
            by[axis] += inward * surface.normal[axis];
    }
}

// Part of the push that the side of a corner takes: by lightness, so that what a pin holds stays.
static real side_share(const EngineData *data, uint32_t pair, int corner)
{
    const PairList *pairs = &data->pairs;
    int             split = pair_split(pairs, pair);
    real            light[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        light[k >= split] +=
            data->light[pairs->corner[k][pair]] / (real)(k < split ? split : 4 - split);
    real both = light[0] + light[1];
    return both > 0 ? light[corner >= split] / both : 0;
}

static void push_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    (void)tally;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
    {
        real by[3] = {0, 0, 0}, count = 0;
        for (uint32_t k = pairs->touch_begin[i]; k < pairs->touch_begin[i + 1]; k++)
        {
            uint32_t pair = pairs->touch[k] / 4;
            int      corner = (int)(pairs->touch[k] % 4);
            if (!(pairs->push[pair] > 0))
                continue;
            real part = pairs->push[pair] * side_share(data, pair, corner);
            count += 1;
            for (int axis = 0; axis < 3; axis++)
                by[axis] +=
                    (corner < pair_split(pairs, pair) ? part : -part) * pairs->normal[axis][pair];
        }
        for (int axis = 0; axis < 3 && count > 0; axis++)
            by[axis] /= count;
        if (count > 0 && !pairs->blind[i])
        {
            stay_outside(data, i, by);
            move(data, i, by);
            stay_known(data, i);
        }
    }
}

// The way that is free whatever the others do.
static real free_way(const PairList *pairs, uint32_t i)
{
    real way = INFINITY;
    for (uint32_t k = pairs->touch_begin[i]; k < pairs->touch_begin[i + 1]; k++)
    {
        uint32_t pair = pairs->touch[k] / 4;
        real     room = SPARE * (pairs->gap[pair] - LEAST * pair_distance(pairs, pair));
        way = room < way ? room : way;
    }
    return way > 0 ? way : 0;
}

// Marks every particle that has a pair which is short, or one that there was no room for. Counts them, and how many touch a solid.
static void mark_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    PairList *pairs = &data->pairs;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
    {
        bool is_new = pairs->blind[i];
        for (uint32_t k = pairs->touch_begin[i]; k < pairs->touch_begin[i + 1]; k++)
            is_new = is_new || pairs->push[pairs->touch[k] / 4] > 0;
        if (!is_new || pairs->held[i])
            continue;
        pairs->held[i] = 1;
        tally->count[0]++;
        tally->count[1] += data->contact[i] != CONTACT_NONE;
    }
}

// The frame: the mean way of what is held first, so that they are hindered as little as possible; or of what is held first of
// those that touch a solid, because with the others they would be held into it.
static void find_frame(EngineData *data, bool touch)
{
    PairList *pairs = &data->pairs;
    double    sum[3] = {0, 0, 0}, count = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
        if (pairs->held[i] && (!touch || data->contact[i] != CONTACT_NONE))
        {
            count += 1;
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += (double)(data->x[axis][i] - data->kept_x[axis][i]);
        }
    for (int axis = 0; axis < 3; axis++)
        pairs->frame[axis] = isfinite(sum[axis]) && count > 0 ? (real)(sum[axis] / count) : 0;
}

// Counts who goes another way than near was told.
static void hold_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
    {
        tally->count[0] += pairs->blind[i] && !pairs->held[i];
        if (pairs->blind[i])
            shorten(data, i, 0);
        else if (pairs->held[i])
            shorten(data, i, free_way(pairs, i));
    }
}

static void wish_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
            data->pairs.wish[axis][i] = data->x[axis][i];
}

// Pushing; returns whether it was enough.
static bool push_apart(EngineData *data)
{
    for (int round = 0; round < ROUNDS; round++)
    {
        if (measure(data) == 0)
            return true;
        parallel_tiles(data, data->tile_count, push_tile);
    }
    return measure(data) == 0;
}

// Holding, for pairs that are short and more and more around them; returns whether it was enough.
static bool hold_back(EngineData *data)
{
    PairList *pairs = &data->pairs;
    bool      touch = false;
    uint64_t  touching = 0;
    for (int round = 0; round < HOLDS; round++)
    {
        Tally marked = parallel_tiles(data, data->tile_count, mark_tile);
        pairs->cut_count += (uint32_t)marked.count[0];
        touching += marked.count[1];
        bool restarts = round % RESTARTS == 0;
        if (restarts && (round == 0 || touch != (touching > 0)))
        {
            touch = touching > 0;
            find_frame(data, touch);
        }
        // A particle that is held goes another way than it wished to: more can be met.
        pairs->wide = true;
        if (restarts)
            WEFT_KERNEL(cells)(data);
        WEFT_KERNEL(near)(data);
        pairs->wide = false;
        uint64_t unknown = parallel_tiles(data, data->tile_count, hold_tile).count[0];
        if (measure(data) == 0 && unknown == 0)
            return true;
    }
    return false;
}

void WEFT_KERNEL(limit)(EngineData *data)
{
    PairList *pairs = &data->pairs;
    pairs->cut_count = 0;
    pairs->stuck = false;
    if (!pairs->on || pairs->count == 0)
        return;
    parallel_tiles(data, data->tile_count, wish_tile);
    if (!push_apart(data) || pairs->lost > 0)
        pairs->stuck = !hold_back(data);
}
