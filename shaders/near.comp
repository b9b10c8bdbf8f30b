#version 450
// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, wish, items in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. NEAR_COUNT: each particle and
// each edge counts what it finds; the counts are summed up; NEAR_WRITE writes what was found in that order, so that the list is the same
// in every run. Where there is no room left the particles are marked: without knowing what is near they stay where they are
// among the others. NEAR_TOUCH hands the pairs to the particles that they touch, in any order, NEAR_SORT puts them in order.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"
#include "balls.glsl"

// A query is a particle, or particle_count + place of an edge in items.
uint query, found_count;
uint first_place; // places before this one are not looked at: two edges are one pair
uint own_corner[3];
uint split; // corners of the query
Ball own_ball;
real3 own_spot[2]; // of its corners
bool is_wide, writes;

#define WAITING 16u // items that are looked at together

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Reals balls, spots, before, after, radii;
Uints items, bucket_begin, edges, triangles, held;
uint  stride, particle_stride, edge_count, triangle_count, buckets, bucket_bits[3];

real3 load_ball(uint part, uint place)
{
    return load3(balls, stride, part * stride + place);
}

// The way that a particle went.
real3 way_of(uint i)
{
    return load3(after, particle_stride, i) - load3(before, particle_stride, i);
}

// How far apart the two sides of a pair may be at the beginning of the step and still have to be listed: by their ways against
// each other or, if a corner is held and so goes another way than it wished, by their ways against the frame.
real reach_of(uint corner[4])
{
    real keep[2] = real[2](0, 0), side[2] = real[2](0, 0), apart2 = 0;
    real share = RADIUS_SHARE * (split == 2 ? EDGE_SHARE : real(1));
    bool is_held = false;
    for (uint k = 0; k < 4; k++)
    {
        uint which = k < split ? 0 : 1;
        keep[which] = max(keep[which], share * radii.at[corner[k]]);
        is_held = is_held || (is_wide && held.at[corner[k]] != 0);
    }
    if (is_held)
    {
        real3 frame = real3(ENGINE.pair_ways.at[3], ENGINE.pair_ways.at[4], ENGINE.pair_ways.at[5]);
        for (uint k = 0; k < 4; k++)
        {
            uint          which = k < split ? 0 : 1;
            precise real3 way = load3(ENGINE.wish, corner[k]) - load3(before, particle_stride, corner[k]) - frame;
            side[which] = max(side[which], size_of(way));
        }
        precise real wide = keep[0] + keep[1] + side[0] + side[1];
        return wide;
    }
    for (uint a = 0; a < split; a++)
    {
        real3 way = way_of(corner[a]);
        for (uint b = split; b < 4; b++)
        {
            precise real3 against = way - way_of(corner[b]);
            apart2 = max(apart2, inner(against, against));
        }
    }
    precise real reach = keep[0] + keep[1] + WAY_SHARE * sqrt(apart2);
    return reach;
}

void write_pair(uint pair, uint corner[4], Nearest nearest)
{
    uint capacity = ENGINE.pair_capacity;
    if (pair >= capacity)
    {
        for (uint k = 0; k < 4; k++)
            ENGINE.blind.at[corner[k]] = 1;
        return;
    }
    for (uint k = 0; k < 4; k++)
    {
        ENGINE.pair_corner.at[k * capacity + pair] = corner[k];
        atomicAdd(ENGINE.touch_begin.at[corner[k]], 1);
    }
    for (uint axis = 0; axis < 3; axis++)
        ENGINE.pair_normal.at[axis * capacity + pair] = nearest.normal[axis];
    ENGINE.pair_gap.at[pair] = nearest.gap;
    ENGINE.pair_flags.at[pair] = split == 2 ? PAIR_EDGES : 0;
}

