// order: rows sorted by component and cut into groups.
// Reads label. Writes systems (in order of their labels) and groups: the lanes of one slice that
// belong to one component. One thread per particle. Sorting is by counting: component sizes, their
// sums, then each slice hands its lanes out.
#include "data.h"

#include <string.h>

// All eight particles of a slice are in one component: the common case in a large one.
static bool is_uniform(const uint32_t *label)
{
    uint32_t differing = 0;
    for (int lane = 1; lane < SLICE; lane++)
        differing |= label[lane] ^ label[0];
    return differing == 0;
}

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

// The lanes that have a label at all.
static uint32_t free_lanes(const EngineData *data, uint32_t slice)
{
    const uint32_t *label = data->label + slice * SLICE;
    uint32_t        lanes = 0, count = lanes_in(data, slice);
    if (count == SLICE && label[0] != LABEL_NONE && is_uniform(label))
        return (1u << SLICE) - 1;
    for (uint32_t lane = 0; lane < count; lane++)
        lanes |= (uint32_t)(label[lane] != LABEL_NONE) << lane;
    return lanes;
}

// The lanes among `left` that have the label of the first of them.
static uint32_t same_label(const uint32_t *label, uint32_t left)
{
    uint32_t root = label[__builtin_ctz(left)], lanes = 0;
    if (left == (1u << SLICE) - 1 && is_uniform(label))
        return left;
    for (uint32_t lane = 0; lane < SLICE; lane++)
        lanes |= (uint32_t)(label[lane] == root) << lane;
    return lanes & left;
}

// Numbers of particles and of groups of each component, at its root.
static void count_rows(EngineData *data)
{
    uint32_t *size = data->system_of, *groups = data->row_of;
    memset(size, 0, data->particle_count * sizeof(*size));
    memset(groups, 0, data->particle_count * sizeof(*groups));
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        const uint32_t *label = data->label + slice * SLICE;
        uint32_t        lanes, left = free_lanes(data, slice);
        for (; left; left &= ~lanes)
        {
            uint32_t root = label[__builtin_ctz(left)];
            lanes = same_label(label, left);
            size[root] += (uint32_t)__builtin_popcount(lanes);
            groups[root]++;
        }
    }
}

#define SINGLE 0xFFFFFFFEu // system_of a component that is one particle

static void add_component(EngineData *data, uint32_t root)
{
    uint32_t rows = data->system_of[root], groups = data->row_of[root];
    data->component_count++;
    if (rows > data->largest_component)
        data->largest_component = rows;
    if (rows > 1)
    {
        data->systems[data->system_count] =
            (System){.label = root, .row_count = rows, .group_begin = data->single_begin};
        data->single_begin += groups;
    }
    data->system_of[root] = rows > 1 ? data->system_count++ : SINGLE;
}

// The systems and where the groups of each begin; those of single particles come last.
static void list_systems(EngineData *data)
{
    const uint32_t *size = data->system_of;
    data->system_count = data->component_count = data->largest_component = data->single_begin = 0;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        uint32_t first = slice * SLICE, end = first + lanes_in(data, slice), some = 0;
        for (uint32_t i = first; i < end; i++)
            some |= size[i];
        for (uint32_t i = first; some && i < end; i++)
            if (size[i] > 0)
                add_component(data, i);
    }
}

static void fill_groups(EngineData *data)
{
    uint32_t total = data->single_begin;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        const uint32_t *label = data->label + slice * SLICE;
        uint32_t        lanes, left = free_lanes(data, slice), single_lanes = 0;
        for (; left; left &= ~lanes)
        {
            uint32_t system_of = data->system_of[label[__builtin_ctz(left)]];
            lanes = same_label(label, left);
            if (system_of == SINGLE)
            {
                single_lanes |= lanes;
                continue;
            }
            System  *system = &data->systems[system_of];
            uint32_t group = system->group_begin + system->group_count++;
            data->group_slice[group] = slice;
            data->group_lanes[group] = (uint8_t)lanes;
        }
        if (single_lanes)
        {
            data->group_slice[total] = slice;
            data->group_lanes[total++] = (uint8_t)single_lanes;
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
