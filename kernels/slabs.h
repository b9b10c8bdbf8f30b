// slabs.h: how far items of cloth extend along a few lines, so that most of those that are not near are found to be apart.
#pragma once

#include "cells.h"

#define LINES 5
#define ROUGHNESS ((real)0.5e-6) // of places, in parts of how far the cells around reach

// The lines of a clump: along the normal of a triangle in its middle, and within its plane across the sides and both diagonals of the
// parallelogram that the triangle is a half of. In a flat net of such triangles, parts without a common corner are apart along
// one of the latter.
typedef struct Frame
{
    real origin[3], way[3];
    real line[LINES][3]; // unit, or nothing
} Frame;

// Eight items, with how near they let others come.
typedef struct Slabs
{
    Lanes low[LINES], high[LINES];
} Slabs;

// The unit vector across two others.
static inline void frame_cross(const real a[3], const real b[3], real result[3])
{
    for (int axis = 0; axis < 3; axis++)
    {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        result[axis] = a[next] * b[last] - a[last] * b[next];
    }
    // So small that its square has few digits left, it is none.
    real size = size_of(result), scale = size > (real)1e-15 ? 1 / size : 0;
    for (int axis = 0; axis < 3; axis++)
        result[axis] *= scale;
}

static inline void set_frame(const EngineData *data, uint32_t clump, Frame *frame)
{
    const PairList *pairs = &data->pairs;
    uint32_t        middle = pairs->item_corner[0][clump * CLUMP + pairs->clump_size[clump] / 2];
    uint32_t        fan = data->fan_begin[middle];
    bool            is_part = fan < data->fan_begin[middle + 1];
    real            edge[3][3] = {{0}}, sum[3], difference[3], size[3] = {0};
    for (int k = 0; k < 3 && is_part; k++)
    {
        uint32_t from = data->corners[k][data->fan[fan]],
                 to = data->corners[(k + 1) % 3][data->fan[fan]];
        for (int axis = 0; axis < 3; axis++)
            edge[k][axis] = data->kept_x[axis][to] - data->kept_x[axis][from];
        size[k] = pair_dot(edge[k], edge[k]);
    }
    // The longest edge is a diagonal.
    int         longest = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    const real *a = edge[(longest + 1) % 3], *b = edge[(longest + 2) % 3];
    for (int axis = 0; axis < 3; axis++)
    {
        frame->origin[axis] = data->kept_x[axis][middle];
        frame->way[axis] = pairs->clump[4 + axis][clump];
        sum[axis] = a[axis] + b[axis];
        difference[axis] = a[axis] - b[axis];
    }
    frame_cross(a, b, frame->line[0]);
    frame_cross(frame->line[0], a, frame->line[1]);
    frame_cross(frame->line[0], b, frame->line[2]);
    frame_cross(frame->line[0], sum, frame->line[3]);
    frame_cross(frame->line[0], difference, frame->line[4]);
}

// The eight items of a clump with so many corners each. Two items that are near have slabs that meet: what these add on both sides is
// together more than reach_of says, also after rounding. `held` has room for what is held.
WEFT_INLINE void set_slabs(const PairList *pairs, const Frame *frame, uint32_t clump, bool held,
                           const int count, Slabs *slabs)
{
    const uint32_t first = clump * CLUMP;
    Lanes          way[3], room = lanes_load(pairs->ball[7] + first);
    for (int axis = 0; axis < 3; axis++)
        way[axis] = lanes_load(pairs->ball[4 + axis] + first) - frame->way[axis];
    if (pairs->wide && !held)
        room -= lanes_load(pairs->ball[8] + first);
    room = (room + 2 * lanes_size(way)) * ROUNDING + ROUGHNESS * pairs->cell_size;
    for (int k = 0; k < count; k++)
    {
        Lanes to[3];
        for (int axis = 0; axis < 3; axis++)
            to[axis] = lanes_load(pairs->spot[3 * k + axis] + first) - frame->origin[axis];
        for (int line = 0; line < LINES; line++)
        {
            const real *unit = frame->line[line];
            Lanes       along = unit[0] * to[0] + unit[1] * to[1] + unit[2] * to[2];
            slabs->low[line] = k == 0 ? along : lanes_least(slabs->low[line], along);
            slabs->high[line] = k == 0 ? along : lanes_most(slabs->high[line], along);
        }
    }
    for (int line = 0; line < LINES; line++)
    {
        slabs->low[line] -= room;
        slabs->high[line] += room;
    }
}

// The same item by item, and all of them together at last.
typedef struct Extents
{
    real low[CLUMP + 1][LINES], high[CLUMP + 1][LINES];
} Extents;

static inline void set_extents(const Slabs *slabs, uint32_t size, Extents *extents)
{
    for (int line = 0; line < LINES; line++)
    {
        real low = INFINITY, high = -INFINITY;
        for (uint32_t lane = 0; lane < size; lane++)
        {
            extents->low[lane][line] = slabs->low[line][lane];
            extents->high[lane][line] = slabs->high[line][lane];
            low = slabs->low[line][lane] < low ? slabs->low[line][lane] : low;
            high = slabs->high[line][lane] > high ? slabs->high[line][lane] : high;
        }
        extents->low[CLUMP][line] = low;
        extents->high[CLUMP][line] = high;
    }
}

// Which of eight items are not apart from another one, or from all of a clump.
static inline uint32_t slabs_meet(const Extents *extents, uint32_t lane, const Slabs *others)
{
    LaneMask apart = {0};
    for (int line = 0; line < LINES; line++)
        apart |= (others->low[line] > extents->high[lane][line]) |
                 (others->high[line] < extents->low[lane][line]);
    return ~lanes_bits(apart) & 0xFF;
}
