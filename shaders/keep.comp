#version 450
// keep: the state at the beginning of the step, so that a step that fails can be taken back.
// Reads x, v, change, contact, contact_solid, contact_load. Writes the kept copies. One thread per particle, or for several.
// As the first of the step it also fetches the step's values from the queue, clears the findings, and sizes what goes over the pairs.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"

void main()
{
    Reals x = ENGINE.x, v = ENGINE.v, change = ENGINE.change, load = ENGINE.contact_load;
    Reals kept_x = ENGINE.kept_x, kept_v = ENGINE.kept_v, kept_change = ENGINE.kept_change,
          kept_load = ENGINE.kept_load;
    Uints contact = ENGINE.contact, solid = ENGINE.contact_solid, kept_contact = ENGINE.kept_contact,
          kept_solid = ENGINE.kept_solid;
    uint i = thread_index(), stride = ENGINE.padded_count;
    if (has_failed())
        return;
    uint threads = thread_count();
    uint first = ENGINE.clock.at[0] % ENGINE.ring_count * ENGINE.value_count;
    for (uint k = i; k < ENGINE.value_count; k += threads)
        ENGINE.values.at[k] = ENGINE.inputs.at[first + k];
    for (uint k = i; k < FOUND_COUNT; k += threads)
        ENGINE.findings.at[k] = 0;
    if (i == 0)
    {
        ENGINE.pair_counts.at[PAIR_TOUCHING] = 0;
        ENGINE.pair_counts.at[PAIR_JOINING] = 0;
        set_pair_grid(PAIR_GRID_ALL, ENGINE.pair_counts.at[PAIR_COUNT]);
    }
    for (uint place = i; place < 3 * stride; place += threads)
    {
        kept_x.at[place] = x.at[place];
        kept_v.at[place] = v.at[place];
        kept_change.at[place] = change.at[place];
    }
    for (uint place = i; place < stride; place += threads)
    {
        kept_load.at[place] = load.at[place];
        kept_contact.at[place] = contact.at[place];
        kept_solid.at[place] = solid.at[place];
    }
}