// Looks at one item; counts it, and writes it.
void look_at(uint place)
{
    uint  item = items.at[place], corner[4];
    bool  is_edge = split == 2;
    for (uint k = 0; k < 4; k++)
        corner[k] = k < split ? own_corner[k]
                    : is_edge ? edges.at[(k - 2) * edge_count + item]
                              : triangles.at[(k - 1) * triangle_count + item - edge_count];
    for (uint a = 0; a < split; a++)
        for (uint b = split; b < 4; b++)
            if (corner[a] == corner[b])
                return;
    real3 x[4];
    for (uint k = 0; k < 4; k++)
        x[k] = load3(before, particle_stride, corner[k]);
    Nearest nearest = nearest_points(split == 2, false, x);
    if (!(nearest.gap <= reach_of(corner)))
        return;
    if (writes)
        write_pair(ENGINE.query_begin.at[query] + found_count, corner, nearest);
    found_count++;
}

// The next run of items in the cells around that lie side by side. Three cells in a row along x do, but for the grid's end: there,
// one of them lies apart, before or behind the others. 27 runs in all; most of them are empty.
void open_run(uint run, ivec3 cell, out uint begin, out uint end)
{
    uint last = (1u << bucket_bits[0]) - 1, base = split == 2 ? 0 : buckets;
    uint middle = bucket_of(cell + ivec3(0, int(run / 3 % 3) - 1, int(run / 9) - 1), bucket_bits);
    uint column = middle & last, part = run % 3;
    uint low = column > 0 ? middle - 1 : middle, high = column < last ? middle + 1 : middle;
    bool is_there = part == 1 || (part == 0 ? column == 0 : column == last);
    if (part != 1)
        low = high = part == 0 ? middle + last : middle - last;
    begin = end = 0;
    if (is_there)
    {
        begin = max(bucket_begin.at[base + low], first_place);
        end = bucket_begin.at[base + high + 1];
    }
}

// Whether an item is apart by more than it could come near, along the line between the centres. Places are measured from the
// query's first corner.
bool is_apart(uint place, real way)
{
    uint  count = split == 2 ? 2 : 3;
    real3 to[3], own = split == 2 ? (own_spot[1] - own_spot[0]) / 2 : real3(0), line = own;
    for (uint k = 0; k < count; k++)
    {
        to[k] = load3(spots, stride, 3 * k * stride + place) - own_spot[0];
        line -= to[k] / real(count);
    }
    real low = min(2 * inner(line, own), real(0)), high = -INFINITE;
    for (uint k = 0; k < count; k++)
        high = max(high, inner(line, to[k]));
    // More than reach_of() says, also after rounding.
    real limit = (balls.at[7 * stride + place] + own_ball.margin + 2 * way) * (real(10001) / 10000);
    return low > high && (low - high) * (low - high) > limit * limit * inner(line, line);
}

// Whether an item is near as far as balls, on their ways, and then corners tell.
bool seems_near(uint place)
{
    real3        to = load_ball(0, place) - own_ball.center;
    real         way = size_of(load_ball(4, place) - own_ball.way);
    precise real most = balls.at[3 * stride + place] + own_ball.radius + way;
    precise real most2 = most * most;
    if (!(inner(to, to) <= most2))
        return false;
    return is_wide || !is_apart(place, way);
}

// All items in the cells around. Most are far; the others are looked at several at a time, so that threads that
// run side by side have something to look at at the same time.
void look_around()
{
    ivec3 cell = cell_of(own_ball.center);
    uint  waiting[WAITING], waiting_count, run = 0, place = 0, end = 0;
    do
    {
        waiting_count = 0;
        while (waiting_count < WAITING && (place < end || run < 27))
        {
            if (place >= end)
            {
                open_run(run++, cell, place, end);
                continue;
            }
            if (seems_near(place))
                waiting[waiting_count++] = place;
            place++;
        }
        for (uint k = 0; k < waiting_count; k++)
            look_at(waiting[k]);
    } while (waiting_count > 0);
}

void run_query()
{
    uint particles = ENGINE.particle_count;
    found_count = first_place = 0;
    split = 1;
    own_corner[0] = query;
    if (query >= particles)
    {
        first_place = query - particles + 1;
        split = item_corners(items.at[first_place - 1], own_corner);
    }
    own_ball = ball_around(own_corner, split);
    for (uint k = 0; k < split; k++)
        own_spot[k] = load3(before, particle_stride, own_corner[k]);

    // What is held may meet all around.
    for (uint k = 0; is_wide && k < split; k++)
        if (held.at[own_corner[k]] != 0)
            own_ball.radius = 2 * ENGINE.cell_size.at[0];
    look_around();
}

