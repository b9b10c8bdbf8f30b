// timer.h: times of the device itself, from timestamps between its commands.
#pragma once

#include "commands.h"

typedef struct WeftGpuTimer
{
    VkQueryPool pool; // VK_NULL_HANDLE if the device has no timestamps
    uint32_t    count;
} WeftGpuTimer;

/// Room for `count` marks. On a device without timestamps all calls do nothing and all times are 0.
WEFT_CHECKED WeftStatus weft_gpu_timer_create(WeftGpu *gpu, WeftGpuTimer *timer, uint32_t count);
void                    weft_gpu_timer_destroy(WeftGpu *gpu, WeftGpuTimer *timer);

/// Recording: reset comes first in the commands, then each mark once; a mark takes the time at
/// which all before it is done.
void weft_gpu_timer_reset(const WeftGpuTimer *timer, WeftGpuCommands *commands);
void weft_gpu_timer_mark(const WeftGpuTimer *timer, WeftGpuCommands *commands, uint32_t mark);

/// After the wait: seconds (count) since mark 0.
WEFT_CHECKED WeftStatus weft_gpu_timer_read(const WeftGpu *gpu, const WeftGpuTimer *timer,
                                            double *seconds);
