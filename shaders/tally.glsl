// tally.glsl: counts and maxima over all threads. Threads that run side by side put theirs together first, so that the
// device has few atomics to do; how many run side by side does not matter to the result.
#extension GL_KHR_shader_subgroup_arithmetic : require

void tally_add(uint place, uint count)
{
    uint sum = subgroupAdd(count);
    if (sum > 0 && subgroupElect())
        atomicAdd(ENGINE.findings.at[place], sum);
}

void tally_max(uint place, uint word)
{
    uint most = subgroupMax(word);
    if (most > 0 && subgroupElect() && most > ENGINE.findings.at[place])
        atomicMax(ENGINE.findings.at[place], most);
}
