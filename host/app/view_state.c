// view_state.c: building, changing and showing what is in the window.
#include "view_state.h"

#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "gpu/instance.h"
#include "render/stretch.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory for the window");
}

WeftStatus weft_view_frame_camera(WeftView *view, bool keeps_view)
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

// A software driver takes some megabytes for every picture and frees them after it. If they went back to the system each time,
// getting them again, page by page, would be a good part of drawing.
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
}

// The device that simulates also draws; otherwise the best there is.
static WeftStatus choose_device(WeftView *view)
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

WeftPanelControls weft_view_controls_of(const WeftScene *scene)
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
WeftStatus weft_view_apply_controls(WeftView *view, const WeftPanelControls *before)
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
WeftStatus weft_view_build(WeftView *view)
{
    WEFT_TRY(weft_player_create(&view->player, &view->scene));
    WEFT_TRY(choose_device(view));
    bool is_software = view->gpu->info.kind == WEFT_GPU_SOFTWARE;
    if (is_software)
        keep_memory();
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
        .quality = is_software ? weft_quality_quick : weft_quality_fine,
        .format = view->chain.format,
        .final_layout = WEFT_SWAPCHAIN_LAYOUT,
    };
    WEFT_TRY(weft_renderer_create(&view->renderer, &wish));
    WEFT_TRY(weft_painter_create(&view->painter, &view->renderer));
    weft_figures_restart(&view->figures);
    return weft_view_frame_camera(view, view->has_camera);
}

void weft_view_tear_down(WeftView *view)
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

WeftStatus weft_view_restart(WeftView *view)
{
    bool was_playing = view->player.is_playing || *view->player.trouble;
    view->steps_before += view->player.steps;
    view->restarts++;
    weft_view_tear_down(view);
    WEFT_TRY(weft_view_build(view));
    // The scene has kept the other changes.
    WEFT_TRY(weft_sim_scale_springs(view->player.sim, (double)view->controls.stiffness,
                                    (double)view->controls.damping));
    weft_player_play(&view->player, was_playing);
    return WEFT_OK;
}

// The colours of stretch reach as far as the cloth is stretched when they are asked for.
static void measure_stretch(WeftView *view)
{
    WeftStretches *stretches = calloc(1, sizeof *stretches);
    if (!stretches)
        return;
    weft_render_places_of(view->player.sim, view->places);
    weft_stretches_add(stretches, view->springs, view->spring_count, view->places);
    view->stretch_range = weft_stretches_range(stretches);
    free(stretches);
}

void weft_view_set_show(WeftView *view, WeftShow show)
{
    view->show = show;
    if (show == WEFT_SHOW_STRETCH)
        measure_stretch(view);
}

WeftStatus weft_view_set_shot(WeftView *view, WeftShot *shot)
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
