// spool.h: the frames of one cloth on disk, for formats whose file can only be put together when
// all frames are known. They lie in a file without a name, which vanishes with the program whatever
// ends it, so that the length of a run is not bounded by memory.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

typedef struct WeftSpool
{
    char    *folder; // where it lies, for messages
    int      descriptor;
    bool     is_open;
    uint32_t vertex_count;
    uint32_t frame_count;
    float   *frame; // (vertex_count x 3) m, the frame that was added or read last
} WeftSpool;

/// Starts a spool without frames. Fails with WEFT_ERROR_INPUT if nothing can be written in
/// `folder`. End with weft_spool_end(), also after a failure.
WEFT_CHECKED WeftStatus weft_spool_begin(WeftSpool *spool, const char *folder,
                                         uint32_t vertex_count);

/// Adds a frame, as floats. A frame that fails leaves those before it.
WEFT_CHECKED WeftStatus weft_spool_add(WeftSpool *spool, const double *positions);

/// Brings a frame back into `frame`.
WEFT_CHECKED WeftStatus weft_spool_read(WeftSpool *spool, uint32_t index);

/// Accepts a zeroed spool.
void weft_spool_end(WeftSpool *spool);
