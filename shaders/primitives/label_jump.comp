#version 450
// label_jump: every vertex climbs towards its root and takes the highest ancestor it reaches.
// Changes labels; writes the grid of the next round if a vertex is not there yet. One thread per
// vertex. A round divides the height of all trees by LABEL_JUMPS + 1 at least, so the number of
// rounds that is enough for any graph is known beforehand; those that are not needed run no group.
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
    uint start = push.labels.at[vertex];
    if (start == LABEL_NONE || start == vertex)
        return;

    uint ancestor = start;
    for (uint jump = 0; jump < LABEL_JUMPS; jump++)
    {
        uint next = push.labels.at[ancestor];
        if (next == ancestor)
            break;
        ancestor = next;
    }
    if (ancestor != start)
        push.labels.at[vertex] = ancestor;
    if (push.round + 1 < push.round_count && push.labels.at[ancestor] != ancestor)
        push.grids.at[3 * (push.round + 1)] = push.grid_x;
}
