// label: connected components of the graph of active implicit springs, contact springs among them.
// Reads spring flags, pairs, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. Union-find in which the lower root wins, so
// that the root is the label. Each thread joins what lies within its own range of particles;
// springs between ranges are joined after that.
//
// Springs with the same offset are looked at 64 at a time, a bit each: on a grid most of them join what is joined already,
// which a few operations on words can tell.
#include <string.h>

#include "bits.h"
#include "parallel.h"
#include "slices.h"

#define TILE_WORDS (TILE / WORD)

// The number of a particle's chain, which its bit must be in. Chains are numbered in the order of their first particles.
static uint32_t chain_of(const EngineData *data, uint32_t i)
{
    uint64_t begun = data->begin_bits[i / WORD] << (WORD - 1 - i % WORD);
    return data->chains_before[i / WORD] + (uint32_t)__builtin_popcountll(begun);
}

// Most chains are at most two steps from their root, so that these are taken without asking.
static uint32_t find_root(uint32_t *parent, uint32_t chain)
{
    uint32_t root = parent[parent[chain]];
    while (parent[root] != root)
        root = parent[root];
    parent[chain] = root;
    return root;
}

static void join_chains(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
    uint32_t low = root_a < root_b ? root_a : root_b;
    parent[root_a ^ root_b ^ low] = low;
}

static void join(EngineData *data, uint32_t a, uint32_t b)
{
    data->joined_bits[a / WORD] |= 1ull << a % WORD;
    data->joined_bits[b / WORD] |= 1ull << b % WORD;
    join_chains(data->chain_parent, chain_of(data, a), chain_of(data, b));
}

// Pairs of chains that are to be joined later: soon where there are many of them.
#define MANY_JOINS (TILE / 4)
typedef struct Joins
{
    uint32_t count;
    uint32_t a[MANY_JOINS + TILE], b[MANY_JOINS + TILE];
} Joins;

static void join_late(EngineData *data, Joins *joins)
{
    for (uint32_t k = 0; k < joins->count; k++)
        join_chains(data->chain_parent, joins->a[k], joins->b[k]);
    joins->count = 0;
}

// Joins particles to those that far behind. The first spring up from a chain makes its far end's the parent, whatever that one's root is:
// most joins are no more than that. The others are put off.
static void join_owners(EngineData *data, const uint32_t *owners, uint32_t count, uint32_t offset,
                        Joins *joins)
{
    uint32_t *parent = data->chain_parent, put_off = joins->count;
    for (uint32_t k = 0; k < count; k++)
    {
        const uint32_t a = chain_of(data, owners[k]), b = chain_of(data, owners[k] + offset);
        const uint32_t above = parent[b], has_parent = above != b;
        parent[b] = choose(has_parent, above, a);
        joins->a[put_off] = a;
        joins->b[put_off] = b;
        put_off += has_parent;
    }
    joins->count = put_off;
}

// A spring that could not be told from its bit.
static void join_ends(EngineData *data, uint32_t spring, uint32_t a, uint32_t b)
{
    if ((data->structural.flags[spring] & SPRING_IMPLICIT) && data->degrees[a] && data->degrees[b])
        join(data, a, b);
}

// The particles of one thread: whole tiles.
typedef struct Range
{
    uint32_t first_tile, last_tile;
    uint32_t end; // behind its last particle
} Range;

// As many ranges as there are threads, unless they would be so short that labelling takes less than waking a thread.
#define LEAST_TILES 8
static uint32_t range_count(const EngineData *data)
{
    uint32_t threads = (uint32_t)weft_pool_threads(data->pool);
    uint32_t most = data->tile_count < LEAST_TILES ? 1 : data->tile_count / LEAST_TILES;
    return threads < most ? threads : most;
}

static Range range_of(const EngineData *data, uint32_t index)
{
    uint32_t ranges = range_count(data);
    Range    range = {(uint32_t)((uint64_t)data->tile_count * index / ranges),
                      (uint32_t)((uint64_t)data->tile_count * (index + 1) / ranges), 0};
    range.end = range.last_tile * TILE;
    if (range.end > data->particle_count)
        range.end = data->particle_count;
    return range;
}

