// tiles.h: the particles of a tile, for stages that run over particles.
#pragma once

#include "data.h"

static inline uint32_t tile_begin(uint32_t tile)
{
    return tile * TILE;
}

static inline uint32_t tile_end(const EngineData *data, uint32_t tile)
{
    uint32_t end = (tile + 1) * TILE;
    return end < data->particle_count ? end : data->particle_count;
}
