// engine_springs.c: lays springs out for the kernels; data.h describes the result.
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

#include "slices.h"

#define MAX_CLASSES 256

#define NO_CLASS 0xFFFFFFFFu

// Springs that share direction and kind: one class of a regular tile.
typedef struct Class
{
    bool     is_shear;
    uint32_t offset;
} Class;

typedef struct Tile
{
    uint32_t storage; // index of its first spring
    uint32_t length;  // owners, rounded up to whole slices
    uint32_t class_count;
    uint32_t class_begin; // into Layout.classes, if regular
    bool     regular;
} Tile;

typedef struct Layout
{
    Engine           *engine;
    SpringList       *list;
    const WeftSpring *springs;
    const uint8_t    *is_shear;
    uint32_t          count;
    uint32_t         *by_owner, *owner_begin; // springs sorted by their lower end
    uint32_t         *by_far, *far_begin;     // and by their higher end
    uint32_t         *place;                  // (count) storage index of each spring
    const uint32_t   *below;                  // of bend springs: where those below them are stored
    Tile             *tiles;
    Class            *classes;
    size_t            class_total, class_capacity;
    size_t            run_count, run_capacity;
    size_t            slot_count, slot_capacity, lane_count, lane_capacity;
    struct Leftover  *leftover;
    size_t            leftover_count, leftover_capacity;
    bool              failed;
} Layout;

// array_pointer is the address of a pointer of any type.
static bool grow(void *array_pointer, size_t *capacity, size_t needed, size_t item)
{
    if (needed <= *capacity)
        return true;
    size_t larger = needed + needed / 2 + 64;
    void  *array;
    memcpy(&array, array_pointer, sizeof(array));
    void *grown = realloc(array, larger * item);
    if (grown == NULL)
        return false;
    memcpy(array_pointer, &grown, sizeof(grown));
    *capacity = larger;
    return true;
}

// Stable counting sort of the springs by one of their ends.
static bool sort_by_end(const Layout *layout, bool far, uint32_t **sorted, uint32_t **begin)
{
    uint32_t particle_count = layout->engine->data.particle_count;
    *begin = calloc((size_t)particle_count + 2, sizeof(uint32_t));
    *sorted = malloc(((size_t)layout->count + 1) * sizeof(uint32_t));
    if (*begin == NULL || *sorted == NULL)
        return false;
    for (uint32_t k = 0; k < layout->count; k++)
        (*begin)[(far ? layout->springs[k].b : layout->springs[k].a) + 2]++;
    for (uint32_t i = 2; i < particle_count + 2; i++)
        (*begin)[i] += (*begin)[i - 1];
    for (uint32_t k = 0; k < layout->count; k++)
        (*sorted)[(*begin)[(far ? layout->springs[k].b : layout->springs[k].a) + 1]++] = k;
    return true;
}

static uint32_t find_class(const Class *classes, uint32_t count, Class wanted)
{
    for (uint32_t k = 0; k < count; k++)
        if (classes[k].offset == wanted.offset && classes[k].is_shear == wanted.is_shear)
            return k;
    return NO_CLASS;
}

