// writer_pc2.c: the PC2 point cache, little endian:
//
//   0   "POINTCACHE2\0"
//   12  int    1, the version
//   16  int    points
//   20  float  first frame, 0
//   24  float  frames a sample, 1
//   28  int    samples
//   32  float  x y z of every point, for every sample
//
// The number of samples is put right after every frame, so that even a cache whose run was killed
// can be read.
#include "io/writer_formats.h"

#include <string.h>

enum
{
    HEADER_SIZE = 32,
    COUNT_OFFSET = 28
};

WeftStatus weft_pc2_begin(WeftFile *file, const char *path, uint32_t vertex_count)
{
    uint8_t header[HEADER_SIZE] = {0};
    memcpy(header, "POINTCACHE2", 12);
    weft_bytes_little(header + 12, 1);
    weft_bytes_little(header + 16, vertex_count);
    weft_bytes_little(header + 20, weft_float_bits(0));
    weft_bytes_little(header + 24, weft_float_bits(1));

    WEFT_TRY(weft_file_begin(file, path));
    WeftStatus status = weft_file_put(file, header, sizeof header);
    if (status == WEFT_OK)
        status = weft_file_flush(file);
    if (status != WEFT_OK)
        weft_file_abandon(file);
    return status;
}

static WeftStatus put_frame(WeftFile *file, uint32_t vertex_count, uint32_t frame_count,
                            const double *positions)
{
    for (size_t i = 0; i < vertex_count; i++)
    {
        uint8_t record[12];
        for (int axis = 0; axis < 3; axis++)
            weft_bytes_little(record + 4 * axis, weft_float_bits((float)positions[3 * i + axis]));
        WEFT_TRY(weft_file_put(file, record, sizeof record));
    }
    WEFT_TRY(weft_file_flush(file));
    uint8_t count[4];
    weft_bytes_little(count, frame_count + 1);
    return weft_file_patch(file, COUNT_OFFSET, count, sizeof count);
}

WeftStatus weft_pc2_frame(WeftFile *file, uint32_t vertex_count, uint32_t frame_count,
                          const double *positions)
{
    WeftStatus status = put_frame(file, vertex_count, frame_count, positions);
    if (status == WEFT_OK)
        return status;

    // Back to the frames before; what was to be said is said already.
    uint64_t size = HEADER_SIZE + (uint64_t)frame_count * vertex_count * 12;
    return weft_file_truncate(file, size) == WEFT_OK ? status : WEFT_ERROR_INPUT;
}
