// device.c: opening and closing a device.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_list_vk.h"
#include "instance.h"
#include "memory.h"
#include "pipeline_cache.h"

// The chosen physical device, or VK_NULL_HANDLE for the CPU.
static WeftStatus choose_physical(WeftGpu *gpu, const char *wanted)
{
    VkPhysicalDevice *devices;
    WeftGpuList       list = {0};
    WEFT_TRY(weft_gpu_physical_devices(gpu->instance, &devices, &list.count));
    list.infos = calloc(list.count + 1, sizeof(*list.infos));
    WeftStatus status = list.infos ? WEFT_OK : weft_fail(WEFT_ERROR_FAILED, "out of memory");
    if (status == WEFT_OK)
    {
        for (uint32_t i = 0; i < list.count; i++)
            weft_gpu_info_read(devices[i], &list.infos[i]);
        int index;
        status = weft_gpu_choose(&list, wanted, &index);
        if (status == WEFT_OK && index >= 0)
        {
            gpu->physical = devices[index];
            gpu->info = list.infos[index];
        }
    }
    weft_gpu_list_destroy(&list);
    free(devices);
    return status;
}

static WeftStatus create_device(WeftGpu *gpu)
{
    const float                   priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->info.queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };

    // GPU-assisted validation writes what it finds from the shaders, and wants these for it.
    VkPhysicalDeviceFeatures there;
    vkGetPhysicalDeviceFeatures(gpu->physical, &there);
    bool                             validating = weft_gpu_is_validating();
    VkPhysicalDeviceVulkan12Features features_12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .bufferDeviceAddress = VK_TRUE,
    };
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &features_12,
        .features =
            {
                .shaderFloat64 = gpu->info.has_float64,
                .shaderInt64 = gpu->info.has_int64,
                .fragmentStoresAndAtomics = validating && there.fragmentStoresAndAtomics,
                .vertexPipelineStoresAndAtomics =
                    validating && there.vertexPipelineStoresAndAtomics,
            },
    };

    const char *extensions[3];
    uint32_t    extension_count = 0;
    if (gpu->info.has_memory_budget)
        extensions[extension_count++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    if (gpu->info.is_portability)
        extensions[extension_count++] = "VK_KHR_portability_subset";
    if (gpu->info.presents && weft_gpu_instance_has_window())
        extensions[extension_count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    VK_TRY(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device), "opening the device");
    vkGetDeviceQueue(gpu->device, gpu->info.queue_family, 0, &gpu->queue);
    return WEFT_OK;
}

static WeftStatus create_layout(WeftGpu *gpu)
{
    const VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = WEFT_GPU_PUSH_BYTES,
    };
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK_TRY(vkCreatePipelineLayout(gpu->device, &info, NULL, &gpu->layout), "opening the device");
    return WEFT_OK;
}

// All but the zeroed object; on failure the caller closes it.
static WeftStatus open_parts(WeftGpu *gpu, const char *wanted)
{
    // Without loader or driver there is nothing to choose from, which the choice puts into words.
    WeftStatus status = weft_gpu_instance_acquire(&gpu->instance);
    if (status != WEFT_OK && weft_gpu_is_validating())
        return status;
    if (status != WEFT_OK)
    {
        WeftGpuList none = {0};
        int         index;
        snprintf(none.notice, sizeof(none.notice), "%s", weft_error_message());
        return weft_gpu_choose(&none, wanted, &index);
    }
    WEFT_TRY(choose_physical(gpu, wanted));
    if (!gpu->physical)
        return WEFT_OK;
    WEFT_TRY(create_device(gpu));
    WEFT_TRY(create_layout(gpu));
    WEFT_TRY(weft_gpu_memory_open(gpu));
    return weft_gpu_cache_load(gpu);
}

WeftStatus weft_gpu_open(WeftGpu **out, const char *wanted, const WeftGpuOptions *options)
{
    *out = NULL;
    if (strcmp(wanted, "cpu") == 0)
        return WEFT_OK;
    WeftGpu *gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    if (options)
        gpu->options = *options;
    WeftStatus status = open_parts(gpu, wanted);
    if (status != WEFT_OK || !gpu->device)
    {
        weft_gpu_close(gpu);
        return status;
    }
    *out = gpu;
    return WEFT_OK;
}

void weft_gpu_close(WeftGpu *gpu)
{
    if (!gpu)
        return;
    if (gpu->device)
    {
        vkDeviceWaitIdle(gpu->device);
        weft_gpu_cache_save(gpu);
        weft_gpu_memory_close(gpu);
        vkDestroyPipelineCache(gpu->device, gpu->cache, NULL);
        vkDestroyPipelineLayout(gpu->device, gpu->layout, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->instance)
        weft_gpu_instance_release();
    free(gpu);
}

uint32_t weft_gpu_group_size(const WeftGpu *gpu, uint32_t wanted)
{
    uint32_t most = wanted;
    if (most > gpu->info.max_group_size)
        most = gpu->info.max_group_size;
    if (most > gpu->info.max_group_invocations)
        most = gpu->info.max_group_invocations;
    uint32_t size = 1;
    while (size <= most / 2)
        size *= 2;
    return size;
}
