// label_chains.glsl: label as WEFT_WIDE does it, chain by chain.
//
// Springs between particles of neighbouring numbers make chains: each particle starts below the first of its own. Then springs are
// listed that lie between two chains, unless the one before it in the slot lies between the same two, and their ends joined.
#include "alone.glsl"
#include "pattern.glsl"

// The slot of the springs from each particle to the next, if the pattern has one.
#define IS_CHAIN(k) (PATTERN > k && OTHER##k == 1 && IS_MIRROR##k == 0)

// Slices, or slots of slices, that are looked at before what was listed is joined. Each thread has a list of its own.
#define LISTED 32u
shared uint listed[LISTED * SLICE_ROWS * PATTERN_MOST];

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints flags, regular, degrees, joined, ends;

uint lane, listed_count;
uint last_there; // a bit for each slot of the pattern: whether the row before has its spring

void list_spring(bool is_wanted, uint spring)
{
    if (is_wanted)
        listed[listed_count * SLICE_ROWS + lane] = spring;
    listed_count += is_wanted ? 1 : 0;
}

void join_listed()
{
    for (uint k = 0; k < listed_count; k++)
    {
        uint spring = listed[k * SLICE_ROWS + lane], a = ends.at[2 * spring], b = ends.at[2 * spring + 1];
        if (push.labels.at[a] != LABEL_NONE && push.labels.at[b] != LABEL_NONE)
            join(push.labels, a, b);
    }
    listed_count = 0;
}

// Whether the row has an implicit spring in a slot of the pattern that is not a mirror.
bool is_implicit(uint slice, uint k, uint spring)
{
    return regular.at[slice * PATTERN + k] != NO_SLOT && (flags.at[spring] & SPRING_IMPLICIT) != 0;
}

void start_chains(uint count)
{
    uint head = 0, leads_on = 0; // of the last row so far: the first of its chain, and whether a spring leads on
    for (uint slice = 0; slice < SLICE_COUNT; slice++)
    {
        uint particle = slice * SLICE_ROWS + lane, on = 0;
        bool is_free = (degrees.at[particle] & DEAD_END) == 0;
#define LOOK_FOR_CHAIN(k)                                                                                              \
    if (IS_CHAIN(k))                                                                                                   \
        on = is_free && is_implicit(slice, k, pattern_spring(slice, 1, 0, SPRING##k) + lane) ? 1 : 0;
        FOR_PATTERN(LOOK_FOR_CHAIN)
        uint on_before = from_before(on, leads_on);
        bool is_joined = is_free && on_before != 0;

        // Where the last chain up to here begins.
        uint begin = is_joined ? 0 : particle;
        [[unroll]] for (uint step = 1; step < SLICE_ROWS; step *= 2)
        {
            uint before = subgroupShuffle(begin, (lane - step) % SLICE_ROWS);
            begin = max(begin, lane >= step ? before : 0);
        }
        begin = max(begin, head);
        if (particle < count)
            push.labels.at[particle] = is_free ? begin : LABEL_NONE;
        joined.at[particle] = is_joined ? 1 : 0;
        head = subgroupShuffle(begin, SLICE_ROWS - 1);
    }
}

// The springs of a slot that is not the chains'.
void list_slot(uint k, uint slice, bool is_joined, uint other, uint is_mirror, uint spring_offset)
{
    if (is_mirror != 0 || other == 1)
        return;
    uint spring = pattern_spring(slice, other, 0, spring_offset) + lane;
    uint far = min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS) + lane;
    uint here = is_implicit(slice, k, spring) ? 1 : 0, last = last_there >> k & 1;
    bool is_before = from_before(here, last) != 0;
    list_spring(here != 0 && !(is_before && is_joined && joined.at[far] != 0), spring);
    last_there = bitfieldInsert(last_there, last, int(k), 1);
}

void join_chains()
{
    last_there = 0;
    for (uint first = 0; first < SLICE_COUNT; first += LISTED)
    {
        for (uint slice = first; slice < min(first + LISTED, SLICE_COUNT); slice++)
        {
            bool is_joined = joined.at[slice * SLICE_ROWS + lane] != 0;
#define LIST_SLOT(k) list_slot(k, slice, is_joined, OTHER##k, IS_MIRROR##k, SPRING##k);
            FOR_PATTERN(LIST_SLOT)
        }
        join_listed();
    }
}

// The springs that do not go by the pattern, eight of a slot at a time. Every one has one owner, whose slot is not a mirror.
void join_others()
{
    Uints odd = ENGINE.s_odd, slots = ENGINE.s_slots, slot_flags = ENGINE.s_slot_flags, scattered = ENGINE.s_lane_spring;
    uint odd_count = ENGINE.s_odd_begin.at[SLICE_COUNT];
    for (uint first = 0; first < odd_count; first += LISTED)
    {
        for (uint k = first; k < min(first + LISTED, odd_count); k++)
        {
            uint slot = odd.at[2 * k + 1], kind = slot_flags.at[slot], spring = slots.at[2 * slot] + lane;
            bool is_own = (kind & SLOT_IS_MIRROR) == 0;
            if (is_own && (kind & SLOT_IS_SCATTERED) != 0)
                spring = scattered.at[spring];
            spring = is_own ? spring : 0;
            list_spring(is_own && (flags.at[spring] & SPRING_IMPLICIT) != 0, spring);
        }
        join_listed();
    }
}

// Parents have lower numbers: whoever goes upwards finds the way from his parent short.
void point_at_roots(uint count)
{
    for (uint particle = lane; particle < count; particle += SLICE_ROWS)
    {
        uint own = push.labels.at[particle], root = own;
        bool is_way_left = own != LABEL_NONE;
        while (is_way_left)
        {
            uint above = push.labels.at[root];
            is_way_left = above != root;
            root = above;
        }
        if (root != own)
            push.labels.at[particle] = root;
    }
}

void label_chains()
{
    uint count = ENGINE.particle_count;
    lane = lane_of_eight();
    flags = ENGINE.s_flags;
    regular = ENGINE.s_regular;
    degrees = ENGINE.degrees;
    joined = ENGINE.position;
    ends = ENGINE.s_ends;
    listed_count = 0;
    start_chains(count);
    end_pass();
    join_chains();
    join_others();
    if (ENGINE.pair_capacity > 0)
        join_pairs(lane, SLICE_ROWS);
    end_pass();
    point_at_roots(count);
}
