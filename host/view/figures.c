// figures.c: rates, times and energies.
#include "view/figures.h"

#include <string.h>

#include "clock.h"

static const double RATE_SPAN = 0.5;     // s over which pictures are counted
static const double SMOOTHING = 0.1;     // weight of a new step among the times of stages
static const double MOMENT_SPAN = 0.025; // simulated s between the energies that are kept

void weft_figures_draw(WeftFigures *figures, double seconds)
{
    double now = weft_clock_seconds(), span = now - figures->rate_clock;
    if (figures->rate_clock == 0)
        figures->rate_clock = now;
    figures->rate_frames++;
    figures->rate_draw_seconds += seconds;
    if (span < RATE_SPAN || figures->rate_clock == now)
        return;
    figures->frames_per_second = figures->rate_frames / span;
    figures->draw_ms = 1e3 * figures->rate_draw_seconds / figures->rate_frames;
    figures->rate_clock = now;
    figures->rate_frames = 0;
    figures->rate_draw_seconds = 0;
}

static void keep_moment(WeftFigures *figures, const WeftSim *sim)
{
    WeftRunReport report = weft_sim_report(sim);
    if (figures->history_count == WEFT_PANEL_HISTORY)
    {
        size_t bytes = (WEFT_PANEL_HISTORY - 1) * sizeof(float);
        memmove(figures->kinetic, figures->kinetic + 1, bytes);
        memmove(figures->potential, figures->potential + 1, bytes);
        figures->history_count--;
    }
    figures->kinetic[figures->history_count] = (float)report.kinetic_energy;
    figures->potential[figures->history_count++] = (float)report.potential_energy;
}

void weft_figures_steps(WeftFigures *figures, const WeftPlayer *player)
{
    double time = weft_sim_time(player->sim);
    if (figures->steps == player->steps)
        return;
    double weight = figures->steps == 0 ? 1 : SMOOTHING, sum = 0;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        double ms = 1e3 * player->last.stage_seconds[stage];
        figures->stage_ms[stage] += weight * (ms - figures->stage_ms[stage]);
        sum += figures->stage_ms[stage];
    }
    figures->step_ms = sum;
    figures->steps = player->steps;
    if (time < figures->next_moment)
        return;
    keep_moment(figures, player->sim);
    figures->next_moment = time + MOMENT_SPAN;
}

void weft_figures_restart(WeftFigures *figures)
{
    figures->steps = 0;
    figures->history_count = 0;
    figures->next_moment = 0;
}

void weft_figures_tell(const WeftFigures *figures, const WeftPlayer *player, WeftPanelFacts *facts)
{
    const WeftStepReport *last = &player->last;
    facts->is_playing = player->is_playing;
    facts->trouble = player->trouble;
    facts->frames_per_second = figures->frames_per_second;
    facts->draw_ms = figures->draw_ms;
    facts->real_time_factor = player->real_time_factor;
    facts->time = weft_sim_time(player->sim);
    facts->step = weft_sim_step_size(player->sim);
    facts->step_ms = figures->step_ms;
    facts->device = weft_sim_device(player->sim);
    facts->particles = weft_sim_particle_count(player->sim);
    facts->iterations = last->iterations;
    facts->components = last->component_count;
    facts->largest_component = last->largest_component;
    facts->contacts = last->contact_count;
    facts->largest_stretch = last->largest_stretch;
    facts->stage_count = WEFT_STAGE_COUNT;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        facts->stage_names[stage] = weft_stage_name((WeftStage)stage);
        facts->stage_ms[stage] = figures->stage_ms[stage];
    }
    facts->kinetic = figures->kinetic;
    facts->potential = figures->potential;
    facts->history_count = figures->history_count;
}

_Static_assert((int)WEFT_STAGE_COUNT <= (int)WEFT_PANEL_STAGES,
               "the panel has room for all stages");
