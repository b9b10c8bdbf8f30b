// halves_start.h: whether a system is worth halving (halves.h); its matrix in the order of the halves, and the first residual.
#pragma once

#include "groups.h"
#include "halves.h"

// The even bits of sixteen, side by side.
static uint32_t even_bits(uint32_t bits)
{
    bits &= 0x5555;
    bits = (bits | bits >> 1) & 0x3333;
    bits = (bits | bits >> 2) & 0x0F0F;
    return (bits | bits >> 4) & 0xFF;
}

static uint32_t part_bits(uint32_t bits, uint32_t odd)
{
    return even_bits(bits >> odd);
}

// The spans of the system's groups, without what is held.
static void list_spans(EngineData *data, const System *system)
{
    Halves  *halves = data->halves;
    uint32_t last = UINT32_MAX;
    halves->listed = 0;
    for (uint32_t group = system->group_begin; group < system->group_begin + system->group_count;
         group++)
    {
        uint32_t slice = data->group_slice[group], span = slice / 2,
                 lanes = data->group_lanes[group];
        if (!data->decompose)
            lanes &= lanes_with(data->degrees + slice * SLICE, 3);
        if (span != last)
        {
            halves->span[halves->listed] = last = span;
            halves->lanes[halves->listed++] = 0;
        }
        halves->lanes[halves->listed - 1] |= (uint16_t)(lanes << (slice % 2 * SLICE));
    }
}

static bool is_live(const EngineData *data, const SpanSlot *slot)
{
    const SpringList *list = &data->structural;
    if (!(slot->place[0] & ENTRY_SCATTERED))
        return ((list->slot_flags[slot->source[0]] | list->slot_flags[slot->source[1]]) &
                SLOT_LIVE) != 0;
    uint32_t flags = 0;
    for (uint32_t lane = 0; lane < SPAN; lane++)
        flags |= list->flags[data->halves->lane_spring[slot->spring + lane]];
    return (flags & SPRING_IMPLICIT) != 0;
}

// Lanes of a half whose springs of a slot couple them to what is not held.
static uint32_t coupled_rows(const EngineData *data, const SpanSlot *slot, uint32_t odd)
{
    const Halves     *halves = data->halves;
    const SpringList *list = &data->structural;
    uint32_t          lanes = 0;
    if (!is_live(data, slot))
        return 0;
    if (slot->place[0] & ENTRY_SCATTERED)
    {
        for (uint32_t lane = 0; lane < SLICE; lane++)
        {
            uint32_t k = slot->spring + odd * SLICE + lane;
            if ((list->flags[halves->lane_spring[k]] & SPRING_IMPLICIT) &&
                data->degrees[halves->lane_far[k]] > 0)
                lanes |= 1u << lane;
        }
        return lanes;
    }
    for (uint32_t part = 0; part < 2; part++)
        lanes |= (lanes_with(list->flags + slot->spring + part * SLICE, SPRING_IMPLICIT) &
                  lanes_with(data->degrees + slot->other + part * SLICE, 3))
                 << (part * SLICE);
    return part_bits(lanes, odd);
}

// Which rows are eliminated: candidates that no implicit spring joins to another one. Counts them.
static void choose_rows(EngineData *data, uint32_t chunk, Tally *tally)
{
    Halves *halves = data->halves;
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t span = halves->span[k], half = half_of(halves, span, odd);
            uint32_t lanes = part_bits(halves->lanes[k], odd);
            uint32_t chosen = lanes & halves->candidates[half];
            for (uint32_t at = halves->span_slots[span];
                 chosen != 0 && at < halves->span_slots[span + 1]; at++)
            {
                const SpanSlot *slot = &halves->slots[at];
                if (slot->yields[odd] & chosen)
                    chosen &= ~(slot->yields[odd] & coupled_rows(data, slot, odd));
            }
            halves->eliminated[half] = (uint8_t)chosen;
            halves->kept[half] = (uint8_t)(lanes & ~chosen);
            tally->count[0] += (uint32_t)__builtin_popcount(chosen);
        }
}

static void copy_blocks(const EngineData *data, const SpanSlot *slot)
{
    const Halves     *halves = data->halves;
    const SpringList *list = &data->structural;
    real *const       parts[4] = {list->alpha, list->u[0], list->u[1], list->u[2]};
    for (int part = 0; part < 4; part++)
    {
        Lanes both[2];
        if (slot->place[0] & ENTRY_SCATTERED)
            for (uint32_t odd = 0; odd < 2; odd++)
                both[odd] =
                    lanes_gather(parts[part], halves->lane_spring + slot->spring + odd * SLICE);
        else
            part_lanes(lanes_load(parts[part] + slot->spring),
                       lanes_load(parts[part] + slot->spring + SLICE), both);
        for (int odd = 0; odd < 2; odd++)
            lanes_store(halves->block[part] + slot->block[odd], both[odd]);
    }
}

// The springs of a span's rows that are in the matrix.
static void copy_entries(EngineData *data, uint32_t span)
{
    Halves    *halves = data->halves;
    HalfEntry *entries[2];
    uint32_t   count = 0;
    for (uint32_t odd = 0; odd < 2; odd++)
        entries[odd] = halves->entries + first_entry(halves, span, odd);
    for (uint32_t k = halves->span_slots[span]; k < halves->span_slots[span + 1]; k++)
    {
        SpanSlot  *slot = &halves->slots[k];
        const bool fills = is_live(data, slot);
        if (slot->copies && fills)
            copy_blocks(data, slot);
        else if (slot->filled)
            clear_blocks(halves, slot);
        slot->filled = slot->copies && fills;
        if (!fills)
            continue;
        for (uint32_t odd = 0; odd < 2; odd++)
            entries[odd][count] = (HalfEntry){slot->block[odd], slot->place[odd]};
        count++;
    }
    for (uint32_t odd = 0; odd < 2; odd++)
        halves->entry_count[half_of(halves, span, odd)] = (uint8_t)count;
}