// One bit for each of up to 64 bytes, in eights: 1 where the byte has one of `mask`.
static uint64_t bits_of_bytes(const uint8_t *bytes, uint32_t count, uint8_t mask)
{
    uint64_t bits = 0;
#ifdef __AVX2__
    if (count == WORD)
    {
        const __m256i wanted = _mm256_set1_epi8((char)mask), zero = _mm256_setzero_si256();
        for (int half = 1; half >= 0; half--)
        {
            __m256i found;
            memcpy(&found, bytes + 32 * half, sizeof(found));
            found = _mm256_cmpeq_epi8(_mm256_and_si256(found, wanted), zero);
            bits = bits << 32 | (uint32_t)~_mm256_movemask_epi8(found);
        }
        return bits;
    }
#endif
    for (uint32_t k = 0; k < count; k += 8)
        bits |= (uint64_t)lanes_with(bytes + k, mask) << k;
    return bits;
}

// 64 bits from any place on. What lies behind the end is another thread's, and 0.
static uint64_t bits_from(const uint64_t *bits, uint32_t first, uint32_t end)
{
    const uint32_t word = first / WORD, shift = first % WORD;
    if (first + 2 * WORD <= end)
        return bits[word] >> shift | bits[word + 1] << 1 << (WORD - 1 - shift);
    uint64_t found = first < end ? bits[word] >> shift : 0;
    if (shift > 0 && (word + 1) * WORD < end)
        found |= bits[word + 1] << (WORD - shift);
    return found;
}

static uint64_t lowest(uint64_t bits, uint32_t count)
{
    return count < WORD ? bits & ((1ull << count) - 1) : bits;
}

// The springs of a run, by words of their tile's particles: which of them join two particles of the range.
static void find_joining(const EngineData *data, uint32_t tile, const SpringRun *run, Range range,
                         uint64_t joining[TILE_WORDS])
{
    const uint32_t first = tile * TILE, rows = data->slice_count * SLICE - first;
    const uint8_t *flags = data->structural.flags + run->spring - (run->owner - first);
    for (uint32_t word = 0; word < TILE_WORDS; word++)
    {
        uint32_t at = word * WORD, count = at >= rows ? 0 : rows - at < WORD ? rows - at : WORD;
        uint64_t ends = count > 0 ? data->free_bits[(first + at) / WORD] : 0;
        if (ends)
            ends &= bits_from(data->free_bits, first + at + (uint32_t)run->offset, range.end);
        joining[word] = ends ? ends & bits_of_bytes(flags + at, count, SPRING_IMPLICIT) : 0;
    }
}

// Springs along a row make chains. Finds where they begin, and numbers them; the first particle of the range says from where on.
static void find_chains(EngineData *data, Range range)
{
    const SpringList *list = &data->structural;
    uint64_t          joining[TILE_WORDS], last = 0;
    uint32_t          before = range.first_tile * TILE;
    const uint32_t    none = before;
    for (uint32_t tile = range.first_tile; tile < range.last_tile; tile++)
    {
        uint64_t chained[TILE_WORDS] = {0};
        for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
        {
            if (list->runs[r].offset != 1)
                continue;
            find_joining(data, tile, &list->runs[r], range, joining);
            for (uint32_t word = 0; word < TILE_WORDS; word++)
                chained[word] |= joining[word];
        }
        for (uint32_t k = 0; k < TILE_WORDS; k++)
        {
            const uint32_t word = tile * TILE_WORDS + k;
            // A particle's bit says whether it is joined to the one before it.
            data->chained_bits[word] = chained[k] << 1 | last >> (WORD - 1);
            last = chained[k];
            data->joined_bits[word] = data->chained_bits[word] | chained[k];
            data->begin_bits[word] = data->free_bits[word] & ~data->chained_bits[word];
            data->chains_before[word] = before;
            before +=
                list_bits(data->begin_bits[word], word * WORD, data->chain_label + before + 1);
        }
    }
    for (uint32_t chain = none + 1; chain <= before; chain++)
        data->chain_parent[chain] = chain;
}

