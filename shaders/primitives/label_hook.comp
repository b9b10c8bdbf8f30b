#version 450
// label_hook: joins the trees at both ends of every edge that counts.
// Reads edges, edge_flags. Changes labels: the parent of each vertex. One thread per edge. Ends with the same parent are in one tree
// already; on a grid, where every mesh is closed by its last edge, that is so for most.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "layout.h"
#include "primitives/primitives.h"
#include "primitives/union_find.glsl"

PUSH(LabelPush);

void main()
{
    uint edge = thread_index();
    if (edge >= push.edge_count || (push.edge_flags.at[edge] & push.edge_mask) == 0)
        return;
    uint a = push.edges.at[2 * edge], b = push.edges.at[2 * edge + 1];
    uint above_a = push.labels.at[a], above_b = push.labels.at[b];
    if (above_a == LABEL_NONE || above_b == LABEL_NONE || above_a == above_b)
        return;
    join(push.labels, a, b);
}
