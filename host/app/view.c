// view.c: `weft view`: a window in which the cloth moves.
//
// One loop: hear what the user does, let the simulation catch up with the clock, draw.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "commands.h"
#include "gpu/instance.h"
#include "interrupt.h"
#include "picture_words.h"
#include "render/stretch.h"
#include "view/figures.h"
#include "view/painter.h"
#include "view/pick.h"
#include "view/swapchain.h"
#include "view_options.h"
#include "view_report.h"

static const double FRAME_SECONDS = 1.0 / 60; // between pictures, at least
static const double SLOW_SECONDS =
    1.0 / 30; // between pictures of a scene that is slower than its own time
static const double IDLE_SECONDS = 0.05; // between looks, while nothing moves
static const float  TURN = 0.006f;       // radians a pixel

typedef struct View
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
} View;

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory for the window");
}

// Looks at the cloth and what it lies on as they are now.
static WeftStatus frame_camera(View *view, bool keeps_view)
{
    const WeftCameraWish wish = {0};
    const WeftModel     *model = weft_render_model_of(view->player.sim);
    WeftFraming          framing = {0};
    uint32_t             width, height;
    weft_window_size(&view->window, &width, &height);
    weft_render_places_of(view->player.sim, view->places);
    WEFT_TRY(weft_framing_add(&framing, view->places, model->particle_count,
                              weft_sim_time(view->player.sim)));
    WeftCamera camera = weft_camera_fit(&framing, &view->renderer.solids, &wish,
                                        height > 0 ? (float)width / (float)height : 1);
    weft_framing_destroy(&framing);
    if (keeps_view)
    {
        view->camera.focus = camera.focus;
        view->camera.focus_radius = camera.focus_radius;
    }
    else
        view->camera = camera;
    view->has_camera = true;
    return WEFT_OK;
}

// The device that simulates also draws; otherwise the best there is.
static WeftStatus choose_device(View *view)
{
    view->gpu = weft_render_gpu_of(view->player.sim);
    if (view->gpu)
        return WEFT_OK;
    const WeftGpuOptions options = {.guards = weft_gpu_is_validating()};
    WeftStatus           status = weft_gpu_open(&view->gpu, "gpu", &options);
    if (status != WEFT_OK)
        return weft_fail(status, "drawing needs a Vulkan device: %s", weft_error_message());
    view->owns_gpu = true;
    return WEFT_OK;
}

static WeftPanelControls controls_of(const WeftScene *scene)
{
    return (WeftPanelControls){
        .step = (float)(1e3 * scene->step),
        .stiffness = 1,
        .damping = 1,
        .wind = {(float)scene->air.wind[0], (float)scene->air.wind[1], (float)scene->air.wind[2]},
        .threshold = (float)scene->integrator.threshold,
    };
}

// What the user changed on the panel since `before` acts from the next step on. The rest stays as exact as it is.
static WeftStatus apply_controls(View *view, const WeftPanelControls *before)
{
    const WeftPanelControls *now = &view->controls;
    WeftScene               *scene = &view->scene;
    if (now->step != before->step)
    {
        scene->step = 1e-3 * (double)now->step;
        weft_sim_set_step(view->player.sim, scene->step);
    }
    for (int axis = 0; axis < 3; axis++)
        if (now->wind[axis] != before->wind[axis])
            scene->air.wind[axis] = (double)now->wind[axis];
    if (now->threshold != before->threshold)
        scene->integrator.threshold = (double)now->threshold;
    if (now->stiffness == before->stiffness && now->damping == before->damping)
        return WEFT_OK;
    return weft_sim_scale_springs(view->player.sim, (double)now->stiffness, (double)now->damping);
}

// Simulation and all that depends on it.
static WeftStatus build(View *view)
{
    WEFT_TRY(weft_player_create(&view->player, &view->scene));
    WEFT_TRY(choose_device(view));
    const WeftModel *model = weft_render_model_of(view->player.sim);
    WEFT_TRY(weft_render_springs_of_sim(view->player.sim, &view->springs, &view->spring_count));
    view->places = malloc((3 * (size_t)model->particle_count + 1) * sizeof *view->places);
    if (!view->places)
        return out_of_memory();
    WEFT_TRY(weft_swapchain_open(&view->chain, view->gpu, &view->window));
    const WeftRendererWish wish = {
        .gpu = view->gpu,
        .model = model,
        .springs = view->springs,
        .spring_count = view->spring_count,
        .quality =
            view->gpu->info.kind == WEFT_GPU_SOFTWARE ? weft_quality_quick : weft_quality_fine,
        .format = view->chain.format,
        .final_layout = WEFT_SWAPCHAIN_LAYOUT,
    };
    WEFT_TRY(weft_renderer_create(&view->renderer, &wish));
    WEFT_TRY(weft_painter_create(&view->painter, &view->renderer));
    weft_figures_restart(&view->figures);
    return frame_camera(view, view->has_camera);
}

