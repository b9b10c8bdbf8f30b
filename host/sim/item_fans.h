// item_fans.h: which items, as near looks at them, are around each particle.
#pragma once

#include <string.h>

#include "sim/engine.h"

// The items of a kind that each particle is a corner of.
typedef struct Fans
{
    uint32_t *begin; // (particle_count + 2)
    uint32_t *item;
} Fans;

static inline void fill_fans(const EngineData *data, int corner_count, Fans *fans)
{
    const PairList *pairs = &data->pairs;
    uint32_t        first = pairs->item_begin[corner_count - 1];
    memset(fans->begin, 0, ((size_t)data->particle_count + 2) * sizeof(uint32_t));
    for (int lays = 0; lays < 2; lays++)
    {
        for (uint32_t place = first; place < pairs->item_begin[corner_count]; place++)
            for (int k = 0; k < corner_count; k++)
            {
                uint32_t i = pairs->item_corner[k][place];
                if (place % CLUMP >= pairs->clump_size[place / CLUMP])
                    continue;
                if (lays)
                    fans->item[fans->begin[i + 1]++] = place;
                else
                    fans->begin[i + 2]++;
            }
        for (uint32_t i = 0; i <= data->particle_count && !lays; i++)
            fans->begin[i + 1] += fans->begin[i];
    }
}
