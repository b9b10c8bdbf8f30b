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
bool is_wide, writes;

Reals balls;
Uints items;
uint  stride; // of the balls

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
        keep[which] = max(keep[which], share * ENGINE.radius.at[corner[k]]);
        is_held = is_held || (is_wide && ENGINE.held.at[corner[k]] != 0);
    }
    if (is_held)
    {
        real3 frame = real3(ENGINE.pair_ways.at[3], ENGINE.pair_ways.at[4], ENGINE.pair_ways.at[5]);
        for (uint k = 0; k < 4; k++)
        {
            uint          which = k < split ? 0 : 1;
            precise real3 way = load3(ENGINE.wish, corner[k]) - load3(ENGINE.kept_x, corner[k]) - frame;
            side[which] = max(side[which], size_of(way));
        }
        precise real wide = keep[0] + keep[1] + side[0] + side[1];
        return wide;
    }
    for (uint a = 0; a < split; a++)
    {
        precise real3 way = load3(ENGINE.x, corner[a]) - load3(ENGINE.kept_x, corner[a]);
        for (uint b = split; b < 4; b++)
        {
            precise real3 against = way - (load3(ENGINE.x, corner[b]) - load3(ENGINE.kept_x, corner[b]));
            apart2 = max(apart2, inner(against, against));
        }
    }
    precise real reach = keep[0] + keep[1] + WAY_SHARE * sqrt(apart2);
    return reach;
}

// Whether the sides are apart by more than `limit` along the line between their centres.
bool is_apart(real3 x[4], real limit)
{
    precise real3 line = split == 2 ? (x[0] + x[1] - x[2] - x[3]) / 2
                                    : x[0] - (x[1] + x[2] + x[3]) / 3;
    real low = INFINITE, high = -INFINITE;
    for (uint k = 0; k < 4; k++)
    {
        real along = inner(line, x[k] - x[0]);
        low = k < split ? min(low, along) : low;
        high = k < split ? high : max(high, along);
    }
    precise real left = (low - high) * (low - high), right = limit * limit * inner(line, line);
    return low > high && left > right;
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
    uint other[3], corner[4];
    item_corners(items.at[place], other);
    for (uint k = 0; k < 4; k++)
        corner[k] = k < split ? own_corner[k] : other[k - split];
    for (uint a = 0; a < split; a++)
        for (uint b = split; b < 4; b++)
            if (corner[a] == corner[b])
                return;
    real  limit = reach_of(corner);
    real3 x[4];
    for (uint k = 0; k < 4; k++)
        x[k] = load3(ENGINE.kept_x, corner[k]);
    if (is_apart(x, limit))
        return;
    Nearest nearest = nearest_points(split == 2, false, x);
    if (!(nearest.gap <= limit))
        return;
    if (writes)
        write_pair(ENGINE.query_begin.at[query] + found_count, corner, nearest);
    found_count++;
}

// Items that lie side by side: the balls of most do not meet.
void look_along(uint begin, uint end)
{
    for (uint place = max(begin, first_place); place < end; place++)
    {
        real3 d = real3(balls.at[place], balls.at[stride + place], balls.at[2 * stride + place]) - own_ball.center;
        real3 way = real3(balls.at[4 * stride + place], balls.at[5 * stride + place],
                          balls.at[6 * stride + place]) - own_ball.way;
        precise real most = balls.at[3 * stride + place] + own_ball.radius + size_of(way);
        precise real most2 = most * most;
        if (inner(d, d) <= most2)
            look_at(place);
    }
}

// All items in the cells around. Three cells in a row along x are buckets side by side, but for the grid's end: there, one of them
// lies apart, before or behind the others. A loop over all parts, so that compilers see look_along() once.
void look_around()
{
    Uints begin = ENGINE.bucket_begin;
    uint  last = (1u << ENGINE.bucket_bits[0]) - 1, base = split == 2 ? 0 : bucket_count();
    ivec3 cell = cell_of(own_ball.center);
    for (int k = 0; k < 27; k++)
    {
        uint middle = bucket_of(cell + ivec3(0, k / 3 % 3 - 1, k / 9 - 1)), column = middle & last;
        uint low = column > 0 ? middle - 1 : middle, high = column < last ? middle + 1 : middle;
        bool is_there = k % 3 == 1;
        if (k % 3 == 0)
        {
            is_there = column == 0;
            low = high = middle + last;
        }
        if (k % 3 == 2)
        {
            is_there = column == last;
            low = high = middle - last;
        }
        if (is_there)
            look_along(begin.at[base + low], begin.at[base + high + 1]);
    }
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

    // What is held may meet all around.
    for (uint k = 0; is_wide && k < split; k++)
        if (ENGINE.held.at[own_corner[k]] != 0)
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
    items = ENGINE.items;
    stride = item_count();
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
