// order: rows sorted by component and cut into groups.
// Reads label. Writes systems (in order of their labels) and groups: the lanes of one slice that
// belong to one component. One thread per particle. Sorting is by counting: component sizes, their
// sums, then the particles are handed out. What is counted and handed out is segments, particles in
// a row of one component: cost grows with their number. Segments of crumpled cloth are of lengths
// beyond guessing, so that loops and jumps that depend on them are avoided.
#include "bits.h"
#include "data.h"

#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

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

typedef uint32_t Words __attribute__((vector_size(SLICE * sizeof(uint32_t))));

static Words load_words(const uint32_t *from)
{
    Words words;
    memcpy(&words, from, sizeof(words));
    return words;
}

// A bit for each lane in which two words are equal.
static uint32_t equal_lanes(Words a, Words b)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_ps((__m256)(a == b));
#else
    const Words bits = (Words)(a == b) & (Words){1, 2, 4, 8, 16, 32, 64, 128};
    uint64_t    pairs[SLICE / 2], found = 0;
    memcpy(pairs, &bits, sizeof(pairs));
    for (int k = 0; k < SLICE / 2; k++)
        found |= pairs[k];
    return (uint32_t)(found | found >> 32);
#endif
}

#define ALL ((1u << SLICE) - 1) // lanes

// Of up to 64 particles: a bit for each that has a label, and for each whose label is not that of the next one.
typedef struct Bits
{
    uint64_t labelled, last;
} Bits;

static Bits look_at_labels(const EngineData *data, uint32_t first)
{
    const uint32_t left = data->particle_count - first;
    const Words    none = (Words){0} + LABEL_NONE;
    uint64_t       held = 0, like_next = 0;
    for (uint32_t k = 0; k < WORD; k += SLICE)
    {
        Words own = load_words(data->label + first + k);
        Words next = load_words(data->label + first + k + 1);
        held |= (uint64_t)equal_lanes(own, none) << k;
        like_next |= (uint64_t)equal_lanes(own, next) << k;
    }
    if (left > WORD)
        return (Bits){~held, ~like_next};
    const uint64_t all = ~0ull >> (WORD - left);
    return (Bits){~held & all, (~like_next & all) | 1ull << (left - 1)};
}

// Finds the segments of particles with labels. Returns how many there are.
static uint32_t find_segments(EngineData *data)
{
    uint32_t *begin = data->segment_begin, *last = data->segment_last;
    uint64_t  before = 1;
    for (uint32_t first = 0; first < data->particle_count; first += WORD)
    {
        const Bits bits = look_at_labels(data, first);
        begin += list_bits(bits.labelled & (bits.last << 1 | before), first, begin);
        last += list_bits(bits.labelled & bits.last, first, last);
        before = bits.last >> (WORD - 1);
    }
    return (uint32_t)(begin - data->segment_begin);
}

// Numbers of particles and of groups of each component, in the order of their roots. A root is the first
// particle of its component, so it is met before all others.
static void count_rows(EngineData *data, uint32_t segment_count)
{
    const uint32_t *labels = data->label;
    uint32_t       *component_of = data->component_of;
    uint32_t        component_count = 0;
    memset(data->components, 0, segment_count * sizeof(*data->components));
    for (uint32_t k = 0; k < segment_count; k++)
    {
        const uint32_t begin = data->segment_begin[k], last = data->segment_last[k];
        const uint32_t label = labels[begin], first_slice = begin / SLICE;
        // Only a root begins a new one.
        const bool     is_root = label == begin;
        const uint32_t number = choose(is_root, component_count, component_of[label]);
        component_of[label] = data->segment_component[k] = number;
        component_count += is_root;

        Component     *component = &data->components[number];
        const uint32_t slice_end = last / SLICE + 1;
        component->label = label;
        component->rows += last - begin + 1;
        component->groups += slice_end - first_slice - (component->slice_end > first_slice);
        component->slice_end = slice_end;
    }
    data->component_count = component_count;
}

// The systems and where the groups of each begin; those of single particles come last, as if they were one more.
static void list_systems(EngineData *data)
{
    const uint32_t singles = data->component_count;
    uint32_t       system_count = 0, largest = 0, groups = 0;
    for (uint32_t k = 0; k < singles; k++)
    {
        Component *component = &data->components[k];
        const bool is_system = component->rows > 1;
        largest = component->rows > largest ? component->rows : largest;
        data->systems[system_count] = (System){.label = component->label,
                                               .row_count = component->rows,
                                               .group_begin = groups,
                                               .group_count = component->groups};
        component->slice_end = 0;
        component->next_group = groups;
        component->listed_as = choose(is_system, k, singles);
        system_count += is_system;
        groups += choose(is_system, component->groups, 0);
    }
    data->components[singles] = (Component){.next_group = groups};
    data->system_count = system_count;
    data->largest_component = largest;
    data->single_begin = groups;
}

static void fill_groups(EngineData *data, uint32_t segment_count)
{
    const uint32_t *begins = data->segment_begin, *lasts = data->segment_last;
    const uint32_t *numbers = data->segment_component;
    Component      *components = data->components;
    uint32_t       *slices = data->group_slice;
    uint8_t        *lanes = data->group_lanes;
    for (uint32_t k = 0; k < segment_count; k++)
    {
        const uint32_t begin = begins[k], last = lasts[k];
        const uint32_t first_slice = begin / SLICE, more = last / SLICE - first_slice;
        const uint32_t from_begin = ALL << begin % SLICE, to_last = (2u << last % SLICE) - 1;
        const uint32_t in_first = from_begin & (to_last | (0 - (uint32_t)(more > 0)));
        Component     *component = &components[components[numbers[k]].listed_as];

        // A segment may share its first slice with the one before it.
        const uint32_t shared = component->slice_end > first_slice;
        const uint32_t group = component->next_group - shared;
        component->next_group = group + more + 1;
        component->slice_end = first_slice + more + 1;

        // If the last slice is the first one, it is written first.
        const uint32_t in_both = (lanes[group] & (0 - shared)) | in_first;
        slices[group + more] = first_slice + more;
        lanes[group + more] = (uint8_t)to_last;
        slices[group] = first_slice;
        lanes[group] = (uint8_t)in_both;
        for (uint32_t next = 1; next < more; next++)
        {
            slices[group + next] = first_slice + next;
            lanes[group + next] = ALL;
        }
    }
    data->group_count = components[data->component_count].next_group;
}

void WEFT_KERNEL(order)(EngineData *data)
{
    if (!data->decompose)
    {
        order_whole(data);
        return;
    }
    const uint32_t segment_count = find_segments(data);
    count_rows(data, segment_count);
    list_systems(data);
    fill_groups(data, segment_count);
}
