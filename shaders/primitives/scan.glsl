// scan.glsl: sums over the threads of a workgroup in shared memory, of any size.
//
// Barriers are dear where threads are played by turns, as in software devices, so that there are two
// and not two a doubling: rows of SCAN_ROW threads are added up by one thread each, and every thread
// adds the sums of the rows before its own to what comes before it in its row.

#define SCAN_ROW 16

shared uint scan_values[gl_WorkGroupSize.x];
shared uint scan_rows[gl_WorkGroupSize.x / SCAN_ROW + 1];

// What the threads before this one hold, added up. All threads must call it, once; `total` is the
// sum of all.
uint group_scan(uint value, out uint total)
{
    uint lane = gl_LocalInvocationID.x, row = lane / SCAN_ROW;
    uint row_count = (gl_WorkGroupSize.x + SCAN_ROW - 1) / SCAN_ROW;
    scan_values[lane] = value;
    barrier();

    // Thread r: prefix sum within row r.
    if (lane < row_count)
    {
        uint sum = 0;
        for (uint i = lane * SCAN_ROW; i < min((lane + 1) * SCAN_ROW, gl_WorkGroupSize.x); i++)
        {
            uint item = scan_values[i];
            scan_values[i] = sum;
            sum += item;
        }
        scan_rows[lane] = sum;
    }
    barrier();

    uint before = 0;
    total = 0;
    for (uint i = 0; i < row_count; i++)
    {
        before += i < row ? scan_rows[i] : 0;
        total += scan_rows[i];
    }
    return before + scan_values[lane];
}
