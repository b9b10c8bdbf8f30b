// figures.h: what the panel tells about a simulation and its pictures, gathered while they run.
#pragma once

#include "view/panel.h"
#include "view/player.h"

typedef struct WeftFigures
{
    double   frames_per_second, draw_ms, step_ms; // of late
    double   stage_ms[WEFT_STAGE_COUNT];
    double   rate_clock; // when the present measurement of the rate began, s
    uint32_t rate_frames;
    double   rate_draw_seconds;
    uint64_t steps; // that are in the figures already

    // Energies over time, J.
    float    kinetic[WEFT_PANEL_HISTORY], potential[WEFT_PANEL_HISTORY];
    uint32_t history_count;
    double   next_moment; // simulated s
} WeftFigures;

/// Counts a picture that was drawn in so many seconds.
void weft_figures_draw(WeftFigures *figures, double seconds);

/// Takes in the steps since the last call.
void weft_figures_steps(WeftFigures *figures, const WeftPlayer *player);

/// Forgets the run, after a restart.
void weft_figures_restart(WeftFigures *figures);

/// Fills in what is gathered here and what the player knows.
void weft_figures_tell(const WeftFigures *figures, const WeftPlayer *player, WeftPanelFacts *facts);