// What is known of a particle from the last list.
void clear(uint i)
{
    ENGINE.blind.at[i] = ENGINE.touch_begin.at[i] = ENGINE.touch_next.at[i] = 0;
    if (!is_wide)
        ENGINE.held.at[i] = 0;
}

// What the whole list comes to.
void close_list(uint found)
{
    uint count = min(found, ENGINE.pair_capacity);
    ENGINE.pair_counts.at[PAIR_COUNT] = count;
    ENGINE.pair_counts.at[PAIR_LOST] = found - count;
    if (!is_wide)
        ENGINE.pair_counts.at[PAIR_CUT] = 0;
    set_pair_grid(PAIR_GRID_FOUND, count);
}

void sift(uint begin, uint root, uint count)
{
    uint word = ENGINE.touch.at[begin + root], child = 2 * root + 1;
    for (; child < count; child = 2 * root + 1)
    {
        if (child + 1 < count && ENGINE.touch.at[begin + child + 1] > ENGINE.touch.at[begin + child])
            child++;
        if (ENGINE.touch.at[begin + child] <= word)
            break;
        ENGINE.touch.at[begin + root] = ENGINE.touch.at[begin + child];
        root = child;
    }
    ENGINE.touch.at[begin + root] = word;
}

// Heapsort: the same time for every list, whatever order the threads came in.
void sort_touches(uint begin, uint count)
{
    for (uint root = count / 2; root > 0; root--)
        sift(begin, root - 1, count);
    for (uint last = count; last > 1; last--)
    {
        uint word = ENGINE.touch.at[begin + last - 1];
        ENGINE.touch.at[begin + last - 1] = ENGINE.touch.at[begin];
        ENGINE.touch.at[begin] = word;
        sift(begin, 0, last - 1);
    }
}

void main()
{
    uint k = thread_index(), particles = ENGINE.particle_count, padded = ENGINE.padded_count;
    uint queries = particles + ENGINE.edge_count;
    balls = ENGINE.ball;
    spots = ENGINE.spot;
    before = ENGINE.kept_x;
    after = ENGINE.x;
    radii = ENGINE.radius;
    items = ENGINE.items;
    bucket_begin = ENGINE.bucket_begin;
    edges = ENGINE.edges;
    triangles = ENGINE.corners;
    held = ENGINE.held;
    stride = item_count();
    particle_stride = padded;
    edge_count = ENGINE.edge_count;
    triangle_count = ENGINE.triangle_count;
    buckets = bucket_count();
    for (uint axis = 0; axis < 3; axis++)
        bucket_bits[axis] = ENGINE.bucket_bits[axis];
    is_wide = push.iteration != 0;
    writes = push.phase == NEAR_WRITE;
    query = k;
    if (has_failed())
        return;
    switch (push.phase)
    {
    case NEAR_COUNT:
    case NEAR_WRITE:
        if (!writes && k < padded)
            clear(k);
        if (k < queries && (!writes || ENGINE.query_begin.at[k] < ENGINE.query_begin.at[k + 1]))
            run_query();
        if (!writes && k < queries)
            ENGINE.query_begin.at[k] = found_count;
        if (writes && k == 0)
            close_list(ENGINE.query_begin.at[queries]);
        break;
    case NEAR_TOUCH:
        for (uint corner = 0; k < ENGINE.pair_counts.at[PAIR_COUNT] && corner < 4; corner++)
        {
            uint i = pair_corner(k, corner);
            ENGINE.touch.at[ENGINE.touch_begin.at[i] + atomicAdd(ENGINE.touch_next.at[i], 1)] = 4 * k + corner;
        }
        break;
    case NEAR_SORT:
        if (k < particles)
            sort_touches(ENGINE.touch_begin.at[k], ENGINE.touch_begin.at[k + 1] - ENGINE.touch_begin.at[k]);
        // Where there is no list to make the next time, nothing runs.
        if (k == 0)
            set_pair_grid(PAIR_GRID_FOUND, 0);
        break;
    }
}
