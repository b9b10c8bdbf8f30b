// slabs.h: how far items of cloth extend along a few lines, so that most of those that are not near are found to be apart.
#pragma once

#include "cells.h"

#define LINES 5
#define ROUGHNESS ((real)0.5e-6) // of places, in parts of how far the cells around reach

// The lines of a patch: along the normal of a triangle in its middle, and within its plane across the sides and both diagonals of the
// parallelogram that the triangle is a half of. In a flat net of such triangles, parts without a common corner are apart along
// one of the latter.
typedef struct Frame
{
    real origin[3];
    real line[LINES][3]; // unit, or nothing
    real room;           // m, what rounding may take from a place along a line, and the skin
} Frame;

// Eight items.
typedef struct Slabs
{
    Lanes low[LINES], high[LINES]; // m, of their corners
    Lanes way[3];                  // m, as in balls
    Lanes margin[2]; // m, how near they let others come; second, with room for what is held
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

// `clump` is in the middle of the patch, and so many cells along an axis are around it.
static inline void set_frame(const EngineData *data, uint32_t clump, uint32_t cells, real skin,
                             Frame *frame)
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
        sum[axis] = a[axis] + b[axis];
        difference[axis] = a[axis] - b[axis];
    }
    frame_cross(a, b, frame->line[0]);
    frame_cross(frame->line[0], a, frame->line[1]);
    frame_cross(frame->line[0], b, frame->line[2]);
    frame_cross(frame->line[0], sum, frame->line[3]);
    frame_cross(frame->line[0], difference, frame->line[4]);
    frame->room = skin + ROUGHNESS * (real)cells * pairs->cell_size;
}

// The eight items of a clump with so many corners each.
WEFT_INLINE void set_slabs(const PairList *pairs, const Frame *frame, uint32_t clump,
                           const int count, Slabs *slabs)
{
    const uint32_t first = clump * CLUMP;
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
    for (int axis = 0; axis < 3; axis++)
        slabs->way[axis] = lanes_load(pairs->ball[4 + axis] + first);
    slabs->margin[0] = slabs->margin[1] = lanes_load(pairs->ball[7] + first);
    if (pairs->wide)
        slabs->margin[0] -= lanes_load(pairs->ball[8] + first);
}

// What slabs add on both sides, measured against a way that both have: two items that are near have slabs that meet, because that is
// together more than reach_of says, also after rounding.
static inline Lanes slabs_room(const Slabs *slabs, const Frame *frame, const real way[3],
                               int is_wide)
{
    Lanes against[3];
    for (int axis = 0; axis < 3; axis++)
        against[axis] = slabs->way[axis] - way[axis];
    return (slabs->margin[is_wide] + 2 * lanes_size(against)) * ROUNDING + frame->room;
}

// The clump that looks around: its items with their room, and all of them together.
typedef struct Extents
{
    Lanes low[LINES], high[LINES];
    real  lowest[LINES], highest[LINES];
} Extents;

static inline void set_extents(const Slabs *slabs, Lanes room, Extents *extents)
{
    for (int line = 0; line < LINES; line++)
    {
        extents->low[line] = slabs->low[line] - room;
        extents->high[line] = slabs->high[line] + room;
        extents->lowest[line] = -lanes_largest(-extents->low[line]);
        extents->highest[line] = lanes_largest(extents->high[line]);
    }
}

// Which items of another clump are not apart from all of the one that looks. Their slabs are left in `low` and `high`.
static inline uint32_t slabs_meet(const Extents *extents, const Slabs *others, Lanes room,
                                  real low[LINES][SLICE], real high[LINES][SLICE])
{
    LaneMask apart = {0};
    for (int line = 0; line < LINES; line++)
    {
        Lanes from = others->low[line] - room, to = others->high[line] + room;
        lanes_store(low[line], from);
        lanes_store(high[line], to);
        apart |= (from > extents->highest[line]) | (to < extents->lowest[line]);
    }
    return ~lanes_bits(apart) & 0xFF;
}

// Which items of the clump that looks are not apart from one of another.
static inline uint32_t slab_meets(const Extents *extents, real low[LINES][SLICE],
                                  real high[LINES][SLICE], uint32_t lane)
{
    LaneMask apart = {0};
    for (int line = 0; line < LINES; line++)
        apart |= (extents->low[line] > high[line][lane]) | (extents->high[line] < low[line][lane]);
    return ~lanes_bits(apart) & 0xFF;
}