static void tear_down(View *view)
{
    if (view->gpu)
        weft_snapshot_destroy(view->gpu, &view->snapshot);
    weft_swapchain_close(&view->chain);
    weft_painter_destroy(&view->painter);
    weft_renderer_destroy(&view->renderer);
    if (view->owns_gpu)
        weft_gpu_close(view->gpu);
    view->gpu = NULL;
    view->owns_gpu = false;
    free(view->springs);
    free(view->places);
    view->springs = NULL;
    view->places = NULL;
    weft_player_destroy(&view->player);
    view->has_held = false;
}

static WeftStatus restart(View *view)
{
    bool was_playing = view->player.is_playing || *view->player.trouble;
    view->steps_before += view->player.steps;
    view->restarts++;
    tear_down(view);
    WEFT_TRY(build(view));
    // The scene has kept the other changes.
    WEFT_TRY(weft_sim_scale_springs(view->player.sim, (double)view->controls.stiffness,
                                    (double)view->controls.damping));
    weft_player_play(&view->player, was_playing);
    return WEFT_OK;
}

// The colours of stretch reach as far as the cloth is stretched when they are asked for.
static void measure_stretch(View *view)
{
    WeftStretches *stretches = calloc(1, sizeof *stretches);
    if (!stretches)
        return;
    weft_render_places_of(view->player.sim, view->places);
    weft_stretches_add(stretches, view->springs, view->spring_count, view->places);
    view->stretch_range = weft_stretches_range(stretches);
    free(stretches);
}

static void set_show(View *view, WeftShow show)
{
    view->show = show;
    if (show == WEFT_SHOW_STRETCH)
        measure_stretch(view);
}

// What is to be seen now. A GPU engine's own arrays are drawn as they are.
static WeftStatus set_shot(View *view, WeftShot *shot)
{
    const WeftSim    *sim = view->player.sim;
    WeftSnapshotParts parts = view->show == WEFT_SHOW_COMPONENTS  ? WEFT_SNAPSHOT_LABELS
                              : view->show == WEFT_SHOW_WIREFRAME ? WEFT_SNAPSHOT_FLAGS
                                                                  : WEFT_SNAPSHOT_PLACES;
    *shot = (WeftShot){
        .camera = view->camera,
        .show = view->show,
        .stretch_range = view->stretch_range,
        .has_legend = true,
    };
    if (weft_render_state_of(&shot->state, sim))
        return WEFT_OK;
    WEFT_TRY(weft_snapshot_take(&view->snapshot, view->gpu, sim, parts));
    shot->state = view->snapshot.state;
    return WEFT_OK;
}

// The first weft-N.png that is not there yet.
static char *free_name(void)
{
    char name[32];
    for (int k = 1; k < 100000; k++)
    {
        snprintf(name, sizeof name, "weft-%d.png", k);
        if (access(name, F_OK) != 0)
            return strdup(name);
    }
    return NULL;
}

static WeftStatus write_picture(View *view, WeftRenderTarget *target, WeftFile *file)
{
    WeftShot   shot;
    WeftPixels pixels = {target->width, target->height, target->pixels.memory};
    WEFT_TRY(set_shot(view, &shot));
    WEFT_TRY(weft_renderer_draw(&view->renderer, target, &shot));
    // Windows like blue first, files do not.
    for (size_t k = 0; view->renderer.format == VK_FORMAT_B8G8R8A8_SRGB &&
                       k < (size_t)pixels.width * pixels.height;
         k++)
    {
        uint8_t blue = pixels.bytes[4 * k];
        pixels.bytes[4 * k] = pixels.bytes[4 * k + 2];
        pixels.bytes[4 * k + 2] = blue;
    }
    return weft_png_write(&pixels, file);
}

