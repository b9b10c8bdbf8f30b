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

// The lanes among `left` that have the label of the first of them.
static uint32_t same_label(const uint32_t *label, uint32_t left)
{
    uint32_t first = (uint32_t)__builtin_ctz(left), lanes = 0;
    if (left == (1u << SLICE) - 1 && is_uniform(label))
        return left;
    for (uint32_t rest = left; rest; rest &= rest - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        lanes |= (uint32_t)(label[lane] == label[first]) << lane;
    }
    return lanes;
}

// Number of particles of each component, at its root.
static void count_sizes(EngineData *data)
{
    uint32_t *size = data->system_of;
    memset(size, 0, data->particle_count * sizeof(*size));
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        const uint32_t *label = data->label + slice * SLICE;
        if (lanes_in(data, slice) == SLICE && is_uniform(label))
        {
            if (label[0] != LABEL_NONE)
                size[label[0]] += SLICE;
            continue;
        }
        for (uint32_t lane = 0; lane < lanes_in(data, slice); lane++)
            if (label[lane] != LABEL_NONE)
                size[label[lane]]++;
    }
}

#define SINGLE 0xFFFFFFFEu // system_of a component that is one particle

static void list_systems(EngineData *data)
{
    uint32_t *size = data->system_of;
    data->system_count = data->component_count = data->largest_component = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        uint32_t rows = size[i];
        if (rows == 0)
            continue;
        data->component_count++;
        if (rows > data->largest_component)
            data->largest_component = rows;
        if (rows > 1)
            data->systems[data->system_count] = (System){.label = i, .row_count = rows};
        size[i] = rows > 1 ? data->system_count++ : SINGLE;
    }
}

// How many groups each system has.
static void count_groups(EngineData *data)
{
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        const uint32_t *label = data->label + slice * SLICE;
        uint32_t        lanes;
        for (uint32_t left = (1u << lanes_in(data, slice)) - 1; left; left &= ~lanes)
        {
            uint32_t root = label[__builtin_ctz(left)];
            lanes = same_label(label, left);
            if (root != LABEL_NONE && data->system_of[root] != SINGLE)
                data->systems[data->system_of[root]].group_count++;
        }
    }
}

static void fill_groups(EngineData *data)
{
    // Where each system's groups begin; those of single particles come last.
    uint32_t total = 0;
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        data->systems[k].group_begin = total;
        total += data->systems[k].group_count;
        data->systems[k].group_count = 0;
    }
    data->single_begin = total;

    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        const uint32_t *label = data->label + slice * SLICE;
        uint32_t        lanes, single_lanes = 0;
        for (uint32_t left = (1u << lanes_in(data, slice)) - 1; left; left &= ~lanes)
        {
            uint32_t root = label[__builtin_ctz(left)];
            lanes = same_label(label, left);
            if (root == LABEL_NONE)
                continue;
            if (data->system_of[root] == SINGLE)
            {
                single_lanes |= lanes;
                continue;
            }
            System  *system = &data->systems[data->system_of[root]];
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
    count_sizes(data);
    list_systems(data);
    count_groups(data);
    fill_groups(data);
}
