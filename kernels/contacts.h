// contacts.h: what the eight particles of a slice touch, and what holds them: a bit for each lane.
#pragma once

#include "bits.h"
#include "slices.h"

static inline uint32_t lanes_touching(const EngineData *data, uint32_t first)
{
    return lanes_with(data->contact + first, CONTACT_SLIDE | CONTACT_STICK | CONTACT_SLIP);
}

// Those whose contact is in a state.
static inline uint32_t lanes_in_state(const EngineData *data, uint32_t first, uint8_t state)
{
    uint64_t eight;
    memcpy(&eight, data->contact + first, sizeof(eight));
    eight ^= 0x0101010101010101ull * state;
    return ~lanes_with((const uint8_t *)&eight, 0xFF) & ALL_LANES;
}

// Those whose contact is, or last was, with a solid.
static inline uint32_t lanes_on_solid(const EngineData *data, uint32_t first, uint32_t solid)
{
    typedef int16_t Shorts __attribute__((vector_size(SLICE * sizeof(int16_t))));
    Shorts          solids;
    memcpy(&solids, data->contact_solid + first, sizeof(solids));
    return equal_lanes(__builtin_convertvector(solids, Words), (Words){0} + solid);
}

// Takes the lanes that are on the same solid as the first one out of `left`.
static inline uint32_t take_solid(const EngineData *data, uint32_t first, uint32_t *left,
                                  uint32_t *solid)
{
    *solid = (uint32_t)data->contact_solid[first + (uint32_t)__builtin_ctz(*left)];
    uint32_t lanes = *left & lanes_on_solid(data, first, *solid);
    *left &= ~lanes;
    return lanes;
}

static inline void set_contacts(EngineData *data, uint32_t first, uint32_t lanes, uint8_t state)
{
    const uint64_t ones = spread_bits(lanes);
    uint64_t       eight;
    memcpy(&eight, data->contact + first, sizeof(eight));
    eight = (eight & ~(0xFF * ones)) | state * ones;
    memcpy(data->contact + first, &eight, sizeof(eight));
}

// Those with a pin, whether it holds now or not.
static inline uint32_t lanes_with_pin(const EngineData *data, uint32_t first)
{
    Words          pins = ~(Words){0};
    const uint32_t count = data->particle_count - first;
    if (count >= SLICE)
        memcpy(&pins, data->pin_of + first, sizeof(pins));
    else
        memcpy(&pins, data->pin_of + first, count * sizeof(*data->pin_of));
    return equal_lanes(pins >> 31, (Words){0});
}
