// memory.h: buffers on the device, and the way of the data there and back.
//
// Shaders reach a buffer through its address. With WeftGpuOptions.guards, every buffer ends in
// guard words that nothing may write; tests look at them after each stage.
#pragma once

#include "device.h"

enum
{
    WEFT_GPU_STAGING_BYTES = 8 << 20,
    WEFT_GPU_GUARD_BYTES = 256,
};

typedef enum WeftGpuPlace
{
    WEFT_GPU_ON_DEVICE, // fast for the device
    WEFT_GPU_ON_HOST,   // mapped: small figures that the host reads or writes between steps
} WeftGpuPlace;

typedef struct WeftGpuBuffer
{
    VkBuffer      handle;
    VmaAllocation allocation;
    uint64_t      address; // for shaders
    uint64_t      size;    // bytes, without guard
    void         *memory;  // of a buffer on the host, else NULL
    const char   *name;    // in messages; not copied
} WeftGpuBuffer;

/// Allocates `size` bytes, a multiple of 4, with undefined content. Fails with WEFT_ERROR_FAILED,
/// saying how much there is, if the device has no room. On failure `buffer` is zeroed. Free with
/// weft_gpu_buffer_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_gpu_buffer_create(WeftGpu *gpu, WeftGpuBuffer *buffer,
                                               const char *name, uint64_t size, WeftGpuPlace place);
void                    weft_gpu_buffer_destroy(WeftGpu *gpu, WeftGpuBuffer *buffer);

/// Copies through the staging buffer and wait. Offset and size are multiples of 4. All earlier work
/// of the queue is done before the data moves.
WEFT_CHECKED WeftStatus weft_gpu_upload(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint64_t offset,
                                        const void *data, uint64_t size);
WEFT_CHECKED WeftStatus weft_gpu_download(WeftGpu *gpu, const WeftGpuBuffer *buffer,
                                          uint64_t offset, void *data, uint64_t size);

/// Sets all words of the buffer, not of its guard, to `word`, and waits.
WEFT_CHECKED WeftStatus weft_gpu_fill(WeftGpu *gpu, const WeftGpuBuffer *buffer, uint32_t word);

/// Fails with WEFT_ERROR_FAILED if a word behind the buffer was overwritten.
WEFT_CHECKED WeftStatus weft_gpu_guard_check(WeftGpu *gpu, const WeftGpuBuffer *buffer);

/// Bytes that can still be allocated on the device as far as its driver tells. The driver is only
/// asked now and then; what weft itself allocates counts at once.
uint64_t weft_gpu_memory_free(const WeftGpu *gpu);

/// For weft_gpu_open() and weft_gpu_close().
WEFT_CHECKED WeftStatus weft_gpu_memory_open(WeftGpu *gpu);
void                    weft_gpu_memory_close(WeftGpu *gpu);