// Every tile has its classes in the same order, whatever its first owner lacks.
static int compare_classes(const void *a, const void *b)
{
    const Class *first = a, *second = b;
    if (first->is_shear != second->is_shear)
        return first->is_shear ? 1 : -1;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

static Class class_of(const Layout *layout, uint32_t spring)
{
    return (Class){layout->is_shear != NULL && layout->is_shear[spring],
                   layout->springs[spring].b - layout->springs[spring].a};
}

// Finds the classes of a tile: by direction if there are few directions, else by rank.
static void plan_tile(Layout *layout, uint32_t tile_index, uint32_t *storage)
{
    const EngineData *data = &layout->engine->data;
    Tile             *tile = &layout->tiles[tile_index];
    uint32_t          first = tile_index * TILE;
    uint32_t end = first + TILE < data->particle_count ? first + TILE : data->particle_count;
    Class    classes[MAX_CLASSES];
    uint32_t class_count = 0, most = 0;
    bool     regular = true;
    for (uint32_t owner = first; owner < end; owner++)
    {
        uint32_t rank_count = layout->owner_begin[owner + 1] - layout->owner_begin[owner];
        most = rank_count > most ? rank_count : most;
        for (uint32_t k = layout->owner_begin[owner]; regular && k < layout->owner_begin[owner + 1];
             k++)
        {
            Class wanted = class_of(layout, layout->by_owner[k]);
            if (find_class(classes, class_count, wanted) != NO_CLASS)
                continue;
            regular = class_count < MAX_CLASSES;
            if (regular)
                classes[class_count++] = wanted;
        }
    }
    tile->regular = regular && class_count <= 2 * most;
    tile->class_count = tile->regular ? class_count : most;
    // As long as the others, too, is the last one of several: what follows from an owner's index does so everywhere.
    tile->length = data->tile_count > 1 ? TILE : (end - first + SLICE - 1) / SLICE * SLICE;
    tile->storage = *storage;
    tile->class_begin = (uint32_t)layout->class_total;
    *storage += tile->length * tile->class_count;
    if (!tile->regular || class_count == 0)
        return;
    if (data->tile_count > 1)
        qsort(classes, class_count, sizeof(Class), compare_classes);
    if (!grow(&layout->classes, &layout->class_capacity, layout->class_total + class_count,
              sizeof(Class)))
    {
        layout->failed = true;
        return;
    }
    memcpy(layout->classes + layout->class_total, classes, class_count * sizeof(Class));
    layout->class_total += class_count;
}

// Where each spring is stored.
static void place_springs(Layout *layout, uint32_t tile_index)
{
    const EngineData *data = &layout->engine->data;
    const Tile       *tile = &layout->tiles[tile_index];
    uint32_t          first = tile_index * TILE;
    uint32_t end = first + TILE < data->particle_count ? first + TILE : data->particle_count;
    for (uint32_t owner = first; owner < end; owner++)
        for (uint32_t k = layout->owner_begin[owner]; k < layout->owner_begin[owner + 1]; k++)
        {
            uint32_t spring = layout->by_owner[k], rank = k - layout->owner_begin[owner];
            uint32_t class = tile->regular ? find_class(layout->classes + tile->class_begin,
                                                        tile->class_count, class_of(layout, spring))
                                           : rank;
            layout->place[spring] = tile->storage + class * tile->length + (owner - first);
        }
}

// A spring that bears beams becomes slack when it is shorter by what that takes. Where that is more than half of it, on grids finer
// than the cloth is thick, its tension does not give way.
static void set_slack(SpringList *list, uint32_t at, real hold)
{
    real rest = list->rest[at], stiffness = list->stiffness[at];
    bool gives = hold > 0 && hold < stiffness * rest / 2;
    list->reach[at] = gives ? hold / stiffness : 0;
    list->slack[at] = gives ? rest * (1 - 2 * (real)PLAY) - list->reach[at] : rest;
    list->base[at] += gives ? 0 : hold / rest;
}

static void fill_storage(Layout *layout, bool is_bend)
{
    SpringList *list = layout->list;
    uint32_t    last = layout->engine->data.particle_count - 1;
    for (uint32_t tile_index = 0; tile_index < layout->engine->data.tile_count; tile_index++)
    {
        const Tile *tile = &layout->tiles[tile_index];
        for (uint32_t k = 0; k < tile->class_count * tile->length; k++)
        {
            uint32_t owner = tile_index * TILE + k % tile->length;
            list->other[tile->storage + k] = owner < last ? owner : last;
        }
    }
    for (uint32_t k = 0; k < list->storage_count; k++)
        list->rest[k] = 1;
    for (uint32_t k = 0; !is_bend && k < list->storage_count; k++)
        list->slack[k] = 1;
    for (uint32_t k = 0; k < layout->count; k++)
    {
        uint32_t          at = layout->place[k];
        const WeftSpring *spring = &layout->springs[k];
        list->other[at] = spring->b;
        list->rest[at] = (real)(spring->rest * (is_bend ? 1 : 1 + PLAY));
        list->stiffness[at] = (real)spring->stiffness;
        list->damping[at] = (real)spring->damping;
        list->base[at] = (real)spring->base;
        for (int half = 0; is_bend && spring->stiffness > 0 && half < 2; half++)
            list->below[half][at] = layout->below[spring->below[half]];
        if (!is_bend)
            set_slack(list, at, (real)spring->hold);
        list->flags[at] =
            SPRING_PRESENT | (layout->is_shear != NULL && layout->is_shear[k] ? SPRING_SHEAR : 0);
    }
}

// The runs of a tile: each class from its first to its last spring.
static void list_runs(Layout *layout, uint32_t tile_index)
{
    SpringList *list = layout->list;
    const Tile *tile = &layout->tiles[tile_index];
    for (uint32_t class = 0; class < tile->class_count; class ++)
    {
        uint32_t base = tile->storage + class * tile->length, begin = tile->length, end = 0;
        for (uint32_t k = 0; k < tile->length; k++)
            if (list->flags[base + k] & SPRING_PRESENT)
            {
                begin = begin == tile->length ? k : begin;
                end = k + 1;
            }
        if (end == 0)
            continue;
        uint32_t owner = tile_index * TILE;
        int32_t  offset = RUN_SCATTERED;
        if (tile->regular)
        {
            offset = (int32_t)layout->classes[tile->class_begin + class].offset;
            for (uint32_t k = begin; k < end; k++)
                list->other[base + k] = owner + k + (uint32_t)offset;
        }
        if (!grow(&list->runs, &layout->run_capacity, layout->run_count + 1, sizeof(SpringRun)))
        {
            layout->failed = true;
            return;
        }
        list->runs[layout->run_count++] =
            (SpringRun){base + begin, owner + begin, end - begin, offset};
    }
}

static void add_slot(Layout *layout, RowSlot slot, uint8_t flags)
{
    SpringList *list = layout->list;
    size_t      flag_capacity = layout->slot_capacity;
    if (!grow(&list->slots, &layout->slot_capacity, layout->slot_count + 1, sizeof(RowSlot)) ||
        !grow(&list->slot_flags, &flag_capacity, layout->slot_capacity, 1))
    {
        layout->failed = true;
        return;
    }
    list->slots[layout->slot_count] = slot;
    list->slot_flags[layout->slot_count++] = flags;
}

// A spring of a slice's rows that fits no regular slot and waits for one with indices.
typedef struct Leftover
{
    uint32_t lane, spring, other;
} Leftover;

static void leave_over(Layout *layout, Leftover item)
{
    if (!grow(&layout->leftover, &layout->leftover_capacity, layout->leftover_count + 1,
              sizeof(item)))
    {
        layout->failed = true;
        return;
    }
    layout->leftover[layout->leftover_count++] = item;
}

// Makes slots of what was left over: in each, the first waiting spring of every lane.
static void add_scattered(Layout *layout, uint32_t first_particle, uint8_t mirror)
{
    SpringList *list = layout->list;
    while (layout->leftover_count > 0 && !layout->failed)
    {
        size_t other_capacity = layout->lane_capacity;
        if (!grow(&list->lane_spring, &layout->lane_capacity, layout->lane_count + SLICE,
                  sizeof(uint32_t)) ||
            !grow(&list->lane_other, &other_capacity, layout->lane_capacity, sizeof(uint32_t)))
        {
            layout->failed = true;
            return;
        }
        uint32_t *spring = list->lane_spring + layout->lane_count;
        uint32_t *other = list->lane_other + layout->lane_count;
        bool      taken[SLICE] = {false};
        for (uint32_t lane = 0; lane < SLICE; lane++)
        {
            spring[lane] = lane; // the null spring
            other[lane] = first_particle + lane;
        }
        size_t waiting = 0;
        for (size_t k = 0; k < layout->leftover_count; k++)
        {
            Leftover item = layout->leftover[k];
            if (taken[item.lane])
            {
                layout->leftover[waiting++] = item;
                continue;
            }
            taken[item.lane] = true;
            spring[item.lane] = item.spring;
            other[item.lane] = item.other;
        }
        layout->leftover_count = waiting;
        add_slot(layout, (RowSlot){(uint32_t)layout->lane_count, 0},
                 (uint8_t)(SLOT_SCATTERED | mirror));
        layout->lane_count += SLICE;
    }
}

// Slots of the springs that a slice's particles own.
static void list_own_slots(Layout *layout, uint32_t slice)
{
    const EngineData *data = &layout->engine->data;
    const SpringList *list = layout->list;
    uint32_t          first = slice * SLICE, tile_index = first / TILE;
    const Tile       *tile = &layout->tiles[tile_index];
    for (uint32_t class = 0; class < tile->class_count; class ++)
    {
        uint32_t base = tile->storage + class * tile->length + (first - tile_index * TILE);
        if (!flags_any(list->flags + base, SPRING_PRESENT))
            continue;
        uint32_t offset = tile->regular ? layout->classes[tile->class_begin + class].offset : 0;
        if (tile->regular && first + offset + SLICE <= data->padded_count)
        {
            add_slot(layout, (RowSlot){base, first + offset}, 0);
            continue;
        }
        for (uint32_t lane = 0; lane < SLICE; lane++)
            if (list->flags[base + lane] & SPRING_PRESENT)
                leave_over(layout, (Leftover){lane, base + lane, list->other[base + lane]});
    }
    add_scattered(layout, first, 0);
}

// Slots of the springs whose far ends a slice's particles are.
static void list_mirror_slots(Layout *layout, uint32_t slice)
{
    const EngineData *data = &layout->engine->data;
    uint32_t          first = slice * SLICE, done_count = 0, done[MAX_CLASSES];
    for (uint32_t lane = 0; lane < SLICE && first + lane < data->particle_count; lane++)
        for (uint32_t k = layout->far_begin[first + lane]; k < layout->far_begin[first + lane + 1];
             k++)
        {
            // Regular: the eight owners are consecutive, in one regular tile, and so are their
            // springs of this class. Where one of them has no such spring, the storage holds
            // filling.
            uint32_t    spring = layout->by_far[k], owner = layout->springs[spring].a;
            uint32_t    within = owner % TILE, slot = layout->place[spring] - lane, seen = 0;
            const Tile *tile = &layout->tiles[owner / TILE];
            bool regular = tile->regular && within >= lane && within - lane + SLICE <= tile->length;
            while (regular && seen < done_count && done[seen] != slot)
                seen++;
            if (!regular || seen == MAX_CLASSES)
                leave_over(layout, (Leftover){lane, layout->place[spring], owner});
            else if (seen == done_count)
            {
                done[done_count++] = slot;
                add_slot(layout, (RowSlot){slot, owner - lane}, SLOT_MIRROR);
            }
        }
    add_scattered(layout, first, SLOT_MIRROR);
}

static void take_storage(Layout *layout, uint32_t storage, bool is_bend)
{
    Arena      *arena = &layout->engine->arena;
    SpringList *list = layout->list;
    list->storage_count = storage;
    list->other = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(uint32_t));
    list->rest = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
    list->stiffness = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
    list->damping = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
    list->flags = WEFT_PRECISE(weft_arena_take)(arena, storage, 1);
    list->base = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
    for (int half = 0; is_bend && half < 2; half++)
        list->below[half] = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(uint32_t));
    if (!is_bend)
    {
        list->slack = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
        list->reach = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
        for (int axis = 0; axis < 3; axis++)
        {
            list->impulse[axis] = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
            list->u[axis] = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
        }
        list->length = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
        list->alpha = WEFT_PRECISE(weft_arena_take)(arena, storage, sizeof(real));
    }
    layout->failed = arena->failed;
}

