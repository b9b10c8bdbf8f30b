// memory.c: buffers through VMA; uploads and downloads through one staging buffer.
#include "memory.h"

#include <string.h>

#include "commands.h"

static const uint32_t guard_word = 0x600D600Du;

WeftStatus weft_gpu_memory_open(WeftGpu *gpu)
{
    const VmaVulkanFunctions functions = {
        .vkGetInstanceProcAddr = vkGetInstanceProcAddr,
        .vkGetDeviceProcAddr = vkGetDeviceProcAddr,
    };
    const VmaAllocatorCreateInfo allocator = {
        .flags = VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT |
                 VMA_ALLOCATOR_CREATE_EXTERNALLY_SYNCHRONIZED_BIT |
                 (gpu->info.has_memory_budget ? VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT : 0u),
        .physicalDevice = gpu->physical,
        .device = gpu->device,
        .instance = gpu->instance,
        .vulkanApiVersion = VK_API_VERSION_1_2,
        .pVulkanFunctions = &functions,
    };
    VK_TRY(vmaCreateAllocator(&allocator, &gpu->allocator), "opening the device's memory");

    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = WEFT_GPU_STAGING_BYTES,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    const VmaAllocationCreateInfo place = {
        .flags = VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT,
        .usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST,
    };
    VmaAllocationInfo allocated;
    VK_TRY(vmaCreateBuffer(gpu->allocator, &buffer, &place, &gpu->staging, &gpu->staging_allocation,
                           &allocated),
           "allocating the staging buffer");
    gpu->staging_memory = allocated.pMappedData;

    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags =
            VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = gpu->info.queue_family,
    };
    VK_TRY(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->transfer_pool),
           "opening the device's memory");
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->transfer_pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VK_TRY(vkAllocateCommandBuffers(gpu->device, &commands, &gpu->transfer),
           "opening the device's memory");
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK_TRY(vkCreateFence(gpu->device, &fence, NULL, &gpu->transfer_fence),
           "opening the device's memory");
    return WEFT_OK;
}

void weft_gpu_memory_close(WeftGpu *gpu)
{
    vkDestroyFence(gpu->device, gpu->transfer_fence, NULL);
    vkDestroyCommandPool(gpu->device, gpu->transfer_pool, NULL);
    if (gpu->allocator)
        vmaDestroyBuffer(gpu->allocator, gpu->staging, gpu->staging_allocation);
    vmaDestroyAllocator(gpu->allocator);
}

uint64_t weft_gpu_memory_free(const WeftGpu *gpu)
{
    const VkPhysicalDeviceMemoryProperties *memory;
    VmaBudget                               budgets[VK_MAX_MEMORY_HEAPS];
    vmaGetMemoryProperties(gpu->allocator, &memory);
    vmaGetHeapBudgets(gpu->allocator, budgets);
    uint64_t most = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++)
        if (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
            budgets[i].budget > budgets[i].usage && budgets[i].budget - budgets[i].usage > most)
            most = budgets[i].budget - budgets[i].usage;
    return most;
}

// Sends off what was recorded since begin_transfer() and waits for it.
static WeftStatus finish_transfer(WeftGpu *gpu, const char *what)
{
    VK_TRY(vkEndCommandBuffer(gpu->transfer), what);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &gpu->transfer,
    };
    VK_TRY(vkQueueSubmit(gpu->queue, 1, &submit, gpu->transfer_fence), what);
    VK_TRY(vkWaitForFences(gpu->device, 1, &gpu->transfer_fence, VK_TRUE, UINT64_MAX), what);
    VK_TRY(vkResetFences(gpu->device, 1, &gpu->transfer_fence), what);
    return WEFT_OK;
}

static WeftStatus begin_transfer(WeftGpu *gpu, const char *what)
{
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    VK_TRY(vkBeginCommandBuffer(gpu->transfer, &begin), what);
    weft_gpu_barrier(gpu->transfer);
    return WEFT_OK;
}

static WeftStatus fill_range(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint64_t offset,
                             uint64_t size, uint32_t word)
{
    if (size == 0)
        return WEFT_OK;
    WEFT_TRY(begin_transfer(gpu, buffer->name));
    vkCmdFillBuffer(gpu->transfer, buffer->handle, offset, size, word);
    weft_gpu_barrier(gpu->transfer);
    return finish_transfer(gpu, buffer->name);
}

// Whether the device has room, in words that help.
static WeftStatus check_room(const WeftGpu *gpu, const char *name, uint64_t size)
{
    const double mib = 1.0 / (1 << 20);
    uint64_t     free_bytes = weft_gpu_memory_free(gpu);
    if (size > gpu->info.max_allocation)
        return weft_fail(
            WEFT_ERROR_FAILED, "%s takes %.0f MiB, but a buffer on '%s' can have %.0f MiB at most",
            name, (double)size * mib, gpu->info.name, (double)gpu->info.max_allocation * mib);
    if (size > free_bytes)
        return weft_fail(WEFT_ERROR_FAILED, "%s takes %.0f MiB, but '%s' has only %.0f MiB free",
                         name, (double)size * mib, gpu->info.name, (double)free_bytes * mib);
    return WEFT_OK;
}

