// device_list.c: what every Vulkan device says of itself, and whether weft can use it.
#include "device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_list_vk.h"
#include "instance.h"

static WeftGpuKind kind_of(VkPhysicalDeviceType type)
{
    switch (type)
    {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return WEFT_GPU_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return WEFT_GPU_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return WEFT_GPU_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return WEFT_GPU_SOFTWARE;
    default:
        return WEFT_GPU_OTHER;
    }
}

static bool has_extension(VkPhysicalDevice device, const char *name)
{
    uint32_t count = 0;
    bool     found = false;
    if (vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS)
        return false;
    VkExtensionProperties *extensions = calloc(count + 1, sizeof(*extensions));
    if (extensions &&
        vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions) == VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found |= strcmp(extensions[i].extensionName, name) == 0;
    free(extensions);
    return found;
}

// A queue family that computes; one that also draws is taken first, for the preview's sake.
static bool find_queue(VkPhysicalDevice device, WeftGpuInfo *info)
{
    VkQueueFamilyProperties families[32];
    uint32_t                count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
    int found = -1;
    for (uint32_t i = 0; i < count; i++)
    {
        bool draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT && (found < 0 || draws))
        {
            found = (int)i;
            if (draws)
                break;
        }
    }
    if (found < 0)
        return false;
    info->queue_family = (uint32_t)found;
    info->timestamp_bits = families[found].timestampValidBits;
    info->draws = families[found].queueFlags & VK_QUEUE_GRAPHICS_BIT;
    return true;
}

static void read_limits(WeftGpuInfo *info, const VkPhysicalDeviceLimits *limits)
{
    info->max_group_size = limits->maxComputeWorkGroupSize[0];
    info->max_group_invocations = limits->maxComputeWorkGroupInvocations;
    info->max_group_count = limits->maxComputeWorkGroupCount[0];
    info->max_push_bytes = limits->maxPushConstantsSize;
    info->shared_memory = limits->maxComputeSharedMemorySize;
    info->timestamp_period = 1e-9 * (double)limits->timestampPeriod;
}

static void read_memory(VkPhysicalDevice device, WeftGpuInfo *info)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            info->memory += memory.memoryHeaps[i].size;
}

void weft_gpu_info_read(VkPhysicalDevice device, WeftGpuInfo *info)
{
    memset(info, 0, sizeof(*info));
    VkPhysicalDeviceProperties basic;
    vkGetPhysicalDeviceProperties(device, &basic);
    snprintf(info->name, sizeof(info->name), "%s", basic.deviceName);
    info->kind = kind_of(basic.deviceType);
    info->vulkan[0] = VK_API_VERSION_MAJOR(basic.apiVersion);
    info->vulkan[1] = VK_API_VERSION_MINOR(basic.apiVersion);
    info->vulkan[2] = VK_API_VERSION_PATCH(basic.apiVersion);
    read_limits(info, &basic.limits);
    read_memory(device, info);
    bool computes = find_queue(device, info);
    if (basic.apiVersion < VK_API_VERSION_1_2)
    {
        snprintf(info->problem, sizeof(info->problem), "Vulkan %u.%u, needs 1.2", info->vulkan[0],
                 info->vulkan[1]);
        return;
    }

    VkPhysicalDeviceVulkan12Properties properties_12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties properties_11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
        .pNext = &properties_12,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &properties_11,
    };
    vkGetPhysicalDeviceProperties2(device, &properties);
    snprintf(info->driver, sizeof(info->driver), "%s%s%s", properties_12.driverName,
             properties_12.driverInfo[0] ? ", " : "", properties_12.driverInfo);
    info->subgroup_size = properties_11.subgroupSize;
    info->has_subgroup_arithmetic =
        properties_11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT &&
        properties_11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    info->has_subgroup_shuffle =
        info->has_subgroup_arithmetic &&
        properties_11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    info->max_allocation = properties_11.maxMemoryAllocationSize;
    info->has_memory_budget = has_extension(device, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    info->presents = has_extension(device, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    info->is_portability = has_extension(device, "VK_KHR_portability_subset");

    VkPhysicalDeviceVulkan12Features features_12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &features_12,
    };
    vkGetPhysicalDeviceFeatures2(device, &features);
    info->has_float64 = features.features.shaderFloat64;
    info->has_int64 = features.features.shaderInt64;

    if (!computes)
        snprintf(info->problem, sizeof(info->problem), "no queue that computes");
    else if (!features_12.bufferDeviceAddress)
        snprintf(info->problem, sizeof(info->problem), "no buffer device addresses");
    else if (!info->has_subgroup_arithmetic)
        snprintf(info->problem, sizeof(info->problem), "no subgroup arithmetic");
}

WeftStatus weft_gpu_list_create(WeftGpuList *list)
{
    memset(list, 0, sizeof(*list));
    VkInstance instance;
    WeftStatus status = weft_gpu_instance_acquire(&instance);
    if (status != WEFT_OK)
    {
        snprintf(list->notice, sizeof(list->notice), "%s", weft_error_message());
        return weft_gpu_is_validating() ? status : WEFT_OK;
    }

    VkPhysicalDevice *devices = NULL;
    status = weft_gpu_physical_devices(instance, &devices, &list->count);
    if (status == WEFT_OK && list->count > 0)
    {
        list->infos = calloc(list->count, sizeof(*list->infos));
        if (!list->infos)
            status = weft_fail(WEFT_ERROR_FAILED, "out of memory");
    }
    for (uint32_t i = 0; status == WEFT_OK && i < list->count; i++)
        weft_gpu_info_read(devices[i], &list->infos[i]);
    if (list->count == 0)
        snprintf(list->notice, sizeof(list->notice), "there is no Vulkan device");
    free(devices);
    weft_gpu_instance_release();
    if (status != WEFT_OK)
        weft_gpu_list_destroy(list);
    return status;
}

void weft_gpu_list_destroy(WeftGpuList *list)
{
    free(list->infos);
    memset(list, 0, sizeof(*list));
}

WeftStatus weft_gpu_physical_devices(VkInstance instance, VkPhysicalDevice **devices,
                                     uint32_t *count)
{
    *devices = NULL;
    *count = 0;
    VkResult result = vkEnumeratePhysicalDevices(instance, count, NULL);

    // Some loaders report missing drivers only here.
    if (result == VK_ERROR_INITIALIZATION_FAILED || (result == VK_SUCCESS && *count == 0))
    {
        *count = 0;
        return WEFT_OK;
    }
    VK_TRY(result, "listing the devices");
    *devices = calloc(*count, sizeof(**devices));
    if (!*devices)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    result = vkEnumeratePhysicalDevices(instance, count, *devices);
    if (result < 0)
    {
        free(*devices);
        *devices = NULL;
        return weft_vk_fail(result, "listing the devices");
    }
    return WEFT_OK;
}