static void lay_out(Layout *layout, bool is_bend)
{
    const EngineData *data = &layout->engine->data;
    SpringList       *list = layout->list;
    uint64_t          storage_limit = UINT32_MAX / 2;
    uint32_t          storage = SLICE; // the null spring comes first
    layout->tiles = calloc(data->tile_count + 1, sizeof(Tile));
    layout->place = malloc(((size_t)layout->count + 1) * sizeof(uint32_t));
    list->tile_runs = WEFT_PRECISE(weft_arena_take)(&layout->engine->arena, data->tile_count + 1,
                                                    sizeof(uint32_t));
    list->slice_slots = WEFT_PRECISE(weft_arena_take)(&layout->engine->arena, data->slice_count + 1,
                                                      sizeof(uint32_t));
    layout->failed = layout->tiles == NULL || layout->place == NULL || list->tile_runs == NULL ||
                     list->slice_slots == NULL ||
                     !sort_by_end(layout, false, &layout->by_owner, &layout->owner_begin) ||
                     !sort_by_end(layout, true, &layout->by_far, &layout->far_begin);
    for (uint32_t tile = 0; !layout->failed && tile < data->tile_count; tile++)
    {
        plan_tile(layout, tile, &storage);
        layout->failed = layout->failed || storage > storage_limit;
    }
    if (!layout->failed)
        take_storage(layout, storage, is_bend);
    if (layout->failed)
        return;
    for (uint32_t tile = 0; tile < data->tile_count; tile++)
        place_springs(layout, tile);
    fill_storage(layout, is_bend);
    for (uint32_t tile = 0; tile < data->tile_count && !layout->failed; tile++)
    {
        list_runs(layout, tile);
        list->tile_runs[tile + 1] = (uint32_t)layout->run_count;
    }
    for (uint32_t slice = 0; slice < data->slice_count && !layout->failed; slice++)
    {
        list_own_slots(layout, slice);
        list_mirror_slots(layout, slice);
        list->slice_slots[slice + 1] = (uint32_t)layout->slot_count;
    }
}