static WeftStatus create_buffer(WeftGpu *gpu, WeftGpuBuffer *buffer, uint64_t size,
                                WeftGpuPlace place)
{
    uint64_t bytes = size + (gpu->options.guards ? WEFT_GPU_GUARD_BYTES : 0);
    bytes = bytes < 16 ? 16 : bytes;
    WEFT_TRY(check_room(gpu, buffer->name, bytes));
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    };
    VmaAllocationCreateInfo where = {.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE};
    if (place == WEFT_GPU_ON_HOST)
    {
        where.usage = VMA_MEMORY_USAGE_AUTO_PREFER_HOST;
        where.flags =
            VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT | VMA_ALLOCATION_CREATE_MAPPED_BIT;
        where.requiredFlags = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    }
    VmaAllocationInfo allocated;
    VK_TRY(vmaCreateBuffer(gpu->allocator, &info, &where, &buffer->handle, &buffer->allocation,
                           &allocated),
           buffer->name);
    buffer->size = size;
    buffer->memory = place == WEFT_GPU_ON_HOST ? allocated.pMappedData : NULL;
    const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = buffer->handle,
    };
    buffer->address = vkGetBufferDeviceAddress(gpu->device, &address);
    if (gpu->options.guards)
        WEFT_TRY(fill_range(gpu, buffer, size, WEFT_GPU_GUARD_BYTES, guard_word));
    return WEFT_OK;
}

WeftStatus weft_gpu_buffer_create(WeftGpu *gpu, WeftGpuBuffer *buffer, const char *name,
                                  uint64_t size, WeftGpuPlace place)
{
    memset(buffer, 0, sizeof(*buffer));
    buffer->name = name;
    WeftStatus status = create_buffer(gpu, buffer, size, place);
    if (status != WEFT_OK)
        weft_gpu_buffer_destroy(gpu, buffer);
    return status;
}

void weft_gpu_buffer_destroy(WeftGpu *gpu, WeftGpuBuffer *buffer)
{
    if (buffer->handle)
        vmaDestroyBuffer(gpu->allocator, buffer->handle, buffer->allocation);
    memset(buffer, 0, sizeof(*buffer));
}

WeftStatus weft_gpu_upload(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint64_t offset,
                           const void *data, uint64_t size)
{
    for (uint64_t done = 0; done < size;)
    {
        uint64_t part = size - done;
        if (part > WEFT_GPU_STAGING_BYTES)
            part = WEFT_GPU_STAGING_BYTES;
        memcpy(gpu->staging_memory, (const char *)data + done, part);
        VK_TRY(vmaFlushAllocation(gpu->allocator, gpu->staging_allocation, 0, part), buffer->name);
        WEFT_TRY(begin_transfer(gpu, buffer->name));
        const VkBufferCopy copy = {.dstOffset = offset + done, .size = part};
        vkCmdCopyBuffer(gpu->transfer, gpu->staging, buffer->handle, 1, &copy);
        weft_gpu_barrier(gpu->transfer);
        WEFT_TRY(finish_transfer(gpu, buffer->name));
        done += part;
    }
    return WEFT_OK;
}

WeftStatus weft_gpu_download(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint64_t offset, void *data,
                             uint64_t size)
{
    for (uint64_t done = 0; done < size;)
    {
        uint64_t part = size - done;
        if (part > WEFT_GPU_STAGING_BYTES)
            part = WEFT_GPU_STAGING_BYTES;
        WEFT_TRY(begin_transfer(gpu, buffer->name));
        const VkBufferCopy copy = {.srcOffset = offset + done, .size = part};
        vkCmdCopyBuffer(gpu->transfer, buffer->handle, gpu->staging, 1, &copy);
        weft_gpu_barrier(gpu->transfer);
        WEFT_TRY(finish_transfer(gpu, buffer->name));
        VK_TRY(vmaInvalidateAllocation(gpu->allocator, gpu->staging_allocation, 0, part),
               buffer->name);
        memcpy((char *)data + done, gpu->staging_memory, part);
        done += part;
    }
    return WEFT_OK;
}

WeftStatus weft_gpu_fill(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint32_t word)
{
    return fill_range(gpu, buffer, 0, buffer->size, word);
}

WeftStatus weft_gpu_guard_check(WeftGpu *gpu, const WeftGpuBuffer *buffer)
{
    uint32_t words[WEFT_GPU_GUARD_BYTES / 4];
    if (!gpu->options.guards)
        return WEFT_OK;
    WEFT_TRY(weft_gpu_download(gpu, buffer, buffer->size, words, sizeof(words)));
    for (uint32_t i = 0; i < WEFT_GPU_GUARD_BYTES / 4; i++)
        if (words[i] != guard_word)
            return weft_fail(WEFT_ERROR_FAILED,
                             "%s: word %u behind its end was overwritten with %#x", buffer->name, i,
                             words[i]);
    return WEFT_OK;
}
