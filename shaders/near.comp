#version 450
// near: pairs of cloth that could meet: particle and triangle, edge and edge.
// Reads kept_x, x, frame, clumps in their buckets. Writes corner, normal, gap, flags of the pairs, count, lost; touch: the pairs of each
// particle; held. One thread per item.
//
// A pair is listed if its gap at the beginning of the step is no larger than the way that its sides go against each other,
// with the distance that they keep; parts that share a corner are one piece of cloth and no pair. Clumps that a query's ball does
// not meet have nothing for it. NEAR_COUNT: each particle and
// each edge counts what it finds; the counts are summed up; NEAR_WRITE writes what was found in that order, so that the list is the same
// in every run. Where there is no room left the particles are marked: without knowing what is near they stay where they are
// among the others. NEAR_TOUCH hands the pairs to the particles that they touch, in any order, NEAR_SORT puts them in order.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"
#include "balls.glsl"

#define WAITING 16u                       // items that are looked at together
#define ROUNDING (real(10001) / 10000) // what is near enough by less than this is tried

// A query is an item that looks for others: a particle or an edge.
uint  query, found_count;
uint  first_item; // items before this one are not looked at: two edges are one pair
uint  own_corner[2];
uint  split; // corners of the query
Ball  own_ball;
real  own_margin;
real3 own_spot[2]; // of its corners
bool  is_wide, writes;

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Reals balls, spots, before, after, radii, sorted_balls;
Uints item_corner, clump_size, sorted, bucket_begin, held;
uint  stride, particle_stride, sorted_stride, first_clump, buckets, bucket_bits[3];
real  cell_size;

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
            precise real3 way = way_of(corner[k]) - frame;
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

// While particles are held, balls have room for all the ways that these could go. Pairs in which nobody is held have to meet without that.
bool meets_only_held(uint item, uint corner[4])
{
    for (uint k = 0; k < 4; k++)
        if (held.at[corner[k]] != 0)
            return false;
    Ball         ball = ball_load(balls, stride, item);
    real3        to = ball.center - own_ball.center;
    precise real most = own_ball.radius - balls.at[8 * stride + query] + ball.radius -
                        balls.at[8 * stride + item] + size_of(ball.way - own_ball.way);
    precise real most2 = most * most;
    return !(inner(to, to) <= most2);
}

// Looks at one item; counts it, and writes it.
void look_at(uint item)
{
    uint corner[4];
    for (uint k = 0; k < 4; k++)
        corner[k] = k < split ? own_corner[k] : item_corner.at[(k - split) * stride + item];
    for (uint a = 0; a < split; a++)
        for (uint b = split; b < 4; b++)
            if (corner[a] == corner[b])
                return;
    if (is_wide && meets_only_held(item, corner))
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

// Whether an item is apart by more than it could come near, along the line between the centres. Places are measured from the
// query's first corner.
bool is_apart(uint item, real way)
{
    uint  count = split == 2 ? 2 : 3;
    real3 to[3], own = split == 2 ? (own_spot[1] - own_spot[0]) / 2 : real3(0), line = own;
    for (uint k = 0; k < count; k++)
    {
        to[k] = load3(spots, stride, 3 * k * stride + item) - own_spot[0];
        line -= to[k] / real(count);
    }
    real low = min(2 * inner(line, own), real(0)), high = -INFINITE;
    for (uint k = 0; k < count; k++)
        high = max(high, inner(line, to[k]));
    // More than reach_of() says, also after rounding.
    real limit = (balls.at[7 * stride + item] + own_margin + 2 * way) * ROUNDING;
    return low > high && (low - high) * (low - high) > limit * limit * inner(line, line);
}

// Whether the ball of an item or a clump meets the query's on their ways.
bool meets(Ball ball, real rounding, out real way)
{
    real3 to = ball.center - own_ball.center;
    way = size_of(ball.way - own_ball.way);
    precise real most = (ball.radius + own_ball.radius + way) * rounding;
    precise real most2 = most * most;
    return inner(to, to) <= most2;
}

// Whether an item is near as far as balls, and then corners tell.
bool seems_near(uint item)
{
    real way;
    return meets(ball_load(balls, stride, item), real(1), way) && !is_apart(item, way);
}

bool meets_clump(uint place)
{
    real way;
    return meets(ball_load(sorted_balls, sorted_stride, place), ROUNDING, way);
}

// All items in the clumps around. Most are far; the others are looked at several at a time, so that threads that
// run side by side have something to look at at the same time. No clump reaches farther than half of a cell.
void look_around()
{
    real  reach = ROUNDING * (own_ball.radius + size_of(own_ball.way) + cell_size / 2);
    ivec3 low = cell_of(own_ball.center - reach), sides = cell_of(own_ball.center + reach) - low + 1;
    uint  base = split == 2 ? 0 : buckets;
    int   cell = 0, cells = sides.x * sides.y * sides.z;
    uint  waiting[WAITING], waiting_count, place = 0, end = 0, item = 0, item_end = 0;
    do
    {
        waiting_count = 0;
        while (waiting_count < WAITING && (item < item_end || place < end || cell < cells))
        {
            if (item < item_end)
            {
                if (seems_near(item))
                    waiting[waiting_count++] = item;
                item++;
            }
            else if (place < end)
            {
                uint clump = first_clump + sorted.at[place], last = clump * CLUMP + clump_size.at[clump];
                if (last > first_item && meets_clump(place))
                {
                    item = max(clump * CLUMP, first_item);
                    item_end = last;
                }
                place++;
            }
            else
            {
                ivec3 at = ivec3(cell % sides.x, cell / sides.x % sides.y, cell / (sides.x * sides.y));
                uint  bucket = base + bucket_of(low + at, bucket_bits);
                place = bucket_begin.at[bucket];
                end = bucket_begin.at[bucket + 1];
                cell++;
            }
        }
        for (uint k = 0; k < waiting_count; k++)
            look_at(waiting[k]);
    } while (waiting_count > 0);
}

void run_query()
{
    found_count = 0;
    if (query % CLUMP >= clump_size.at[query / CLUMP])
        return;
    split = corner_count(query);
    first_item = split == 2 ? query + 1 : 0;
    for (uint k = 0; k < split; k++)
    {
        own_corner[k] = item_corner.at[k * stride + query];
        own_spot[k] = load3(before, particle_stride, own_corner[k]);
    }
    own_ball = ball_load(balls, stride, query);
    own_margin = balls.at[7 * stride + query];
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
    uint queries = ENGINE.item_begin[2];
    balls = ENGINE.ball;
    spots = ENGINE.spot;
    before = ENGINE.kept_x;
    after = ENGINE.x;
    radii = ENGINE.radius;
    sorted_balls = ENGINE.sorted_ball;
    item_corner = ENGINE.item_corner;
    clump_size = ENGINE.clump_size;
    sorted = ENGINE.sorted;
    bucket_begin = ENGINE.bucket_begin;
    held = ENGINE.held;
    stride = ENGINE.item_begin[3];
    sorted_stride = grid_clumps();
    first_clump = ENGINE.item_begin[1] / CLUMP;
    cell_size = ENGINE.cell_size.at[0];
    particle_stride = padded;
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