// All but where the springs are stored, which those over them still ask for.
static void free_plan(Layout *layout)
{
    free(layout->by_owner);
    free(layout->owner_begin);
    free(layout->by_far);
    free(layout->far_begin);
    free(layout->tiles);
    free(layout->classes);
    free(layout->leftover);
}

void WEFT_PRECISE(weft_engine_lay_springs)(Engine *engine, WeftSpringGraph *graph)
{
    Layout structural = {.engine = engine,
                         .list = &engine->data.structural,
                         .springs = graph->structural,
                         .is_shear = graph->is_shear,
                         .count = (uint32_t)graph->structural_count};
    Layout bend = {.engine = engine,
                   .list = &engine->data.bend,
                   .springs = graph->bend,
                   .count = (uint32_t)graph->bend_count};
    structural.list->spring_count = structural.count;
    bend.list->spring_count = bend.count;
    lay_out(&structural, false);
    free_plan(&structural);
    if (!structural.failed)
        WEFT_PRECISE(weft_engine_take_weave)
    (engine, graph->weave, graph->weave_count, structural.place);
    weft_spring_graph_drop_structural(graph);
    bend.below = structural.place;
    if (!structural.failed)
        lay_out(&bend, true);
    if (structural.failed || bend.failed)
        engine->arena.failed = true;
    free_plan(&bend);
    free(bend.place);
    free(structural.place);
}
