// engine_pairs.c: room for the pairs of cloth near cloth.
#include <math.h>

#include "crowd.h"
#include "sim/engine.h"
#include "sim/pool.h"

#define PAIRS_A_PARTICLE 12
#define PAIRS_AT_LEAST 8192
// Largest part of the shortest edge at a particle that its radius may be: parts of a flat cloth must not be near each other.
#define EDGE_PART 0.25

// Half of the distance to other cloth: half the thickness, less where the mesh is finer than that.
void WEFT_PRECISE(weft_engine_fill_pairs)(Engine *engine)
{
    EngineData *data = &engine->data;
    PairList   *pairs = &data->pairs;
    if (!pairs->on)
        return;
    for (uint32_t i = 0; i < data->particle_count; i++)
        pairs->radius[i] = data->thickness[i] / 2;
    for (uint32_t edge = pairs->item_begin[1]; edge < pairs->item_begin[2]; edge++)
    {
        real length2 = 0;
        for (int axis = 0; axis < 3; axis++)
        {
            real way = data->x[axis][pairs->item_corner[1][edge]] -
                       data->x[axis][pairs->item_corner[0][edge]];
            length2 += way * way;
        }
        real length = WEFT_REAL_SQRT(length2), most = (real)EDGE_PART * length;
        pairs->longest_edge = length > pairs->longest_edge ? length : pairs->longest_edge;
        for (int end = 0; end < 2; end++)
            if (pairs->radius[pairs->item_corner[end][edge]] > most)
                pairs->radius[pairs->item_corner[end][edge]] = most;
    }
    WEFT_PRECISE(weft_engine_fill_homes)(engine);
}

static void take_reals(Arena *arena, real *arrays[], int count, size_t length)
{
    for (int k = 0; k < count; k++)
        arrays[k] = WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(real));
}

static uint32_t *take_words(Arena *arena, size_t length)
{
    return WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(uint32_t));
}

void WEFT_PRECISE(weft_engine_take_pairs)(Engine *engine)
{
    EngineData        *data = &engine->data;
    PairList          *pairs = &data->pairs;
    Arena             *arena = &engine->arena;
    const WeftContact *contact = &engine->model->scene->contact;
    if (arena->failed || data->pool == NULL || !contact->cloth || data->triangle_count == 0)
        return;
    WEFT_PRECISE(weft_engine_take_items)(engine);
    size_t items = pairs->item_begin[3], clumps = items / CLUMP;

    // About twice as many buckets as clumps, the same along all axes or twice as many.
    uint32_t bits = 6;
    while (bits < 24 && (1u << bits) < 2 * clumps)
        bits++;
    for (int axis = 0; axis < 3; axis++)
        pairs->bits[axis] = (bits + 2 - (uint32_t)axis) / 3;
    pairs->bucket_count = 1u << bits;
    uint64_t capacity = contact->max_pairs > 0 ? (uint64_t)contact->max_pairs
                                               : (uint64_t)PAIRS_A_PARTICLE * data->particle_count;
    if (contact->max_pairs == 0 && capacity < PAIRS_AT_LEAST)
        capacity = PAIRS_AT_LEAST;
    pairs->capacity = capacity < UINT32_MAX / 8 ? (uint32_t)capacity : UINT32_MAX / 8;

    real **capable[] = {&pairs->gap, &pairs->alpha, &pairs->beta, &pairs->push};
    take_reals(arena, &pairs->radius, 1, data->padded_count);
    take_reals(arena, &pairs->record, 1, SLICE * (size_t)data->padded_count);
    take_reals(arena, pairs->ball, 9, items);
    take_reals(arena, pairs->spot, 9, items);
    take_reals(arena, pairs->clump, 7, clumps);
    take_reals(arena, pairs->box, 6, clumps);
    take_reals(arena, pairs->sorted_ball, 7, grid_clumps(pairs));
    take_reals(arena, pairs->sorted_box, 6, grid_clumps(pairs));
    take_reals(arena, pairs->wish, 3, data->padded_count);
    take_reals(arena, pairs->weight, 4, pairs->capacity);
    take_reals(arena, pairs->normal, 3, pairs->capacity);
    take_reals(arena, pairs->impulse, 3, pairs->capacity);
    take_reals(arena, pairs->pull, 3, pairs->capacity);
    take_reals(arena, pairs->own, 6, data->padded_count);
    for (size_t k = 0; k < sizeof(capable) / sizeof(capable[0]); k++)
        take_reals(arena, capable[k], 1, pairs->capacity);
    pairs->clump_key = take_words(arena, grid_clumps(pairs));
    pairs->sorted = take_words(arena, grid_clumps(pairs));
    pairs->bucket_begin = take_words(arena, 2 * (size_t)pairs->bucket_count + 1);
    pairs->query_begin = take_words(arena, (size_t)pairs->item_begin[2] + 1);
    pairs->patch_found = WEFT_PRECISE(weft_arena_take)(arena, pairs->patch_count, sizeof(size_t));
    size_t threads = (size_t)weft_pool_threads(data->pool), around = around_stride(pairs) * threads;
    pairs->found = take_words(arena, found_stride(pairs) * threads);
    pairs->around = take_words(arena, around);
    pairs->chosen = take_words(arena, around);
    pairs->home_mark = take_words(arena, around);
    pairs->chosen_lanes = WEFT_PRECISE(weft_arena_take)(arena, around, sizeof(uint64_t));
    pairs->crowds = WEFT_PRECISE(weft_arena_take)(arena, threads, sizeof(Crowd));
    for (int k = 0; k < 4; k++)
        pairs->corner[k] = take_words(arena, pairs->capacity);
    pairs->touch_begin = take_words(arena, (size_t)data->padded_count + 1);
    pairs->touch = take_words(arena, 4 * (size_t)pairs->capacity);
    pairs->implicit = take_words(arena, 4 * (size_t)pairs->capacity);
    pairs->implicit_end = take_words(arena, data->padded_count);
    pairs->flags = WEFT_PRECISE(weft_arena_take)(arena, pairs->capacity, 1);
    pairs->blind = WEFT_PRECISE(weft_arena_take)(arena, data->padded_count, 1);
    pairs->held = WEFT_PRECISE(weft_arena_take)(arena, data->padded_count, 1);
    pairs->on = true;
}