// The particles of a word's bits, and those that far behind, are joined.
static void mark_joined(uint64_t *joined, uint64_t bits, uint32_t first, uint32_t offset)
{
    const uint32_t word = (first + offset) / WORD, shift = (first + offset) % WORD;
    const uint64_t over = bits >> 1 >> (WORD - 1 - shift);
    joined[first / WORD] |= bits;
    joined[word] |= bits << shift;
    // What would lie behind the end is another thread's.
    if (over)
        joined[word + 1] |= over;
}

// A run of springs between rows, of which `beside` has the ones whose offset differs by `step`, 1 or -1, if any.
static void join_run(EngineData *data, uint32_t tile, uint32_t offset, Range range,
                     const uint64_t joining[TILE_WORDS], const uint64_t *beside, int step,
                     Joins *joins)
{
    const uint64_t *chained = data->chained_bits;
    uint32_t        owners[TILE], count = 0;
    for (uint32_t word = 0; word < TILE_WORDS; word++)
    {
        if (joining[word] == 0)
            continue;
        const uint32_t first = tile * TILE + word * WORD;
        uint64_t       left = joining[word], before = left << 1;
        mark_joined(data->joined_bits, left, first, offset);
        if (word > 0)
            before |= joining[word - 1] >> (WORD - 1);

        // The spring before it joins the same chains.
        uint64_t near = chained[first / WORD], far = bits_from(chained, first + offset, range.end);
        left &= ~(before & near & far);
        if (beside != NULL && step < 0)
        {
            // One to the far end's predecessor, or from the successor, which the far end's is.
            uint64_t next = beside[word] >> 1;
            if (word + 1 < TILE_WORDS)
                next |= beside[word + 1] << (WORD - 1);
            left &= ~((beside[word] & far) | (next & bits_from(chained, first + 1, range.end)));
        }
        else if (beside != NULL)
        {
            uint64_t previous = beside[word] << 1;
            if (word > 0)
                previous |= beside[word - 1] >> (WORD - 1);
            left &= ~((beside[word] & bits_from(chained, first + offset + 1, range.end)) |
                      (previous & near));
        }
        count += list_bits(left, first, owners + count);
    }
    if (joins->count > MANY_JOINS)
        join_late(data, joins);
    join_owners(data, owners, count, offset, joins);
}

// Gives the chains that begin in a tile their roots for parents. Those of the tiles before have theirs, and none gets a first parent
// from a later tile.
static void shorten_ways(EngineData *data, uint32_t tile)
{
    uint32_t      *parent = data->chain_parent;
    const uint32_t last = (tile + 1) * TILE_WORDS - 1;
    const uint32_t end =
        data->chains_before[last] + (uint32_t)__builtin_popcountll(data->begin_bits[last]);
    for (uint32_t chain = data->chains_before[tile * TILE_WORDS] + 1; chain <= end; chain++)
        parent[chain] = parent[parent[chain]];
}

static void join_tile(EngineData *data, uint32_t tile, Range range)
{
    const SpringList *list = &data->structural;
    uint64_t          joining[2][TILE_WORDS];
    Joins             joins;
    int32_t           base = 0; // offset of the run in joining[0]
    joins.count = 0;
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
    {
        const SpringRun *run = &list->runs[r];
        if (run->offset == RUN_SCATTERED)
        {
            for (uint32_t k = 0; k < run->count; k++)
                if (list->other[run->spring + k] < range.end)
                    join_ends(data, run->spring + k, run->owner + k, list->other[run->spring + k]);
        }
        else if (run->offset != 1)
        {
            bool is_beside = base > 0 && (run->offset == base + 1 || run->offset == base - 1);
            find_joining(data, tile, run, range, joining[is_beside]);
            join_run(data, tile, (uint32_t)run->offset, range, joining[is_beside],
                     is_beside ? joining[0] : NULL, base - run->offset, &joins);
            base = is_beside ? base : run->offset;
        }
    }
    shorten_ways(data, tile);
    join_late(data, &joins);
}

