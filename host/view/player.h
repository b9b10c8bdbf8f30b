// player.h: a simulation that keeps time with the clock on the wall, as far as it can.
//
// No step is ever left out or lengthened: a scene that is too slow for its own time is shown in slow motion, and with
// fewer pictures.
#pragma once

#include "view/hand.h"

enum
{
    WEFT_PLAYER_TROUBLE = 512
};

typedef struct WeftPlayer
{
    WeftSim *sim;
    WeftHand hand;
    bool     is_playing;
    double   clock_start, time_start; // s, real and simulated: the two ends that are kept together
    double   factor_clock, factor_time; // where the present measurement of the factor began
    double   real_time_factor;
    double   step_seconds; // that a step took of late; 0 before the first
    uint64_t steps;
    WeftStepReport last;                         // of a step not long ago
    char           trouble[WEFT_PLAYER_TROUBLE]; // why the simulation stopped by itself; ""
} WeftPlayer;

/// Builds the simulation, paused. Fails as weft_sim_create() does. Free with weft_player_destroy().
WEFT_CHECKED WeftStatus weft_player_create(WeftPlayer *player, const WeftScene *scene);
void                    weft_player_destroy(WeftPlayer *player);

/// Lets the time run, or stops it.
void weft_player_play(WeftPlayer *player, bool on);

/// Steps until the simulation has caught up with the clock, but not longer than `seconds` unless a single step takes longer. A
/// step that fails stops the time and says so in `trouble`.
void weft_player_run(WeftPlayer *player, double seconds);

/// One step, in a simulation at rest.
void weft_player_step(WeftPlayer *player);
