#version 450
// cells: clumps of edges and of triangles sorted into the cells of a grid, for near to find what could meet.
// Reads kept_x, radius, solids, frame. Reads and writes x, v. Writes drift, ball, spot, clump, cell_size, clump_key, bucket_begin,
// sorted. One thread per item.
//
// Lengths of ways are measured against their mean, which moves nothing towards anything. A clump is a few neighbours in the
// cloth; its ball meets whatever one of theirs meets. A cell is so large that two clumps that could meet are in the same or
// in neighbouring cells. Within a bucket clumps are in rising order: between CELLS_KEYS and CELLS_PLACES they are sorted by their keys.
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

// The margin is the part of the radius that is not the item's own size; for edges, with the distance that edges keep. The side is
// room for what is held: of its ways, all between its own and the frame's count.
void find_ball(uint item)
{
    uint          count = corner_count(item), stride = ENGINE.item_begin[3];
    real          share = real(1) / real(count), away = 0, apart = 0, keep = 0, side = 0;
    real3         frame = real3(ENGINE.pair_ways.at[3], ENGINE.pair_ways.at[4], ENGINE.pair_ways.at[5]);
    precise real3 center = real3(0), mean = real3(0), from[3], way[3];
    for (uint k = 0; k < count; k++)
    {
        uint corner = ENGINE.item_corner.at[k * stride + item];
        from[k] = load3(ENGINE.kept_x, corner);
        way[k] = WAY_SHARE / 2 * (load3(ENGINE.x, corner) - from[k] - drift());
        center += share * from[k];
        mean += share * way[k];
        keep = max(keep, ENGINE.radius.at[corner]);
        if (push.iteration != 0)
            side = max(side, size_of(load3(ENGINE.x, corner) - from[k] - frame));
        for (uint axis = 0; axis < 3; axis++)
            ENGINE.spot.at[(3 * k + axis) * stride + item] = from[k][axis];
    }
    for (uint k = 0; k < count; k++)
    {
        away = max(away, size_of(from[k] - center));
        apart = max(apart, size_of(way[k] - mean));
    }
    precise real radius = away + 2 * apart + RADIUS_SHARE * keep + side;
    precise real margin = 2 * apart + RADIUS_SHARE * (count == 2 ? EDGE_SHARE : real(1)) * keep + side;
    ball_store(ENGINE.ball, stride, item, Ball(center + mean, mean, radius));
    ENGINE.ball.at[7 * stride + item] = margin;
    ENGINE.ball.at[8 * stride + item] = side;
}

// A ball that meets whatever one of the clump's meets. Returns how far it reaches on its way.
real find_clump(uint clump)
{
    uint          stride = ENGINE.item_begin[3];
    precise real3 center = real3(0), mean = real3(0);
    real          radius = 0;
    for (uint k = 0; k < CLUMP; k++)
    {
        Ball ball = ball_load(ENGINE.ball, stride, clump * CLUMP + k);
        center += ball.center / real(CLUMP);
        mean += ball.way / real(CLUMP);
    }
    for (uint k = 0; k < CLUMP; k++)
    {
        Ball ball = ball_load(ENGINE.ball, stride, clump * CLUMP + k);
        radius = max(radius, size_of(ball.center - center) + size_of(ball.way - mean) + ball.radius);
    }
    ball_store(ENGINE.clump, clump_count(), clump, Ball(center, mean, radius));
    return radius + size_of(mean);
}

void choose_cell_size()
{
    real most = 0;
    uint groups = workgroups_of(clump_count());
    for (uint k = gl_LocalInvocationID.x; k < groups; k += gl_WorkGroupSize.x)
        most = max(most, ENGINE.pair_sums.at[k]);
    most = group_most(most);
    if (gl_LocalInvocationID.x == 0)
        ENGINE.cell_size.at[0] = most > 0 ? 2 * most : real(1);
}

// The first place whose clump has a key of `bucket` or more.
uint first_in_bucket(uint bucket)
{
    uint low = 0, high = grid_clumps();
    while (low < high)
    {
        uint middle = (low + high) / 2;
        if (ENGINE.clump_key.at[ENGINE.sorted.at[middle]] < bucket)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void main()
{
    uint k = thread_index(), first = ENGINE.item_begin[1] / CLUMP;
    real most;
    if (has_failed())
        return;
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
    case CELLS_BALLS:
        if (k < ENGINE.item_begin[3])
            find_ball(k);
        break;
    case CELLS_CLUMPS:
        most = group_most(k < clump_count() ? find_clump(k) : real(0));
        if (gl_LocalInvocationID.x == 0)
            ENGINE.pair_sums.at[group_index()] = most;
        break;
    case CELLS_CHOICE:
        choose_cell_size();
        break;
    case CELLS_KEYS:
        if (k < grid_clumps())
            ENGINE.clump_key.at[k] =
                bucket_of(cell_of(load3(ENGINE.clump, clump_count(), first + k)), ENGINE.bucket_bits) +
                (first + k < ENGINE.item_begin[2] / CLUMP ? 0 : bucket_count());
        break;
    case CELLS_PLACES:
        if (k <= 2 * bucket_count())
            ENGINE.bucket_begin.at[k] = first_in_bucket(k);
        if (k < grid_clumps())
            ball_store(ENGINE.sorted_ball, grid_clumps(), k,
                       ball_load(ENGINE.clump, clump_count(), first + ENGINE.sorted.at[k]));
        break;
    }
}
