// vk.h: Vulkan as weft uses it: entry points through volk, results as WeftStatus.
#pragma once

#include <volk.h> // before all that includes vulkan.h
#include <vk_mem_alloc.h>

#include "error.h"

/// Stores what went wrong while doing `what` ("allocating positions") in words.
WEFT_CHECKED WeftStatus weft_vk_fail(VkResult result, const char *what);

/// Returns from the calling function if a Vulkan call did not give VK_SUCCESS. In every build.
#define VK_TRY(call, what)                                                                         \
    do                                                                                             \
    {                                                                                              \
        VkResult vk_try_result = (call);                                                           \
        if (vk_try_result != VK_SUCCESS)                                                           \
            return weft_vk_fail(vk_try_result, what);                                              \
    } while (0)
