// engine_halves.c: what systems need to eliminate every other particle; kernels/halves.h describes the result.
#include "halves.h"
#include "implicit.h"
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

// Neighbours of a span's rows, lane by lane, that fit no regular slot.
typedef struct Stray
{
    uint32_t lane, spring, other; // lane: of the sixteen
} Stray;

typedef struct Builder
{
    EngineData *data;
    Halves     *halves;
    size_t      slot_count, lane_count;
    bool        counts; // only counts
    Stray      *strays;
    size_t      stray_count;
    uint8_t    *candidate; // (padded_count)
    uint8_t    *copied;    // (storage_count) springs that the span of their owners copies
} Builder;

// The far end of a lane of a slot, and its spring.
static uint32_t far_end(const SpringList *list, uint32_t slot, uint32_t lane, uint32_t *spring)
{
    const RowSlot *at = &list->slots[slot];
    bool           scattered = (list->slot_flags[slot] & SLOT_SCATTERED) != 0;
    *spring = scattered ? list->lane_spring[at->spring + lane] : at->spring + lane;
    return scattered ? list->lane_other[at->spring + lane] : at->other + lane;
}

// Candidates for elimination, in rising order: those that no stretch spring joins to one before. On a grid that is a chessboard.
static void choose_candidates(Builder *builder)
{
    const EngineData *data = builder->data;
    const SpringList *list = &data->structural;
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        uint32_t slice = i / SLICE;
        builder->candidate[i] = 1;
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
        {
            uint32_t spring, other = far_end(list, k, i % SLICE, &spring);
            if ((list->flags[spring] & (SPRING_PRESENT | SPRING_SHEAR)) == SPRING_PRESENT &&
                other < i && builder->candidate[other])
                builder->candidate[i] = 0;
        }
    }
}

// The slot of the span's second slice that goes on where a regular one of its first slice ends; or the end of these slots.
static uint32_t find_continuation(const SpringList *list, uint32_t slot, uint32_t begin,
                                  uint32_t end)
{
    const RowSlot *at = &list->slots[slot];
    if (list->slot_flags[slot] & SLOT_SCATTERED)
        return end;
    for (uint32_t k = begin; k < end; k++)
        if (!((list->slot_flags[k] ^ list->slot_flags[slot]) & (SLOT_MIRROR | SLOT_SCATTERED)) &&
            list->slots[k].spring == at->spring + SLICE &&
            list->slots[k].other == at->other + SLICE)
            return k;
    return end;
}

// Of two candidates that an implicit spring joins neither is eliminated.
static void note_yielding(const Builder *builder, uint32_t span, uint32_t lane, uint32_t spring,
                          uint32_t other, uint8_t yields[2])
{
    uint32_t i = span * SPAN + lane;
    if ((builder->data->structural.flags[spring] & SPRING_PRESENT) && builder->candidate[i] &&
        builder->candidate[other])
        yields[lane & 1] |= (uint8_t)(1u << lane / 2);
}

static void add_regular(Builder *builder, uint32_t span, uint32_t first, uint32_t second)
{
    const SpringList *list = &builder->data->structural;
    const Halves     *halves = builder->halves;
    if (!builder->counts)
    {
        const RowSlot *at = &list->slots[first];
        SpanSlot       slot = {.spring = at->spring, .other = at->other, .source = {first, second}};
        slot.copies = !(list->slot_flags[first] & SLOT_MIRROR);
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            slot.block[odd] = block_of(halves, at->spring + odd);
            slot.place[odd] = place_of(halves, at->other + odd);
        }
        for (uint32_t lane = 0; lane < SPAN; lane++)
            note_yielding(builder, span, lane, slot.spring + lane, slot.other + lane, slot.yields);
        halves->slots[builder->slot_count] = slot;
    }
    builder->slot_count++;
}

static void leave_strays(Builder *builder, uint32_t slot, uint32_t first_lane)
{
    const SpringList *list = &builder->data->structural;
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        uint32_t spring, other = far_end(list, slot, lane, &spring);
        if (list->flags[spring] & SPRING_PRESENT)
            builder->strays[builder->stray_count++] = (Stray){first_lane + lane, spring, other};
    }
}

// Scattered lanes have their blocks behind those of the storage.
static uint32_t after_storage(const EngineData *data)
{
    return (data->structural.storage_count + SPAN - 1) / SPAN * SPAN;
}

