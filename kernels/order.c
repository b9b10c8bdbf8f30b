// order: rows sorted by component and cut into groups.
// Reads label. Writes systems (in order of their labels) and groups: the lanes of one slice that
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

// Finds the segments of particles with labels. Returns how many there are. They count from 1 on.
static uint32_t find_segments(EngineData *data)
{
    uint32_t *begin = data->segment_begin + 1, *last = data->segment_last + 1;
    uint64_t  before = 1;
    for (uint32_t first = 0; first < data->particle_count; first += WORD)
    {
        const Bits bits = look_at_labels(data, first);
        begin += list_bits(bits.labelled & (bits.last << 1 | before), first, begin);
        last += list_bits(bits.labelled & bits.last, first, last);
        before = bits.last >> (WORD - 1);
    }
    return (uint32_t)(begin - data->segment_begin) - 1;
}

// Finds the next segment of the same component for each; what has none before it is its first, which begins with the root.
static void link_segments(EngineData *data, uint32_t segment_count)
{
    const uint32_t *labels = data->label, *begins = data->segment_begin;
    uint32_t       *own = data->segment_label, *next = data->segment_next;
    uint32_t       *latest = data->latest_segment;
    for (uint32_t k = 1; k <= segment_count; k++)
    {
        const uint32_t begin = begins[k], label = labels[begin];
        const uint32_t before = choose(begin == label, 0, latest[label]);
        own[k] = label;
        next[k] = 0;
        next[before] = k;
        latest[label] = k;
    }
}

// First segments of components, of more than one particle and of a single one.
typedef struct Firsts
{
    uint32_t system_count, single_count;
} Firsts;

static Firsts find_firsts(EngineData *data, uint32_t segment_count)
{
    uint32_t *system = data->system_first, *single = data->single_first;
    for (uint32_t first = 1; first <= segment_count; first += WORD)
    {
        uint64_t roots = 0, alone = 0;
        for (uint32_t k = 0; k < WORD; k += SLICE)
        {
            const Words begin = load_words(data->segment_begin + first + k);
            const Words more = (begin ^ load_words(data->segment_last + first + k)) |
                               load_words(data->segment_next + first + k);
            const Words label = load_words(data->segment_label + first + k);
            roots |= (uint64_t)equal_lanes(begin, label) << k;
            alone |= (uint64_t)equal_lanes(more, (Words){0}) << k;
        }
        roots = lowest(roots, segment_count + 1 - first);
        system += list_bits(roots & ~alone, first, system);
        single += list_bits(roots & alone, first, single);
    }
    return (Firsts){(uint32_t)(system - data->system_first),
                    (uint32_t)(single - data->single_first)};
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

        const uint32_t next = nexts[k];
        slice_end = choose(next > 0, first_slice + more + 1, 0);
        system += next == 0;
        k = choose(next > 0, next, following);
    }
}

static void list_systems(EngineData *data, Firsts firsts)
{
    uint32_t largest = firsts.single_count > 0, rows = 0, groups = 0;
    for (uint32_t k = 0; k < firsts.system_count; k++)
    {
        const uint32_t row_count = data->rows_to[k] - rows,
                       group_count = data->groups_to[k] - groups;
        data->systems[k] = (System){.label = data->segment_label[data->system_first[k]],
                                    .row_count = row_count,
                                    .group_begin = groups,
                                    .group_count = group_count};
        largest = row_count > largest ? row_count : largest;
        rows += row_count;
        groups += group_count;
    }
    data->system_count = firsts.system_count;
    data->component_count = firsts.system_count + firsts.single_count;
    data->largest_component = largest;
    data->single_begin = groups;
}

// The groups of single particles come last, as if they were one more system.
static void fill_singles(EngineData *data, uint32_t single_count)
{
    uint32_t groups = data->single_begin, slice = LABEL_NONE, bits = 0;
    for (uint32_t k = 0; k < single_count; k++)
    {
        const uint32_t i = data->segment_begin[data->single_first[k]];
        const uint32_t is_new = i / SLICE != slice;
        slice = i / SLICE;
        groups += is_new;
        bits = (bits & (is_new - 1)) | 1u << i % SLICE;
        data->group_slice[groups - 1] = slice;
        data->group_lanes[groups - 1] = (uint8_t)bits;
    }
    data->group_count = groups;
}

void WEFT_KERNEL(order)(EngineData *data)
{
    if (!data->decompose)
    {
        order_whole(data);
        return;
    }
    const uint32_t segment_count = find_segments(data);
    link_segments(data, segment_count);
    const Firsts firsts = find_firsts(data, segment_count);
    fill_systems(data, firsts.system_count);
    list_systems(data, firsts);
    fill_singles(data, firsts.single_count);
}
