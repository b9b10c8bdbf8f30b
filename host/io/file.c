// file.c: files that appear whole or not at all.
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)1 << 20)

static WeftStatus fail_write(const char *path, int reason)
{
    return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", path, strerror(reason));
}

static void release(WeftFile *file)
{
    if (file->is_open)
        close(file->descriptor);
    free(file->path);
    free(file->target);
    free(file->temporary);
    free(file->buffer);
    memset(file, 0, sizeof *file);
}

WeftStatus weft_file_begin(WeftFile *file, const char *path)
{
    memset(file, 0, sizeof *file);

    // A device or pipe is written in place; a folder cannot be a file.
    struct stat info;
    bool        exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return fail_write(path, EISDIR);
    bool in_place = exists && !S_ISREG(info.st_mode);

    // Only the folder's permission counts for a new name, so the old file's is asked for here.
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return fail_write(path, errno);

    file->path = strdup(path);
    file->target = exists ? realpath(path, NULL) : strdup(path);
    file->buffer = malloc(BUFFER_SIZE);
    int reason = 0;
    if (!file->path || !file->target || !file->buffer ||
        (!in_place && asprintf(&file->temporary, "%s.part", file->target) < 0))
        reason = ENOMEM;
    else
    {
        const char *name = in_place ? file->target : file->temporary;
        file->descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        file->is_open = file->descriptor >= 0;
        reason = file->is_open ? 0 : errno;
    }
    if (reason == 0)
        return WEFT_OK;
    release(file);
    return fail_write(path, reason);
}

WeftStatus weft_file_reserve(WeftFile *file, uint64_t size)
{
    if (!file->temporary || size <= file->reserved)
        return WEFT_OK;
    int failed = fallocate(file->descriptor, 0, 0, (off_t)size);
    if (failed && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return fail_write(file->path, errno);
    if (!failed)
        file->reserved = size;
    return WEFT_OK;
}

// Writes all of `size` bytes at the end of the file.
static WeftStatus write_all(WeftFile *file, const uint8_t *bytes, size_t size)
{
    while (size > 0)
    {
        ssize_t count = write(file->descriptor, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_write(file->path, count < 0 ? errno : ENOSPC);
        bytes += count;
        size -= (size_t)count;
        file->written += (size_t)count;
    }
    return WEFT_OK;
}

WeftStatus weft_file_flush(WeftFile *file)
{
    size_t used = file->used;
    file->used = 0;
    return write_all(file, file->buffer, used);
}

WeftStatus weft_file_put(WeftFile *file, const void *bytes, size_t size)
{
    // Nothing may be NULL, which memcpy must not be given.
    if (size == 0)
        return WEFT_OK;
    if (size > BUFFER_SIZE - file->used)
        WEFT_TRY(weft_file_flush(file));
    if (size > BUFFER_SIZE)
        return write_all(file, bytes, size);
    memcpy(file->buffer + file->used, bytes, size);
    file->used += size;
    return WEFT_OK;
}

WeftStatus weft_file_patch(WeftFile *file, uint64_t offset, const void *bytes, size_t size)
{
    ssize_t count = pwrite(file->descriptor, bytes, size, (off_t)offset);
    if (count != (ssize_t)size)
        return fail_write(file->path, count < 0 ? errno : ENOSPC);
    return WEFT_OK;
}

WeftStatus weft_file_truncate(WeftFile *file, uint64_t size)
{
    file->used = 0;
    if (ftruncate(file->descriptor, (off_t)size) != 0 ||
        lseek(file->descriptor, (off_t)size, SEEK_SET) < 0)
        return fail_write(file->path, errno);
    file->written = size;
    return WEFT_OK;
}

WeftStatus weft_file_commit(WeftFile *file)
{
    WeftStatus status = weft_file_flush(file);
    if (status == WEFT_OK && file->reserved > file->written)
        status = weft_file_truncate(file, file->written);

    // Some file systems tell only on closing that the disk is full.
    if (status == WEFT_OK)
    {
        file->is_open = false;
        if (close(file->descriptor) != 0)
            status = fail_write(file->path, errno);
    }
    if (status == WEFT_OK && file->temporary && rename(file->temporary, file->target) != 0)
        status = fail_write(file->path, errno);

    if (status == WEFT_OK)
        release(file);
    else
        weft_file_abandon(file);
    return status;
}

void weft_file_abandon(WeftFile *file)
{
    if (file->temporary)
        unlink(file->temporary);
    release(file);
}

WeftStatus weft_folder_create(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return weft_fail(WEFT_ERROR_INPUT, "%s: out of memory", path);

    // Every part of the path in turn, the whole last.
    int reason = 0;
    for (char *slash = copy; reason == 0 && slash; *slash = '/')
    {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            reason = errno;
        if (!slash)
            break;
    }

    // Something else may stand where the folder should be.
    struct stat info;
    if (reason == 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
        reason = ENOTDIR;
    free(copy);
    if (reason != 0)
        return weft_fail(WEFT_ERROR_INPUT, "%s: this folder cannot be made: %s", path,
                         strerror(reason));
    return WEFT_OK;
}
