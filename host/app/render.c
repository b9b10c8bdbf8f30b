// render.c: `weft render`: scene or frames in; a picture, a strip of moments or a film out.
//
// First all frames that are wanted are simulated or read and kept on the device; then the camera is placed so that it shows them
// all, and they are drawn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "gpu/instance.h"
#include "interrupt.h"
#include "io/film.h"
#include "progress.h"
#include "render/stretch.h"
#include "render_options.h"
#include "render_source.h"

typedef struct Render
{
    WeftRenderOptions options;
    WeftRenderSource  source;
    WeftGpu          *gpu;
    bool              owns_gpu;
    WeftPixels        texture;
    WeftFile          picture; // begun before the run, so that a bad name is found early
    WeftFilm          film;
    uint32_t         *frames;    // (count) that are wanted, in order
    WeftSnapshot     *snapshots; // (count)
    uint32_t          count;
    WeftFraming       framing;
    WeftStretches     stretches;
    WeftRenderer      renderer;
    WeftProgress      progress;
    bool              interrupted;
} Render;

// The numbers of the frames: a strip takes some that are spread evenly.
static WeftStatus choose_frames(Render *render)
{
    const WeftRenderOptions *options = &render->options;
    uint32_t                 end = render->source.last_frame, last = end;
    uint32_t                 first = options->is_film || options->strip ? 0 : end;
    if (options->has_frames)
        first = options->first, last = options->last;
    if (last > end)
        return weft_fail(WEFT_ERROR_INPUT, "there is no frame %u: %s frames 0 to %u", last,
                         render->source.has_files ? "the files hold" : "the scene has", end);
    render->count = options->strip ? options->strip : last - first + 1;
    if (options->strip > last - first + 1)
        return weft_fail(WEFT_ERROR_INPUT, "--strip asks for %u frames, but there are only %u",
                         options->strip, last - first + 1);
    render->frames = calloc(render->count, sizeof *render->frames);
    render->snapshots = calloc(render->count, sizeof *render->snapshots);
    if (!render->frames || !render->snapshots)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for %u frames", render->count);
    uint64_t parts = render->count > 1 ? render->count - 1 : 1;
    for (uint64_t k = 0; k < render->count; k++)
        render->frames[k] = first + (uint32_t)((k * (last - first) + parts / 2) / parts);
    return WEFT_OK;
}

// The device that simulates also draws; otherwise the best there is.
static WeftStatus choose_device(Render *render)
{
    render->gpu = render->source.sim ? weft_render_gpu_of(render->source.sim) : NULL;
    if (render->gpu)
        return WEFT_OK;
    const WeftGpuOptions options = {.guards = weft_gpu_is_validating()};
    WeftStatus           status = weft_gpu_open(&render->gpu, "gpu", &options);
    if (status != WEFT_OK)
        return weft_fail(status, "drawing needs a Vulkan device: %s", weft_error_message());
    render->owns_gpu = true;
    return WEFT_OK;
}

