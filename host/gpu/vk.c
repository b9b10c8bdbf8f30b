// vk.c: volk's implementation, and Vulkan's results in words.
#include "vk.h"

#define VOLK_IMPLEMENTATION
#include <volk.h>

static const char *describe(VkResult result)
{
    switch (result)
    {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "this machine has no memory left";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "the device has no memory left";
    case VK_ERROR_DEVICE_LOST:
        return "the device was lost: its driver gave up or was reset";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "the driver could not be started";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "there is no Vulkan driver";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "the driver lacks what was asked for";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "the driver has too many objects";
    case VK_TIMEOUT:
        return "the device did not finish in time";
    default:
        return "the driver reported an error";
    }
}

WeftStatus weft_vk_fail(VkResult result, const char *what)
{
    return weft_fail(WEFT_ERROR_FAILED, "%s: %s (Vulkan result %d)", what, describe(result),
                     (int)result);
}
