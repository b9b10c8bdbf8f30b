// scan.glsl: sums over the threads of a workgroup in shared memory, of any size.

shared uint scan_partial[gl_WorkGroupSize.x];

// What the threads before this one hold, added up. All threads must call it; `total` is the sum of
// all. Each round adds the partial sum that lies a distance back, and doubles the distance.
uint group_scan(uint value, out uint total)
{
    uint lane = gl_LocalInvocationID.x;
    uint sum = value;
    scan_partial[lane] = sum;
    barrier();
    for (uint distance = 1; distance < gl_WorkGroupSize.x; distance *= 2)
    {
        if (lane >= distance)
            sum += scan_partial[lane - distance];
        barrier();
        scan_partial[lane] = sum;
        barrier();
    }
    total = scan_partial[gl_WorkGroupSize.x - 1];
    return sum - value;
}
