// label: connected components of the graph of active implicit springs, contact springs among them.
// Reads spring flags, pairs, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. Union-find in which the lower root wins, so
// that the root is the label. Each thread joins what lies within its own range of particles;
// springs between ranges are joined after that.
#include <string.h>

#include "parallel.h"

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
    // Most parents are roots already: then there is no path to shorten.
    uint32_t root_a = parent[a], root_b = parent[b];
    if (parent[root_a] != root_a)
        root_a = find_root(parent, a);
    if (parent[root_b] != root_b)
        root_b = find_root(parent, b);
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

static void join_ends(EngineData *data, uint32_t a, uint32_t b, Range range)
{
    // First of all: labels beyond the range are another thread's.
    if ((b >= range.limit) == range.crossing && data->label[a] != data->label[b] &&
        data->degrees[a] && data->degrees[b])
        join(data->label, a, b);
}

#define ALL_IMPLICIT (0x0101010101010101ull * SPRING_IMPLICIT)

// The common case along a row: eight springs in a chain whose far ends have not been joined to anything yet.
static bool join_chain(EngineData *data, uint32_t a, uint64_t implicit)
{
    uint32_t *label = data->label;
    uint32_t  joined = 0, held = data->degrees[a] == 0;
    for (uint32_t i = a + 1; i <= a + SLICE; i++)
    {
        joined |= label[i] ^ i;
        held |= data->degrees[i] == 0;
    }
    if (implicit != ALL_IMPLICIT || joined || held)
        return false;
    uint32_t root = find_root(label, a);
    for (uint32_t i = a + 1; i <= a + SLICE; i++)
        label[i] = root;
    return true;
}

// Eight springs of a regular run. Nothing is to be done if their ends already have one parent, or if the ends' parents
// are those of the pair that was joined last: neighbours in a row usually are. The caller sees to it that all far
// ends lie within the range; when springs across its end are joined, all others have been.
static void join_eight(EngineData *data, uint32_t a, uint32_t b, uint64_t implicit, Range range,
                       uint32_t last[2])
{
    const uint32_t *label = data->label;
    uint32_t        differing = 0, other_pair = 0;
    if (b == a + 1 && join_chain(data, a, implicit))
        return;
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        differing |= label[a + lane] ^ label[b + lane];
        other_pair |= (label[a + lane] ^ last[0]) | (label[b + lane] ^ last[1]);
    }
    if (differing == 0 || other_pair == 0)
        return;
    uint32_t lane = 0;
    for (; implicit; implicit &= implicit - 1)
    {
        lane = (uint32_t)__builtin_ctzll(implicit) / 8;
        join_ends(data, a + lane, b + lane, range);
    }
    bool joined = data->degrees[a + lane] && data->degrees[b + lane];
    last[0] = joined ? label[a + lane] : LABEL_NONE;
    last[1] = joined ? label[b + lane] : LABEL_NONE;
}

static void join_regular(EngineData *data, const SpringRun *run, Range range)
{
    const uint8_t *flags = data->structural.flags + run->spring;
    uint32_t       offset = (uint32_t)run->offset, last[2] = {LABEL_NONE, LABEL_NONE}, k = 0;
    while (k < run->count)
    {
        uint32_t a = run->owner + k, b = a + offset;
        uint64_t implicit = 0;
        if (k + SLICE <= run->count && (range.crossing || b + SLICE <= range.limit))
        {
            memcpy(&implicit, flags + k, sizeof(implicit));
            implicit &= ALL_IMPLICIT;
            if (implicit)
                join_eight(data, a, b, implicit, range, last);
            k += SLICE;
        }
        else
        {
            if (flags[k] & SPRING_IMPLICIT)
                join_ends(data, a, b, range);
            k++;
        }
    }
}

static void join_tile(EngineData *data, uint32_t tile, Range range)
{
    const SpringList *list = &data->structural;
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
    {
        const SpringRun *run = &list->runs[r];
        if (run->offset == RUN_SCATTERED)
        {
            for (uint32_t k = 0; k < run->count; k++)
                if (list->flags[run->spring + k] & SPRING_IMPLICIT)
                    join_ends(data, run->owner + k, list->other[run->spring + k], range);
        }
        else if (!range.crossing || run->owner + run->count + (uint32_t)run->offset > range.limit)
            join_regular(data, run, range);
    }
}

// The corners of a pair that are not held.
static void join_corners(EngineData *data, uint32_t pair)
{
    uint32_t last = LABEL_NONE;
    for (int k = 0; k < 4; k++)
    {
        uint32_t i = data->pairs.corner[k][pair];
        if (!data->degrees[i])
            continue;
        if (last != LABEL_NONE)
            join(data->label, last, i);
        last = i;
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

    // Contact springs join whatever they lie between.
    for (uint32_t pair = 0; data->pairs.active_count > 0 && pair < data->pairs.count; pair++)
        if (data->pairs.flags[pair] & PAIR_IMPLICIT)
            join_corners(data, pair);

    // Point everybody at its root. A parent has a lower index than its children, so upwards one sweep is
    // enough: the parent already holds its root. Nobody's parent is a particle that is held.
    for (uint32_t i = 0; i < data->particle_count; i++)
        label[i] = data->degrees[i] ? label[label[i]] : LABEL_NONE;
}
