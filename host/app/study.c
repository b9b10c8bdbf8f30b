// study.c: measures the variants of a study on a scene.
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The simulations of all variants of a case.
typedef struct Bundle
{
    WeftScene scenes[WEFT_VARIANT_MOST];
    WeftSim  *sims[WEFT_VARIANT_MOST];
    int       scene_count, sim_count;
} Bundle;

static void bundle_destroy(Bundle *bundle)
{
    for (int k = 0; k < bundle->sim_count; k++)
        weft_sim_destroy(bundle->sims[k]);
    for (int k = 0; k < bundle->scene_count; k++)
        weft_scene_destroy(&bundle->scenes[k]);
}

static WeftStatus bundle_add(Bundle *bundle, const WeftVariant *variant, const WeftStudyCase *item,
                             const char **settings, size_t setting_count)
{
    WeftScene   *scene = &bundle->scenes[bundle->scene_count];
    const char **all = calloc(setting_count + 2, sizeof(char *));
    size_t       count = setting_count;
    if (all == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the study");
    for (size_t k = 0; k < setting_count; k++)
        all[k] = settings[k];
    for (int k = 0; k < 2 && variant->settings[k] != NULL; k++)
        all[count++] = variant->settings[k];
    WeftStatus status = item->text != NULL
                            ? weft_scene_parse(scene, item->text, item->name, ".", all, count)
                            : weft_scene_load(scene, item->name, all, count);
    free(all);
    if (status != WEFT_OK)
        return status;
    bundle->scene_count++;
    WEFT_TRY(weft_sim_create(&bundle->sims[bundle->sim_count], scene));
    bundle->sim_count++;
    return WEFT_OK;
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

static WeftStudyRow row_of(const WeftStudy *study, const WeftStudyCase *item, const Bundle *bundle,
                           int k)
{
    const WeftSim *sim = bundle->sims[k];
    WeftRunReport  run = weft_sim_report(sim);
    double         ms = run.step_count > 0 ? 1e3 / run.step_count : 0;
    WeftStudyRow   row = {
          .study = study->name,
          .variant = study->variants[k].name,
          .particle_count = weft_sim_particle_count(sim),
          .step_count = run.step_count,
          .step_ms = ms * run.wall_seconds,
          .order_ms =
              ms * (run.stage_seconds[WEFT_STAGE_label] + run.stage_seconds[WEFT_STAGE_order]),
          .iterations = run.iterations_mean,
          .multiplies = (double)run.row_multiplies,
          .implicit_springs = run.implicit_springs_mean,
          .components = run.components_mean,
          .apart = mean_distance(bundle->sims[0], sim),
    };
    for (int stage = WEFT_STAGE_precondition; stage <= WEFT_STAGE_solve_update; stage++)
        row.solve_ms += ms * run.stage_seconds[stage];
    if (bundle->sim_count == 1)
        row.memory_bytes = (double)run.peak_memory_bytes / row.particle_count;
    snprintf(row.scene, sizeof(row.scene), "%s", item->name);
    return row;
}

WeftStatus weft_study_measure(const WeftStudy *study, const WeftStudyCase *item,
                              const char **settings, size_t setting_count, double seconds,
                              WeftStudyRow *rows, int *row_count)
{
    Bundle     bundle = {.scene_count = 0};
    WeftStatus status = WEFT_OK;
    *row_count = 0;
    for (int k = 0; k < WEFT_VARIANT_MOST && study->variants[k].name && status == WEFT_OK; k++)
        status = bundle_add(&bundle, &study->variants[k], item, settings, setting_count);
    while (status == WEFT_OK && weft_sim_time(bundle.sims[0]) < seconds)
        for (int k = 0; k < bundle.sim_count && status == WEFT_OK; k++)
            status = weft_sim_step(bundle.sims[k], NULL);
    for (int k = 0; k < bundle.sim_count && status == WEFT_OK; k++)
        rows[(*row_count)++] = row_of(study, item, &bundle, k);
    bundle_destroy(&bundle);
    return status;
}