// Everything that can be refused before the first step.
static WeftStatus prepare(Render *render)
{
    const WeftRenderOptions *options = &render->options;
    WeftRenderSource        *source = &render->source;
    WEFT_TRY(weft_render_source_load(source, options->scene, options->files, options->settings,
                                     options->setting_count));
    WEFT_TRY(choose_frames(render));
    if (options->texture)
        WEFT_TRY(weft_png_read(&render->texture, options->texture));
    if (options->is_film)
        WEFT_TRY(weft_film_begin(&render->film, options->out, options->width, options->height,
                                 source->scene.frames_per_second));
    else
        WEFT_TRY(weft_file_begin(&render->picture, options->out));
    WEFT_TRY(weft_render_source_start(source));
    WEFT_TRY(choose_device(render));
    const WeftRendererWish wish = {
        .gpu = render->gpu,
        .model = source->model,
        .springs = source->springs,
        .spring_count = source->spring_count,
        .quality = weft_quality_fine,
        .texture = options->texture ? &render->texture : NULL,
        .format = VK_FORMAT_R8G8B8A8_SRGB,
        .final_layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    return weft_renderer_create(&render->renderer, &wish);
}

static WeftStatus keep_frame(Render *render, uint32_t index)
{
    WeftRenderSource *source = &render->source;
    WeftSnapshot     *snapshot = &render->snapshots[index];
    WeftSnapshotParts parts = render->options.show == WEFT_SHOW_COMPONENTS  ? WEFT_SNAPSHOT_LABELS
                              : render->options.show == WEFT_SHOW_WIREFRAME ? WEFT_SNAPSHOT_FLAGS
                                                                            : WEFT_SNAPSHOT_PLACES;
    WEFT_TRY(weft_render_source_keep(source, render->gpu, snapshot, parts));
    weft_stretches_add(&render->stretches, source->springs, source->spring_count, source->places);
    return weft_framing_add(&render->framing, source->places, source->model->particle_count,
                            snapshot->state.time);
}

static WeftStatus gather_frames(Render *render)
{
    uint32_t last = render->frames[render->count - 1];
    uint64_t steps =
        render->source.sim ? (uint64_t)last * weft_sim_steps_per_frame(render->source.sim) : 0;
    render->progress = weft_progress_start(render->options.quiet, last, steps);
    for (uint32_t k = 0; k < render->count; k++)
    {
        bool there = true;
        WEFT_TRY(weft_render_source_advance(&render->source, render->frames[k], &render->progress,
                                            &there));
        render->interrupted = !there;
        if (!there)
            return WEFT_OK;
        WEFT_TRY(keep_frame(render, k));
    }
    if (steps > 0)
        weft_progress_finish(&render->progress, last, steps);
    return WEFT_OK;
}

// Draws frame `index` of those wanted into columns of `picture` from `left` on.
static WeftStatus draw(Render *render, WeftRenderTarget *target, WeftShot *shot, uint32_t index,
                       WeftPixels *picture, uint32_t left)
{
    shot->state = render->snapshots[index].state;
    WEFT_TRY(weft_renderer_draw(&render->renderer, target, shot));
    size_t row = 4 * (size_t)target->width;
    for (uint32_t y = 0; y < target->height; y++)
        memcpy(picture->bytes + 4 * ((size_t)y * picture->width + left),
               (const uint8_t *)target->pixels.memory + y * row, row);
    return WEFT_OK;
}

static WeftStatus draw_strip(Render *render, WeftShot *shot, WeftPixels *picture)
{
    for (uint32_t k = 0; k < render->count; k++)
    {
        WeftRenderTarget target;
        uint32_t         left = (uint32_t)((uint64_t)picture->width * k / render->count);
        uint32_t         right = (uint32_t)((uint64_t)picture->width * (k + 1) / render->count);
        WEFT_TRY(weft_render_target_create(&render->renderer, &target, right - left,
                                           picture->height, VK_NULL_HANDLE, VK_NULL_HANDLE));
        shot->has_legend = k == 0;
        WeftStatus status = draw(render, &target, shot, k, picture, left);
        weft_render_target_destroy(&render->renderer, &target);
        WEFT_TRY(status);
        // A thin white line between the moments.
        for (uint32_t y = 0; k > 0 && y < picture->height; y++)
            memset(picture->bytes + 4 * ((size_t)y * picture->width + left), 255, 8);
    }
    return weft_png_write(picture, &render->picture);
}

static WeftStatus draw_film(Render *render, WeftRenderTarget *target, WeftShot *shot,
                            WeftPixels *picture)
{
    render->progress = weft_progress_start(render->options.quiet, render->count, render->count);
    render->progress.unit = "picture";
    for (uint32_t k = 0; k < render->count; k++)
    {
        render->interrupted = weft_interrupted();
        if (render->interrupted)
            return WEFT_OK;
        WEFT_TRY(draw(render, target, shot, k, picture, 0));
        WEFT_TRY(weft_film_put(&render->film, picture));
        weft_progress_update(&render->progress, k + 1, k + 1);
    }
    weft_progress_finish(&render->progress, render->count, render->count);
    return weft_film_commit(&render->film);
}

static WeftStatus draw_all(Render *render, WeftPixels *picture)
{
    const WeftRenderOptions *options = &render->options;
    uint32_t                 panels = options->strip ? options->strip : 1;
    float    aspect = (float)options->width / (float)panels / (float)options->height;
    WeftShot shot = {
        .camera =
            weft_camera_fit(&render->framing, &render->renderer.solids, &options->camera, aspect),
        .show = options->show,
        .stretch_range = weft_stretches_range(&render->stretches),
        .has_legend = true,
    };
    if (options->strip)
        return draw_strip(render, &shot, picture);
    WeftRenderTarget target;
    WEFT_TRY(weft_render_target_create(&render->renderer, &target, options->width, options->height,
                                       VK_NULL_HANDLE, VK_NULL_HANDLE));
    WeftStatus status = WEFT_OK;
    if (options->is_film)
        status = draw_film(render, &target, &shot, picture);
    else
    {
        status = draw(render, &target, &shot, 0, picture, 0);
        if (status == WEFT_OK)
            status = weft_png_write(picture, &render->picture);
    }
    weft_render_target_destroy(&render->renderer, &target);
    return status;
}

static WeftStatus carry_out(Render *render)
{
    // Before the first file is begun: from then on there is something to clear away.
    weft_interrupt_listen();
    WEFT_TRY(prepare(render));
    WEFT_TRY(gather_frames(render));
    if (render->interrupted)
        return WEFT_OK;
    WeftPixels picture;
    WEFT_TRY(weft_pixels_create(&picture, render->options.width, render->options.height));
    WeftStatus status = draw_all(render, &picture);
    weft_pixels_destroy(&picture);
    return status;
}

static void destroy(Render *render)
{
    weft_file_abandon(&render->picture);
    weft_film_abandon(&render->film);
    for (uint32_t k = 0; render->snapshots && k < render->count; k++)
        weft_snapshot_destroy(render->gpu, &render->snapshots[k]);
    weft_renderer_destroy(&render->renderer);
    weft_framing_destroy(&render->framing);
    weft_pixels_destroy(&render->texture);
    free(render->frames);
    free(render->snapshots);
    if (render->owns_gpu)
        weft_gpu_close(render->gpu);
    weft_render_source_close(&render->source);
    weft_render_options_destroy(&render->options);
}

int weft_command_render(int argc, char **argv)
{
    Render render = {0};
    int    exit_status = weft_render_options_read(&render.options, argc, argv);
    if (exit_status < 0)
    {
        WeftStatus status = carry_out(&render);
        exit_status = (int)status;
        if (status != WEFT_OK)
            fprintf(stderr, "weft: %s\n", weft_error_message());
        else if (render.interrupted)
        {
            fprintf(stderr, "weft: interrupted; nothing was written\n");
            exit_status = WEFT_EXIT_INTERRUPTED;
        }
        else if (!render.options.quiet)
            printf("%s\n", render.options.out);
    }
    destroy(&render);
    return exit_status;
}
