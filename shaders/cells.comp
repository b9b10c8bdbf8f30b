#version 450
// cells: edges and triangles of the cloths sorted into the cells of a grid, for near to find what could meet.
// Reads kept_x, radius, solids. Reads and writes x, v. Writes drift, cell_size, item_key, bucket_begin, items, ball, spot. One thread per item.
//
// Lengths of ways are measured against their mean, which moves nothing towards anything. A cell is so large that two parts
// that could meet are in the same or in neighbouring cells. Within a bucket items are in rising order: between CELLS_KEYS and
// CELLS_PLACES the items are sorted by their keys.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"
#include "balls.glsl"
#include "solid.glsl"
#include "ways.glsl"
#extension GL_KHR_shader_subgroup_arithmetic : require

#define EMERGE real(0.25) // part of its radius that a particle comes out of a solid by in a step
#define MOST_WAY real(4)  // longest way of a particle in a step, in longest edges

shared real most_of_lanes[gl_WorkGroupSize.x];

// Whether the particle was in a solid before the step.
bool was_inside(uint i)
{
    real3 x = load3(ENGINE.kept_x, i);
    real  thickness = ENGINE.thickness.at[i];
    for (uint solid = 0; solid < ENGINE.solid_count; solid++)
        if (!solid_is_far(solid, x, thickness) &&
            solid_surface_before(solid, x).distance < thickness - EMERGE * ENGINE.radius.at[i])
            return true;
    return false;
}

// Ways that are too long for a grid are cut. What cloth has pressed into a solid comes out bit by bit: at once, it would throw
// the cloth over it.
void cut_way(uint i)
{
    real          h = value(VALUE_H), most = MOST_WAY * value(VALUE_LONGEST_EDGE);
    real3         x = load3(ENGINE.x, i), v = load3(ENGINE.v, i);
    precise real3 way = x - load3(ENGINE.kept_x, i) - drift(), usual_way = h * v - drift();
    precise real  size = size_of(way), usual = size_of(usual_way) + EMERGE * ENGINE.radius.at[i];
    if (ENGINE.contact.at[i] != CONTACT_NONE && size > usual && usual < most && was_inside(i))
        most = usual;
    precise real odd = size - size;
    if (!(size > most) || odd != 0)
        return;
    precise real3 cut = way * (most / size - 1), x_new = x + cut, v_new = v + cut / h;
    store3(ENGINE.x, i, x_new);
    store3(ENGINE.v, i, v_new);
}

// The largest number in a workgroup; not a number counts as 0.
real group_most(real number)
{
    number = subgroupMax(number > 0 ? number : real(0));
    if (subgroupElect())
        most_of_lanes[gl_SubgroupID] = number;
    barrier();
    for (uint k = 0; k < gl_NumSubgroups; k++)
        number = max(number, most_of_lanes[k]);
    return number;
}

// The ball with its way. What is held goes back to where it came from, and on with the others.
real reach_of(Ball ball)
{
    precise real reach = ball.radius + (push.iteration != 0 ? 3 : 1) * size_of(ball.way);
    return reach;
}

void choose_cell_size()
{
    real most = 0;
    uint groups = workgroups_of(item_count());
    for (uint k = gl_LocalInvocationID.x; k < groups; k += gl_WorkGroupSize.x)
        most = max(most, ENGINE.pair_sums.at[k]);
    most = group_most(most);
    if (gl_LocalInvocationID.x == 0)
        ENGINE.cell_size.at[0] = most > 0 ? 2 * most : real(1);
}

// The first place whose item has a key of `bucket` or more.
uint first_in_bucket(uint bucket)
{
    uint low = 0, high = item_count();
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (ENGINE.item_key.at[ENGINE.items.at[middle]] < bucket)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Balls and corners in the order of their buckets, so that those of a cell lie side by side.
void store_ball(uint place, Ball ball, uint corner[3], uint count)
{
    uint stride = item_count();
    for (uint axis = 0; axis < 3; axis++)
    {
        ENGINE.ball.at[axis * stride + place] = ball.center[axis];
        ENGINE.ball.at[(4 + axis) * stride + place] = ball.way[axis];
    }
    ENGINE.ball.at[3 * stride + place] = ball.radius;
    ENGINE.ball.at[7 * stride + place] = ball.margin;
    ENGINE.ball.at[8 * stride + place] = ball.radius + size_of(ball.way);
    for (uint k = 0; k < count; k++)
    {
        real3 x = load3(ENGINE.kept_x, corner[k]);
        for (uint axis = 0; axis < 3; axis++)
            ENGINE.spot.at[(3 * k + axis) * stride + place] = x[axis];
    }
}

void main()
{
    uint k = thread_index(), items = item_count();
    uint corner[3], corner_count = 0;
    Ball ball = Ball(real3(0), real3(0), 0, 0);
    if (has_failed())
        return;
    if (push.phase >= CELLS_SIZE && k < items)
    {
        corner_count = item_corners(push.phase == CELLS_PLACES ? ENGINE.items.at[k] : k, corner);
        ball = ball_around(corner, corner_count);
    }
    switch (push.phase)
    {
    case CELLS_WAYS:
        sum_ways(k < ENGINE.particle_count, k);
        break;
    case CELLS_DRIFT:
        mean_way(0);
        break;
    case CELLS_CUT:
        if (k < ENGINE.particle_count)
            cut_way(k);
        break;
    case CELLS_SIZE:
        real most = group_most(k < items ? reach_of(ball) : real(0));
        if (gl_LocalInvocationID.x == 0)
            ENGINE.pair_sums.at[group_index()] = most;
        break;
    case CELLS_CHOICE:
        choose_cell_size();
        break;
    case CELLS_KEYS:
        if (k < items)
            ENGINE.item_key.at[k] = bucket_of(cell_of(ball.center), ENGINE.bucket_bits) +
                                    (k < ENGINE.edge_count ? 0 : bucket_count());
        break;
    case CELLS_PLACES:
        if (k <= 2 * bucket_count())
            ENGINE.bucket_begin.at[k] = first_in_bucket(k);
        if (k < items)
            store_ball(k, ball, corner, corner_count);
        break;
    }
}
