// file.h: files that appear whole or not at all. They are written under a temporary name in the
// same folder, which takes the place of the real one at the end. Every write is checked.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

typedef struct WeftFile
{
    char    *path;      // what the user asked for, for messages
    char    *target;    // the same with symbolic links followed
    char    *temporary; // NULL for a device or pipe, which is written in place
    int      descriptor;
    bool     is_open;
    uint8_t *buffer;
    size_t   used;     // bytes waiting in the buffer
    uint64_t written;  // bytes before them
    uint64_t reserved; // bytes that the file has room for
} WeftFile;

/// Starts a file. Fails with WEFT_ERROR_INPUT, naming file and reason, if it cannot be written
/// (then `file` is zeroed). End with weft_file_commit() or weft_file_abandon().
WEFT_CHECKED WeftStatus weft_file_begin(WeftFile *file, const char *path);

/// Makes sure that the disk has room for a file of `size` bytes, where the file system can promise
/// that; so a later weft_file_put() up to there does not fail for want of it.
WEFT_CHECKED WeftStatus weft_file_reserve(WeftFile *file, uint64_t size);

/// Adds bytes; they may wait in the buffer.
WEFT_CHECKED WeftStatus weft_file_put(WeftFile *file, const void *bytes, size_t size);

/// Hands all waiting bytes to the system.
WEFT_CHECKED WeftStatus weft_file_flush(WeftFile *file);

/// Replaces `size` bytes at `offset` that were flushed before.
WEFT_CHECKED WeftStatus weft_file_patch(WeftFile *file, uint64_t offset, const void *bytes,
                                        size_t size);

/// Drops everything past `size` bytes, waiting or written.
WEFT_CHECKED WeftStatus weft_file_truncate(WeftFile *file, uint64_t size);

/// Writes what is left and gives the file its name. On failure nothing is left behind.
WEFT_CHECKED WeftStatus weft_file_commit(WeftFile *file);

/// Removes what was written. Accepts a zeroed file.
void weft_file_abandon(WeftFile *file);

/// Makes a folder and those above it. Fails with WEFT_ERROR_INPUT if that is not possible.
WEFT_CHECKED WeftStatus weft_folder_create(const char *path);