// The springs that leave a range.
static void join_across(EngineData *data, Range range)
{
    const SpringList *list = &data->structural;
    for (uint32_t r = list->tile_runs[range.first_tile]; r < list->tile_runs[range.last_tile]; r++)
    {
        const SpringRun *run = &list->runs[r];
        if (run->offset != RUN_SCATTERED &&
            run->owner + run->count + (uint32_t)run->offset <= range.end)
            continue;
        for (uint32_t k = 0; k < run->count; k++)
            if (list->other[run->spring + k] >= range.end)
                join_ends(data, run->spring + k, run->owner + k, list->other[run->spring + k]);
    }
}

static void join_range(EngineData *data, uint32_t index, Tally *tally)
{
    (void)tally;
    const Range range = range_of(data, index);
    for (uint32_t first = range.first_tile * TILE; first < range.end; first += WORD)
    {
        uint32_t left = range.end - first;
        uint64_t bits = bits_of_bytes(data->degrees + first, left < WORD ? left : WORD, 3);
        data->free_bits[first / WORD] = lowest(bits, left);
    }
    find_chains(data, range);
    for (uint32_t tile = range.first_tile; tile < range.last_tile; tile++)
        join_tile(data, tile, range);
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
            join(data, last, i);
        last = i;
    }
}

// Gives each chain the label of its root. A parent has a lower number than its children, so upwards one sweep is enough.
static void label_chains(EngineData *data, Range range)
{
    const uint32_t last = range.last_tile * TILE_WORDS - 1;
    const uint32_t end =
        data->chains_before[last] + (uint32_t)__builtin_popcountll(data->begin_bits[last]);
    uint32_t       *label = data->chain_label;
    const uint32_t *parent = data->chain_parent;
    for (uint32_t chain = range.first_tile * TILE + 1; chain <= end; chain++)
        label[chain] = label[parent[chain]];
}

// Labels of a slice, by the bits of its particles: whether a chain begins there, whether it is free. `labels` has those of the chain
// before the slice and of the ones in it.
static void label_slice(uint32_t *to, const uint32_t *labels, uint32_t begins, uint32_t free)
{
    // Only eight of the nine can be needed. The product adds up the bytes from the lowest on.
    const uint64_t which = spread_bits(begins & ~1u) * 0x0101010101010101ull;
    labels += begins & 1;
#ifdef __AVX2__
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i       eight;
    memcpy(&eight, labels, sizeof(eight));
    eight = _mm256_permutevar8x32_epi32(eight,
                                        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)which)));
    __m256i held = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)free), bits),
                                      _mm256_setzero_si256());
    eight = _mm256_or_si256(eight, held); // LABEL_NONE has all bits
    memcpy(to, &eight, sizeof(eight));
#else
    for (uint32_t lane = 0; lane < SLICE; lane++)
        to[lane] = labels[which >> (8 * lane) & 0xFF] | ((free >> lane & 1) - 1);
#endif
}

static void label_range(EngineData *data, uint32_t index, Tally *tally)
{
    (void)tally;
    const Range range = range_of(data, index);
    for (uint32_t first = range.first_tile * TILE; first < range.end; first += WORD)
    {
        const uint64_t begins = data->begin_bits[first / WORD],
                       free = data->free_bits[first / WORD];
        const uint32_t *labels = data->chain_label + data->chains_before[first / WORD];
        for (uint32_t k = 0; k < WORD; k += SLICE)
        {
            uint32_t eight = begins >> k & 0xFF;
            label_slice(data->label + first + k, labels, eight, free >> k & 0xFF);
            labels += __builtin_popcount(eight);
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
    const uint32_t ranges = range_count(data);
    parallel_for(data, ranges, 1, join_range);
    for (uint32_t index = 0; index + 1 < ranges; index++)
        join_across(data, range_of(data, index));

    // Implicit contact springs join whatever they lie between.
    for (uint32_t pair = 0; data->pairs.implicit_count > 0 && pair < data->pairs.count; pair++)
        if (data->pairs.flags[pair] & PAIR_IMPLICIT)
            join_corners(data, pair);
    for (uint32_t index = 0; index < ranges; index++)
        label_chains(data, range_of(data, index));
    parallel_for(data, ranges, 1, label_range);
}
