#version 450
// label_hook: joins the trees at both ends of every edge that counts.
// Reads edges, edge_flags. Changes labels: the parent of each vertex. One thread per edge.
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
    if (push.labels.at[a] == LABEL_NONE || push.labels.at[b] == LABEL_NONE)
        return;
    join(push.labels, a, b);
}
