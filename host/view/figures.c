// figures.c: rates, times and energies.
#include "view/figures.h"

#include <string.h>

#include "clock.h"

static const double RATE_SPAN = 0.5;     // s over which pictures are counted
static const double SMOOTHING = 0.1;     // weight of a new step among the times of stages
static const double MOMENT_SPAN = 0.025; // simulated s between the energies that are kept
static const double TELL_SPAN = 0.125;   // s between figures on the panel

void weft_figures_draw(WeftFigures *figures, double seconds)
{
    double now = weft_clock_seconds(), span = now - figures->rate_clock;
    if (figures->rate_clock == 0)
        figures->rate_clock = now;
    figures->rate_frames++;
    figures->rate_draw_seconds += seconds;
    if (span < RATE_SPAN || figures->rate_clock == now)
        return;
    figures->gathered.frames_per_second = figures->rate_frames / span;
    figures->gathered.draw_ms = 1e3 * figures->rate_draw_seconds / figures->rate_frames;
    figures->rate_clock = now;
    figures->rate_frames = 0;
    figures->rate_draw_seconds = 0;
}

static void keep_moment(WeftPanelFigures *gathered, const WeftSim *sim)
{
    WeftRunReport report = weft_sim_report(sim);
    if (gathered->history_count == WEFT_PANEL_HISTORY)
    {
        size_t bytes = (WEFT_PANEL_HISTORY - 1) * sizeof(float);
        memmove(gathered->kinetic, gathered->kinetic + 1, bytes);
        memmove(gathered->potential, gathered->potential + 1, bytes);
        gathered->history_count--;
    }
    gathered->kinetic[gathered->history_count] = (float)report.kinetic_energy;
    gathered->potential[gathered->history_count++] = (float)report.potential_energy;
}

void weft_figures_steps(WeftFigures *figures, const WeftPlayer *player)
{
    WeftPanelFigures *gathered = &figures->gathered;
    double            time = weft_sim_time(player->sim);
    if (figures->steps == player->steps)
        return;
    double weight = figures->steps == 0 ? 1 : SMOOTHING, sum = 0;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        double ms = 1e3 * player->last.stage_seconds[stage];
        gathered->stage_ms[stage] += weight * (ms - gathered->stage_ms[stage]);
        sum += gathered->stage_ms[stage];
    }
    gathered->step_ms = sum;
    figures->steps = player->steps;
    if (time < figures->next_moment)
        return;
    keep_moment(gathered, player->sim);
    figures->next_moment = time + MOMENT_SPAN;
}

void weft_figures_restart(WeftFigures *figures)
{
    figures->steps = 0;
    figures->gathered.history_count = 0;
    figures->next_moment = 0;
    figures->told_clock = 0;
}

static void ask_player(WeftPanelFigures *gathered, const WeftPlayer *player)
{
    const WeftStepReport *last = &player->last;
    gathered->real_time_factor = player->real_time_factor;
    gathered->time = weft_sim_time(player->sim);
    gathered->step = weft_sim_step_size(player->sim);
    gathered->device = weft_sim_device(player->sim);
    gathered->particles = weft_sim_particle_count(player->sim);
    gathered->iterations = last->iterations;
    gathered->components = last->component_count;
    gathered->largest_component = last->largest_component;
    gathered->contacts = last->contact_count;
    gathered->largest_stretch = last->largest_stretch;
    gathered->stage_count = WEFT_STAGE_COUNT;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        gathered->stage_names[stage] = weft_stage_name((WeftStage)stage);
}

const WeftPanelFigures *weft_figures_tell(WeftFigures *figures, const WeftPlayer *player)
{
    double now = weft_clock_seconds();
    if (player->is_playing && now - figures->told_clock < TELL_SPAN)
        return &figures->told;
    ask_player(&figures->gathered, player);
    figures->told = figures->gathered;
    figures->told_clock = now;
    return &figures->told;
}

_Static_assert((int)WEFT_STAGE_COUNT <= (int)WEFT_PANEL_STAGES,
               "the panel has room for all stages");
