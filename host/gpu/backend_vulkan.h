// backend_vulkan.h: the GPU engine's own parts, for backend_vulkan.c and for the check of its stages.
#pragma once

#include "solve.h"
#include "stages.h"
#include "timer.h"

enum
{
    WEFT_GPU_RING = 64 // steps in flight, at most
};

// What the stages of a step took, until the next is timed.
typedef struct WeftGpuTimes
{
    double   seconds[WEFT_STAGE_COUNT];
    uint32_t iterations; // of CG, in that step
    uint32_t age;        // steps since then
} WeftGpuTimes;

typedef struct WeftGpuBackend
{
    const WeftModel   *model;
    const WeftBackend *cpu; // of the engine that gave its layout and places solids and pins
    void              *host;
    const WeftTwin    *twin; // how to look into it
    WeftGpu           *gpu;
    WeftGpuEngine      engine;
    WeftGpuStages      stages;
    WeftGpuContact     contact;
    WeftGpuSolve       solve;
    WeftGpuCommands    step, restore;
    WeftGpuCommands    timed_step;  // one in many: marks may cost as much as stages
    WeftGpuTimer       timer;       // marks before the step, behind each stage, behind passes of CG
    WeftGpuTimes       times;       // of the last timed step
    uint32_t           iterations;  // recorded for large systems
    uint32_t           quiet_steps; // since so many were last needed
    bool               has_state;   // the host has the present x, v and spring lengths
    bool               has_labels, has_times;
    WeftStatus         status; // of a call that could not say so
} WeftGpuBackend;

/// Prepares place `ring` of the queue for a step.
WEFT_CHECKED WeftStatus weft_gpu_backend_prepare(WeftGpuBackend *backend, uint32_t ring,
                                                 double time, double h);

/// Puts the state back to what it was before the last step.
WEFT_CHECKED WeftStatus weft_gpu_backend_take_back(WeftGpuBackend *backend);

/// Records more iterations for the large systems.
WEFT_CHECKED WeftStatus weft_gpu_backend_lengthen(WeftGpuBackend *backend);
