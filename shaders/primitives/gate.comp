#version 450
// gate: the workgroups of dispatches that are recorded, but only run if a condition holds when it comes to them.
// Reads open, sizes. Writes grids: the sizes, or no workgroups. One thread per dispatch.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"

PUSH(GatePush);

void main()
{
    uint dispatch = thread_index();
    if (dispatch >= push.count)
        return;
    bool is_open = push.open.at[0] != 0;
    for (uint k = 3 * dispatch; k < 3 * dispatch + 3; k++)
        push.grids.at[k] = is_open ? push.sizes.at[k] : 0;
}