// One slot with indices: the first stray of every lane that has some left.
static void add_scattered(Builder *builder, uint32_t span)
{
    Halves  *halves = builder->halves;
    uint32_t spring[SPAN], far[SPAN], begin = (uint32_t)builder->lane_count;
    bool     taken[SPAN] = {false};
    SpanSlot slot = {.spring = begin, .copies = true};
    size_t   left = 0;
    for (uint32_t lane = 0; lane < SPAN; lane++)
    {
        spring[lane] = lane % SLICE; // the null spring
        far[lane] = span * SPAN + lane;
    }
    for (size_t k = 0; k < builder->stray_count; k++)
    {
        Stray stray = builder->strays[k];
        if (taken[stray.lane])
        {
            builder->strays[left++] = stray;
            continue;
        }
        taken[stray.lane] = true;
        spring[stray.lane] = stray.spring;
        far[stray.lane] = stray.other;
        note_yielding(builder, span, stray.lane, stray.spring, stray.other, slot.yields);
    }
    builder->stray_count = left;
    if (!builder->counts)
    {
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            slot.block[odd] = block_of(halves, after_storage(builder->data) + begin + odd);
            slot.place[odd] = (begin + odd * SLICE) | ENTRY_SCATTERED;
        }
        halves->slots[builder->slot_count] = slot;
        for (uint32_t lane = 0; lane < SPAN; lane++)
        {
            size_t to = begin + (lane & 1) * SLICE + lane / 2;
            halves->lane_spring[to] = spring[lane];
            halves->lane_far[to] = far[lane];
            halves->lane_other[to] = place_of(halves, far[lane]);
        }
    }
    builder->slot_count++;
    builder->lane_count += SPAN;
}

// The slots of a span's two slices.
typedef struct SpanSlots
{
    uint32_t begin, middle, end;
} SpanSlots;

static SpanSlots slots_of(const EngineData *data, uint32_t span)
{
    const uint32_t *slice_slots = data->structural.slice_slots, first = 2 * span;
    uint32_t        middle = slice_slots[first + 1];
    uint32_t        end = first + 2 <= data->slice_count ? slice_slots[first + 2] : middle;
    return (SpanSlots){slice_slots[first], middle, end};
}

// Springs of the sixteen owners of a span, if they lie in a row.
static void note_copied(Builder *builder, uint32_t span)
{
    const SpringList *list = &builder->data->structural;
    SpanSlots         slots = slots_of(builder->data, span);
    for (uint32_t k = slots.begin; k < slots.middle; k++)
        if (!(list->slot_flags[k] & SLOT_MIRROR) &&
            find_continuation(list, k, slots.middle, slots.end) < slots.end)
            memset(builder->copied + list->slots[k].spring, 1, SPAN);
}

// The continuation, if all of the springs are copied.
static uint32_t find_second(const Builder *builder, uint32_t slot, uint32_t begin, uint32_t end)
{
    const SpringList *list = &builder->data->structural;
    uint32_t          second = find_continuation(list, slot, begin, end), count = 0;
    for (uint32_t lane = 0; second < end && lane < SPAN; lane++)
        count += builder->copied[list->slots[slot].spring + lane];
    return count == SPAN ? second : end;
}

static void list_slots(Builder *builder, uint32_t span)
{
    SpanSlots slots = slots_of(builder->data, span);
    for (uint32_t k = slots.begin; k < slots.middle; k++)
    {
        uint32_t second = find_second(builder, k, slots.middle, slots.end);
        if (second < slots.end)
            add_regular(builder, span, k, second);
        else
            leave_strays(builder, k, 0);
    }
    for (uint32_t k = slots.middle; k < slots.end; k++)
    {
        bool continues = false;
        for (uint32_t before = slots.begin; before < slots.middle && !continues; before++)
            continues = find_second(builder, before, k, k + 1) == k;
        if (!continues)
            leave_strays(builder, k, SLICE);
    }
    while (builder->stray_count > 0)
        add_scattered(builder, span);
    builder->halves->span_slots[span + 1] = (uint32_t)builder->slot_count;
}

static void list_all_slots(Builder *builder, bool counts)
{
    builder->counts = counts;
    builder->slot_count = builder->lane_count = 0;
    for (uint32_t span = 0; span < builder->halves->span_count; span++)
        list_slots(builder, span);
}

static uint32_t most_slots(const EngineData *data)
{
    uint32_t most = 0;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        uint32_t count =
            data->structural.slice_slots[slice + 1] - data->structural.slice_slots[slice];
        most = count > most ? count : most;
    }
    return most;
}

static void *reserve(Engine *engine, size_t count, size_t item)
{
    return WEFT_PRECISE(weft_arena_reserve)(&engine->arena, count, item);
}

