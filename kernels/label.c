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

#include "parallel.h"
#include "slices.h"

#define WORD 64u
#define TILE_WORDS (TILE / WORD)

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The place where the chain of a word's particle `k` begins, if that is in the same word.
static uint32_t chain_begin(uint64_t begins, uint32_t k)
{
    return WORD - 1 - (uint32_t)__builtin_clzll(begins & ~0ull >> (WORD - 1 - k));
}

// The first of a particle's chain, or something that it is the parent of. Of the others the parents are not kept.
static uint32_t chain_of(const EngineData *data, uint32_t i)
{
    uint32_t k = i % WORD, first = i - k;
    uint64_t begins = ~data->chained_bits[first / WORD];
    return begins << (WORD - 1 - k) ? first + chain_begin(begins, k) : first;
}

static void join(EngineData *data, uint32_t a, uint32_t b)
{
    uint32_t *parent = data->label;
    uint32_t  root_a = find_root(parent, chain_of(data, a));
    uint32_t  root_b = find_root(parent, chain_of(data, b));
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
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
    uint32_t word = first / WORD, shift = first % WORD;
    uint64_t found = first < end ? bits[word] >> shift : 0;
    if (shift > 0 && (word + 1) * WORD < end)
        found |= bits[word + 1] << (WORD - shift);
    return found;
}

static uint64_t lowest(uint64_t bits, uint32_t count)
{
    return count < WORD ? bits & ((1ull << count) - 1) : bits;
}

// One of two by the lowest bit, without a jump: the bits of cloth that touches something are beyond guessing.
static uint32_t choose(uint64_t bits, uint32_t if_one, uint32_t if_zero)
{
    return if_zero ^ ((if_one ^ if_zero) & (0u - (uint32_t)(bits & 1)));
}

// Up to so many chains that begin in a word are filled one by one. Where cloth is slack there are more, of lengths beyond guessing.
#define FEW_CHAINS 8

static uint32_t fill(uint32_t *label, uint32_t i, uint32_t end, uint32_t root)
{
    for (; i < end; i++)
        label[i] = root;
    return end;
}

// Fills a word's labels from `first` on with the root of the chain that goes on there, up to the first of `begins`; returns where
// that is.
static uint32_t fill_chain(uint32_t *label, uint32_t first, uint32_t end, uint64_t begins,
                           uint32_t root)
{
    uint32_t length = begins ? (uint32_t)__builtin_ctzll(begins) : WORD;
    return fill(label, first, first + length < end ? first + length : end, root);
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
        uint64_t ends = bits_from(data->free_bits, first + at, range.end) &
                        bits_from(data->free_bits, first + at + (uint32_t)run->offset, range.end);
        joining[word] = ends ? ends & bits_of_bytes(flags + at, count, SPRING_IMPLICIT) : 0;
    }
}

// Lets the chains of a word begin; the first particle of the word may be in one that began before, at `root`. Returns where the last
// one begins.
static uint32_t begin_chains(uint32_t *label, uint32_t first, uint32_t end, uint64_t begins,
                             uint32_t root)
{
    if (first >= end)
        return root;
    for (uint32_t i = first; i < end; i++)
        label[i] = i;
    if (!(begins & 1))
        label[first] = root;
    return begins << (WORD - (end - first)) ? first + chain_begin(begins, end - first - 1) : root;
}

// Springs along a row make chains, each with its first particle as the root. A particle's bit says whether it
// is joined to the one before it.
static void join_chains(EngineData *data, Range range)
{
    const SpringList *list = &data->structural;
    uint64_t          joining[TILE_WORDS], last = 0;
    uint32_t          root = 0;
    for (uint32_t tile = range.first_tile; tile < range.last_tile; tile++)
    {
        uint64_t *chained = data->chained_bits + tile * TILE_WORDS;
        memset(chained, 0, TILE_WORDS * sizeof(*chained));
        for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
        {
            if (list->runs[r].offset != 1)
                continue;
            find_joining(data, tile, &list->runs[r], range, joining);
            for (uint32_t word = 0; word < TILE_WORDS; word++)
                chained[word] |= joining[word];
        }
        for (uint32_t word = 0; word < TILE_WORDS; word++)
        {
            uint64_t next = chained[word];
            chained[word] = next << 1 | last >> (WORD - 1);
            last = next;
            uint32_t first = tile * TILE + word * WORD;
            uint32_t end = first + WORD < range.end ? first + WORD : range.end;
            root = begin_chains(data->label, first, end, ~chained[word], root);
        }
    }
}

