// backend_vulkan.h: the GPU engine's own parts, for backend_vulkan.c and for the check of its stages.
#pragma once

#include "solve.h"
#include "stages.h"
#include "timer.h"

enum
{
    WEFT_GPU_RING = 64 // steps in flight, at most
};

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
    WeftGpuCommands    timed_step;  // the last of a queue: marks may cost as much as stages
    WeftGpuTimer       timer;       // marks before the step, behind each stage, behind passes of CG
    uint32_t           iterations;  // recorded for large systems
    uint32_t           quiet_steps; // since so many were last needed
    bool               has_state;   // the host has the present x, v and spring lengths
    bool               has_labels;
    WeftStatus         status; // of a call that could not say so
} WeftGpuBackend;

/// Prepares place `ring` of the queue for a step.
WEFT_CHECKED WeftStatus weft_gpu_backend_prepare(WeftGpuBackend *backend, uint32_t ring,
                                                 double time, double h);

/// Puts the state back to what it was before the last step.
WEFT_CHECKED WeftStatus weft_gpu_backend_take_back(WeftGpuBackend *backend);

/// Records more iterations for the large systems.
WEFT_CHECKED WeftStatus weft_gpu_backend_lengthen(WeftGpuBackend *backend);
