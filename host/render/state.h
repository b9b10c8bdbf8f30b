// state.h: a moment of the cloth on the device, as the renderer is given it. Either the arrays of a running GPU engine
// themselves, or a snapshot of them.
#pragma once

#include "gpu/commands.h"
#include "render/surface.h"
#include "weft.h"

// Addresses are of arrays in the engine's numbering.
typedef struct WeftRenderState
{
    uint64_t x;      // (3 x stride) m, axis by axis
    uint64_t labels; // (stride) components; 0 if they are not known
    uint64_t flags;  // SPRING_* of the springs, by their place in storage; 0 if they are not known
    uint32_t stride;
    bool     is_double; // x
    double   time;      // s
} WeftRenderState;

typedef struct WeftSnapshot
{
    WeftGpuBuffer   buffer;
    WeftRenderState state;
} WeftSnapshot;

/// The springs of a simulation, or of a model that still has them, for weft_render_surface_create(). Free with free().
WEFT_CHECKED WeftStatus weft_render_springs_of_sim(const WeftSim *sim, WeftRenderSpring **springs,
                                                   uint32_t *count);
WEFT_CHECKED WeftStatus weft_render_springs_of_model(const WeftModel   *model,
                                                     WeftRenderSpring **springs, uint32_t *count);

/// The device that a simulation runs on, which has to be the one that draws it; NULL for the CPU.
WeftGpu *weft_render_gpu_of(const WeftSim *sim);

/// What a simulation was built from.
const WeftModel *weft_render_model_of(const WeftSim *sim);

/// Copies the places of all particles (particle_count x 3) in the engine's numbering to the host.
void weft_render_places_of(const WeftSim *sim, double *places);

/// The arrays of a simulation on a GPU, as they are now; false if it runs on the CPU.
bool weft_render_state_of(WeftRenderState *state, const WeftSim *sim);

// What a snapshot has besides the places.
typedef enum WeftSnapshotParts
{
    WEFT_SNAPSHOT_PLACES = 0,
    WEFT_SNAPSHOT_LABELS = 1,
    WEFT_SNAPSHOT_FLAGS = 2
} WeftSnapshotParts;

/// Copies the present state: on the device where the simulation runs on a GPU, else from the host. Makes the buffer the
/// first time and uses it again later.
WEFT_CHECKED WeftStatus weft_snapshot_take(WeftSnapshot *snapshot, WeftGpu *gpu, const WeftSim *sim,
                                           WeftSnapshotParts parts);

/// The same from places (model->particle_count x 3) in the users' order, as files have them. Components and flags are
/// then not known.
WEFT_CHECKED WeftStatus weft_snapshot_put(WeftSnapshot *snapshot, WeftGpu *gpu,
                                          const WeftModel *model, const double *positions,
                                          double time);
void                    weft_snapshot_destroy(WeftGpu *gpu, WeftSnapshot *snapshot);