// A run of springs between rows, of which `beside` has the ones whose offset differs by `step`, 1 or -1, if any.
static void join_run(EngineData *data, uint32_t tile, uint32_t offset, Range range,
                     const uint64_t joining[TILE_WORDS], const uint64_t *beside, int step)
{
    const uint64_t *chained = data->chained_bits;
    for (uint32_t word = 0; word < TILE_WORDS; word++)
    {
        if (joining[word] == 0)
            continue;
        const uint32_t first = tile * TILE + word * WORD;
        uint64_t       left = joining[word], before = left << 1;
        if (word > 0)
            before |= joining[word - 1] >> (WORD - 1);

        // The spring before it joins the same chains.
        uint64_t near = chained[first / WORD], far = bits_from(chained, first + offset, range.end);
        left &= ~(before & near & far);
        if (left != 0 && beside != NULL && step < 0)
        {
            // One to the far end's predecessor, or from the successor, which the far end's is.
            uint64_t next = beside[word] >> 1;
            if (word + 1 < TILE_WORDS)
                next |= beside[word + 1] << (WORD - 1);
            left &= ~((beside[word] & far) | (next & bits_from(chained, first + 1, range.end)));
        }
        else if (left != 0 && beside != NULL)
        {
            uint64_t previous = beside[word] << 1;
            if (word > 0)
                previous |= beside[word - 1] >> (WORD - 1);
            left &= ~((beside[word] & bits_from(chained, first + offset + 1, range.end)) |
                      (previous & near));
        }
        for (; left; left &= left - 1)
        {
            uint32_t a = first + (uint32_t)__builtin_ctzll(left);
            join(data, a, a + offset);
        }
    }
}

static void join_tile(EngineData *data, uint32_t tile, Range range)
{
    const SpringList *list = &data->structural;
    uint64_t          joining[2][TILE_WORDS];
    int32_t           base = 0; // offset of the run in joining[0]
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
                     is_beside ? joining[0] : NULL, base - run->offset);
            base = is_beside ? base : run->offset;
        }
    }
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
    join_chains(data, range);
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

// Points everybody at its root. A parent has a lower index than its children, so upwards one sweep is
// enough: the parent already holds its root, as does the one before in a chain. Nobody's parent is a particle that is held, and no chain
// goes on from one.
static void find_roots(EngineData *data)
{
    uint32_t *label = data->label, root = 0;
    for (uint32_t first = 0; first < data->particle_count; first += WORD)
    {
        const uint64_t begins = ~data->chained_bits[first / WORD],
                       free = data->free_bits[first / WORD];
        const uint32_t end =
            first + WORD < data->particle_count ? first + WORD : data->particle_count;
        const uint32_t begin = fill_chain(label, first, end, begins, root);
        const bool     is_few = __builtin_popcountll(begins) <= FEW_CHAINS;
        for (uint64_t left = lowest(begins, end - first); left; left &= left - 1)
        {
            uint32_t k = (uint32_t)__builtin_ctzll(left), i = first + k;
            root = choose(free >> k, label[label[i]], LABEL_NONE);
            label[i] = root;
            if (is_few && k + 1 < WORD)
                fill_chain(label, i + 1, end, begins >> (k + 1), root);
        }
        for (uint32_t i = begin; !is_few && i < end; i++)
            label[i] = label[first + chain_begin(begins, i - first)];
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
    find_roots(data);
}
