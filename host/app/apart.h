// apart.h: work in a process of its own, so that its peak memory is its own.
#pragma once

#include <stddef.h>

#include "error.h"

/// Fills `result`.
typedef WeftStatus (*WeftApartWork)(void *context, void *result);

/// Runs `work` in a child and brings its result, `size` bytes without pointers of its own, back. A failure of the work fails here with the same message.
WEFT_CHECKED WeftStatus weft_run_apart(WeftApartWork work, void *context, void *result,
                                       size_t size);
