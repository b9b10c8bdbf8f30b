// halves_copy.h: which rows of a system are eliminated (halves.h), and its matrix in the order of the halves.
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

// Lanes of a half whose far ends are kept.
static uint32_t far_kept(const Halves *halves, const SpanSlot *slot, uint32_t odd)
{
    uint32_t place = slot->place[odd], lanes = 0;
    if (!(place & ENTRY_SCATTERED))
        return (uint32_t)(halves->kept[place / SLICE] | halves->kept[place / SLICE + 1] << SLICE) >>
               place % SLICE;
    for (uint32_t lane = 0; lane < SLICE; lane++)
    {
        place = halves->lane_other[(slot->place[odd] & ~ENTRY_SCATTERED) + lane];
        lanes |= (halves->kept[place / SLICE] >> place % SLICE & 1u) << lane;
    }
    return lanes;
}

// The springs of a span's rows that are in the matrix. Counts those that join two rows that are kept.
static void copy_entries(EngineData *data, uint32_t span, Tally *tally)
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
        {
            uint32_t lanes = halves->kept[half_of(halves, span, odd)] & far_kept(halves, slot, odd);
            entries[odd][count] = (HalfEntry){slot->block[odd], slot->place[odd]};
            if (lanes != 0 && (lanes & coupled_rows(data, slot, odd)) != 0)
                tally->count[0]++;
        }
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
