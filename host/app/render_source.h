// render_source.h: where `weft render` has its frames from: a simulation, or the files of an earlier run.
#pragma once

#include "io/frames.h"
#include "progress.h"
#include "render/state.h"
#include "warnings.h"

typedef struct WeftRenderSource
{
    WeftScene         scene;
    bool              has_files;
    WeftSim          *sim;   // of a scene that is simulated
    WeftFrames        files; // of one that was
    WeftModel         own_model;
    const WeftModel  *model;
    WeftRenderSpring *springs;
    uint32_t          spring_count;
    uint32_t          last_frame;
    uint32_t          frame;      // where the source is
    double           *places;     // (particles x 3) of this frame, in the engine's numbering
    double           *user_order; // (particles x 3) the same as files have them
    WeftWarnings      warnings;
} WeftRenderSource;

/// Reads the scene, `path` or the built-in one, without starting anything. With `files` and no path the scene is only what
/// is in the files: cloths, no solids. Fails with WEFT_ERROR_INPUT. Free with weft_render_source_close() in any case.
WEFT_CHECKED WeftStatus weft_render_source_load(WeftRenderSource *source, const char *path,
                                                const char *files, char *const *settings,
                                                size_t setting_count);

/// Builds cloths and engine; the source is then at frame 0.
WEFT_CHECKED WeftStatus weft_render_source_start(WeftRenderSource *source);
void                    weft_render_source_close(WeftRenderSource *source);

/// Goes on to a later frame; false in *there if that was interrupted. `progress` counts steps.
WEFT_CHECKED WeftStatus weft_render_source_advance(WeftRenderSource *source, uint32_t frame,
                                                   WeftProgress *progress, bool *there);

/// The present moment for the renderer, and source->places for the camera.
WEFT_CHECKED WeftStatus weft_render_source_keep(WeftRenderSource *source, WeftGpu *gpu,
                                                WeftSnapshot *snapshot, WeftSnapshotParts parts);
