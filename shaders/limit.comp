#version 450
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
//
// All rounds are recorded. A measure that finds a pair too close lets the next round run; around each round of holding, cells
// and near run anew.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"
#include "balls.glsl"
#include "solid.glsl"
#include "ways.glsl"

#define LEAST PER_CENT(5)  // part of its distance that a pair keeps at least
#define CLOSER PER_CENT(20)  // part of the gap that is left at least after a step
#define SPARE PER_CENT(45)  // part of the gap that one side may use up

// The gap that a pair must keep, and what it has at the end of the step.
real gap_to_keep(uint pair)
{
    real gap = ENGINE.pair_gap.at[pair];
    return min(gap, max(CLOSER * gap, LEAST * pair_distance(pair)));
}

real gap_left(uint pair)
{
    uint  split = pair_split(pair);
    real3 x[4], normal = pair_normal(pair);
    real  low = INFINITE, high = -INFINITE;
    pair_places(pair, ENGINE.x, x);
    for (uint k = 0; k < 4; k++)
    {
        real along = inner(normal, x[k] - x[0]);
        low = k < split ? min(low, along) : low;
        high = k < split ? high : max(high, along);
    }
    return low - high;
}

bool is_held(uint pair)
{
    for (uint k = 0; k < 4; k++)
    {
        uint i = pair_corner(pair, k);
        if (ENGINE.held.at[i] == 0 && ENGINE.blind.at[i] == 0)
            return false;
    }
    return true;
}

// A round of holding has to be done; if it is one too many, the step has failed.
void open_hold(uint round)
{
    if (round < LIMIT_HOLDS)
        ENGINE.pair_grids.at[PAIR_HOLD_OPEN + round] = 1;
    else
        ENGINE.findings.at[FOUND_STUCK] = 1;
}

// Somebody is too close: what comes next has to be done. All threads that find it write the same.
void go_on()
{
    uint round = push.iteration;
    if (round < LIMIT_ROUNDS)
    {
        set_pair_grid(PAIR_GRID_PUSH + 3 * round, ENGINE.particle_count);
        set_pair_grid(PAIR_GRID_MEASURE + 3 * (round + 1), ENGINE.pair_counts.at[PAIR_COUNT]);
    }
    else
        open_hold(round - LIMIT_ROUNDS);
}

// What a pair is short of. Half of what must be kept is enough, so that this comes to an end.
void measure(uint pair)
{
    real keep = gap_to_keep(pair), left = gap_left(pair);
    bool is_short = left < keep / 2 && !is_held(pair);
    ENGINE.pair_push.at[pair] = is_short ? keep - left : real(0);
    if (is_short)
        go_on();
}

void move(uint i, real3 by)
{
    precise real3 x = load3(ENGINE.x, i) + by, v = load3(ENGINE.v, i) + by / value(VALUE_H);
    store3(ENGINE.x, i, x);
    store3(ENGINE.v, i, v);
}

// Moves a particle back along `way` until that is no longer than `most`.
void shorten(uint i, real3 way, real most)
{
    real size = size_of(way);
    if (size > most)
        move(i, way * (most / size - 1));
}

real3 way_in_frame(uint i)
{
    precise real3 way = load3(ENGINE.x, i) - load3(ENGINE.kept_x, i) -
                        real3(ENGINE.pair_ways.at[3], ENGINE.pair_ways.at[4], ENGINE.pair_ways.at[5]);
    return way;
}

// Leaves out the part of a push that would go into a solid.
real3 outside_part(uint i, real3 by)
{
    real thickness = ENGINE.thickness.at[i];
    for (uint solid = 0; solid < ENGINE.solid_count; solid++)
    {
        real3 x = load3(ENGINE.x, i) + by;
        if (solid_is_far(solid, x, thickness))
            continue;
        Surface surface = solid_surface(solid, x);
        real    inward = min(-dot(by, surface.normal), thickness - surface.distance);
        if (inward > 0)
            by += inward * surface.normal;
    }
    return by;
}

// Part of the push that the side of a corner takes: by lightness, so that what a pin holds stays.
real side_share(uint pair, uint split, uint corner)
{
    real light[2] = real[2](0, 0);
    for (uint k = 0; k < 4; k++)
        light[k < split ? 0 : 1] += ENGINE.light.at[pair_corner(pair, k)] / real(k < split ? split : 4 - split);
    real both = light[0] + light[1];
    return both > 0 ? light[corner < split ? 0 : 1] / both : real(0);
}