static void take_arrays(Engine *engine, const Builder *builder)
{
    EngineData *data = &engine->data;
    Halves     *halves = builder->halves;
    size_t      half_count = 2 * (size_t)halves->span_count, places = half_count * SLICE + SLICE;
    halves->block_count = after_storage(data) + (uint32_t)builder->lane_count;
    halves->slots = reserve(engine, builder->slot_count, sizeof(SpanSlot));
    halves->lane_spring = reserve(engine, builder->lane_count, sizeof(uint32_t));
    halves->lane_other = reserve(engine, builder->lane_count, sizeof(uint32_t));
    halves->lane_far = reserve(engine, builder->lane_count, sizeof(uint32_t));
    halves->candidates = reserve(engine, half_count, 1);
    halves->span = reserve(engine, halves->span_count, sizeof(uint32_t));
    halves->lanes = reserve(engine, halves->span_count, sizeof(uint16_t));
    halves->kept = reserve(engine, half_count + 1, 1);
    halves->eliminated = reserve(engine, half_count + 1, 1);
    halves->degrees = reserve(engine, places, 1);
    halves->diagonal = reserve(engine, 6 * places, sizeof(real));
    halves->inverse = reserve(engine, 6 * places, sizeof(real));
    for (int axis = 0; axis < 3; axis++)
    {
        halves->direction[axis] = reserve(engine, places, sizeof(real));
        halves->u[axis] = reserve(engine, places, sizeof(real));
        halves->x[axis] = reserve(engine, places, sizeof(real));
        halves->r[axis] = data->r[axis];
        halves->w[axis] = data->w[axis];
        halves->p[axis] = data->p[axis];
        halves->s[axis] = data->s[axis];
    }
    halves->entry_count = reserve(engine, half_count, 1);
    halves->entries = reserve(engine, 2 * builder->slot_count, sizeof(HalfEntry));
    for (int part = 0; part < 4; part++)
        halves->block[part] = reserve(engine, (size_t)halves->block_count + SLICE, sizeof(real));
}

static void build(Engine *engine, Builder *builder)
{
    EngineData *data = builder->data;
    Halves     *halves = builder->halves;
    choose_candidates(builder);
    for (uint32_t span = 0; span < halves->span_count; span++)
        note_copied(builder, span);
    list_all_slots(builder, true);
    take_arrays(engine, builder);
    if (engine->arena.failed)
        return;
    list_all_slots(builder, false);
    for (uint32_t i = 0; i < data->particle_count; i++)
        halves->candidates[place_of(halves, i) / SLICE] |=
            (uint8_t)(builder->candidate[i] << place_of(halves, i) % SLICE);
}

// Whether taut shear springs are explicit, most of them, with the step and the method of the scene.
static bool leaves_shear_out(const EngineData *data)
{
    const SpringList *list = &data->structural;
    const real        h = data->h, most = implicit_above(data, true);
    size_t            out = 0, in = 0;
    for (uint32_t k = 0; k < list->tile_runs[data->tile_count]; k++)
        for (uint32_t lane = 0; lane < list->runs[k].count; lane++)
        {
            const uint32_t spring = list->runs[k].spring + lane;
            if ((list->flags[spring] & (SPRING_PRESENT | SPRING_SHEAR)) !=
                (SPRING_PRESENT | SPRING_SHEAR))
                continue;
            const real kappa = h / data->share[list->runs[k].owner + lane] *
                               (list->stiffness[spring] * h + 2 * list->damping[spring]);
            *(kappa > most ? &in : &out) += 1;
        }
    return out >= in;
}

void WEFT_PRECISE(weft_engine_take_halves)(Engine *engine)
{
    EngineData *data = &engine->data;
    Arena      *arena = &engine->arena;
    // The edges of triangles join three to each other, as diagonals do.
    if (arena->failed || data->weave.count > 0 || !leaves_shear_out(data))
        return;
    Halves *halves = WEFT_PRECISE(weft_arena_take)(arena, 1, sizeof(Halves));
    if (halves == NULL)
        return;
    halves->span_count = (data->slice_count + 1) / 2;
    halves->span_slots =
        WEFT_PRECISE(weft_arena_take)(arena, halves->span_count + 1, sizeof(uint32_t));
    Builder builder = {.data = data, .halves = halves};
    builder.candidate = calloc(data->padded_count, 1);
    builder.copied = calloc((size_t)data->structural.storage_count + SPAN, 1);
    builder.strays = malloc((size_t)SPAN * (most_slots(data) + 1) * sizeof(Stray));
    if (builder.candidate == NULL || builder.copied == NULL || builder.strays == NULL ||
        halves->span_slots == NULL)
        arena->failed = true;
    else
        build(engine, &builder);
    free(builder.candidate);
    free(builder.copied);
    free(builder.strays);
    data->halves = halves;
}

void WEFT_PRECISE(weft_engine_forget_blocks)(Halves *halves)
{
    for (uint32_t k = 0; k < halves->span_slots[halves->span_count]; k++)
    {
        if (halves->slots[k].filled)
            clear_blocks(halves, &halves->slots[k]);
        halves->slots[k].filled = false;
    }
}
