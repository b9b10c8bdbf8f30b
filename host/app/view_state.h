// view_state.h: what `weft view` has in hand: the simulation, the window, and what draws the one into the other.
#pragma once

#include "view/figures.h"
#include "view/painter.h"
#include "view/swapchain.h"
#include "view_options.h"

typedef struct WeftView
{
    WeftViewOptions options;
    WeftFile        report; // begun before the window opens, so that a bad name is found early
    WeftScene       scene;
    WeftPlayer      player;
    WeftWindow      window;
    WeftInput       input;

    // What draws.
    WeftGpu          *gpu;
    bool              owns_gpu;
    WeftRenderSpring *springs;
    uint32_t          spring_count;
    double           *places; // (particles x 3) when last asked for
    WeftSnapshot      snapshot;
    WeftRenderer      renderer;
    WeftSwapchain     chain;
    WeftCamera        camera;
    bool              has_camera;
    WeftPainter       painter;
    WeftFigures       figures;
    bool              has_figures, has_keys; // on the panel
    WeftPanelControls controls, start_controls;
    float             grab_depth; // m, from the eye, of what the hand holds
    bool              has_held;   // the hand has held something since the start
    WeftShow          show;
    float             stretch_range;

    // What happened.
    uint64_t frames_drawn, steps_before; // before the last restart
    uint32_t restarts;
    double   opened, draw_seconds;
    char   **pictures;
    size_t   picture_count;
    bool     wants_close;
} WeftView;

/// Builds the simulation and all that depends on it: device, images of the window, renderer. The camera is kept if there is
/// one. Free with weft_view_tear_down(), also after a failure.
WEFT_CHECKED WeftStatus weft_view_build(WeftView *view);
void                    weft_view_tear_down(WeftView *view);

/// Builds everything anew, with what was changed on the panel.
WEFT_CHECKED WeftStatus weft_view_restart(WeftView *view);

/// Looks at the cloth and what it lies on as they are now; or only takes the light there.
WEFT_CHECKED WeftStatus weft_view_frame_camera(WeftView *view, bool keeps_view);

void weft_view_set_show(WeftView *view, WeftShow show);

/// What is to be seen now. A GPU engine's own arrays are drawn as they are.
WEFT_CHECKED WeftStatus weft_view_set_shot(WeftView *view, WeftShot *shot);

/// The panel's controls as a scene has them, and what the user changed on them since `before`: it acts from the next step on.
WeftPanelControls       weft_view_controls_of(const WeftScene *scene);
WEFT_CHECKED WeftStatus weft_view_apply_controls(WeftView *view, const WeftPanelControls *before);

/// Hears what the user does, with keys and mouse.
WEFT_CHECKED WeftStatus weft_view_hear(WeftView *view, double wait);

/// Saves a picture of what is seen, without what is written over it. A folder that cannot be written to does not end the view.
WEFT_CHECKED WeftStatus weft_view_save_picture(WeftView *view);
