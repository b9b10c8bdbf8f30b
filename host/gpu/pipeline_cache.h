// pipeline_cache.h: compiled pipelines kept on disk, so that the second start is quick.
// A file that cannot be read, is damaged or belongs to another driver is as good as none; one that
// cannot be written is not written. Neither is an error.
#pragma once

#include "device.h"

/// Creates gpu->cache from the file of this device and driver, if there is one.
WEFT_CHECKED WeftStatus weft_gpu_cache_load(WeftGpu *gpu);

/// Writes what has changed.
void weft_gpu_cache_save(WeftGpu *gpu);

/// The path of the file, in the folder of the options, else in weft's own folder under
/// XDG_CACHE_HOME or ~/.cache; false if there is none.
bool weft_gpu_cache_path(const WeftGpu *gpu, char *path, size_t size);
