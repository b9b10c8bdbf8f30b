// label_chains.glsl: label as WEFT_WIDE does it, chain by chain.
#include "block3.glsl"
#include "lanes.glsl"
#include "pattern.glsl"
#include "owned.glsl"
#extension GL_KHR_shader_subgroup_shuffle : require

layout(constant_id = 31) const uint PASS = LABEL_START;

// The slot of the springs from each particle to the next: the host sees to it that the pattern has one.
#define IS_CHAIN(k) (OTHER##k == 1 && IS_MIRROR##k == 0)
const uint CHAIN = IS_CHAIN(0)   ? 0
                   : IS_CHAIN(1) ? 1
                   : IS_CHAIN(2) ? 2
                   : IS_CHAIN(3) ? 3
                   : IS_CHAIN(4) ? 4
                   : IS_CHAIN(5) ? 5
                   : IS_CHAIN(6) ? 6
                                 : 7;
const uint CHAIN_SPRING = IS_CHAIN(0)   ? SPRING0
                          : IS_CHAIN(1) ? SPRING1
                          : IS_CHAIN(2) ? SPRING2
                          : IS_CHAIN(3) ? SPRING3
                          : IS_CHAIN(4) ? SPRING4
                          : IS_CHAIN(5) ? SPRING5
                          : IS_CHAIN(6) ? SPRING6
                                        : SPRING7;

bool has_slot(uint slice, uint k)
{
    return push.regular.at[slice * PATTERN + k] != NO_SLOT;
}

// Whether each row of a slice has an implicit spring in a slot.
bool is_implicit(uint slice, uint k, uint other, uint spring_offset)
{
    uint flags = lane_word(word_place(push.flags, pattern_spring(slice, other, 0, spring_offset)), 0);
    return has_slot(slice, k) && (flags & SPRING_IMPLICIT) != 0;
}

bool is_free(uint slice)
{
    return (lane_word(word_place(push.degrees, slice * SLICE_ROWS), 0) & DEAD_END) == 0;
}

// Eight threads go along CHAIN_SLICES.
void start_chains(uint i)
{
    Uints joined = ENGINE.position;
    uint  count = ENGINE.particle_count, lane = gl_SubgroupInvocationID;
    uint  first_slice = known_to_all(i / SLICE_ROWS) * CHAIN_SLICES, before = min(first_slice, SLICE_COUNT) - 1;

    // What the last particle so far has for the next one: whether a spring leads on, and the first of its chain.
    before = first_slice > 0 ? before : 0;
    bool leads_on = first_slice > 0 && is_implicit(before, CHAIN, 1, CHAIN_SPRING) && is_free(before);
    uint head = before * SLICE_ROWS + SLICE_ROWS - 1;
    leads_on = subgroupShuffle(leads_on ? 1 : 0, SLICE_ROWS - 1) != 0;
    [[unroll]] for (uint round = 0; round < CHAIN_SLICES; round++)
    {
        uint slice = min(first_slice + round, SLICE_COUNT - 1), particle = slice * SLICE_ROWS + lane;
        bool is_row = first_slice + round < SLICE_COUNT && particle < count;
        bool is_own_free = is_free(slice);
        uint on = is_own_free && is_implicit(slice, CHAIN, 1, CHAIN_SPRING) ? 1 : 0;
        uint on_before = subgroupShuffle(on, (lane - 1) % SLICE_ROWS);
        bool is_joined = is_own_free && (lane == 0 ? leads_on : on_before != 0);

        // One more than the lane where a chain begins; the greatest up to the own is that of the own chain.
        uint begin = is_joined ? 0 : lane + 1;
        [[unroll]] for (uint step = 1; step < SLICE_ROWS; step *= 2)
        {
            uint earlier = subgroupShuffle(begin, (lane - step) % SLICE_ROWS);
            begin = max(begin, lane >= step ? earlier : 0);
        }
        uint own = begin == 0 ? head : slice * SLICE_ROWS + begin - 1;
        if (is_row)
        {
            push.labels.at[particle] = is_own_free ? own : LABEL_NONE;
            joined.at[particle] = is_joined ? 1 : 0;
        }
        head = subgroupShuffle(own, SLICE_ROWS - 1);
        leads_on = subgroupShuffle(on, SLICE_ROWS - 1) != 0;
    }
}

// The springs of a slot that is not the chains'.
void hook_slot(uint k, uint slice, bool is_row, bool is_joined, uint other, uint is_mirror, uint spring_offset)
{
    if (is_mirror != 0 || k == CHAIN)
        return;
    uint first = slice * SLICE_ROWS, far = min(first + other, STRIDE - SLICE_ROWS);
    uint spring = pattern_spring(slice, other, 0, spring_offset), slice_before = max(slice, 1) - 1;
    bool is_here = is_implicit(slice, k, other, spring_offset);
    bool is_far_joined = lane_word(word_place(push.joined, far), 0) != 0;

    // The spring before: where the tile of the storage begins, none is known to lie there.
    uint flags_before = lane_word(word_place(push.flags, max(spring, 1) - 1), 0);
    bool knows_before = first % CPU_TILE != 0 && has_slot(slice_before, k);
    bool is_before = (flags_before & SPRING_IMPLICIT) != 0 && (knows_before || gl_SubgroupInvocationID > 0);
    uint a = first + gl_SubgroupInvocationID, b = far + gl_SubgroupInvocationID;
    if (!is_row || !is_here || (is_before && is_joined && is_far_joined))
        return;
    if (push.labels.at[a] != LABEL_NONE && push.labels.at[b] != LABEL_NONE)
        join(push.labels, a, b);
}

void hook_spring(uint spring)
{
    Uints ends = ENGINE.s_ends;
    uint  a = ends.at[2 * spring], b = ends.at[2 * spring + 1];
    if ((ENGINE.s_flags.at[spring] & SPRING_IMPLICIT) != 0 && push.labels.at[a] != LABEL_NONE &&
        push.labels.at[b] != LABEL_NONE)
        join(push.labels, a, b);
}

void hook_chains(uint i)
{
    uint slice = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1);
    bool is_row = i < SLICE_COUNT * SLICE_ROWS;
    bool is_joined = lane_word(word_place(push.joined, slice * SLICE_ROWS), 0) != 0;
#define HOOK_SLOT(k) hook_slot(k, slice, is_row, is_joined, OTHER##k, IS_MIRROR##k, SPRING##k)
    FOR_PATTERN(HOOK_SLOT)
    if (!is_row)
        return;
    FOR_ODD_SPRINGS(slice, slice + 1, i % SLICE_ROWS, hook_spring)
}
