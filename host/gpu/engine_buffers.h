// engine_buffers.h: all arrays of the GPU engine on the device, and the block with their addresses.
//
// Layout and numbering are those of a CPU engine, from which the arrays are filled and into which they can be read back.
#pragma once

#include "memory.h"
#include "twin.h"

typedef struct WeftGpuEngine
{
    WeftGpu        *gpu;
    size_t          real_size; // bytes of a real on the device
    WeftPrecision   precision; // of the device's reals
    EngineBlock     block;
    WeftSlotPattern pattern, bend_pattern;
    WeftGpuBuffer   block_buffer;
    WeftGpuBuffer   arrays[WEFT_ARRAY_COUNT];
    WeftArrayShape  shapes[WEFT_ARRAY_COUNT];
    WeftGpuBuffer   clock, inputs, values, findings, results, rows;
    void           *packed; // (of the largest array) on the way between the engines
    uint64_t        bytes;  // of all arrays
} WeftGpuEngine;

/// Allocates all arrays for the CPU engine `twin_engine` and fills them from it. `ring_count` steps may be in flight.
/// What the solver and contact need besides is left to weft_gpu_contact_create() and weft_gpu_solve_create(), which set their
/// addresses in the block; the latter calls weft_gpu_engine_upload_block(). On failure `engine` is zeroed. Free with weft_gpu_engine_destroy().
WEFT_CHECKED WeftStatus weft_gpu_engine_create(WeftGpu *gpu, WeftGpuEngine *engine,
                                               WeftPrecision precision, const WeftTwin *twin,
                                               const void *twin_engine, uint32_t ring_count);
void                    weft_gpu_engine_destroy(WeftGpuEngine *engine);

// A buffer that is zero at first and has its address in the block.
typedef struct WeftGpuWanted
{
    WeftGpuBuffer *buffer;
    uint64_t      *address;
    const char    *name;
    uint64_t       size; // bytes
    WeftGpuPlace   place;
} WeftGpuWanted;

/// Creates buffers and adds their sizes to *bytes. Fails with WEFT_ERROR_FAILED; what was created by then is left to destroy.
WEFT_CHECKED WeftStatus weft_gpu_engine_create_wanted(WeftGpuEngine       *engine,
                                                      const WeftGpuWanted *wanted, size_t count,
                                                      uint64_t *bytes);

/// Sends the block off after a change.
WEFT_CHECKED WeftStatus weft_gpu_engine_upload_block(WeftGpuEngine *engine);

/// Copies one array, or all, between a CPU engine of any precision and the device.
WEFT_CHECKED WeftStatus weft_gpu_engine_upload(WeftGpuEngine *engine, WeftArray array,
                                               const WeftTwin *twin, const void *twin_engine);
WEFT_CHECKED WeftStatus weft_gpu_engine_download(WeftGpuEngine *engine, WeftArray array,
                                                 const WeftTwin *twin, void *twin_engine);
WEFT_CHECKED WeftStatus weft_gpu_engine_download_all(WeftGpuEngine *engine, const WeftTwin *twin,
                                                     void *twin_engine);

/// Puts the scalars of a step that the CPU engine was prepared for into place `ring` of the queue.
void weft_gpu_engine_set_inputs(WeftGpuEngine *engine, uint32_t ring, const WeftTwin *twin,
                                const void *twin_engine);

/// Starts the queue at place 0, with nothing failed.
WEFT_CHECKED WeftStatus weft_gpu_engine_reset_clock(WeftGpuEngine *engine);

/// Fails with WEFT_ERROR_FAILED if something wrote behind the end of an array.
WEFT_CHECKED WeftStatus weft_gpu_engine_guard_check(WeftGpuEngine *engine);

/// "keep_f32" and so on: the shader of a name in the engine's precision.
void weft_gpu_engine_shader(const WeftGpuEngine *engine, const char *name, char *text, size_t size);

/// The same for the shader of a stage, which may be one that knows mesh solids.
void weft_gpu_engine_stage_shader(const WeftGpuEngine *engine, WeftStage stage, char *text,
                                  size_t size);
