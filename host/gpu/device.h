// device.h: an open Vulkan device with one compute queue, and what all work on it shares.
//
//   WeftGpu *gpu;
//   WEFT_TRY(weft_gpu_open(&gpu, "gpu", NULL));      // then buffers, pipelines, commands
//   ...
//   weft_gpu_close(gpu);
//
// One WeftGpu may be used from one thread at a time; different ones from different threads.
#pragma once

#include "device_list.h"
#include "vk.h"

// Push constants that every device has room for.
#define WEFT_GPU_PUSH_BYTES 128

typedef struct WeftGpuOptions
{
    bool        guards;       // put guard words behind every buffer; see memory.h
    const char *cache_folder; // for compiled pipelines; NULL for the user's own, "" for none
} WeftGpuOptions;

typedef struct WeftGpu
{
    WeftGpuInfo      info;
    WeftGpuOptions   options;
    VkInstance       instance;
    VkPhysicalDevice physical;
    VkDevice         device;
    VkQueue          queue;
    VmaAllocator     allocator;
    VkPipelineLayout layout; // of all pipelines: push constants, no descriptors
    VkPipelineCache  cache;
    uint64_t         cache_hash; // of what the cache's file holds

    // Way of the data between host and device.
    VkCommandPool   transfer_pool;
    VkCommandBuffer transfer;
    VkFence         transfer_fence;
    VkBuffer        staging;
    VmaAllocation   staging_allocation;
    void           *staging_memory; // (WEFT_GPU_STAGING_BYTES)
} WeftGpu;

/// Opens the device that `wanted` stands for (see weft_gpu_choose()). For the CPU engine, which
/// "cpu" and "auto" may stand for, *gpu is NULL and the status WEFT_OK. `options` may be NULL for
/// all zero. Fails with WEFT_ERROR_INPUT if there is no such device or it cannot be used, with
/// WEFT_ERROR_FAILED if it does not start. Close with weft_gpu_close().
WEFT_CHECKED WeftStatus weft_gpu_open(WeftGpu **gpu, const char *wanted,
                                      const WeftGpuOptions *options);

/// Waits for all work, saves the pipeline cache and closes. Everything made on it must be gone.
void weft_gpu_close(WeftGpu *gpu);

/// The largest power of two up to `wanted` that the device allows as size of a workgroup.
uint32_t weft_gpu_group_size(const WeftGpu *gpu, uint32_t wanted);
