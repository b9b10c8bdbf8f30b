// contact.h: cloth near cloth on the device: the stages touch, cells, near and limit.
//
// All that a step may need is recorded. Rounds of limit that turn out to be superfluous have an empty grid; those of holding, with
// cells and near in them, lie behind gates.
#pragma once

#include "engine_buffers.h"
#include "gate.h"
#include "sort.h"

typedef struct WeftGpuContact
{
    WeftGpuEngine  *engine;
    WeftGpuPipeline touch, cells, near, limit;
    WeftGpuSort     sort;                      // of edges and triangles
    WeftGpuScan     scan;                      // of counts
    WeftGpuGate     gate;                      // one for each round of holding
    WeftGpuBuffer   sums, places, next, grids; // see pair_sums and on in engine.h
    uint64_t        bytes;                     // of its buffers
} WeftGpuContact;

/// Takes all memory and builds all pipelines; sets its addresses in the engine's block and leaves that to be uploaded. `engine` must
/// outlive it. Fails with WEFT_ERROR_FAILED. On failure `contact` is zeroed.
WEFT_CHECKED WeftStatus weft_gpu_contact_create(WeftGpuContact *contact, WeftGpuEngine *engine);
void                    weft_gpu_contact_destroy(WeftGpuContact *contact);

/// Whether weft_gpu_contact_record() is the one to record a stage.
bool weft_gpu_contact_has(WeftStage stage);

/// Records a stage and the barrier behind it; nothing if cloth may pass through cloth.
void weft_gpu_contact_record(WeftGpuContact *contact, WeftGpuCommands *commands, WeftStage stage);

/// Fails with WEFT_ERROR_FAILED if something wrote behind the end of one of its buffers.
WEFT_CHECKED WeftStatus weft_gpu_contact_guard_check(const WeftGpuContact *contact);
