// device_list_vk.h: the part of the list of devices that speaks Vulkan.
#pragma once

#include "device_list.h"
#include "vk.h"

/// All physical devices in the order of the loader; none is no error. Free the array with free().
WEFT_CHECKED WeftStatus weft_gpu_physical_devices(VkInstance instance, VkPhysicalDevice **devices,
                                                  uint32_t *count);

/// What a device says of itself; `problem` is set if weft cannot use it.
void weft_gpu_info_read(VkPhysicalDevice device, WeftGpuInfo *info);
