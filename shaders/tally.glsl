// tally.glsl: counts and maxima of a workgroup, gathered in shared memory so that a group costs one atomic of the device.
// All threads of the group must come through all three functions.
shared uint tally_words[4];

void tally_begin()
{
    if (gl_LocalInvocationID.x < 4)
        tally_words[gl_LocalInvocationID.x] = 0;
    barrier();
}

void tally_add(uint k, uint count)
{
    if (count > 0)
        atomicAdd(tally_words[k], count);
}

void tally_max(uint k, uint word)
{
    if (word > tally_words[k])
        atomicMax(tally_words[k], word);
}

void tally_end()
{
    barrier();
}
