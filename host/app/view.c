// view.c: `weft view`: a window in which the cloth moves.
//
// One loop: hear what the user does, let the simulation catch up with the clock, draw.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "interrupt.h"
#include "picture_words.h"
#include "view/display.h"
#include "view_report.h"
#include "view_state.h"

static const double FRAME_SECONDS = 1.0 / 60; // between pictures, at least
static const double SLOW_SECONDS = 1.0 / 32;  // about that for a scene slower than its own time
static const double IDLE_SECONDS = 0.05;      // between looks, while nothing moves

static WeftStatus lay_out_panel(WeftView *view, WeftShot *shot)
{
    const WeftPanelControls before = view->controls;
    WeftPanelDrawing        drawing;
    uint32_t                width, height;
    WeftPanelFacts          facts = {
                 .has_figures = view->has_figures,
                 .has_keys = view->has_keys,
                 .keys = weft_view_keys,
                 .scene = view->options.scene ? view->options.scene : "tablecloth",
                 .color = weft_show_word(view->show),
                 .trouble = view->player.trouble,
                 .is_playing = view->player.is_playing,
                 .figures = weft_figures_tell(&view->figures, &view->player),
    };
    weft_window_size(&view->window, &width, &height);
    weft_panel_lay_out(&facts, &view->controls, &view->start_controls, &drawing);
    weft_painter_take(&view->painter, &drawing, width, height);
    shot->draw_over = weft_painter_draw;
    shot->over_number = drawing.number;
    shot->draw_user = &view->painter;
    return weft_view_apply_controls(view, &before);
}

static WeftStatus check_window(const WeftView *view)
{
    uint32_t width, height;
    weft_window_size(&view->window, &width,
                     &height); // which the display answers for a window that is there
    if (weft_display_took_window())
        return weft_fail(WEFT_ERROR_FAILED, "another program has destroyed the window");
    return WEFT_OK;
}

static WeftStatus draw(WeftView *view, bool *shown)
{
    WeftShot shot;
    double   begin = weft_clock_seconds();
    WEFT_TRY(check_window(view));
    WEFT_TRY(weft_view_set_shot(view, &shot));
    WEFT_TRY(lay_out_panel(view, &shot));
    WeftStatus status = weft_swapchain_show(&view->chain, &view->renderer, &shot, shown);
    if (status != WEFT_OK)
    {
        // A window that went while it was drawn is the reason, whatever the driver says.
        WEFT_TRY(check_window(view));
        return status;
    }
    if (*shown)
    {
        view->frames_drawn++;
        view->draw_seconds += weft_clock_seconds() - begin;
        weft_figures_draw(&view->figures, weft_clock_seconds() - begin);
    }
    return WEFT_OK;
}

// For steps between pictures, at most: what drawing leaves, but never less than half.
static double step_seconds(const WeftView *view)
{
    return fmax(SLOW_SECONDS - 1e-3 * view->figures.gathered.draw_ms, SLOW_SECONDS / 2);
}

static WeftStatus play(WeftView *view)
{
    double wait = 0;
    view->opened = weft_clock_seconds();
    while (!view->wants_close && !weft_interrupted())
    {
        bool shown;
        WEFT_TRY(weft_view_hear(view, wait));
        double begin = weft_clock_seconds();
        weft_player_run(&view->player, step_seconds(view));
        if (view->has_figures)
            weft_figures_steps(&view->figures, &view->player);
        WEFT_TRY(draw(view, &shown));
        wait =
            view->player.is_playing ? FRAME_SECONDS - (weft_clock_seconds() - begin) : IDLE_SECONDS;
    }
    return WEFT_OK;
}

static void forget_report(void *view)
{
    weft_file_abandon(&((WeftView *)view)->report);
}

static WeftStatus carry_out(WeftView *view)
{
    const WeftViewOptions *options = &view->options;
    char                   title[256];
    weft_interrupt_listen();
    WEFT_TRY(weft_scene_load(&view->scene, options->scene, (const char *const *)options->settings,
                             options->setting_count));
    if (options->report)
        WEFT_TRY(weft_file_begin(&view->report, options->report));
    snprintf(title, sizeof title, "weft - %s", options->scene ? options->scene : "tablecloth");
    WEFT_TRY(weft_window_system_start());
    WEFT_TRY(weft_window_create(&view->window, options->width, options->height, title));
    weft_display_watch(forget_report, view);
    if (!weft_panel_create(view->window.handle))
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the window");
    view->has_figures = true;
    view->controls = view->start_controls = weft_view_controls_of(&view->scene);
    WEFT_TRY(weft_view_build(view));
    weft_view_set_show(view, options->show);
    weft_player_play(&view->player, !options->paused);
    return play(view);
}

static Vec3 point_of(const double place[3])
{
    return vec3((float)place[0], (float)place[1], (float)place[2]);
}

static WeftStatus write_report(WeftView *view)
{
    const WeftHand *hand = &view->player.hand;
    double          held[3] = {0};
    if (view->has_held)
    {
        weft_sim_positions(view->player.sim, hand->cloth, view->places);
        memcpy(held, view->places + 3 * (size_t)hand->vertex, sizeof held);
    }
    const WeftViewFacts facts = {
        .device = weft_sim_device(view->player.sim),
        .frames_drawn = view->frames_drawn,
        .steps = view->steps_before + view->player.steps,
        .open_seconds = weft_clock_seconds() - view->opened,
        .draw_seconds = view->draw_seconds,
        .simulated_seconds = weft_sim_time(view->player.sim),
        .real_time_factor = view->player.real_time_factor,
        .restarts = view->restarts,
        .width = view->chain.width,
        .height = view->chain.height,
        .color = weft_show_word(view->show),
        .paused = !view->player.is_playing,
        .figures = view->has_figures,
        .keys = view->has_keys,
        .controls = view->controls,
        .eye = view->camera.eye,
        .target = view->camera.target,
        .pictures = view->pictures,
        .picture_count = view->picture_count,
        .has_held = view->has_held,
        .held_cloth = hand->cloth,
        .held_vertex = hand->vertex,
        .held_from = point_of(hand->from),
        .held_place = point_of(held),
        .trouble = view->player.trouble,
    };
    return weft_view_report_write(&facts, &view->report);
}

static void destroy(WeftView *view)
{
    weft_view_tear_down(view);
    weft_panel_destroy();
    weft_window_destroy(&view->window);
    weft_window_system_stop();
    weft_file_abandon(&view->report);
    weft_scene_destroy(&view->scene);
    for (size_t k = 0; k < view->picture_count; k++)
        free(view->pictures[k]);
    free(view->pictures);
    weft_view_options_destroy(&view->options);
}

int weft_command_view(int argc, char **argv)
{
    WeftView view = {0};
    int      exit_status = weft_view_options_read(&view.options, argc, argv);
    if (exit_status < 0)
    {
        WeftStatus status = carry_out(&view);
        if (status == WEFT_OK && view.options.report)
            status = write_report(&view);
        if (status != WEFT_OK)
            fprintf(stderr, "weft: %s\n", weft_error_message());
        exit_status = (int)status;
    }
    destroy(&view);
    return exit_status;
}
