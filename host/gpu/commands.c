// commands.c: recording, barriers, sending off, waiting.
#include "commands.h"

#include <string.h>

#include "gate.h"

enum
{
    REPEATS_A_SUBMIT = 64
};

WeftStatus weft_gpu_commands_create(WeftGpu *gpu, WeftGpuCommands *commands)
{
    memset(commands, 0, sizeof(*commands));
    commands->gpu = gpu;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = gpu->info.queue_family,
    };
    const VkFenceCreateInfo     fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkResult result = vkCreateCommandPool(gpu->device, &pool, NULL, &commands->pool);
    buffer.commandPool = commands->pool;
    if (result == VK_SUCCESS)
        result = vkAllocateCommandBuffers(gpu->device, &buffer, &commands->buffer);
    if (result == VK_SUCCESS)
        result = vkCreateFence(gpu->device, &fence, NULL, &commands->fence);
    if (result == VK_SUCCESS)
        return WEFT_OK;
    weft_gpu_commands_destroy(commands);
    return weft_vk_fail(result, "making room for commands");
}

void weft_gpu_commands_destroy(WeftGpuCommands *commands)
{
    if (commands->gpu)
    {
        VkDevice device = commands->gpu->device;
        if (commands->in_flight)
            vkWaitForFences(device, 1, &commands->fence, VK_TRUE, UINT64_MAX);
        vkDestroyFence(device, commands->fence, NULL);
        vkDestroyCommandPool(device, commands->pool, NULL);
    }
    memset(commands, 0, sizeof(*commands));
}

void weft_gpu_barrier(VkCommandBuffer buffer)
{
    // One barrier for all: nothing that runs here would gain from a narrower one.
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                        VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask =
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_HOST_READ_BIT |
                         VK_ACCESS_HOST_WRITE_BIT,
    };
    vkCmdPipelineBarrier(buffer, stages | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                         stages | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &memory, 0, NULL, 0,
                         NULL);
}

void weft_gpu_barrier_all(VkCommandBuffer buffer)
{
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &memory, 0, NULL, 0, NULL);
}

void weft_gpu_record_barrier(WeftGpuCommands *commands)
{
    weft_gpu_barrier(commands->buffer);
    commands->barrier_count++;
}

WeftStatus weft_gpu_commands_begin(WeftGpuCommands *commands)
{
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    VK_TRY(vkResetCommandPool(commands->gpu->device, commands->pool, 0), "recording commands");
    VK_TRY(vkBeginCommandBuffer(commands->buffer, &begin), "recording commands");
    commands->dispatch_count = 0;
    commands->barrier_count = 0;
    commands->gate = NULL;
    weft_gpu_record_barrier(commands);
    return WEFT_OK;
}

WeftStatus weft_gpu_commands_end(WeftGpuCommands *commands)
{
    weft_gpu_record_barrier(commands);
    VK_TRY(vkEndCommandBuffer(commands->buffer), "recording commands");
    return WEFT_OK;
}

void weft_gpu_group_grid(const WeftGpu *gpu, uint64_t group_count, uint32_t grid[2])
{
    uint64_t most = gpu->info.max_group_count;
    grid[1] = (uint32_t)((group_count + most - 1) / most);
    grid[0] = grid[1] ? (uint32_t)((group_count + grid[1] - 1) / grid[1]) : 0;
}

static void bind(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline, const void *push,
                 uint32_t push_bytes)
{
    vkCmdBindPipeline(commands->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
    if (push_bytes)
        vkCmdPushConstants(commands->buffer, commands->gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           push_bytes, push);
    commands->dispatch_count++;
}

void weft_gpu_dispatch_groups(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                              uint64_t group_count, const void *push, uint32_t push_bytes)
{
    if (group_count == 0)
        return;
    uint32_t grid[2];
    weft_gpu_group_grid(commands->gpu, group_count, grid);
    if (commands->gate != NULL)
    {
        uint64_t offset = weft_gpu_gate_add(commands->gate, grid);
        weft_gpu_dispatch_indirect(commands, pipeline, &commands->gate->grids, offset, push,
                                   push_bytes);
        return;
    }
    bind(commands, pipeline, push, push_bytes);
    vkCmdDispatch(commands->buffer, grid[0], grid[1], 1);
}

void weft_gpu_dispatch(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                       uint64_t thread_count, const void *push, uint32_t push_bytes)
{
    uint64_t size = pipeline->group_size;
    weft_gpu_dispatch_groups(commands, pipeline, (thread_count + size - 1) / size, push,
                             push_bytes);
}

void weft_gpu_dispatch_indirect(WeftGpuCommands *commands, const WeftGpuPipeline *pipeline,
                                const WeftGpuBuffer *buffer, uint64_t offset, const void *push,
                                uint32_t push_bytes)
{
    bind(commands, pipeline, push, push_bytes);
    vkCmdDispatchIndirect(commands->buffer, buffer->handle, offset);
}

void weft_gpu_record_fill(WeftGpuCommands *commands, const WeftGpuBuffer *buffer, uint64_t offset,
                          uint64_t size, uint32_t word)
{
    vkCmdFillBuffer(commands->buffer, buffer->handle, offset, size, word);
}

WeftStatus weft_gpu_commands_submit(WeftGpuCommands *commands, uint32_t repeats)
{
    VkCommandBuffer buffers[REPEATS_A_SUBMIT];
    if (repeats == 0)
        return WEFT_OK;
    WEFT_TRY(weft_gpu_commands_wait(commands));
    for (uint32_t i = 0; i < REPEATS_A_SUBMIT; i++)
        buffers[i] = commands->buffer;
    while (repeats)
    {
        uint32_t           count = repeats < REPEATS_A_SUBMIT ? repeats : REPEATS_A_SUBMIT;
        const VkSubmitInfo submit = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .commandBufferCount = count,
            .pCommandBuffers = buffers,
        };
        repeats -= count;

        // The fence of the last part stands for all: a queue finishes in order.
        VK_TRY(vkQueueSubmit(commands->gpu->queue, 1, &submit,
                             repeats ? VK_NULL_HANDLE : commands->fence),
               "sending commands to the device");
    }
    commands->in_flight = true;
    return WEFT_OK;
}

WeftStatus weft_gpu_commands_wait(WeftGpuCommands *commands)
{
    if (!commands->in_flight)
        return WEFT_OK;
    VkDevice device = commands->gpu->device;
    VK_TRY(vkWaitForFences(device, 1, &commands->fence, VK_TRUE, UINT64_MAX),
           "waiting for the device");
    commands->in_flight = false;
    VK_TRY(vkResetFences(device, 1, &commands->fence), "waiting for the device");
    return WEFT_OK;
}
