// view_report.h: what was shown and done in a window, as JSON, for `weft view --report`.
//
//   device                 what simulated: "cpu", or the name of the GPU
//   frames_drawn, steps    since the window opened
//   frames_per_second      drawn, over the time that the window was open
//   ms_a_frame             to draw one
//   simulated_seconds      since the last restart
//   real_time_factor       simulated by real time while it played last
//   restarts               how often
//   size                   of the window, pixels
//   color                  mode, as --color takes it
//   paused                 at the end
//   figures, keys          whether they were on the panel at the end
//   controls               at the end: step (ms), stiffness and damping (multiples of the scene's), wind (m/s), threshold
//   eye, target            of the camera, m
//   pictures               files that were saved
//   held                   only if the hand took hold: the cloth and vertex that it held last, where it took hold, and
//                          where the vertex is at the end, m
//   trouble                only if the simulation stopped by itself: why
#pragma once

#include "io/file.h"
#include "render/camera.h"
#include "view/panel.h"

typedef struct WeftViewFacts
{
    const char       *device;
    uint64_t          frames_drawn, steps;
    double            open_seconds, draw_seconds, simulated_seconds, real_time_factor;
    uint32_t          restarts, width, height;
    const char       *color;
    bool              paused, figures, keys;
    WeftPanelControls controls;
    Vec3              eye, target;
    char            **pictures; // (picture_count)
    size_t            picture_count;
    bool              has_held;
    size_t            held_cloth;
    uint32_t          held_vertex;
    Vec3              held_from, held_place;
    const char       *trouble; // "" if there is none
} WeftViewFacts;

/// Writes the report to a file that was begun, and commits it.
WEFT_CHECKED WeftStatus weft_view_report_write(const WeftViewFacts *facts, WeftFile *file);
