// label_chains.glsl: label as WEFT_WIDE does it, chain by chain.
//
// Springs between particles of neighbouring numbers make chains: each particle starts below the first of its own. Then springs are
// listed that lie between two chains, unless the one before it in the slot lies between the same two, and their ends joined.
#include "alone.glsl"
#include "pattern.glsl"

// The slot of the springs from each particle to the next, if the pattern has one.
#define IS_CHAIN(k) (PATTERN > k && OTHER##k == 1 && IS_MIRROR##k == 0)

// Each thread has a list of springs that are to be joined when it has looked at so many slices, or slots outside of the pattern.
#define LISTED 4u
#define LISTED_SLOTS 32u
shared uint listed[LISTED * SLICE_ROWS * PATTERN_MOST * SLICE_ROWS];

#define ALL_ROWS 0xFFu // of a slice, a bit each

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints flags, regular, degrees, ends;
Uints joined; // of each slice the rows that a spring leads to from the row before: `scratch`, which has no other use before order

uint lane, listed_count;
uint last_there; // a bit for each slot of the pattern: whether the last row of the slice before has its spring

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

// The rows of a slice that have an implicit spring in a slot of the pattern that is not a mirror.
uint implicit_rows(uint slice, uint k, uint first_spring)
{
    uint rows = 0;
    [[unroll]] for (uint row = 0; row < SLICE_ROWS; row++)
        rows |= (flags.at[first_spring + row] & SPRING_IMPLICIT) != 0 ? 1u << row : 0;
    return regular.at[slice * PATTERN + k] != NO_SLOT ? rows : 0;
}

uint free_rows(uint slice)
{
    uint rows = 0;
    [[unroll]] for (uint row = 0; row < SLICE_ROWS; row++)
        rows |= (degrees.at[slice * SLICE_ROWS + row] & DEAD_END) == 0 ? 1u << row : 0;
    return rows;
}

// The chain that leads into each of eight slices: the greatest number that one before it has, or `last`.
uint greatest_before(uint number, inout uint last)
{
    [[unroll]] for (uint step = 1; step < SLICE_ROWS; step *= 2)
    {
        uint before = subgroupShuffle(number, (lane - step) % SLICE_ROWS);
        number = max(number, lane >= step ? before : 0);
    }
    return from_before(max(number, last), last);
}

// Eight slices at a time, one for each thread.
void start_chains(uint count)
{
    uint head = 0, leads_on = 0; // of the last row so far: the first of its chain, and whether a spring leads on
    for (uint first = 0; first < SLICE_COUNT; first += SLICE_ROWS)
    {
        uint slice = min(first + lane, SLICE_COUNT - 1), on = 0, is_free = free_rows(slice);
#define LOOK_FOR_CHAIN(k)                                                                                              \
    if (IS_CHAIN(k))                                                                                                   \
        on = is_free & implicit_rows(slice, k, pattern_spring(slice, 1, 0, SPRING##k));
        FOR_PATTERN(LOOK_FOR_CHAIN)
        uint chained = is_free & (on << 1 | from_before(on >> (SLICE_ROWS - 1), leads_on));
        uint begins = ~chained & ALL_ROWS, place = slice * SLICE_ROWS;
        uint before = greatest_before(begins != 0 ? place + findMSB(begins) : 0, head);
        if (first + lane < SLICE_COUNT)
            joined.at[slice] = chained;
        [[unroll]] for (uint row = 0; row < SLICE_ROWS; row++)
        {
            uint own = begins & ((2u << row) - 1);
            if (place + row < count && first + lane < SLICE_COUNT)
                push.labels.at[place + row] = (is_free >> row & 1) == 0 ? LABEL_NONE
                                              : own != 0                ? place + findMSB(own)
                                                                        : before;
        }
    }
}

// The springs of a slot that is not the chains'.
void list_slot(uint k, uint slice, bool is_slice, uint other, uint is_mirror, uint spring_offset)
{
    if (is_mirror != 0 || other == 1)
        return;
    uint spring = pattern_spring(slice, other, 0, spring_offset), last = last_there >> k & 1;
    uint here = implicit_rows(slice, k, spring), near = joined.at[slice];
    uint first_far = min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS), far_slice = first_far / SLICE_ROWS;
    uint far = (joined.at[far_slice] | joined.at[far_slice + 1] << SLICE_ROWS) >> first_far % SLICE_ROWS;
    uint before = here << 1 | from_before(here >> (SLICE_ROWS - 1), last);
    last_there = bitfieldInsert(last_there, last, int(k), 1);
    for (uint left = is_slice ? here & ~(before & near & far) : 0; left != 0; left &= left - 1)
        list_spring(true, spring + findLSB(left));
}

void join_chains()
{
    last_there = 0;
    for (uint first = 0; first < SLICE_COUNT; first += LISTED * SLICE_ROWS)
    {
        for (uint next = first; next < min(first + LISTED * SLICE_ROWS, SLICE_COUNT); next += SLICE_ROWS)
        {
            uint slice = min(next + lane, SLICE_COUNT - 1);
#define LIST_SLOT(k) list_slot(k, slice, next + lane < SLICE_COUNT, OTHER##k, IS_MIRROR##k, SPRING##k);
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
    for (uint first = 0; first < odd_count; first += LISTED_SLOTS)
    {
        for (uint k = first; k < min(first + LISTED_SLOTS, odd_count); k++)
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

// Of the first ones of chains: only they are parents.
void find_roots(uint count)
{
    for (uint first = 0; first < SLICE_COUNT; first += SLICE_ROWS)
    {
        uint slice = min(first + lane, SLICE_COUNT - 1);
        uint begins = first + lane < SLICE_COUNT ? ~joined.at[slice] & ALL_ROWS : 0;
        for (; begins != 0; begins &= begins - 1)
        {
            uint particle = slice * SLICE_ROWS + findLSB(begins);
            if (particle < count && push.labels.at[particle] != LABEL_NONE)
                push.labels.at[particle] = find_root(push.labels, particle);
        }
    }
}

void point_at_roots(uint count)
{
    for (uint particle = lane; particle < count; particle += SLICE_ROWS)
    {
        uint own = push.labels.at[particle];
        if (own != LABEL_NONE)
            push.labels.at[particle] = push.labels.at[own];
    }
}

void label_chains()
{
    uint count = ENGINE.particle_count;
    lane = lane_of_eight();
    flags = ENGINE.s_flags;
    regular = ENGINE.s_regular;
    degrees = ENGINE.degrees;
    joined = ENGINE.scratch;
    ends = ENGINE.s_ends;
    listed_count = 0;
    start_chains(count);
    end_pass();
    join_chains();
    join_others();
    if (ENGINE.pair_capacity > 0)
        join_pairs(lane, SLICE_ROWS);
    end_pass();
    find_roots(count);
    end_pass();
    point_at_roots(count);
}
