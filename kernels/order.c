// order: rows sorted by component and cut into groups.
// Reads label and its bits. Writes systems (in order of their labels) and groups: the lanes of one slice that
// belong to one component. One thread per particle. What is sorted is segments, particles in a row of
// one component: cost grows with their number. Each is linked to the next one of its component, then
// the components are walked through in the order of their first particles, which are their labels.
// Segments of crumpled cloth are of lengths beyond guessing, so that loops and jumps that depend on
// them are avoided.
#include "bits.h"
#include "slices.h"

static uint32_t lanes_in(const EngineData *data, uint32_t slice)
{
    uint32_t left = data->particle_count - slice * SLICE;
    return left < SLICE ? left : SLICE;
}

// With decomposition off, every row is in the one system, also those that are held.
static void order_whole(EngineData *data)
{
    data->systems[0] =
        (System){.row_count = data->particle_count, .group_count = data->slice_count};
    data->system_count = data->component_count = 1;
    data->largest_component = data->particle_count;
    data->group_count = data->single_begin = data->slice_count;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        data->group_slice[slice] = slice;
        data->group_lanes[slice] = (uint8_t)((1u << lanes_in(data, slice)) - 1);
    }
}

// Of up to 64 particles, a bit for each whose label is not that of the next one.
static uint64_t find_changes(const EngineData *data, uint32_t first)
{
    const uint32_t left = data->particle_count - first;
    uint64_t       like_next = 0;
    for (uint32_t k = 0; k < WORD; k += SLICE)
    {
        Words own = load_words(data->label + first + k);
        Words next = load_words(data->label + first + k + 1);
        like_next |= (uint64_t)equal_lanes(own, next) << k;
    }
    return left > WORD ? ~like_next : ~like_next | 1ull << (left - 1);
}

// Finds the segments of free particles that are not alone in their component. Returns how many there are. They count from 1 on.
static uint32_t find_segments(EngineData *data)
{
    uint32_t *begin = data->segment_begin + 1, *last = data->segment_last + 1;
    uint64_t  before = 1;
    for (uint32_t first = 0; first < data->particle_count; first += WORD)
    {
        const uint64_t joined = data->joined_bits[first / WORD];
        const uint64_t changes = joined ? find_changes(data, first) : ~0ull;
        begin += list_bits(joined & (changes << 1 | before), first, begin);
        last += list_bits(joined & changes, first, last);
        before = changes >> (WORD - 1);
    }
    return (uint32_t)(begin - data->segment_begin) - 1;
}

// Finds the next segment of the same component for each, and those that are the first one: they begin with the root. Returns how many
// components there are.
static uint32_t link_segments(EngineData *data, uint32_t segment_count)
{
    const uint32_t *labels = data->label, *begins = data->segment_begin;
    uint32_t       *next = data->segment_next, *latest = data->latest_segment;
    uint32_t       *firsts = data->system_first, system_count = 0;
    for (uint32_t k = 1; k <= segment_count; k++)
    {
        const uint32_t begin = begins[k], label = labels[begin], is_first = begin == label;
        const uint32_t before = latest[label] & (is_first - 1);
        firsts[system_count] = k;
        system_count += is_first;
        next[k] = 0;
        next[before] = k;
        latest[label] = k;
    }
    return system_count;
}

// Hands out the groups of all systems, one after the other. Writes down how many rows and groups there are up to the end of each.
static void fill_systems(EngineData *data, uint32_t system_count)
{
    const uint32_t *begins = data->segment_begin, *lasts = data->segment_last;
    const uint32_t *nexts = data->segment_next, *firsts = data->system_first;
    uint32_t       *rows_to = data->rows_to, *groups_to = data->groups_to;
    uint32_t       *slices = data->group_slice;
    uint8_t        *lanes = data->group_lanes;
    uint32_t        system = 0, k = firsts[0], rows = 0, groups = 0, slice_end = 0;
    while (system < system_count)
    {
        const uint32_t begin = begins[k], last = lasts[k], following = firsts[system + 1];
        const uint32_t first_slice = begin / SLICE, more = last / SLICE - first_slice;
        const uint32_t from_begin = ALL_LANES << begin % SLICE, to_last = (2u << last % SLICE) - 1;
        const uint32_t in_first = from_begin & (to_last | (0 - (uint32_t)(more > 0)));

        // A segment may share its first slice with the one before it.
        const uint32_t shared = slice_end > first_slice, group = groups - shared;
        groups = group + more + 1;
        rows += last - begin + 1;
        rows_to[system] = rows;
        groups_to[system] = groups;

        // If the last slice is the first one, it is written first.
        const uint32_t in_both = (lanes[group] & (0 - shared)) | in_first;
        slices[group + more] = first_slice + more;
        lanes[group + more] = (uint8_t)to_last;
        slices[group] = first_slice;
        lanes[group] = (uint8_t)in_both;
        for (uint32_t between = 1; between < more; between++)
        {
            slices[group + between] = first_slice + between;
            lanes[group + between] = ALL_LANES;
        }

        const uint32_t next = nexts[k], if_none = 0 - (uint32_t)(next == 0);
        slice_end = (first_slice + more + 1) & ~if_none;
        system -= if_none;
        k = next | (following & if_none);
    }
}

static void list_systems(EngineData *data, uint32_t system_count)
{
    uint32_t largest = 0, rows = 0, groups = 0;
    for (uint32_t k = 0; k < system_count; k++)
    {
        const uint32_t row_count = data->rows_to[k] - rows,
                       group_count = data->groups_to[k] - groups;
        data->systems[k] = (System){.label = data->segment_begin[data->system_first[k]],
                                    .row_count = row_count,
                                    .group_begin = groups,
                                    .group_count = group_count};
        largest = row_count > largest ? row_count : largest;
        rows += row_count;
        groups += group_count;
    }
    data->system_count = system_count;
    data->largest_component = largest;
    data->single_begin = groups;
}

// Free particles that are joined to none. Their groups come last, as if they were one more system. Returns how many there are.
static uint32_t list_singles(EngineData *data)
{
    uint32_t *slices = data->group_slice, groups = data->single_begin, count = 0;
    uint8_t  *lanes = data->group_lanes;
    for (uint32_t word = 0; word * WORD < data->particle_count; word++)
    {
        const uint64_t singles = data->free_bits[word] & ~data->joined_bits[word];
        count += (uint32_t)__builtin_popcountll(singles);
        for (uint32_t k = 0; k < WORD && singles; k += SLICE)
        {
            const uint8_t own = (uint8_t)(singles >> k);
            slices[groups] = (word * WORD + k) / SLICE;
            lanes[groups] = own;
            groups += own > 0;
        }
    }
    data->group_count = groups;
    return count;
}

void WEFT_KERNEL(order)(EngineData *data)
{
    if (!data->decompose)
    {
        order_whole(data);
        return;
    }
    const uint32_t segment_count = find_segments(data);
    const uint32_t system_count = link_segments(data, segment_count);
    fill_systems(data, system_count);
    list_systems(data, system_count);
    const uint32_t single_count = list_singles(data);
    data->component_count = system_count + single_count;
    if (system_count == 0)
        data->largest_component = single_count > 0;
}
