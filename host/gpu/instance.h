// instance.h: the one Vulkan instance of the process, shared by count, with validation on request.
//
// WEFT_VALIDATE=1 in the environment loads the Khronos validation layer with synchronization and
// GPU-assisted validation; WEFT_VALIDATE=calls leaves the latter out. What it finds goes to stderr and is counted.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "vk.h"

/// Takes hold of the instance; the first caller creates it. Safe from any thread. Fails with
/// WEFT_ERROR_INPUT if there is no loader, no driver, or no validation layer though it is asked
/// for. Give back with weft_gpu_instance_release().
WEFT_CHECKED WeftStatus weft_gpu_instance_acquire(VkInstance *instance);
void                    weft_gpu_instance_release(void);

/// From now on the instance also has these extensions (names that live on), and devices can show what they draw: for a
/// window. Call it before anything takes hold of the instance; what needs no window is not bothered with them.
void weft_gpu_instance_want_window(const char *const *extensions, uint32_t count);
bool weft_gpu_instance_has_window(void);

/// Whether WEFT_VALIDATE asks for validation.
bool weft_gpu_is_validating(void);

/// Errors and warnings of the validation layer since the process began.
uint32_t weft_gpu_validation_count(void);
