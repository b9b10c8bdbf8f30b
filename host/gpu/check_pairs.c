// check_pairs.c: clumps in their buckets and lists of pairs, of the GPU engine against the CPU engines.
//
// Who is in a list hangs on the last digit of a number where something is just about near enough. So membership is compared with the
// CPU engine in the device's precision, of which few may differ; numbers are compared with the CPU engine in double, as far as both have
// the pair. That a list is in order, and everybody finds the pairs that touch it, holds to the last bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_internal.h"

// The arrays of one engine.
typedef struct Side
{
    uint32_t      count, lost;
    double       *corner, *normal, *gap, *flags, *blind, *key, *sorted, *ball, *clump, *begin;
    struct Entry *entries; // the pairs, sorted
} Side;

typedef struct Entry
{
    uint32_t word[5]; // flags, corners
    uint32_t pair;
} Entry;

static double *fetch(WeftCheck *check, const WeftTwin *twin, const void *engine, WeftArray array,
                     WeftStatus *status)
{
    double *items = malloc((weft_check_item_count(check, array) + 1) * sizeof(double));
    if (items == NULL)
        *status = weft_fail(WEFT_ERROR_FAILED, "not enough memory for the check");
    else if (twin == NULL && *status == WEFT_OK)
        *status = weft_check_fetch(check, array, items);
    else if (twin != NULL)
        weft_check_fetch_host(check, twin, engine, array, items);
    return items;
}

static int compare_entries(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(((Entry *)NULL)->word));
}

// Words of the bytes' order that memcmp() goes by do not matter: any order will do.
static void sort_entries(Side *side, uint32_t capacity)
{
    for (uint32_t pair = 0; pair < side->count; pair++)
    {
        Entry *entry = &side->entries[pair];
        entry->word[0] = (uint32_t)side->flags[pair] & PAIR_EDGES;
        for (uint32_t k = 0; k < 4; k++)
            entry->word[1 + k] = (uint32_t)side->corner[(size_t)k * capacity + pair];
        entry->pair = pair;
    }
    qsort(side->entries, side->count, sizeof(Entry), compare_entries);
}

static void drop(Side *side)
{
    free(side->corner);
    free(side->normal);
    free(side->gap);
    free(side->flags);
    free(side->blind);
    free(side->key);
    free(side->sorted);
    free(side->ball);
    free(side->clump);
    free(side->begin);
    free(side->entries);
}

// The device's arrays with `twin` NULL.
static WeftStatus take_pairs(WeftCheck *check, const WeftTwin *twin, const void *engine, Side *side)
{
    WeftStatus status = WEFT_OK;
    uint32_t   capacity = check->backend->engine.block.pair_capacity;
    double    *counts = fetch(check, twin, engine, WEFT_ARRAY_pair_counts, &status);
    side->corner = fetch(check, twin, engine, WEFT_ARRAY_pair_corner, &status);
    side->normal = fetch(check, twin, engine, WEFT_ARRAY_pair_normal, &status);
    side->gap = fetch(check, twin, engine, WEFT_ARRAY_pair_gap, &status);
    side->flags = fetch(check, twin, engine, WEFT_ARRAY_pair_flags, &status);
    side->blind = fetch(check, twin, engine, WEFT_ARRAY_blind, &status);
    side->entries = malloc((capacity + 1) * sizeof(Entry));
    if (status == WEFT_OK && side->entries == NULL)
        status = weft_fail(WEFT_ERROR_FAILED, "not enough memory for the check");
    if (status == WEFT_OK)
    {
        side->count = (uint32_t)counts[PAIR_COUNT];
        side->lost = (uint32_t)counts[PAIR_LOST];
        sort_entries(side, capacity);
    }
    free(counts);
    return status;
}

// What a bad row says.
static void blame(WeftCheckRow *row, const char *array, uint32_t element, double gpu, double cpu)
{
    row->good = false;
    row->array = array;
    row->element = element;
    row->gpu = gpu;
    row->cpu = cpu;
}

