// render_source.c: frames from an engine or from files.
#include "render_source.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the frames");
}

// A scene of nothing but the cloths in the files.
static WeftStatus load_bare(WeftRenderSource *source, const char *files, char *const *settings,
                            size_t setting_count)
{
    WEFT_TRY(weft_frames_open(&source->files, files, NULL));
    json_t *cloths = json_array();
    for (size_t k = 0; k < source->files.cloth_count; k++)
    {
        char   *path = realpath(source->files.cloths[k].mesh_path, NULL);
        json_t *cloth = json_pack("{s:s, s:{s:s}}", "name", source->files.cloths[k].stem, "mesh",
                                  "file", path ? path : source->files.cloths[k].mesh_path);
        free(path);
        if (!cloth || json_array_append_new(cloths, cloth) != 0)
        {
            json_decref(cloths);
            return weft_fail(WEFT_ERROR_INPUT, "%s: has a name that is not UTF-8", files);
        }
    }
    json_t *scene = json_pack("{s:o}", "cloths", cloths);
    char   *text = scene ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    if (!text)
        return out_of_memory();
    WeftStatus status = weft_scene_parse(&source->scene, text, files, ".",
                                         (const char *const *)settings, setting_count);
    free(text);
    return status;
}

WeftStatus weft_render_source_load(WeftRenderSource *source, const char *path, const char *files,
                                   char *const *settings, size_t setting_count)
{
    memset(source, 0, sizeof *source);
    source->has_files = files != NULL;
    if (files && !path)
        WEFT_TRY(load_bare(source, files, settings, setting_count));
    else
        WEFT_TRY(
            weft_scene_load(&source->scene, path, (const char *const *)settings, setting_count));
    if (files && path)
        WEFT_TRY(weft_frames_open(&source->files, files, &source->scene));
    size_t last = files ? source->files.frame_count - 1 : weft_scene_frame_count(&source->scene);
    if (last > UINT32_MAX - 1)
        return weft_fail(WEFT_ERROR_INPUT, "%zu frames are too many: shorten the duration", last);
    source->last_frame = (uint32_t)last;
    return WEFT_OK;
}

// The files have to be of this scene's cloths.
static WeftStatus check_files(const WeftRenderSource *source)
{
    for (size_t k = 0; k < source->files.cloth_count; k++)
        if (source->files.cloths[k].vertex_count != source->model->meshes[k].vertex_count)
            return weft_fail(
                WEFT_ERROR_INPUT, "%s: has %u vertices, but cloths[%zu] of the scene has %u",
                source->files.cloths[k].mesh_path, source->files.cloths[k].vertex_count, k,
                source->model->meshes[k].vertex_count);
    return WEFT_OK;
}

WeftStatus weft_render_source_start(WeftRenderSource *source)
{
    if (source->has_files)
    {
        WEFT_TRY(weft_model_create(&source->own_model, &source->scene));
        source->model = &source->own_model;
        WEFT_TRY(check_files(source));
        WEFT_TRY(
            weft_render_springs_of_model(source->model, &source->springs, &source->spring_count));
    }
    else
    {
        WEFT_TRY(weft_sim_create(&source->sim, &source->scene));
        source->model = weft_render_model_of(source->sim);
        WEFT_TRY(weft_render_springs_of_sim(source->sim, &source->springs, &source->spring_count));
    }
    size_t room = 3 * (size_t)source->model->particle_count + 1;
    source->places = malloc(room * sizeof(double));
    source->user_order = malloc(room * sizeof(double));
    return source->places && source->user_order ? WEFT_OK : out_of_memory();
}

void weft_render_source_close(WeftRenderSource *source)
{
    weft_sim_destroy(source->sim);
    weft_model_destroy(&source->own_model);
    weft_frames_close(&source->files);
    free(source->springs);
    free(source->places);
    free(source->user_order);
    weft_scene_destroy(&source->scene);
    memset(source, 0, sizeof *source);
}

WeftStatus weft_render_source_advance(WeftRenderSource *source, uint32_t frame,
                                      WeftProgress *progress, bool *there)
{
    uint32_t steps_per_frame = source->sim ? weft_sim_steps_per_frame(source->sim) : 1;
    for (; source->frame < frame && source->sim; source->frame++)
        for (uint32_t done = 0, left = steps_per_frame; left > 0; left -= done)
        {
            *there = !weft_interrupted();
            if (!*there)
                return WEFT_OK;
            WeftStepReport report;
            WEFT_TRY(weft_sim_advance(source->sim, left, &done, &report));
            weft_warn_step(&source->warnings, progress, &source->scene, weft_sim_time(source->sim),
                           &report);
            weft_progress_update(progress, source->frame,
                                 (uint64_t)(source->frame + 1) * steps_per_frame - left + done);
        }
    source->frame = frame;
    *there = !weft_interrupted();
    return WEFT_OK;
}

static WeftStatus keep_files(WeftRenderSource *source, WeftGpu *gpu, WeftSnapshot *snapshot)
{
    const WeftModel *model = source->model;
    for (size_t k = 0; k < model->cloth_count; k++)
        WEFT_TRY(weft_frames_read(&source->files, k, source->frame,
                                  source->user_order + 3 * (size_t)model->first_vertex[k]));
    for (size_t i = 0; i < model->particle_count; i++)
        memcpy(source->places + 3 * (model->particle_of ? (size_t)model->particle_of[i] : i),
               source->user_order + 3 * i, 3 * sizeof(double));
    return weft_snapshot_put(snapshot, gpu, model, source->user_order,
                             source->frame / source->scene.frames_per_second);
}

WeftStatus weft_render_source_keep(WeftRenderSource *source, WeftGpu *gpu, WeftSnapshot *snapshot,
                                   WeftSnapshotParts parts)
{
    if (source->has_files)
        return keep_files(source, gpu, snapshot);
    weft_render_places_of(source->sim, source->places);
    return weft_snapshot_take(snapshot, gpu, source->sim, parts);
}