// A picture of what is seen, without what is written over it. A folder that cannot be written to does not end the view.
static WeftStatus save_picture(View *view)
{
    WeftFile         file = {0};
    WeftRenderTarget target;
    uint32_t         width, height;
    char            *name = free_name();
    char **list = realloc(view->pictures, (view->picture_count + 1) * sizeof *view->pictures);
    view->pictures = list ? list : view->pictures;
    weft_window_size(&view->window, &width, &height);
    if (!name || !list || width == 0 || height == 0)
    {
        free(name);
        return WEFT_OK;
    }
    if (weft_file_begin(&file, name) != WEFT_OK)
    {
        fprintf(stderr, "weft: %s\n", weft_error_message());
        free(name);
        return WEFT_OK;
    }
    WeftStatus status =
        weft_render_target_create(&view->renderer, &target, width, height, VK_NULL_HANDLE);
    if (status == WEFT_OK)
    {
        status = write_picture(view, &target, &file);
        weft_render_target_destroy(&view->renderer, &target);
    }
    weft_file_abandon(&file);
    if (status != WEFT_OK)
    {
        free(name);
        return status;
    }
    view->pictures[view->picture_count++] = name;
    printf("%s\n", name);
    fflush(stdout);
    return WEFT_OK;
}

static WeftStatus press(View *view, char key)
{
    switch (key)
    {
    case ' ':
        if (!*view->player.trouble)
            weft_player_play(&view->player, !view->player.is_playing);
        return WEFT_OK;
    case '.':
        if (!*view->player.trouble)
            weft_player_step(&view->player);
        return WEFT_OK;
    case 'R':
        return restart(view);
    case 'C':
        set_show(view, (view->show + 1) % WEFT_SHOW_COUNT);
        return WEFT_OK;
    case '1':
    case '2':
    case '3':
    case '4':
        set_show(view, (WeftShow)(key - '1'));
        return WEFT_OK;
    case 'F':
        return frame_camera(view, false);
    case 'O':
        view->has_figures = !view->has_figures;
        return WEFT_OK;
    case 'H':
        view->has_keys = !view->has_keys;
        return WEFT_OK;
    case 'P':
        return save_picture(view);
    case 'Q':
    case '\x1b':
        view->wants_close = true;
    }
    return WEFT_OK;
}

static void move_camera(View *view, uint32_t height)
{
    const WeftInput *input = &view->input;
    if (input->middle || (input->shift && (input->left || input->right)))
        weft_camera_pan(&view->camera, (float)input->dx, (float)input->dy, height);
    else if (input->left || input->right)
        weft_camera_orbit(&view->camera, -TURN * (float)input->dx, TURN * (float)input->dy);
    if (input->scroll != 0)
        weft_camera_zoom(&view->camera, (float)input->scroll);
}

// Takes hold of the cloth where the left button went down on it.
static WeftStatus grab(View *view, uint32_t width, uint32_t height)
{
    const WeftModel *model = weft_render_model_of(view->player.sim);
    const WeftInput *input = &view->input;
    WeftPick         pick;
    size_t           cloth = 0;
    for (size_t k = 0; k < model->cloth_count; k++)
        weft_sim_positions(view->player.sim, k, view->places + 3 * (size_t)model->first_vertex[k]);
    if (!weft_pick(&pick, &view->camera, view->places, model->particle_count, input->pressed_x,
                   input->pressed_y, width, height))
        return WEFT_OK;
    while (pick.index >= model->first_vertex[cloth + 1])
        cloth++;
    view->grab_depth = pick.depth;
    view->has_held = true;
    view->player.hand.springs = view->springs;
    view->player.hand.spring_count = view->spring_count;
    return weft_hand_take(&view->player.hand, view->player.sim, cloth,
                          pick.index - model->first_vertex[cloth]);
}

// The hand stays as far from the eye as it was, under the pointer.
static void move_hand(View *view, uint32_t width, uint32_t height)
{
    WeftRay ray = weft_camera_ray(&view->camera, view->input.x, view->input.y, width, height);
    Vec3 place = mad(ray.from, view->grab_depth / dot(ray.along, view->camera.forward), ray.along);
    double *wish = view->player.hand.wish;
    wish[0] = (double)place.x;
    wish[1] = (double)place.y;
    wish[2] = (double)place.z;
}

