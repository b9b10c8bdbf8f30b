// study.c: measures the variants of a study on a scene.
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "interrupt.h"
#include "study_clock.h"
#include "study_couplings.h"

enum
{
    STEPS_AT_ONCE = 16, // where a GPU is among the variants: it takes several steps in one go
    STEPS_IN_TURN =
        8 // before the next variant's: most of them begin with warm caches and threads awake, as in a run
};

// Particles along a side with `scale` times as many springs. A closed side has as many springs as particles.
static int scaled_count(int count, bool is_closed, double scale)
{
    int rest = is_closed || count < 2 ? 0 : 1;
    int scaled = (int)lround((count - rest) * scale) + rest;
    return scaled > 1 ? scaled : 1;
}

static int moved_index(int index, const int before[2], const int after[2])
{
    int place[2] = {index % before[0], index / before[0]};
    for (int k = 0; k < 2; k++)
        place[k] =
            before[k] > 1 ? (int)lround((double)place[k] * (after[k] - 1) / (before[k] - 1)) : 0;
    return place[1] * after[0] + place[0];
}

static void scale_scene(WeftScene *scene, double scale, double pace)
{
    for (size_t k = 0; k < scene->cloths_count; k++)
    {
        WeftCloth *cloth = &scene->cloths[k];
        int        before[2] = {cloth->grid.counts[0], cloth->grid.counts[1]};
        if (cloth->has_mesh)
            continue;
        cloth->grid.counts[0] = scaled_count(before[0], cloth->grid.shape == WEFT_GRID_TUBE, scale);
        cloth->grid.counts[1] = scaled_count(before[1], false, scale);
        for (size_t pin = 0; pin < cloth->pins_count; pin++)
            for (size_t index = 0; index < cloth->pins[pin].indices_count; index++)
                cloth->pins[pin].indices[index] =
                    moved_index(cloth->pins[pin].indices[index], before, cloth->grid.counts);
    }
    scene->step /= pace;
}

