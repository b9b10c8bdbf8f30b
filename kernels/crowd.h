// crowd.h: the clumps around a patch of cloth, side by side, so that each clump of the patch finds out at once whom of them it meets.
#pragma once

#include "slabs.h"

#define CROWD_MOST                                                                                 \
    256u // clumps; if there are more around a patch, they come one crowd after the other

// Clumps that are bounded by a box. Two whose boxes are apart along an axis by more than twice their ways are, and than what
// their parts spread from these, have nothing that could meet.
typedef struct Bounds
{
    real box[6]; // lowest and highest corner
    real way[3];
    real spread; // m, how far the ways of the parts are from this one
} Bounds;

// What a thread has looked up of the clumps around.
typedef struct Crowd
{
    real  box[6][CROWD_MOST], way[3][CROWD_MOST];
    bool  has_slabs[CROWD_MOST];
    Slabs slabs[CROWD_MOST];
} Crowd;

static inline Bounds clump_bounds(const PairList *pairs, uint32_t clump)
{
    Bounds bounds = {.spread = 0};
    for (int side = 0; side < 6; side++)
        bounds.box[side] = pairs->box[side][clump];
    for (int axis = 0; axis < 3; axis++)
        bounds.way[axis] = pairs->clump[4 + axis][clump];
    return bounds;
}

// Bounds of some clumps in a row.
static inline Bounds patch_bounds(const PairList *pairs, uint32_t first, uint32_t end)
{
    Bounds bounds = clump_bounds(pairs, first);
    for (uint32_t clump = first + 1; clump < end; clump++)
        for (int axis = 0; axis < 3; axis++)
        {
            real low = pairs->box[axis][clump], high = pairs->box[3 + axis][clump];
            bounds.box[axis] = low < bounds.box[axis] ? low : bounds.box[axis];
            bounds.box[3 + axis] = high > bounds.box[3 + axis] ? high : bounds.box[3 + axis];
            bounds.way[axis] += pairs->clump[4 + axis][clump];
        }
    for (int axis = 0; axis < 3; axis++)
        bounds.way[axis] /= (real)(end - first);
    for (uint32_t clump = first; clump < end; clump++)
    {
        real off[3];
        for (int axis = 0; axis < 3; axis++)
            off[axis] = pairs->clump[4 + axis][clump] - bounds.way[axis];
        real size = size_of(off);
        bounds.spread = size > bounds.spread ? size : bounds.spread;
    }
    return bounds;
}

// Eight clumps from a place on in arrays of boxes and ways: which of them others may find something in.
static inline uint32_t clumps_meet(const Bounds *own, const real *const box[6],
                                   const real *const ways[3], uint32_t place)
{
    Lanes    way[3];
    LaneMask apart = {0};
    for (int axis = 0; axis < 3; axis++)
        way[axis] = lanes_load(ways[axis] + place) - own->way[axis];
    Lanes room = 2 * ROUNDING * (lanes_size(way) + own->spread);
    for (int axis = 0; axis < 3; axis++)
    {
        apart |= lanes_load(box[axis] + place) - own->box[3 + axis] > room;
        apart |= own->box[axis] - lanes_load(box[3 + axis] + place) > room;
    }
    return ~lanes_bits(apart) & 0xFF;
}

static inline void crowd_gather(const PairList *pairs, Crowd *crowd, const uint32_t *clumps,
                                uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
    {
        for (int side = 0; side < 6; side++)
            crowd->box[side][k] = pairs->box[side][clumps[k]];
        for (int axis = 0; axis < 3; axis++)
            crowd->way[axis][k] = pairs->clump[4 + axis][clumps[k]];
        crowd->has_slabs[k] = false;
    }
}
