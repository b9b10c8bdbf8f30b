// alone.glsl: for shaders that go through all passes of a stage with the eight threads of one workgroup.
//
// To start a dispatch costs a software driver as much as its threads need for thousands of particles, and so does every
// workgroup of a large dispatch: eight threads that are the lanes of its vectors (lanes.glsl) are done sooner than many that have
// to wait for each other. Loops go over eight items at a time. What such a driver has in a condition it does all the same, if
// for no thread; only loops end early. So the few items that much is to be done for are listed first, and a loop goes over those.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require

uint lane_of_eight()
{
    return gl_LocalInvocationID.x;
}

// All that any of the threads has stored is there for all of them.
void end_pass()
{
    memoryBarrierBuffer();
    barrier();
}

// The number that the item before this one has: of the first of the eight it is `last`, which becomes that of the eighth.
uint from_before(uint number, inout uint last)
{
    uint lane = lane_of_eight(), before = subgroupShuffle(number, (lane - 1) % SLICE_ROWS);
    uint result = lane == 0 ? last : before;
    last = subgroupShuffle(number, SLICE_ROWS - 1);
    return result;
}

// What the items before this one have, added up, on top of `sum`, which the numbers of all eight are added to.
uint add_before(uint number, inout uint sum)
{
    uint lane = lane_of_eight(), up_to_here = number;
    [[unroll]] for (uint step = 1; step < SLICE_ROWS; step *= 2)
    {
        uint before = subgroupShuffle(up_to_here, (lane - step) % SLICE_ROWS);
        up_to_here += lane >= step ? before : 0;
    }
    uint result = sum + up_to_here - number;
    sum += subgroupShuffle(up_to_here, SLICE_ROWS - 1);
    return result;
}
