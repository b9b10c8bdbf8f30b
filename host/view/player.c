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
    double         begin = weft_clock_seconds();
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
    {
        player->last = report;
        player->step_seconds = (weft_clock_seconds() - begin) / done;
    }
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

// How many of the steps that are due fit into so many seconds: one in any case, and one alone as long as it is not known what
// it takes. An engine that takes many at once is not heard of before the last.
static uint32_t steps_within(const WeftPlayer *player, double due, double seconds)
{
    double room = player->step_seconds > 0 ? seconds / player->step_seconds : 1;
    return (uint32_t)fmax(fmin(fmin(due, room), 1e6), 1);
}

void weft_player_run(WeftPlayer *player, double seconds)
{
    double now = weft_clock_seconds(), end = now + seconds;
    while (player->is_playing)
    {
        double behind =
            player->time_start + (now - player->clock_start) - weft_sim_time(player->sim);
        double due = floor(behind / weft_sim_step_size(player->sim));
        if (behind > MOST_BEHIND)
            start_clocks(player);
        if (due < 1 || !advance(player, steps_within(player, due, end - now)))
            break;
        now = weft_clock_seconds();
        // It ends before a step that would take longer than is left.
        if (now + player->step_seconds > end)
            break;
    }
    if (player->is_playing)
        measure_factor(player, now);
}
