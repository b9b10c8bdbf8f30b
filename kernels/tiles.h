// tiles.h: the particles of a tile, and of a strip.
//
// Springs lie in storage tile by tile, so stages that run over springs take tiles. Those that run over particles take strips, which are
// short enough to share a small cloth evenly between the threads.
#pragma once

#include "parallel.h"

#define STRIP 256u // particles, or triangles

static inline uint32_t tile_begin(uint32_t tile)
{
    return tile * TILE;
}

static inline uint32_t tile_end(const EngineData *data, uint32_t tile)
{
    uint32_t end = (tile + 1) * TILE;
    return end < data->particle_count ? end : data->particle_count;
}

static inline uint32_t strip_begin(uint32_t strip)
{
    return strip * STRIP;
}

static inline uint32_t strip_end(uint32_t count, uint32_t strip)
{
    uint32_t end = (strip + 1) * STRIP;
    return end < count ? end : count;
}

// Calls body for every strip of `count` particles or triangles.
static inline Tally parallel_strips(EngineData *data, uint32_t count, ParallelBody body)
{
    return parallel_tiles(data, (count + STRIP - 1) / STRIP, body);
}