// What the mouse does: the cloth where it is hit, else the camera.
static WeftStatus use_mouse(View *view)
{
    const WeftInput *input = &view->input;
    WeftHand        *hand = &view->player.hand;
    uint32_t         width, height;
    weft_window_size(&view->window, &width, &height);
    if (height == 0)
        return WEFT_OK;
    if (hand->holds && !input->left)
        WEFT_TRY(weft_hand_let_go(hand, view->player.sim));
    if (input->left_pressed && !input->shift)
        WEFT_TRY(grab(view, width, height));
    if (hand->holds)
        move_hand(view, width, height);
    else
        move_camera(view, height);
    return WEFT_OK;
}

static WeftStatus lay_out_panel(View *view, WeftShot *shot)
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
    };
    weft_window_size(&view->window, &width, &height);
    weft_figures_tell(&view->figures, &view->player, &facts);
    weft_panel_lay_out(&facts, &view->controls, &view->start_controls, &drawing);
    weft_painter_take(&view->painter, &drawing, width, height);
    shot->draw_over = weft_painter_draw;
    shot->draw_over_user = &view->painter;
    return apply_controls(view, &before);
}

static WeftStatus draw(View *view, bool *shown)
{
    WeftShot shot;
    double   begin = weft_clock_seconds();
    WEFT_TRY(set_shot(view, &shot));
    WEFT_TRY(lay_out_panel(view, &shot));
    WEFT_TRY(weft_swapchain_show(&view->chain, &view->renderer, &shot, shown));
    if (*shown)
    {
        view->frames_drawn++;
        view->draw_seconds += weft_clock_seconds() - begin;
        weft_figures_draw(&view->figures, weft_clock_seconds() - begin);
    }
    return WEFT_OK;
}

// For steps between pictures, at most: what drawing leaves, but never less than half.
static double step_seconds(const View *view)
{
    double frames = view->frames_drawn > 0 ? (double)view->frames_drawn : 1;
    return fmax(SLOW_SECONDS - view->draw_seconds / frames, SLOW_SECONDS / 2);
}

// What is done on the panel is not done to the cloth.
static void leave_to_panel(WeftInput *input)
{
    if (weft_panel_has_keys())
        input->key_count = 0;
    if (weft_panel_has_mouse())
    {
        input->left = input->middle = input->right = input->left_pressed = false;
        input->scroll = 0;
    }
}

static WeftStatus play(View *view)
{
    double wait = 0;
    view->opened = weft_clock_seconds();
    while (!view->wants_close && !weft_interrupted())
    {
        bool   shown;
        double begin = weft_clock_seconds();
        weft_window_look(&view->window, wait, &view->input);
        leave_to_panel(&view->input);
        for (int k = 0; k < view->input.key_count && !view->wants_close; k++)
            WEFT_TRY(press(view, view->input.keys[k]));
        view->wants_close = view->wants_close || view->input.closed;
        WEFT_TRY(use_mouse(view));
        weft_player_run(&view->player, step_seconds(view));
        if (view->has_figures)
            weft_figures_steps(&view->figures, &view->player);
        WEFT_TRY(draw(view, &shown));
        double left = FRAME_SECONDS - (weft_clock_seconds() - begin) + wait;
        wait = shown && view->player.is_playing ? left : IDLE_SECONDS;
    }
    return WEFT_OK;
}

static WeftStatus carry_out(View *view)
{
    const WeftViewOptions *options = &view->options;
    char                   title[256];
    WEFT_TRY(weft_scene_load(&view->scene, options->scene, (const char *const *)options->settings,
                             options->setting_count));
    if (options->report)
        WEFT_TRY(weft_file_begin(&view->report, options->report));
    snprintf(title, sizeof title, "weft - %s", options->scene ? options->scene : "tablecloth");
    WEFT_TRY(weft_window_system_start());
    WEFT_TRY(weft_window_create(&view->window, options->width, options->height, title));
    if (!weft_panel_create(view->window.handle))
        return out_of_memory();
    view->has_figures = true;
    view->controls = view->start_controls = controls_of(&view->scene);
    WEFT_TRY(build(view));
    weft_interrupt_listen();
    set_show(view, options->show);
    weft_player_play(&view->player, !options->paused);
    return play(view);
}

static Vec3 point_of(const double place[3])
{
    return vec3((float)place[0], (float)place[1], (float)place[2]);
}

static WeftStatus write_report(View *view)
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

static void destroy(View *view)
{
    tear_down(view);
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
    View view = {0};
    int  exit_status = weft_view_options_read(&view.options, argc, argv);
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
