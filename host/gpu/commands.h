// commands.h: work for the device, recorded once and sent off as often as wanted.
//
//   WEFT_TRY(weft_gpu_commands_begin(&commands));
//   weft_gpu_dispatch(&commands, &pipeline, thread_count, &push, sizeof(push));
//   weft_gpu_barrier(commands.buffer);
//   ...
//   WEFT_TRY(weft_gpu_commands_end(&commands));
//   WEFT_TRY(weft_gpu_commands_submit(&commands, 8));  // eight times in a row, without waiting
//   WEFT_TRY(weft_gpu_commands_wait(&commands));
//
// A recording begins and ends with a barrier, so that repetitions and other recordings of the same
// queue come one after the other and the host may read mapped memory after the wait.
#pragma once

#include "memory.h"
#include "pipeline.h"

typedef struct WeftGpuCommands
{
    WeftGpu            *gpu;
    VkCommandPool       pool;
    VkCommandBuffer     buffer;
    VkFence             fence;
    bool                in_flight;
    uint32_t            dispatch_count; // of one repetition
    uint32_t            barrier_count;  // of one repetition
    struct WeftGpuGate *gate;           // that dispatches are recorded behind, or NULL: see gate.h
} WeftGpuCommands;

/// Fails with WEFT_ERROR_FAILED. Free with weft_gpu_commands_destroy(), which waits if need be.
WEFT_CHECKED WeftStatus weft_gpu_commands_create(WeftGpu *gpu, WeftGpuCommands *commands);
void                    weft_gpu_commands_destroy(WeftGpuCommands *commands);

/// Recording. Begin forgets an earlier recording and must not be called while one is in flight.
WEFT_CHECKED WeftStatus weft_gpu_commands_begin(WeftGpuCommands *commands);
WEFT_CHECKED WeftStatus weft_gpu_commands_end(WeftGpuCommands *commands);

/// Runs the pipeline with at least `thread_count` threads, or exactly `group_count` workgroups and
/// few more; shaders find their number with thread_index() and group_index() of gpu.glsl and check
/// it against the end of their range. Nothing is recorded for 0.
void weft_gpu_dispatch(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                       uint64_t thread_count, const void *push, uint32_t push_bytes);
void weft_gpu_dispatch_groups(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                              uint64_t group_count, const void *push, uint32_t push_bytes);

/// The same with the three counts of workgroups read from `buffer` at `offset` when it comes to it, gate or not.
void weft_gpu_dispatch_indirect(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                                const WeftGpuBuffer *buffer, uint64_t offset, const void *push,
                                uint32_t push_bytes);

/// Sets words of a buffer; offset and size in bytes, multiples of 4.
void weft_gpu_record_fill(WeftGpuCommands *commands, const WeftGpuBuffer *buffer, uint64_t offset,
                          uint64_t size, uint32_t word);

/// All that was recorded before is done and visible to all that comes after.
void weft_gpu_record_barrier(WeftGpuCommands *commands);
void weft_gpu_barrier(VkCommandBuffer buffer);

/// The same where something is drawn before or after.
void weft_gpu_barrier_all(VkCommandBuffer buffer);

/// Sends the recording off `repeats` times. Waits first if it is still in flight.
WEFT_CHECKED WeftStatus weft_gpu_commands_submit(WeftGpuCommands *commands, uint32_t repeats);
WEFT_CHECKED WeftStatus weft_gpu_commands_wait(WeftGpuCommands *commands);

/// Cuts a count of workgroups into the x and y of a dispatch within the device's limit.
void weft_gpu_group_grid(const WeftGpu *gpu, uint64_t group_count, uint32_t grid[2]);
