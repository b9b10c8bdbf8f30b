// device_list.h: which Vulkan devices there are, what they can do, and the choice among them.
// Knows no Vulkan type.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// From the most to the least wanted.
typedef enum WeftGpuKind
{
    WEFT_GPU_DISCRETE,
    WEFT_GPU_INTEGRATED,
    WEFT_GPU_VIRTUAL,
    WEFT_GPU_OTHER,
    WEFT_GPU_SOFTWARE,
    WEFT_GPU_KIND_COUNT
} WeftGpuKind;

typedef struct WeftGpuInfo
{
    char        name[256];
    char        driver[520];  // name and version as the driver tells them
    char        problem[128]; // why weft cannot use it; "" if it can
    WeftGpuKind kind;
    uint32_t    vulkan[3];      // version: major, minor, patch
    uint64_t    memory;         // bytes of device-local memory
    uint64_t    max_allocation; // bytes of the largest buffer
    uint32_t    subgroup_size;
    uint32_t    max_group_size;        // threads in a workgroup along x
    uint32_t    max_group_invocations; // threads in a workgroup
    uint32_t    max_group_count;       // workgroups in a dispatch along x
    uint32_t    max_push_bytes;
    uint32_t    shared_memory;    // bytes a workgroup
    uint32_t    queue_family;     // that computes
    uint32_t    timestamp_bits;   // 0 if the queue has no timestamps
    double      timestamp_period; // seconds a tick
    bool        draws;            // the queue family does graphics, too
    bool        has_subgroup_arithmetic;
    bool        has_subgroup_shuffle;
    bool        has_float64;
    bool        has_int64;
    bool        has_memory_budget;
    bool        presents;       // can show what it draws in a window
    bool        is_portability; // must be opened with VK_KHR_portability_subset
} WeftGpuInfo;

typedef struct WeftGpuList
{
    uint32_t     count;
    WeftGpuInfo *infos;       // (count) in the order of the loader
    char         notice[256]; // why there are none, or ""
} WeftGpuList;

/// Asks the Vulkan loader. No loader and no driver are no errors: the list is then empty and
/// `notice` says why. Free with weft_gpu_list_destroy().
WEFT_CHECKED WeftStatus weft_gpu_list_create(WeftGpuList *list);
void                    weft_gpu_list_destroy(WeftGpuList *list);

/// The device that `wanted` stands for; -1 for the CPU engine.
///
///   cpu      -1
///   auto     a discrete GPU, else an integrated one, else -1
///   gpu      the best device of any kind, software included
///   INDEX    of the list
///   NAME     a part of one device's name, in small or capital letters
///
/// Fails with WEFT_ERROR_INPUT, saying what there is, if no usable device or several match.
WEFT_CHECKED WeftStatus weft_gpu_choose(const WeftGpuList *list, const char *wanted, int *index);

/// "discrete GPU" and so on.
const char *weft_gpu_kind_name(WeftGpuKind kind);
