// traffic.h: bytes that a step moves between the device and its memory, for comparisons with what the memory can do.
#pragma once

#include "engine_buffers.h"

/// Of a CG iteration over all particles, each array counted once; *matrix is the part of it that does not change between iterations.
/// `found` are the findings of a step (FOUND_*).
double weft_gpu_iteration_bytes(const WeftGpuEngine *engine, const uint32_t *found, double *matrix);

/// Of all stages of the step, as many CG iterations as it took included.
double weft_gpu_step_bytes(const WeftGpuEngine *engine, const uint32_t *found);
