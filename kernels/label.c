// label: connected components of the graph of active implicit springs.
// Reads spring flags, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. Union-find in which the lower root wins, so
// that the root is the label. Each thread joins what lies within its own range of particles;
// springs between ranges are joined after that.
#include "data.h"

#include <string.h>

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    if (parent[a] == parent[b])
        return;
    uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
}

// Joins the ends of the springs of one tile whose far end lies below (inside) or at and beyond
// (crossing) `limit`.
static void join_tile(EngineData *data, uint32_t tile, uint32_t limit, bool crossing)
{
    const SpringList *list = &data->structural;
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
    {
        const SpringRun *run = &list->runs[r];
        if (crossing && run->offset != RUN_SCATTERED &&
            run->owner + run->count + (uint32_t)run->offset <= limit)
            continue;
        for (uint32_t k = 0; k < run->count; k++)
        {
            uint32_t spring = run->spring + k;
            if (!(list->flags[spring] & SPRING_IMPLICIT))
                continue;
            uint32_t a = run->owner + k, b = list->other[spring];
            if ((b >= limit) == crossing && data->degrees[a] && data->degrees[b])
                join(data->label, a, b);
        }
    }
}

void WEFT_KERNEL(label)(EngineData *data)
{
    uint32_t *label = data->label;
    if (!data->decompose)
    {
        memset(label, 0, data->particle_count * sizeof(*label));
        return;
    }
    const uint32_t ranges = (uint32_t)data->threads, tiles = data->tile_count;

#pragma omp parallel for num_threads(data->threads) schedule(static)
    for (uint32_t range = 0; range < ranges; range++)
    {
        uint32_t first = (uint32_t)((uint64_t)tiles * range / ranges);
        uint32_t last = (uint32_t)((uint64_t)tiles * (range + 1) / ranges);
        uint32_t end = last * TILE < data->particle_count ? last * TILE : data->particle_count;
        for (uint32_t i = first * TILE; i < end; i++)
            label[i] = i;
        for (uint32_t tile = first; tile < last; tile++)
            join_tile(data, tile, end, false);
    }
    for (uint32_t range = 0; range + 1 < ranges; range++)
    {
        uint32_t first = (uint32_t)((uint64_t)tiles * range / ranges);
        uint32_t last = (uint32_t)((uint64_t)tiles * (range + 1) / ranges);
        for (uint32_t tile = first; tile < last; tile++)
            join_tile(data, tile, last * TILE, true);
    }

    // Point everybody at its root. Parents have lower indices than their children, so one sweep
    // upwards suffices: serially, a parent already holds its root.
    for (uint32_t i = 0; i < data->particle_count; i++)
        label[i] = label[label[i]];
    for (uint32_t i = 0; i < data->particle_count; i++)
        if (data->degrees[i] == 0)
            label[i] = LABEL_NONE;
}
