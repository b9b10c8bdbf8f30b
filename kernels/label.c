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
    // Paths are shortened above the parents only: neighbours are to keep one parent, by which join_eight knows them.
    uint32_t root_a = find_root(parent, parent[a]), root_b = find_root(parent, parent[b]);
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

#define EIGHT_ONES 0x0101010101010101ull

// Eight particles: 1 in the bytes of those that are not held. Their degrees are 0 to 3.
static uint64_t eight_free(const EngineData *data, uint32_t first)
{
    uint64_t degrees;
    memcpy(&degrees, data->degrees + first, sizeof(degrees));
    return (degrees | degrees >> 1) & EIGHT_ONES;
}

// Eight springs of a regular run: 1 in the bytes of those that join two particles.
static uint64_t eight_joining(const EngineData *data, uint32_t spring, uint32_t a, uint32_t b)
{
    uint64_t flags;
    memcpy(&flags, data->structural.flags + spring, sizeof(flags));
    flags = flags / SPRING_IMPLICIT & EIGHT_ONES;
    return flags ? flags & eight_free(data, a) & eight_free(data, b) : 0;
}

// Springs along a row, while nothing else has been joined: each particle takes its predecessor's root or begins a chain.
static void join_chain(EngineData *data, const SpringRun *run, uint32_t limit)
{
    uint32_t *label = data->label, k = 0;
    for (; k + SLICE <= run->count && run->owner + k + SLICE < limit; k += SLICE)
    {
        uint32_t a = run->owner + k, root = label[a];
        uint64_t joining = eight_joining(data, run->spring + k, a, a + 1);
        if (joining == EIGHT_ONES)
            for (uint32_t i = a + 1; i <= a + SLICE; i++)
                label[i] = root;
        else if (joining)
            for (uint32_t i = a + 1; i <= a + SLICE; i++, joining >>= 8)
                label[i] = root = joining & 1 ? root : label[i];
    }
    for (; k < run->count; k++)
        if (data->structural.flags[run->spring + k] & SPRING_IMPLICIT)
            join_ends(data, run->owner + k, run->owner + k + 1, (Range){limit, false});
}

// Eight springs of a regular run. Nothing is to be done if their ends already have one parent, or if the ends' parents
// are those of the pair that was joined last: neighbours in a row usually are. The caller sees to it that all far
// ends lie within the range; when springs across its end are joined, all others have been.
static void join_eight(EngineData *data, uint32_t a, uint32_t b, uint64_t joining, Range range,
                       uint32_t last[2])
{
    typedef uint32_t Labels __attribute__((vector_size(SLICE * sizeof(uint32_t))));
    const uint32_t  *label = data->label;
    uint64_t         asking[SLICE / 2];
    Labels           label_a, label_b;
    memcpy(&label_a, label + a, sizeof(label_a));
    memcpy(&label_b, label + b, sizeof(label_b));
    Labels new_pair = (label_a ^ label_b) & (Labels)((label_a != last[0]) | (label_b != last[1]));
    memcpy(asking, &new_pair, sizeof(asking));
    if ((asking[0] | asking[1] | asking[2] | asking[3]) == 0)
        return;
    for (; joining; joining &= joining - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctzll(joining) / 8;
        if (label[a + lane] == last[0] && label[b + lane] == last[1])
            continue;
        last[0] = label[a + lane];
        last[1] = label[b + lane];
        join_ends(data, a + lane, b + lane, range);
    }
}

static void join_regular(EngineData *data, const SpringRun *run, Range range)
{
    const uint8_t *flags = data->structural.flags + run->spring;
    uint32_t       offset = (uint32_t)run->offset, last[2] = {LABEL_NONE, LABEL_NONE}, k = 0;
    while (k < run->count)
    {
        uint32_t a = run->owner + k, b = a + offset;
        if (k + SLICE <= run->count && (range.crossing || b + SLICE <= range.limit))
        {
            uint64_t joining = eight_joining(data, run->spring + k, a, b);
            if (joining)
                join_eight(data, a, b, joining, range, last);
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
        else if (range.crossing ? run->owner + run->count + (uint32_t)run->offset > range.limit
                                : run->offset != 1)
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

// The particles are cut into as many ranges as there are threads, each of a tile at least.
static uint32_t range_count(const EngineData *data)
{
    uint32_t threads = (uint32_t)weft_pool_threads(data->pool);
    return threads < data->tile_count ? threads : data->tile_count;
}

static uint32_t range_tile(const EngineData *data, uint32_t range)
{
    return (uint32_t)((uint64_t)data->tile_count * range / range_count(data));
}

static void join_range(EngineData *data, uint32_t range, Tally *tally)
{
    (void)tally;
    const SpringList *list = &data->structural;
    uint32_t          first = range_tile(data, range), last = range_tile(data, range + 1);
    uint32_t          end = last * TILE < data->particle_count ? last * TILE : data->particle_count;
    for (uint32_t i = first * TILE; i < end; i++)
        data->label[i] = i;
    for (uint32_t r = list->tile_runs[first]; r < list->tile_runs[last]; r++)
        if (list->runs[r].offset == 1)
            join_chain(data, &list->runs[r], end);
    for (uint32_t tile = first; tile < last; tile++)
        join_tile(data, tile, (Range){end, false});
}

// Points everybody at its root. A parent has a lower index than its children, so upwards one sweep is
// enough: the parent already holds its root. Nobody's parent is a particle that is held.
static void find_roots(EngineData *data)
{
    uint32_t *label = data->label, i = 0;
    for (; i + SLICE <= data->particle_count; i += SLICE)
    {
        uint32_t parent = label[i], root = label[parent], differing = 0;
        for (uint32_t k = i; k < i + SLICE; k++)
            differing |= label[k] ^ parent;
        if (differing == 0 && eight_free(data, i) == EIGHT_ONES)
        {
            for (uint32_t k = i; k < i + SLICE; k++)
                label[k] = root;
            continue;
        }
        for (uint32_t k = i; k < i + SLICE; k++)
            label[k] = data->degrees[k] ? label[label[k]] : LABEL_NONE;
    }
    for (; i < data->particle_count; i++)
        label[i] = data->degrees[i] ? label[label[i]] : LABEL_NONE;
}

void WEFT_KERNEL(label)(EngineData *data)
{
    uint32_t *label = data->label;
    if (!data->decompose)
    {
        memset(label, 0, data->particle_count * sizeof(*label));
        return;
    }
    const uint32_t ranges = range_count(data);
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
    find_roots(data);
}
