// timer.c: a pool of timestamps.
#include "timer.h"

#include <stdlib.h>
#include <string.h>

WeftStatus weft_gpu_timer_create(WeftGpu *gpu, WeftGpuTimer *timer, uint32_t count)
{
    memset(timer, 0, sizeof(*timer));
    timer->count = count;
    if (gpu->info.timestamp_bits == 0)
        return WEFT_OK;
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = count,
    };
    VK_TRY(vkCreateQueryPool(gpu->device, &info, NULL, &timer->pool), "making room for timestamps");
    return WEFT_OK;
}

void weft_gpu_timer_destroy(WeftGpu *gpu, WeftGpuTimer *timer)
{
    if (timer->pool)
        vkDestroyQueryPool(gpu->device, timer->pool, NULL);
    memset(timer, 0, sizeof(*timer));
}

void weft_gpu_timer_reset(const WeftGpuTimer *timer, WeftGpuCommands *commands)
{
    if (timer->pool)
        vkCmdResetQueryPool(commands->buffer, timer->pool, 0, timer->count);
}

void weft_gpu_timer_mark(const WeftGpuTimer *timer, WeftGpuCommands *commands, uint32_t mark)
{
    if (timer->pool)
        vkCmdWriteTimestamp(commands->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer->pool,
                            mark);
}

WeftStatus weft_gpu_timer_read(const WeftGpu *gpu, const WeftGpuTimer *timer, double *seconds)
{
    memset(seconds, 0, timer->count * sizeof(*seconds));
    if (!timer->pool)
        return WEFT_OK;
    uint64_t *ticks = calloc(timer->count, sizeof(*ticks));
    if (!ticks)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    VkResult result = vkGetQueryPoolResults(gpu->device, timer->pool, 0, timer->count,
                                            timer->count * sizeof(*ticks), ticks, sizeof(*ticks),
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);

    // Counters of few bits wrap around.
    uint64_t mask =
        gpu->info.timestamp_bits < 64 ? (UINT64_C(1) << gpu->info.timestamp_bits) - 1 : UINT64_MAX;
    for (uint32_t i = 0; result == VK_SUCCESS && i < timer->count; i++)
        seconds[i] = (double)((ticks[i] - ticks[0]) & mask) * gpu->info.timestamp_period;
    free(ticks);
    VK_TRY(result, "reading timestamps");
    return WEFT_OK;
}
