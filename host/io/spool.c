// spool.c: frames in a file without a name.
#include "io/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static WeftStatus fail_spool(const WeftSpool *spool, const char *what, int reason)
{
    return weft_fail(WEFT_ERROR_INPUT, "%s: frames cannot be %s there: %s", spool->folder, what,
                     strerror(reason));
}

static size_t frame_size(const WeftSpool *spool)
{
    return 3 * sizeof(float) * spool->vertex_count;
}

WeftStatus weft_spool_begin(WeftSpool *spool, const char *folder, uint32_t vertex_count)
{
    memset(spool, 0, sizeof *spool);
    spool->vertex_count = vertex_count;
    spool->folder = strdup(folder);
    spool->frame = malloc(frame_size(spool));
    char *path = NULL;
    if (!spool->folder || !spool->frame || asprintf(&path, "%s/.weft_frames_XXXXXX", folder) < 0)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");

    spool->descriptor = mkostemp(path, O_CLOEXEC);
    spool->is_open = spool->descriptor >= 0;
    int reason = spool->is_open ? 0 : errno;
    if (spool->is_open)
        unlink(path);
    free(path);
    return reason == 0 ? WEFT_OK : fail_spool(spool, "kept", reason);
}

WeftStatus weft_spool_add(WeftSpool *spool, const double *positions)
{
    for (size_t i = 0; i < 3 * (size_t)spool->vertex_count; i++)
        spool->frame[i] = (float)positions[i];

    // The place follows from the count, so half a frame is written over by the next.
    size_t         left = frame_size(spool);
    off_t          place = (off_t)(left * spool->frame_count);
    const uint8_t *bytes = (const uint8_t *)spool->frame;
    while (left > 0)
    {
        ssize_t count = pwrite(spool->descriptor, bytes, left, place);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_spool(spool, "kept", count < 0 ? errno : ENOSPC);
        bytes += count;
        place += count;
        left -= (size_t)count;
    }
    spool->frame_count++;
    return WEFT_OK;
}

WeftStatus weft_spool_read(WeftSpool *spool, uint32_t index)
{
    size_t   left = frame_size(spool);
    off_t    place = (off_t)(left * index);
    uint8_t *bytes = (uint8_t *)spool->frame;
    while (left > 0)
    {
        ssize_t count = pread(spool->descriptor, bytes, left, place);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_spool(spool, "read", count < 0 ? errno : EIO);
        bytes += count;
        place += count;
        left -= (size_t)count;
    }
    return WEFT_OK;
}

void weft_spool_end(WeftSpool *spool)
{
    if (spool->is_open)
        close(spool->descriptor);
    free(spool->folder);
    free(spool->frame);
    memset(spool, 0, sizeof *spool);
}