// Squared errors over the pairs that both have: the gap, and the way between the two sides. Returns how many only one of them has.
static uint32_t compare_numbers(const Side *a, const Side *b, uint32_t capacity, double *error2,
                                double *size2)
{
    uint32_t alone = 0;
    for (uint32_t k = 0, m = 0; k < a->count || m < b->count;)
    {
        int order = k == a->count   ? 1
                    : m == b->count ? -1
                                    : compare_entries(&a->entries[k], &b->entries[m]);
        if (order != 0)
        {
            alone++;
            k += order < 0;
            m += order > 0;
            continue;
        }
        uint32_t p = a->entries[k++].pair, q = b->entries[m++].pair;
        *error2 += pow(a->gap[p] - b->gap[q], 2);
        *size2 += 2 * pow(b->gap[q], 2);
        for (size_t axis = 0; axis < 3; axis++)
            *error2 += pow(a->gap[p] * a->normal[axis * capacity + p] -
                               b->gap[q] * b->normal[axis * capacity + q],
                           2);
    }
    return alone;
}

// Every particle must have the pairs that touch it, in rising order, and nobody else's.
static WeftStatus check_touches(WeftCheck *check, const Side *device, WeftCheckRow *row)
{
    const EngineBlock *block = &check->backend->engine.block;
    WeftStatus         status = WEFT_OK;
    double            *begin = fetch(check, NULL, NULL, WEFT_ARRAY_touch_begin, &status),
           *touch = fetch(check, NULL, NULL, WEFT_ARRAY_touch, &status);
    if (status == WEFT_OK && (begin[0] != 0 || begin[block->padded_count] != 4.0 * device->count))
        blame(row, "touch_begin", block->padded_count, begin[block->padded_count],
              4.0 * device->count);
    for (uint32_t i = 0; status == WEFT_OK && row->good && i < block->padded_count; i++)
        for (double k = begin[i]; row->good && k < begin[i + 1]; k++)
        {
            uint32_t at = (uint32_t)k, word = (uint32_t)touch[at];
            bool     in_order = k == begin[i] || touch[at - 1] < touch[at];
            if (word / 4 >= device->count || !in_order ||
                device->corner[(size_t)(word % 4) * block->pair_capacity + word / 4] != i)
                blame(row, "touch", at, word, i);
        }
    free(begin);
    free(touch);
    return status;
}

// With the same pairs in the lists, the lists are the same; so is what there was no room for.
static void check_equal(const WeftCheck *check, const Side *device, const Side *usual,
                        WeftCheckRow *row)
{
    const EngineBlock *block = &check->backend->engine.block;
    for (uint32_t k = 0; row->good && k < device->count; k++)
        if (device->entries[k].pair != usual->entries[k].pair)
            blame(row, "pair_corner", k, device->entries[k].pair, usual->entries[k].pair);
    if (row->good && device->lost != usual->lost)
        blame(row, "lost pairs", 0, device->lost, usual->lost);
    for (uint32_t i = 0; row->good && i < block->particle_count; i++)
        if (device->blind[i] != usual->blind[i])
            blame(row, "blind", i, device->blind[i], usual->blind[i]);
}

typedef WeftStatus (*Take)(WeftCheck *check, const WeftTwin *twin, const void *engine, Side *side);

// The device, the CPU engine in its precision, and that in double.
static WeftStatus take_all(WeftCheck *check, Take take, Side *device, Side *usual, Side *exact)
{
    WeftGpuBackend *backend = check->backend;
    WEFT_TRY(take(check, NULL, NULL, device));
    WEFT_TRY(take(check, backend->twin, backend->host, usual));
    return take(check, weft_twin(WEFT_PRECISION_DOUBLE), check->reference->engine, exact);
}

WeftStatus weft_check_pairs(WeftCheck *check, WeftCheckRow *row)
{
    uint32_t   capacity = check->backend->engine.block.pair_capacity;
    Side       device = {0}, usual = {0}, exact = {0};
    double     error2 = 0, usual2 = 0, size2 = 0, other2 = 0, nothing = 0;
    WeftStatus status = take_all(check, take_pairs, &device, &usual, &exact);
    if (status == WEFT_OK)
        status = check_touches(check, &device, row);
    if (status == WEFT_OK && row->good)
    {
        uint32_t alone = compare_numbers(&device, &usual, capacity, &other2, &nothing);
        compare_numbers(&device, &exact, capacity, &error2, &size2);
        compare_numbers(&usual, &exact, capacity, &usual2, &nothing);
        double squared = error2 > 0 ? error2 / fmax(size2, 1e-30) : 0;
        double own = usual2 > 0 ? usual2 / fmax(size2, 1e-30) : 0;
        row->elements += 4ull * device.count;
        row->otherwise += alone;
        if (row->array == NULL || squared > row->squared)
        {
            row->array = "pairs";
            row->squared = squared;
            row->usual = own;
        }
        if (alone > 2 + device.count / 1000)
            blame(row, "pairs: number in one list only", 0, device.count, usual.count);
        else if (alone == 0)
            check_equal(check, &device, &usual, row);
        if (row->good && !weft_check_judge(row, squared, own))
            blame(row, "pairs", 0, sqrt(error2), sqrt(size2));
    }
    drop(&device);
    drop(&usual);
    drop(&exact);
    return status;
}

