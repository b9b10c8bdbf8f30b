#version 450
// keep: the state at the beginning of the step, so that a step that fails can be taken back.
// Reads x, v, change, contact, contact_solid, contact_load. Writes the kept copies. One thread per particle.
// As the first of the step it also fetches the step's values from the queue and clears the findings.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"

void main()
{
    uint i = thread_index();
    if (has_failed())
        return;
    uint threads = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    uint first = ENGINE.clock.at[0] % ENGINE.ring_count * ENGINE.value_count;
    for (uint k = i; k < ENGINE.value_count; k += threads)
        ENGINE.values.at[k] = ENGINE.inputs.at[first + k];
    for (uint k = i; k < FOUND_COUNT; k += threads)
        ENGINE.findings.at[k] = 0;
    if (i >= ENGINE.particle_count)
        return;
    store3(ENGINE.kept_x, i, load3(ENGINE.x, i));
    store3(ENGINE.kept_v, i, load3(ENGINE.v, i));
    store3(ENGINE.kept_change, i, load3(ENGINE.change, i));
    ENGINE.kept_load.at[i] = ENGINE.contact_load.at[i];
    ENGINE.kept_contact.at[i] = ENGINE.contact.at[i];
    ENGINE.kept_solid.at[i] = ENGINE.contact_solid.at[i];
}
