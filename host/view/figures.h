// figures.h: what the panel tells about a simulation and its pictures, gathered while they run.
#pragma once

#include "view/panel.h"
#include "view/player.h"

typedef struct WeftFigures
{
    WeftPanelFigures gathered, told; // of late; and when they were last told
    double           told_clock;     // that moment, s
    double           rate_clock;     // when the present measurement of the rate began, s
    uint32_t         rate_frames;
    double           rate_draw_seconds;
    uint64_t         steps;       // that are in the figures already
    double           next_moment; // of the energies, simulated s
} WeftFigures;

/// Counts a picture that was drawn in so many seconds.
void weft_figures_draw(WeftFigures *figures, double seconds);

/// Takes in the steps since the last call.
void weft_figures_steps(WeftFigures *figures, const WeftPlayer *player);

/// Forgets the run, after a restart.
void weft_figures_restart(WeftFigures *figures);

/// What is gathered here and what the player knows. While the time runs, it changes only as often as can be read, and the panel
/// need not be drawn anew for every picture. Valid until the next call.
const WeftPanelFigures *weft_figures_tell(WeftFigures *figures, const WeftPlayer *player);
