// order: rows sorted by component and cut into groups.
// Reads label. Writes systems (in order of their labels) and groups: the lanes of one slice that
// belong to one component. One thread per particle. Sorting is by counting: component sizes, their
// sums, then each slice hands its lanes out.
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

static Words all_lanes(uint32_t word)
{
    return (Words){0} + word;
}

// A slice by its labels: the lanes that have one, and among them those that are the roots of their components.
typedef struct Slice
{
    Words    labels;
    uint32_t first; // particle
    uint32_t free, roots;
    bool
        is_whole; // all eight are of one component and none is its root: the common case in a large one
} Slice;

static Slice look_at_slice(const EngineData *data, uint32_t index)
{
    Slice slice = {.first = index * SLICE, .labels = load_words(data->label + index * SLICE)};
    slice.is_whole = slice.labels[0] < slice.first && lanes_in(data, index) == SLICE &&
                     equal_lanes(slice.labels, all_lanes(slice.labels[0])) == (1u << SLICE) - 1;
    if (slice.is_whole)
        return slice;
    slice.free =
        ~equal_lanes(slice.labels, all_lanes(LABEL_NONE)) & ((1u << lanes_in(data, index)) - 1);
    slice.roots = slice.free & equal_lanes(slice.labels, all_lanes(slice.first) +
                                                             (Words){0, 1, 2, 3, 4, 5, 6, 7});
    return slice;
}

// How many slices from this one on are all of one component, like it. Four are looked at together as long as they are.
static uint32_t whole_slices(const EngineData *data, uint32_t index, uint32_t label)
{
    const Words    same = all_lanes(label), none = {0};
    const uint32_t end = data->particle_count / SLICE;
    uint32_t       next = index + 1;
    for (uint32_t count = 4; next < end;)
    {
        const uint32_t *labels = data->label + (size_t)next * SLICE;
        count = count < end - next ? count : 1;
        Words differ = load_words(labels) ^ same;
        for (uint32_t k = 1; k < count; k++)
            differ |= load_words(labels + k * SLICE) ^ same;
        if (equal_lanes(differ, none) == (1u << SLICE) - 1)
            next += count;
        else if (count > 1)
            count = 1;
        else
            break;
    }
    return next - index;
}

// Numbers of particles and of groups of each component, at its root, and the roots in rising order. A root is the first
// particle of its component, so it is met before all others.
static void count_rows(EngineData *data)
{
    uint32_t *size = data->system_of, *groups = data->row_of;
    uint32_t *roots = data->group_slice; // which is filled when the roots are done with
    uint32_t  root_count = 0;
    for (uint32_t index = 0, count = 1; index < data->slice_count; index += count, count = 1)
    {
        const Slice slice = look_at_slice(data, index);
        const Words one = all_lanes(1);
        if (slice.is_whole)
        {
            count = whole_slices(data, index, slice.labels[0]);
            size[slice.labels[0]] += count * SLICE;
            groups[slice.labels[0]] += count;
            continue;
        }

        // Every root counts itself; what stands at the others does not matter.
        memcpy(size + slice.first, &one, sizeof(one));
        memcpy(groups + slice.first, &one, sizeof(one));
        for (uint32_t lane = 0; slice.roots && lane < SLICE; lane++)
        {
            roots[root_count] = slice.first + lane;
            root_count += slice.roots >> lane & 1;
        }
        for (uint32_t lanes, left = slice.free & ~slice.roots; left; left &= ~lanes)
        {
            uint32_t root = data->label[slice.first + (uint32_t)__builtin_ctz(left)];
            lanes = left & equal_lanes(slice.labels, all_lanes(root));
            size[root] += (uint32_t)__builtin_popcount(lanes);
            groups[root] += root < slice.first;
        }
    }
    data->component_count = root_count;
}

#define SINGLE 0xFFFFFFFEu // system_of a component that is one particle

// The systems and where the groups of each begin; those of single particles come last.
static void list_systems(EngineData *data)
{
    const uint32_t *roots = data->group_slice;
    data->system_count = data->largest_component = data->single_begin = 0;
    for (uint32_t component = 0; component < data->component_count; component++)
    {
        uint32_t root = roots[component], rows = data->system_of[root];
        if (rows > data->largest_component)
            data->largest_component = rows;
        data->system_of[root] = SINGLE;
        if (rows == 1)
            continue;
        data->systems[data->system_count] =
            (System){.label = root, .row_count = rows, .group_begin = data->single_begin};
        data->single_begin += data->row_of[root];
        data->system_of[root] = data->system_count++;
    }
}

static void add_group(EngineData *data, uint32_t root, uint32_t slice, uint32_t lanes)
{
    System  *system = &data->systems[data->system_of[root]];
    uint32_t group = system->group_begin + system->group_count++;
    data->group_slice[group] = slice;
    data->group_lanes[group] = (uint8_t)lanes;
}

static void add_whole_groups(EngineData *data, uint32_t root, uint32_t first, uint32_t count)
{
    System  *system = &data->systems[data->system_of[root]];
    uint32_t group = system->group_begin + system->group_count;
    for (uint32_t k = 0; k < count; k++)
        data->group_slice[group + k] = first + k;
    memset(data->group_lanes + group, (1 << SLICE) - 1, count);
    system->group_count += count;
}

static void fill_groups(EngineData *data)
{
    uint32_t total = data->single_begin;
    for (uint32_t index = 0, count = 1; index < data->slice_count; index += count, count = 1)
    {
        const Slice slice = look_at_slice(data, index);
        if (slice.is_whole)
        {
            count = whole_slices(data, index, slice.labels[0]);
            add_whole_groups(data, slice.labels[0], index, count);
            continue;
        }
        uint32_t singles =
            slice.roots & equal_lanes(load_words(data->system_of + slice.first), all_lanes(SINGLE));
        for (uint32_t lanes, left = slice.free & ~singles; left; left &= ~lanes)
        {
            uint32_t root = data->label[slice.first + (uint32_t)__builtin_ctz(left)];
            lanes = left & equal_lanes(slice.labels, all_lanes(root));
            add_group(data, root, index, lanes);
        }
        if (singles)
        {
            data->group_slice[total] = index;
            data->group_lanes[total++] = (uint8_t)singles;
        }
    }
    data->group_count = total;
}

void WEFT_KERNEL(order)(EngineData *data)
{
    if (!data->decompose)
    {
        order_whole(data);
        return;
    }
    count_rows(data);
    list_systems(data);
    fill_groups(data);
}
