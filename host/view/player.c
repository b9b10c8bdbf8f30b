// player.c: the clock of a simulation.
#include "view/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

static const double MOST_BEHIND = 0.25; // s; what is further behind than that is given up for lost
static const double FACTOR_SPAN = 0.5;  // s over which the real-time factor is measured

WeftStatus weft_player_create(WeftPlayer *player, const WeftScene *scene)
{
    memset(player, 0, sizeof *player);
    return weft_sim_create(&player->sim, scene);
}

void weft_player_destroy(WeftPlayer *player)
{
    weft_sim_destroy(player->sim);
    memset(player, 0, sizeof *player);
}

// From here on, simulated and real time go together.
static void start_clocks(WeftPlayer *player)
{
    player->clock_start = weft_clock_seconds();
    player->time_start = weft_sim_time(player->sim);
}

void weft_player_play(WeftPlayer *player, bool on)
{
    player->is_playing = on;
    start_clocks(player);
    player->factor_clock = player->clock_start;
    player->factor_time = player->time_start;
}

static bool advance(WeftPlayer *player, uint32_t most)
{
    uint32_t       done = 0;
    WeftStepReport report;
    WeftStatus     status = WEFT_OK;
    if (player->hand.holds)
    {
        status = weft_hand_move(&player->hand, player->sim, player->last.largest_stretch);
        most = 1;
    }
    if (status == WEFT_OK)
        status = weft_sim_advance(player->sim, most, &done, &report);
    player->steps += done;
    if (done > 0)
        player->last = report;
    if (status == WEFT_OK)
        return true;
    snprintf(player->trouble, sizeof player->trouble, "%s", weft_error_message());
    player->is_playing = false;
    return false;
}

void weft_player_step(WeftPlayer *player)
{
    weft_player_play(player, false);
    advance(player, 1);
}

static void measure_factor(WeftPlayer *player, double now)
{
    double span = now - player->factor_clock, time = weft_sim_time(player->sim);
    if (span < FACTOR_SPAN)
        return;
    player->real_time_factor = (time - player->factor_time) / span;
    player->factor_clock = now;
    player->factor_time = time;
}

void weft_player_run(WeftPlayer *player, double seconds)
{
    double begin = weft_clock_seconds(), now = begin;
    // It ends before a step that would take longer than is left, but takes one in any case.
    for (double took = 0; player->is_playing && now - begin + took <= seconds;)
    {
        double behind =
            player->time_start + (now - player->clock_start) - weft_sim_time(player->sim);
        double steps = floor(behind / weft_sim_step_size(player->sim));
        if (behind > MOST_BEHIND)
            start_clocks(player);
        if (steps < 1 || !advance(player, (uint32_t)fmin(steps, 1e6)))
            break;
        took = weft_clock_seconds() - now;
        now += took;
    }
    if (player->is_playing)
        measure_factor(player, now);
}
