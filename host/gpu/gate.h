// gate.h: dispatches that are recorded, but only run if a word on the device says so when it comes to them.
//
//   weft_gpu_gate_begin(&gate, &commands, 2, open_address);   // the third of its gates
//   weft_gpu_sort_record(...);                                // runs no workgroup if the word is 0
//   weft_gpu_gate_end(&commands);
//
// The host is not needed for the decision. Indirect dispatches do not heed the gate: their counts are somebody else's.
#pragma once

#include "commands.h"

typedef struct WeftGpuGate
{
    WeftGpuPipeline pipeline;
    WeftGpuBuffer
        sizes; // (gates x GATE_DISPATCHES x 3) workgroups of each dispatch, in the host's memory
    WeftGpuBuffer grids; // the same, or none
    uint32_t      index; // the gate that is being recorded
    uint32_t      used;  // dispatches behind it
} WeftGpuGate;

/// Room for `count` gates. Fails with WEFT_ERROR_FAILED. Free with weft_gpu_gate_destroy().
WEFT_CHECKED WeftStatus weft_gpu_gate_create(WeftGpu *gpu, WeftGpuGate *gate, uint32_t count);
void                    weft_gpu_gate_destroy(WeftGpu *gpu, WeftGpuGate *gate);

/// What is dispatched between these two, at most GATE_DISPATCHES times, runs if the word at address `open` is not 0. Needs a
/// barrier before it. A gate that is recorded again must have the same dispatches behind it, or not be in flight.
void weft_gpu_gate_begin(WeftGpuGate *gate, WeftGpuCommands *commands, uint32_t index,
                         uint64_t open);
void weft_gpu_gate_end(WeftGpuCommands *commands);

/// The place of the next dispatch's counts in `grids`, in bytes. For commands.c.
uint64_t weft_gpu_gate_add(WeftGpuGate *gate, const uint32_t grid[2]);
