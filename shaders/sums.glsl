// sums.glsl: sums over a workgroup, always in the same order; every thread gets the same bits.

#ifdef WEFT_DOUBLE
#define real2 dvec2
#else
#define real2 vec2
#endif

#define SUM_CHUNK 16

shared real2 sum_lanes[gl_WorkGroupSize.x];
shared real2 sum_chunks[gl_WorkGroupSize.x / SUM_CHUNK];

// All threads must call it. Needs no barrier before it, nor between calls.
real2 group_sum2(real2 value)
{
    uint lane = gl_LocalInvocationID.x;
    sum_lanes[lane] = value;
    barrier();
    if (lane < gl_WorkGroupSize.x / SUM_CHUNK)
    {
        real2 sum = sum_lanes[lane * SUM_CHUNK];
        for (uint k = 1; k < SUM_CHUNK; k++)
            sum += sum_lanes[lane * SUM_CHUNK + k];
        sum_chunks[lane] = sum;
    }
    barrier();
    real2 total = sum_chunks[0];
    for (uint k = 1; k < gl_WorkGroupSize.x / SUM_CHUNK; k++)
        total += sum_chunks[k];
    return total;
}

real group_sum(real value)
{
    return group_sum2(real2(value, 0)).x;
}
