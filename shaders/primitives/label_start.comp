#version 450
// label_start: every vertex is a tree of its own, a dead end belongs to none.
// Reads vertex_flags. Writes labels, grids. One thread per vertex.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "layout.h"
#include "primitives/primitives.h"

PUSH(LabelPush);

void main()
{
    uint vertex = thread_index();
    if (vertex >= push.vertex_count)
        return;
    bool is_dead_end = (push.vertex_flags.at[vertex] & push.vertex_mask) != 0;
    push.labels.at[vertex] = is_dead_end ? LABEL_NONE : vertex;

    // No round of jumping has work until the round before it leaves some.
    if (vertex == 0)
        for (uint round = 0; round < push.round_count; round++)
        {
            push.grids.at[3 * round] = 0;
            push.grids.at[3 * round + 1] = push.grid_y;
            push.grids.at[3 * round + 2] = 1;
        }
}
