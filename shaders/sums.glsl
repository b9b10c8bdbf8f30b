// sums.glsl: sums over a workgroup of at least SUM_LANES threads, always in the same order.

#ifdef WEFT_DOUBLE
#define real2 dvec2
#else
#define real2 vec2
#endif

#define SUM_LANES 8

shared real2 sum_values[gl_WorkGroupSize.x];
shared real2 sum_lanes[SUM_LANES];
shared real2 sum_total;

// The sum over all threads, for thread 0 alone. All must call it; needs no barrier before it nor between calls.
real2 group_sum(real2 value)
{
    uint lane = gl_LocalInvocationID.x, each = gl_WorkGroupSize.x / SUM_LANES;
    sum_values[lane] = value;
    barrier();
    if (lane < SUM_LANES)
    {
        real2 sum = sum_values[lane * each];
        for (uint k = 1; k < each; k++)
            sum += sum_values[lane * each + k];
        sum_lanes[lane] = sum;
    }
    barrier();
    real2 total = real2(0);
    if (lane == 0)
        for (uint k = 0; k < SUM_LANES; k++)
            total += sum_lanes[k];
    return total;
}

// The same for all threads.
real2 group_sum_for_all(real2 value)
{
    real2 total = group_sum(value);
    if (gl_LocalInvocationID.x == 0)
        sum_total = total;
    barrier();
    return sum_total;
}
