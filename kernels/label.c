// label: connected components of the graph of active implicit springs.
// Reads spring flags, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. Union-find in which the lower root wins, so
// that the root is the label. Each thread joins what lies within its own range of particles;
// springs between ranges are joined after that.
#include <string.h>

#include "parallel.h"
#include "slices.h"

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

// What a tile's springs are joined within: far ends below `limit` (or, crossing, at and beyond it).
typedef struct Range
{
    uint32_t limit;
    bool     crossing;
} Range;

static void join_spring(EngineData *data, uint32_t spring, uint32_t a, Range range)
{
    const SpringList *list = &data->structural;
    uint32_t          b = list->other[spring];
    if ((list->flags[spring] & SPRING_IMPLICIT) && (b >= range.limit) == range.crossing &&
        data->degrees[a] && data->degrees[b])
        join(data->label, a, b);
}

// Eight springs of a regular run need no work if none is implicit, if their ends already have one parent,
// or if the ends' parents are those of the pair that was joined last: neighbours in a row usually are.
static bool nothing_to_join(const EngineData *data, uint32_t spring, uint32_t a, uint32_t b,
                            uint32_t last_a, uint32_t last_b)
{
    if (!flags_any(data->structural.flags + spring, SPRING_IMPLICIT))
        return true;
    const uint32_t *label = data->label;
    uint32_t        differing = 0, other_pair = 0;
    for (int lane = 0; lane < SLICE; lane++)
    {
        differing |= label[a + (uint32_t)lane] ^ label[b + (uint32_t)lane];
        other_pair |= (label[a + (uint32_t)lane] ^ last_a) | (label[b + (uint32_t)lane] ^ last_b);
    }
    return differing == 0 || other_pair == 0;
}

static void join_tile(EngineData *data, uint32_t tile, Range range)
{
    const SpringList *list = &data->structural;
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
    {
        const SpringRun run = list->runs[r];
        uint32_t offset = (uint32_t)run.offset, last_a = LABEL_NONE, last_b = LABEL_NONE, k = 0;
        bool     regular = run.offset != RUN_SCATTERED;
        if (range.crossing && regular && run.owner + run.count + offset <= range.limit)
            continue;
        while (k < run.count)
        {
            uint32_t a = run.owner + k;
            if (regular && k + SLICE <= run.count &&
                nothing_to_join(data, run.spring + k, a, a + offset, last_a, last_b))
            {
                k += SLICE;
                continue;
            }
            for (uint32_t end = k + SLICE < run.count ? k + SLICE : run.count; k < end; k++)
                join_spring(data, run.spring + k, run.owner + k, range);
            if (regular && !range.crossing)
            {
                // The pair counts as joined only if it was: both ends free, the spring implicit, in this range.
                uint32_t before = run.owner + k - 1;
                bool     joined = (list->flags[run.spring + k - 1] & SPRING_IMPLICIT) &&
                              before + offset < range.limit && data->degrees[before] &&
                              data->degrees[before + offset];
                last_a = joined ? data->label[before] : LABEL_NONE;
                last_b = joined ? data->label[before + offset] : LABEL_NONE;
            }
        }
    }
}

// The particles are cut into as many ranges as there are threads.
static uint32_t range_tile(const EngineData *data, uint32_t range)
{
    return (uint32_t)((uint64_t)data->tile_count * range / (uint32_t)weft_pool_threads(data->pool));
}

static void join_range(EngineData *data, uint32_t range, Tally *tally)
{
    (void)tally;
    uint32_t first = range_tile(data, range), last = range_tile(data, range + 1);
    uint32_t end = last * TILE < data->particle_count ? last * TILE : data->particle_count;
    for (uint32_t i = first * TILE; i < end; i++)
        data->label[i] = i;
    for (uint32_t tile = first; tile < last; tile++)
        join_tile(data, tile, (Range){end, false});
}

void WEFT_KERNEL(label)(EngineData *data)
{
    uint32_t *label = data->label;
    if (!data->decompose)
    {
        memset(label, 0, data->particle_count * sizeof(*label));
        return;
    }
    const uint32_t ranges = (uint32_t)weft_pool_threads(data->pool);
    parallel_for(data, ranges, 1, join_range);
    for (uint32_t range = 0; range + 1 < ranges; range++)
    {
        uint32_t last = range_tile(data, range + 1);
        for (uint32_t tile = range_tile(data, range); tile < last; tile++)
            join_tile(data, tile, (Range){last * TILE, true});
    }

    // Point everybody at its root. A parent has a lower index than its children, so upwards one sweep is
    // enough: the parent already holds its root. Nobody's parent is a particle that is held.
    for (uint32_t i = 0; i < data->particle_count; i++)
        label[i] = data->degrees[i] ? label[label[i]] : LABEL_NONE;
}
