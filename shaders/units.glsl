// units.glsl: threads that work on a tile together, the sum over a tile, and the sum over all tiles of a system.
//
// A tile's sum is left in `partial`. The unit that is the last of its system to do so adds them all up, in their order, and so
// finds the system's scalars; which unit that is does not matter. No pass and no waiting is needed for it.
#extension GL_EXT_control_flow_attributes : require
#ifdef WEFT_WIDE
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#include "sums.glsl"

layout(constant_id = 1) const uint TILE_ROWS = 256;

// A workgroup is a unit; where a shader is compiled with WEFT_WIDE (lanes.glsl), eight threads that run side by side. A unit takes
// a tile, as many rows at a time as it has threads.
#ifdef WEFT_WIDE
#define IS_WIDE true
#define UNIT_THREADS SLICE_ROWS
#define unit_index() (group_index() * gl_NumSubgroups + gl_SubgroupID)
#define unit_lane() gl_SubgroupInvocationID
#else
#define IS_WIDE false
#define UNIT_THREADS gl_WorkGroupSize.x
#define unit_index() group_index()
#define unit_lane() gl_LocalInvocationID.x
#endif
#define UNIT_ROUNDS (TILE_ROWS / UNIT_THREADS)

// The place of a thread's row in its slice.
uint slice_lane()
{
    return unit_lane() % SLICE_ROWS;
}

// The sum over the unit's threads, and the first thread's word, for all of them.
#ifdef WEFT_WIDE
#define UNIT_SUM(type)                                                                             \
    type unit_sum(type value)                                                                      \
    {                                                                                              \
        [[unroll]] for (uint step = 1; step < UNIT_THREADS; step *= 2)                             \
            value += subgroupShuffle(value, gl_SubgroupInvocationID ^ step);                       \
        return value;                                                                              \
    }
UNIT_SUM(real)
UNIT_SUM(real2)
#define unit_first(word) subgroupShuffle(word, 0)
#else
real2 unit_sum(real2 value)
{
    return group_sum_for_all(value);
}

real unit_sum(real value)
{
    return group_sum_for_all(real2(value, 0)).x;
}

shared uint unit_word;

uint unit_first(uint word)
{
    if (gl_LocalInvocationID.x == 0)
        unit_word = word;
    barrier();
    return unit_word;
}
#endif

// Leaves a tile's sums behind, in `partial` and, of two sums, from `second` on. Whether it was the last tile of its system: then
// `sums` become those of the system.
#ifdef TWO_SUMS
#define unit_real real2
#define set_partial(tile, sums) partial.at[tile] = sums.x, partial.at[second + tile] = sums.y
#define partial_at(tile) real2(partial.at[tile], partial.at[second + tile])
#else
#define unit_real real
#define set_partial(tile, sums) partial.at[tile] = sums
#define partial_at(tile) partial.at[tile]
#endif
bool is_last_of_system(bool is_live, uint tile, uint system, inout unit_real sums)
{
    SharedReals partial = ENGINE.partial;
    uint  begin = system_word(system, SYSTEM_TILE), end = system_word(system, SYSTEM_TILE_END);
    uint  second = TILE_MOST(ENGINE.padded_count), before = UNFINISHED;
    sums = unit_sum(sums);
    if (is_live && unit_lane() == 0)
    {
        set_partial(tile, sums);
        memoryBarrierBuffer();
        before = atomicAdd(ENGINE.systems.at[system * SYSTEM_WORDS + SYSTEM_ARRIVED], 1);
        memoryBarrierBuffer();
    }
    bool is_last = unit_first(before) == end - begin - 1;
    if (!is_last)
        return false;
    sums = unit_real(0);
    for (uint k = begin + unit_lane(); k < end; k += UNIT_THREADS)
        sums += partial_at(k);
    sums = unit_sum(sums);
    if (unit_lane() == 0)
        set_system_word(system, SYSTEM_ARRIVED, 0);
    return true;
}
