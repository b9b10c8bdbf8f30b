#version 450
// label: connected components of the graph of active implicit springs, contact springs among them.
// Reads spring flags, pairs, degrees. Writes label: the lowest particle index of the component, LABEL_NONE
// for a particle that is held in all directions: it is a dead end and belongs to none (Boxerman and
// Ascher 2004, section 5.2). One thread per particle. This pass makes every free particle a tree of its
// own; primitives/label_hook then joins the trees at the ends of springs, LABEL_PAIRS those at the corners of pairs (one thread per
// pair), and rounds of primitives/label_jump point everybody at its root. Without decomposition all particles have label 0.
//
// With WEFT_WIDE eight threads do it all: label_chains.glsl.
#extension GL_GOOGLE_include_directive : require
#define ENGINE_PUSH LabelStagePush
#include "engine.glsl"
#include "primitives/union_find.glsl"

// Implicit contact springs join whatever they lie between that is not held.
void join_corners(uint pair)
{
    uint last = LABEL_NONE;
    for (uint k = 0; k < 4; k++)
    {
        uint i = ENGINE.pair_corner.at[k * ENGINE.pair_capacity + pair];
        if (push.labels.at[i] == LABEL_NONE)
            continue;
        if (last != LABEL_NONE)
            join(push.labels, last, i);
        last = i;
    }
}

// Those of every `threads`-th pair from `first` on.
void join_pairs(uint first, uint threads)
{
    uint count = has_failed() ? 0 : ENGINE.pair_counts.at[PAIR_COUNT];
    for (uint pair = first; pair < count; pair += threads)
        if ((ENGINE.pair_flags.at[pair] & PAIR_IMPLICIT) != 0)
            join_corners(pair);
}

#ifdef WEFT_WIDE
#include "label_chains.glsl"

void main()
{
    label_chains();
}
#else

// No round of jumping has work until the round before it leaves some.
void clear_rounds()
{
    uint groups = (ENGINE.particle_count + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    for (uint place = GRID_ROUNDS; place < GRID_COUNT; place += 3)
    {
        ENGINE.grids.at[place] = 0;
        ENGINE.grids.at[place + 1] = (groups + GRID_MOST - 1) / GRID_MOST;
        ENGINE.grids.at[place + 2] = 1;
    }
}

void main()
{
    uint i = thread_index();
    if (push.phase == LABEL_PAIRS)
    {
        join_pairs(i, thread_count());
        return;
    }
    if (i >= ENGINE.particle_count)
        return;
    bool is_held = (ENGINE.degrees.at[i] & DEAD_END) != 0;
    push.labels.at[i] = ENGINE.decompose == 0 ? 0 : is_held ? LABEL_NONE : i;
    if (i == 0)
        clear_rounds();
}
#endif
