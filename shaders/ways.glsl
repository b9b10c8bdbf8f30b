// ways.glsl: the mean way of particles in the step, in two passes: sums of the workgroups, then one workgroup adds those up,
// always in the same order.
#extension GL_KHR_shader_subgroup_basic : require
#include "sums.glsl"

// The way of a particle that counts, its number of particles: 1 or 0.
void sum_ways(bool counts, uint i)
{
    precise real3 way = real3(0);
    if (counts)
        way = load3(ENGINE.x, i) - load3(ENGINE.kept_x, i);
    real2 first = group_sum(way.xy), second = group_sum(real2(way.z, counts ? 1 : 0));
    if (gl_LocalInvocationID.x != 0)
        return;
    uint at = 4 * group_index();
    ENGINE.pair_sums.at[at] = first.x;
    ENGINE.pair_sums.at[at + 1] = first.y;
    ENGINE.pair_sums.at[at + 2] = second.x;
    ENGINE.pair_sums.at[at + 3] = second.y;
}

uint workgroups_of(uint threads)
{
    return (threads + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
}

// For one workgroup: the mean way, to `place` of pair_ways on. A step that went wrong is taken back later.
void mean_way(uint place)
{
    uint  groups = workgroups_of(ENGINE.particle_count);
    real4 sum = real4(0);
    for (uint k = gl_LocalInvocationID.x; k < groups; k += gl_WorkGroupSize.x)
        for (uint entry = 0; entry < 4; entry++)
            sum[entry] += ENGINE.pair_sums.at[4 * k + entry];
    real2 first = group_sum(sum.xy), second = group_sum(sum.zw);
    if (gl_LocalInvocationID.x != 0)
        return;
    real3 way = real3(first, second.x);
    for (uint axis = 0; axis < 3; axis++)
    {
        precise real odd = way[axis] - way[axis];
        ENGINE.pair_ways.at[place + axis] = odd == 0 && second.y > 0 ? way[axis] / second.y : real(0);
    }
}