WeftStatus weft_study_load(WeftScene *scene, const WeftStudy *study, int variant,
                           const WeftStudyCase *item, const WeftStudyOptions *options)
{
    const WeftVariant *way = &study->variants[variant];
    const char **all = calloc(options->setting_count + WEFT_VARIANT_SETTINGS + 2, sizeof(char *));
    size_t       count = 0;
    bool         is_on_device = study->needs_device && (variant + 1 == WEFT_VARIANT_MOST ||
                                                study->variants[variant + 1].name == NULL);
    char         device[300];
    if (all == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the study");
    if (item->setting != NULL)
        all[count++] = item->setting;
    for (size_t k = 0; k < options->setting_count; k++)
        all[count++] = options->settings[k];
    for (int k = 0; k < WEFT_VARIANT_SETTINGS && way->settings[k] != NULL; k++)
        all[count++] = way->settings[k];
    snprintf(device, sizeof(device), "solver.device=%s",
             study->needs_device && !is_on_device ? "cpu"
             : options->device != NULL            ? options->device
             : is_on_device                       ? "gpu"
                                                  : "cpu");
    all[count++] = device;
    WeftStatus status = item->text != NULL
                            ? weft_scene_parse(scene, item->text, item->name, ".", all, count)
                            : weft_scene_load(scene, item->name, all, count);
    free(all);
    if (status == WEFT_OK && item->scale != 1)
        scale_scene(scene, item->scale, item->pace);
    return status;
}

// The simulations of all variants of a case, and what has been noted of them.
typedef struct Bundle
{
    WeftScene        scenes[WEFT_VARIANT_MOST];
    WeftSim         *sims[WEFT_VARIANT_MOST];
    WeftSpringCensus censuses[WEFT_VARIANT_MOST];
    WeftStudyFrame  *frames[WEFT_VARIANT_MOST];     // (frame_most)
    uint64_t         multiplies[WEFT_VARIANT_MOST]; // until the last frame
    WeftStudyClock   clocks[WEFT_VARIANT_MOST];
    int              scene_count, sim_count;
    size_t           frame_count, frame_most;
} Bundle;

static void bundle_destroy(Bundle *bundle)
{
    for (int k = 0; k < bundle->sim_count; k++)
    {
        weft_spring_census_destroy(&bundle->censuses[k]);
        weft_study_clock_destroy(&bundle->clocks[k]);
        free(bundle->frames[k]);
        weft_sim_destroy(bundle->sims[k]);
    }
    for (int k = 0; k < bundle->scene_count; k++)
        weft_scene_destroy(&bundle->scenes[k]);
}

static WeftStatus bundle_add(Bundle *bundle, const WeftStudy *study, int variant,
                             const WeftStudyCase *item, const WeftStudyOptions *options)
{
    int        k = bundle->sim_count;
    WeftScene *scene = &bundle->scenes[bundle->scene_count];
    WEFT_TRY(weft_study_load(scene, study, variant, item, options));
    bundle->scene_count++;
    WEFT_TRY(weft_sim_create(&bundle->sims[k], scene));
    bundle->sim_count++;
    if (study->is_apart)
        return WEFT_OK; // its frames could not be sent back
    bundle->frame_most = (size_t)ceil(item->seconds * scene->frames_per_second) + 1;
    bundle->frames[k] = calloc(bundle->frame_most, sizeof(WeftStudyFrame));
    if (bundle->frames[k] == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the study");
    return weft_spring_census_create(&bundle->censuses[k], bundle->sims[k]);
}

// Mean distance of the particles of two simulations of one scene.
static double mean_distance(const WeftSim *a, const WeftSim *b)
{
    double sum = 0;
    for (size_t cloth = 0; cloth < weft_sim_cloth_count(a); cloth++)
    {
        size_t  count = weft_sim_mesh(a, cloth)->vertex_count;
        double *x = malloc(2 * 3 * count * sizeof(double)), *y = x + 3 * count;
        if (x == NULL)
            return NAN;
        weft_sim_positions(a, cloth, x);
        weft_sim_positions(b, cloth, y);
        for (size_t i = 0; i < 3 * count; i += 3)
            sum += sqrt(pow(x[i] - y[i], 2) + pow(x[i + 1] - y[i + 1], 2) +
                        pow(x[i + 2] - y[i + 2], 2));
        free(x);
    }
    return sum / weft_sim_particle_count(a);
}

// Notes how all variants stand at the end of a frame.
static WeftStatus note_frame(Bundle *bundle)
{
    if (bundle->frame_count >= bundle->frame_most)
        return WEFT_OK;
    for (int k = 0; k < bundle->sim_count; k++)
    {
        const WeftSim  *sim = bundle->sims[k];
        WeftStudyFrame *frame = &bundle->frames[k][bundle->frame_count];
        frame->time = weft_sim_time(sim);
        frame->apart = mean_distance(bundle->sims[0], sim);
        frame->multiplies = weft_sim_report(sim).row_multiplies - bundle->multiplies[k];
        bundle->multiplies[k] += frame->multiplies;
        weft_study_clock_close(&bundle->clocks[k]);
        WEFT_TRY(weft_sim_component_sizes(sim, &frame->sizes));
        WEFT_TRY(weft_spring_census_take(&bundle->censuses[k], sim, &frame->couplings));
    }
    bundle->frame_count++;
    return WEFT_OK;
}

static WeftStudyRow row_of(const WeftStudy *study, const WeftStudyCase *item, Bundle *bundle, int k)
{
    const WeftSim *sim = bundle->sims[k];
    WeftRunReport  run = weft_sim_report(sim);
    WeftStudyRow   row = {
          .study = study->name,
          .variant = study->variants[k].name,
          .scale = item->scale,
          .seconds = weft_sim_time(sim),
          .particle_count = weft_sim_particle_count(sim),
          .spring_count = run.spring_count,
          .step_count = run.step_count,
          .unconverged_steps = run.unconverged_steps,
          .iterations = run.iterations_mean,
          .multiplies = (double)run.row_multiplies,
          .implicit_springs = run.implicit_springs_mean,
          .components = run.components_mean,
          .apart = mean_distance(bundle->sims[0], sim),
          .frames = bundle->frames[k],
          .frame_count = bundle->frame_count,
    };
    bundle->frames[k] = NULL; // the row's from now on
    weft_study_clock_read(&bundle->clocks[k], &row.step_ms, row.stage_ms);
    row.order_ms = row.stage_ms[WEFT_STAGE_label] + row.stage_ms[WEFT_STAGE_order];
    for (int stage = WEFT_STAGE_precondition; stage <= WEFT_STAGE_solve_update; stage++)
        row.solve_ms += row.stage_ms[stage];
    row.contact_ms = row.stage_ms[WEFT_STAGE_touch] + row.stage_ms[WEFT_STAGE_cells] +
                     row.stage_ms[WEFT_STAGE_near] + row.stage_ms[WEFT_STAGE_limit];
    if (study->is_apart)
        row.memory_bytes = (double)run.peak_memory_bytes / row.particle_count;
    snprintf(row.scene, sizeof(row.scene), "%s", item->name);
    snprintf(row.device, sizeof(row.device), "%s", weft_sim_device(sim));
    return row;
}

// Steps up to a moment that is the end of a step.
static WeftStatus advance_to(WeftSim *sim, double time)
{
    for (double step = weft_sim_step_size(sim); weft_sim_time(sim) < time - step / 2;)
    {
        uint32_t done, left = (uint32_t)lround((time - weft_sim_time(sim)) / step);
        WEFT_TRY(weft_sim_advance(sim, left, &done, NULL));
    }
    return WEFT_OK;
}

// All variants in turn, to the end of the case.
static WeftStatus run_bundle(Bundle *bundle, double seconds, WeftStudyProgress *progress)
{
    WeftSim *first = bundle->sims[0];
    double   step = weft_sim_step_size(first);
    uint32_t at_once = 1, frame_steps = weft_sim_steps_per_frame(first), in_frame = 0,
             steps_done = 0;
    for (int k = 0; k < bundle->sim_count; k++)
        if (strcmp(weft_sim_device(bundle->sims[k]), "cpu") != 0)
            at_once = STEPS_AT_ONCE;
    while (weft_sim_time(first) < seconds - step / 2)
    {
        if (weft_interrupted())
            return weft_fail(WEFT_ERROR_FAILED,
                             "interrupted; the cases before this one are complete");
        double   start = weft_sim_time(first);
        uint32_t turn = at_once > STEPS_IN_TURN ? at_once : STEPS_IN_TURN,
                 to_frame = frame_steps - in_frame,
                 to_end = (uint32_t)fmin(ceil((seconds - start) / step - 0.5), turn);
        uint32_t steps = turn < to_frame ? turn : to_frame;
        steps = steps < to_end ? steps : to_end;
        for (int k = 0; k < bundle->sim_count; k++)
            for (uint32_t done = 0; done < steps;)
            {
                done = steps - done < at_once ? steps : done + at_once;
                WEFT_TRY(advance_to(bundle->sims[k], start + done * step));
                WEFT_TRY(weft_study_clock_note(&bundle->clocks[k], bundle->sims[k]));
            }
        in_frame = (in_frame + steps) % frame_steps;
        if (in_frame == 0)
            WEFT_TRY(note_frame(bundle));

        // Drivers translate shaders when they are first used: that is no part of a step.
        for (int k = 0; at_once > 1 && steps_done == 0 && k < bundle->sim_count; k++)
            weft_study_clock_forget(&bundle->clocks[k]);
        steps_done += steps;
        weft_progress_update(
            &progress->bar, progress->number,
            (uint64_t)(progress->done +
                       progress->weight * fmin(1, weft_sim_time(first) / seconds)));
    }
    return WEFT_OK;
}

static WeftStatus measure(const WeftStudy *study, const WeftStudyCase *item,
                          const WeftStudyOptions *options, WeftStudyProgress *progress,
                          WeftStudyRow *rows, int *row_count)
{
    Bundle     bundle = {.scene_count = 0};
    WeftStatus status = WEFT_OK;
    *row_count = 0;
    for (int k = 0; k < WEFT_VARIANT_MOST && study->variants[k].name && status == WEFT_OK; k++)
        status = bundle_add(&bundle, study, k, item, options);
    if (status == WEFT_OK)
        status = run_bundle(&bundle, item->seconds, progress);
    for (int k = 0; k < bundle.sim_count && status == WEFT_OK; k++)
        rows[(*row_count)++] = row_of(study, item, &bundle, k);
    bundle_destroy(&bundle);
    return status;
}

// The same in a process of its own.
typedef struct Work
{
    const WeftStudy        *study;
    const WeftStudyCase    *item;
    const WeftStudyOptions *options;
    WeftStudyProgress      *progress;
} Work;

typedef struct WorkResult
{
    int          count;
    WeftStudyRow rows[WEFT_VARIANT_MOST];
} WorkResult;

static WeftStatus do_work(void *context, void *result)
{
    const Work *work = context;
    WorkResult *found = result;
    WeftStatus  status =
        measure(work->study, work->item, work->options, work->progress, found->rows, &found->count);
    weft_progress_clear(&work->progress->bar);
    return status;
}

WeftStatus weft_study_measure(const WeftStudy *study, const WeftStudyCase *item,
                              const WeftStudyOptions *options, WeftStudyProgress *progress,
                              WeftStudyRow *rows, int *row_count)
{
    if (!study->is_apart)
        return measure(study, item, options, progress, rows, row_count);
    WorkResult result = {.count = 0};
    Work       work = {study, item, options, progress};
    *row_count = 0;
    WEFT_TRY(weft_run_apart(do_work, &work, &result, sizeof(result)));
    *row_count = result.count;
    memcpy(rows, result.rows, (size_t)result.count * sizeof(*rows));
    return WEFT_OK;
}

void weft_study_row_destroy(WeftStudyRow *row)
{
    free(row->frames);
    row->frames = NULL;
}

// The slope of a line through the points, by least squares.
static double slope(const double *x, const double *y, size_t count)
{
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, n = (double)count;
    for (size_t k = 0; k < count; k++)
    {
        sum_x += x[k];
        sum_y += y[k];
        sum_xx += x[k] * x[k];
        sum_xy += x[k] * y[k];
    }
    double spread = n * sum_xx - sum_x * sum_x;
    return spread > 1e-12 * n * sum_xx ? (n * sum_xy - sum_x * sum_y) / spread : NAN;
}

WeftStudyFit weft_study_fit(const WeftStudyRow *rows, size_t row_count)
{
    WeftStudyFit fit = {NAN, NAN, NAN};
    double      *logs = calloc(4 * row_count + 1, sizeof(double));
    double      *size = logs, *step = logs + row_count, *iteration = logs + 2 * row_count,
           *contact = logs + 3 * row_count;
    for (size_t k = 0; logs != NULL && k < row_count; k++)
    {
        size[k] = log(rows[k].particle_count);
        step[k] = log(rows[k].step_ms);
        iteration[k] = log(rows[k].solve_ms / fmax(1, rows[k].iterations));
        contact[k] = log(rows[k].contact_ms);
    }
    if (logs != NULL)
        fit = (WeftStudyFit){slope(size, step, row_count), slope(size, iteration, row_count),
                             slope(size, contact, row_count)};
    free(logs);
    return fit;
}
