// writer_mdd.c: the MDD point cache of LightWave and others, big endian:
//
//   0   int    frames
//   4   int    points
//   8   float  time of every frame, s
//       float  x y z of every point, for every frame
//
// The times stand before the first frame, so their number has to be known.
#include "io/writer_formats.h"

static WeftStatus put_big(WeftFile *file, uint32_t value)
{
    uint8_t bytes[4];
    weft_bytes_big(bytes, value);
    return weft_file_put(file, bytes, sizeof bytes);
}

WeftStatus weft_mdd_reserve(WeftWriter *writer, size_t cloth)
{
    uint64_t frame_size = 4 + 12 * (uint64_t)writer->cloths[cloth].mesh->vertex_count;
    uint64_t frame_count = writer->frame_count + 1;
    return weft_file_reserve(&writer->cloths[cloth].cache, 8 + frame_count * frame_size);
}

WeftStatus weft_mdd_write(WeftWriter *writer, size_t cloth)
{
    WeftFile  *file = &writer->cloths[cloth].cache;
    WeftSpool *spool = &writer->cloths[cloth].spool;
    WEFT_TRY(put_big(file, writer->frame_count));
    WEFT_TRY(put_big(file, spool->vertex_count));
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
        WEFT_TRY(put_big(file, weft_float_bits((float)(frame / writer->frames_per_second))));
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
    {
        WEFT_TRY(weft_spool_read(spool, frame));
        for (size_t i = 0; i < 3 * (size_t)spool->vertex_count; i++)
            WEFT_TRY(put_big(file, weft_float_bits(spool->frame[i])));
    }
    return WEFT_OK;
}