void push_particle(uint i)
{
    precise real3 by = real3(0);
    real          count = 0;
    uint          end = ENGINE.touch_begin.at[i + 1];
    for (uint k = ENGINE.touch_begin.at[i]; k < end; k++)
    {
        uint pair = ENGINE.touch.at[k] / 4, corner = ENGINE.touch.at[k] % 4, split = pair_split(pair);
        real lack = ENGINE.pair_push.at[pair];
        if (!(lack > 0))
            continue;
        real part = lack * side_share(pair, split, corner);
        count += 1;
        by += (corner < split ? part : -part) * pair_normal(pair);
    }
    if (count == 0 || ENGINE.blind.at[i] != 0)
        return;
    move(i, outside_part(i, by / count));

    // Only what the particles would have met on the ways they wished to go is listed: they may not be pushed far from those.
    shorten(i, load3(ENGINE.x, i) - load3(ENGINE.wish, i), RADIUS_SHARE * EDGE_SHARE * ENGINE.radius.at[i]);
}

// The way that is free whatever the others do.
real free_way(uint i)
{
    real way = INFINITE;
    uint end = ENGINE.touch_begin.at[i + 1];
    for (uint k = ENGINE.touch_begin.at[i]; k < end; k++)
    {
        uint         pair = ENGINE.touch.at[k] / 4;
        precise real room = SPARE * (ENGINE.pair_gap.at[pair] - LEAST * pair_distance(pair));
        way = min(way, room);
    }
    return max(way, real(0));
}

// Marks a particle that has a pair which is short, or one that there was no room for.
void mark(uint i)
{
    bool is_new = ENGINE.blind.at[i] != 0;
    uint end = ENGINE.touch_begin.at[i + 1];
    for (uint k = ENGINE.touch_begin.at[i]; k < end && !is_new; k++)
        is_new = ENGINE.pair_push.at[ENGINE.touch.at[k] / 4] > 0;
    if (!is_new || ENGINE.held.at[i] != 0)
        return;
    ENGINE.held.at[i] = 1;
    atomicAdd(ENGINE.pair_counts.at[PAIR_CUT], 1);
    if (ENGINE.contact.at[i] != CONTACT_NONE)
        atomicAdd(ENGINE.pair_grids.at[PAIR_HELD_TOUCH], 1);
}

// Whether the way of a particle counts for the frame: the mean way of what is held first, so that they are hindered as little as
// possible; or of what is held first of those that touch a solid, because with the others they would be held into it.
bool counts_for_frame(uint i)
{
    bool touch = ENGINE.pair_grids.at[PAIR_HELD_TOUCH] > 0;
    return ENGINE.held.at[i] != 0 && (!touch || ENGINE.contact.at[i] != CONTACT_NONE);
}

// For one workgroup.
void choose_frame()
{
    uint touch = min(ENGINE.pair_grids.at[PAIR_HELD_TOUCH], 1);
    if (push.iteration > 0 && touch == ENGINE.pair_grids.at[PAIR_FRAME_TOUCHES])
        return;
    mean_way(3);
    if (gl_LocalInvocationID.x == 0)
        ENGINE.pair_grids.at[PAIR_FRAME_TOUCHES] = touch;
}

// A particle that is blind and not held goes another way than near was told: another round has to follow.
void hold(uint i)
{
    if (ENGINE.blind.at[i] != 0 && ENGINE.held.at[i] == 0)
        open_hold(push.iteration + 1);
    if (ENGINE.blind.at[i] != 0)
        shorten(i, way_in_frame(i), real(0));
    else if (ENGINE.held.at[i] != 0)
        shorten(i, way_in_frame(i), free_way(i));
}

// For one thread: no round runs until a measure finds it necessary; but where there was no room for pairs, some are held.
void close_rounds(uint count)
{
    for (uint place = PAIR_GRID_MEASURE; place < PAIR_GRID_COUNT; place++)
        ENGINE.pair_grids.at[place] = 0;
    set_pair_grid(PAIR_GRID_MEASURE, count);
    if (ENGINE.pair_counts.at[PAIR_LOST] > 0)
        open_hold(0);
}

void main()
{
    uint k = thread_index(), particles = ENGINE.particle_count, count = ENGINE.pair_counts.at[PAIR_COUNT];
    bool is_particle = k < particles;
    if (has_failed())
        return;
    switch (push.phase)
    {
    case LIMIT_START:
        if (k == 0)
            close_rounds(count);
        if (is_particle && count > 0)
            store3(ENGINE.wish, k, load3(ENGINE.x, k));
        break;
    case LIMIT_MEASURE:
        if (k < count)
            measure(k);
        break;
    case LIMIT_PUSH:
        if (is_particle)
            push_particle(k);
        break;
    case LIMIT_MARK:
        if (is_particle)
            mark(k);
        break;
    case LIMIT_WAYS:
        sum_ways(is_particle && counts_for_frame(min(k, particles - 1)), k);
        break;
    case LIMIT_FRAME:
        choose_frame();
        break;
    case LIMIT_HOLD:
        if (is_particle)
            hold(k);
        if (k == 0)
            set_pair_grid(PAIR_GRID_MEASURE + 3 * (LIMIT_ROUNDS + 1 + push.iteration), count);
        break;
    }
}
