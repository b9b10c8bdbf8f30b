#version 450
// label: connected components of the graph of active implicit springs.
// Reads spring flags, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. This pass makes every free particle a tree of its
// own; primitives/label_hook then joins the trees at the ends of springs, and rounds of
// primitives/label_jump point everybody at its root. Without decomposition all particles have label 0.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    uint i = thread_index();
    if (i >= ENGINE.particle_count)
        return;
    bool is_held = (ENGINE.degrees.at[i] & DEAD_END) != 0;
    ENGINE.label.at[i] = ENGINE.decompose == 0 ? 0 : is_held ? LABEL_NONE : i;

    // No round of jumping has work until the round before it leaves some.
    if (i == 0)
    {
        uint groups = (ENGINE.particle_count + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
        for (uint place = GRID_ROUNDS; place < GRID_COUNT; place += 3)
        {
            ENGINE.grids.at[place] = 0;
            ENGINE.grids.at[place + 1] = (groups + GRID_MOST - 1) / GRID_MOST;
            ENGINE.grids.at[place + 2] = 1;
        }
    }
}