// Sixteen values of each of `count` arrays, half by half, zero in lanes of other systems.
static inline void copy_rows(real *const from[], int count, uint32_t span, const uint32_t lanes[2],
                             Lanes to[2][6])
{
    for (int k = 0; k < count; k++)
    {
        Lanes both[2];
        part_lanes(lanes_load(from[k] + span * SPAN), lanes_load(from[k] + span * SPAN + SLICE),
                   both);
        for (uint32_t odd = 0; odd < 2; odd++)
            to[odd][k] = only_lanes(both[odd], lanes[odd]);
    }
}

static inline void store_blocks(real *to, uint32_t half, const Lanes block[6])
{
    for (int entry = 0; entry < 6; entry++)
        lanes_store(to + ((size_t)half * 6 + (size_t)entry) * SLICE, block[entry]);
}

static void copy_freedom(EngineData *data, uint32_t span, const uint32_t lanes[2])
{
    Halves         *halves = data->halves;
    typedef uint8_t Bytes __attribute__((vector_size(SPAN)));
    Bytes           degrees;
    memcpy(&degrees, data->degrees + span * SPAN, SPAN);
    const Bytes parted = __builtin_shufflevector(degrees, degrees, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3,
                                                 5, 7, 9, 11, 13, 15);
    for (uint32_t odd = 0; odd < 2; odd++)
        memcpy(halves->degrees + half_of(halves, span, odd) * SLICE,
               (const uint8_t *)&parted + odd * SLICE, SLICE);
    if (all_free(data->degrees + span * SPAN) && all_free(data->degrees + span * SPAN + SLICE))
        return;
    Lanes direction[2][6];
    copy_rows(data->direction, 3, span, lanes, direction);
    for (uint32_t odd = 0; odd < 2; odd++)
        store_half(halves->direction, half_of(halves, span, odd), direction[odd]);
}

// Matrix and residual of the spans. Eliminated rows are solved for what is left to them:
//   x_b <- D_b^-1 r_b
static void copy_spans(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves     *halves = data->halves;
    const Lanes none[3] = {{0}};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
    {
        uint32_t span = halves->span[k];
        uint32_t lanes[2] = {part_bits(halves->lanes[k], 0), part_bits(halves->lanes[k], 1)};
        Lanes    inverse[2][6], diagonal[2][6], r[2][6];
        copy_freedom(data, span, lanes);
        copy_entries(data, span);
        copy_rows(data->inverse, 6, span, lanes, inverse);
        copy_rows(data->diagonal, 6, span, lanes, diagonal);
        copy_rows(data->r, 3, span, lanes, r);
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, span, odd);
            Lanes    x[3];
            store_blocks(halves->inverse, half, inverse[odd]);
            if (halves->eliminated[half] != 0)
            {
                multiply_blocks(halves->inverse, half, r[odd], x);
                keep_lanes(halves->eliminated[half], x);
                store_half(halves->x, half, x);
            }
            if (halves->kept[half] != 0)
            {
                store_blocks(halves->diagonal, half, diagonal[odd]);
                keep_lanes(halves->kept[half], r[odd]);
                store_half(halves->r, half, r[odd]);
                store_half(halves->p, half, none);
                store_half(halves->s, half, none);
            }
        }
    }
}

// The residual of the kept rows: r_w <- S (r_w - A_wb x_b), u <- Q r; sums r.u
static void start_kept(EngineData *data, uint32_t chunk, Tally *tally)
{
    (void)tally;
    Halves *halves = data->halves;
    Lanes   gamma = {0};
    for (uint32_t k = chunk * SPAN_CHUNK; k < span_chunk_end(halves, chunk); k++)
        for (uint32_t odd = 0; odd < 2; odd++)
        {
            uint32_t half = half_of(halves, halves->span[k], odd);
            Lanes    r[3], u[3];
            if (halves->kept[half] == 0)
                continue;
            load_half(halves->r, half, r);
            add_entries(halves, halves->span[k], odd, halves->x, r);
            filter_half(halves, half, r);
            keep_lanes(halves->kept[half], r);
            multiply_blocks(halves->inverse, half, r, u);
            store_half(halves->r, half, r);
            store_half(halves->u, half, u);
            for (int axis = 0; axis < 3; axis++)
                gamma += r[axis] * u[axis];
        }
    data->partial[2 * chunk] = lanes_sum(gamma);
}

// Halves the current system, whose first residual is known, if nearly half of its rows can be eliminated.
static void start_halves(EngineData *data)
{
    System *system = data->current;
    Halves *halves = data->halves;
    if (halves == NULL || !data->eliminate || data->preconditioner != 3 ||
        data->pairs.implicit_count > 0)
        return;
    list_spans(data, system);
    if (5 * parallel_spans(data, choose_rows).count[0] < 2 * system->row_count)
        return;
    system->halved = true;
    parallel_spans(data, copy_spans);
    parallel_spans(data, start_kept);
    system->gamma = sum_partial(data, span_chunks(halves), 0);
}