static WeftStatus take_cells(WeftCheck *check, const WeftTwin *twin, const void *engine, Side *side)
{
    WeftStatus status = WEFT_OK;
    side->key = fetch(check, twin, engine, WEFT_ARRAY_clump_key, &status);
    side->sorted = fetch(check, twin, engine, WEFT_ARRAY_sorted, &status);
    side->ball = fetch(check, twin, engine, WEFT_ARRAY_ball, &status);
    side->clump = fetch(check, twin, engine, WEFT_ARRAY_clump, &status);
    side->begin = fetch(check, twin, engine, WEFT_ARRAY_bucket_begin, &status);
    return status;
}

// The clumps must be sorted by their keys, the lower first among equals, and the buckets begin where their first clump is.
static void check_buckets(const Side *device, uint32_t clumps, uint32_t buckets, WeftCheckRow *row)
{
    for (uint32_t k = 0; row->good && k < clumps; k++)
    {
        uint32_t clump = (uint32_t)device->sorted[k],
                 last = k > 0 ? (uint32_t)device->sorted[k - 1] : 0;
        if (clump >= clumps ||
            (k > 0 && (device->key[last] > device->key[clump] ||
                       (device->key[last] == device->key[clump] && last >= clump))))
            blame(row, "sorted", k, clump, last);
    }
    for (uint32_t bucket = 0, place = 0; row->good && bucket <= buckets; bucket++)
    {
        while (place < clumps && device->key[(uint32_t)device->sorted[place]] < bucket)
            place++;
        if (device->begin[bucket] != place)
            blame(row, "bucket_begin", bucket, device->begin[bucket], place);
    }
}

// Squared errors of the balls of items and of clumps.
static void compare_balls(const WeftCheck *check, const Side *a, const Side *b, double *error2,
                          double *size2)
{
    for (size_t k = 0; k < weft_check_item_count(check, WEFT_ARRAY_ball); k++)
    {
        *error2 += pow(a->ball[k] - b->ball[k], 2);
        *size2 += pow(b->ball[k], 2);
    }
    for (size_t k = 0; k < weft_check_item_count(check, WEFT_ARRAY_clump); k++)
    {
        *error2 += pow(a->clump[k] - b->clump[k], 2);
        *size2 += pow(b->clump[k], 2);
    }
}

WeftStatus weft_check_cells(WeftCheck *check, WeftCheckRow *row)
{
    uint32_t   clumps = (uint32_t)weft_check_item_count(check, WEFT_ARRAY_sorted), alone = 0;
    uint32_t   buckets = (uint32_t)weft_check_item_count(check, WEFT_ARRAY_bucket_begin) - 1;
    Side       device = {0}, usual = {0}, exact = {0};
    double     error2 = 0, usual2 = 0, size2 = 0, nothing = 0;
    WeftStatus status = take_all(check, take_cells, &device, &usual, &exact);
    if (status == WEFT_OK)
        check_buckets(&device, clumps, buckets, row);
    if (status == WEFT_OK && row->good)
    {
        for (uint32_t clump = 0; clump < clumps; clump++)
            alone += device.key[clump] != usual.key[clump];
        compare_balls(check, &device, &exact, &error2, &size2);
        compare_balls(check, &usual, &exact, &usual2, &nothing);
        double squared = error2 > 0 ? error2 / fmax(size2, 1e-30) : 0;
        double own = usual2 > 0 ? usual2 / fmax(size2, 1e-30) : 0;
        row->elements += weft_check_item_count(check, WEFT_ARRAY_ball) +
                         weft_check_item_count(check, WEFT_ARRAY_clump) + 2ull * clumps;
        row->otherwise += alone;
        if (alone > 2 + clumps / 1000)
            blame(row, "clump_key: number of others", 0, alone, clumps);
        else if (!weft_check_judge(row, squared, own))
            blame(row, "ball", 0, sqrt(error2), sqrt(size2));
    }
    drop(&device);
    drop(&usual);
    drop(&exact);
    return status;
}
