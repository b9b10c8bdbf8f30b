// sim.c: a running simulation: clock, retried steps, figures of the run. See weft.h.
#include "weft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "clock.h"
#include "gpu/backend_gpu.h"
#include "sim/backend.h"
#include "sim/pool.h"
#include "sim/sim_internal.h"

enum
{
    MOST_AT_ONCE = 64 // steps
};

// Equal steps no longer than `step`.
static void cut_frame(WeftSim *sim, double step)
{
    double frame = 1 / sim->scene->frames_per_second;
    sim->steps_per_frame = (uint32_t)ceil(frame / step - 1e-6);
    if (sim->steps_per_frame < 1)
        sim->steps_per_frame = 1;
    sim->step_size = frame / sim->steps_per_frame;
}

static WeftStatus build(WeftSim *sim)
{
    const WeftScene *scene = sim->scene;
    cut_frame(sim, scene->step);
    sim->threads = scene->solver.threads > 0 ? scene->solver.threads : weft_pool_core_count();
    WEFT_TRY(weft_backend_choose(scene, &sim->backend));
    WEFT_TRY(weft_model_create(&sim->model, scene));
    WEFT_TRY(sim->backend->create(&sim->engine, &sim->model, sim->threads));
    sim->run.spring_count = sim->model.structural_count;
    sim->run.bend_spring_count = sim->model.bend_count;
    weft_model_release_setup(&sim->model);
    return WEFT_OK;
}

WeftStatus weft_sim_create(WeftSim **result, const WeftScene *scene)
{
    WeftSim *sim = calloc(1, sizeof(*sim));
    *result = NULL;
    if (sim == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for a simulation");
    sim->scene = scene;
    sim->held = WEFT_NO_PARTICLE;
    sim->stiffness = sim->damping = 1;
    WeftStatus status = build(sim);
    if (status != WEFT_OK)
    {
        weft_sim_destroy(sim);
        return status;
    }
    *result = sim;
    return WEFT_OK;
}

void weft_sim_destroy(WeftSim *sim)
{
    if (sim == NULL)
        return;
    if (sim->engine != NULL)
        sim->backend->destroy(sim->engine);
    weft_model_destroy(&sim->model);
    free(sim);
}

// Adds what a step reported to the figures of the run. Means are kept as sums until they are asked for.
static void count_step(WeftSim *sim, const WeftStepReport *step)
{
    WeftRunReport *run = &sim->run;
    run->step_count++;
    run->simulated_seconds += sim->step_size;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        run->stage_seconds[stage] += step->stage_seconds[stage];
    run->iterations_mean += step->iterations;
    run->components_mean += step->component_count;
    run->active_springs_mean += step->active_springs;
    run->implicit_springs_mean += step->implicit_springs;
    run->contacts_mean += step->contact_count;
    run->cloth_contacts_mean += step->cloth_contact_count;
    run->cloth_contact_blocks_mean += step->cloth_contact_blocks;
    run->cut_particles += step->cut_count;
    if (step->cloth_contact_count > run->cloth_contacts_max)
        run->cloth_contacts_max = step->cloth_contact_count;
    if (step->lost_pairs > run->lost_pairs_max)
        run->lost_pairs_max = step->lost_pairs;
    run->row_multiplies += step->row_multiplies;
    run->halvings += step->halvings;
    run->unconverged_steps += step->unconverged_count > 0;
    run->iterations_max =
        step->iterations > run->iterations_max ? step->iterations : run->iterations_max;
    run->components_max =
        step->component_count > run->components_max ? step->component_count : run->components_max;
    run->largest_component = step->largest_component > run->largest_component
                                 ? step->largest_component
                                 : run->largest_component;
    run->softened_bend_springs = step->softened_bend_springs > run->softened_bend_springs
                                     ? step->softened_bend_springs
                                     : run->softened_bend_springs;
    run->contacts_max =
        step->contact_count > run->contacts_max ? step->contact_count : run->contacts_max;
    run->worst_residual = fmax(run->worst_residual, step->worst_residual);
    run->largest_stretch = fmax(run->largest_stretch, step->largest_stretch);
}

// Goes from `start` by `length` seconds in one step, or in halves of it where that diverges.
static WeftStatus advance(WeftSim *sim, double start, double length, WeftStepReport *report)
{
    double   done = 0, part = length;
    uint32_t tries_left = (uint32_t)sim->scene->integrator.retries;
    while (done < length * (1 - 1e-9))
    {
        double size = fmin(part, length - done);
        bool   good;
        WEFT_TRY(sim->backend->step(sim->engine, start + done, size, report, &good));
        if (good)
        {
            done += size;
            report->step_size = size;
            continue;
        }
        sim->backend->restore(sim->engine);
        if (tries_left-- == 0)
            return weft_fail(
                WEFT_ERROR_FAILED,
                "the step at %.6g s diverged: %s; it was halved %u times, to %.3g s. %s a "
                "smaller step, slower pins and solids, softer or more damped cloth, or an implicit "
                "integrator",
                start + done,
                report->largest_stretch > sim->scene->integrator.stretch_limit
                    ? "a spring was stretched beyond integrator.stretch_limit"
                : report->cloth_stuck ? "cloth would have passed through cloth"
                                      : "a position was not a number",
                report->halvings, size,
                start + done == 0 ? "Does cloth start inside a solid? If not, use" : "Use");
        report->halvings++;
        part = size / 2;
    }
    return WEFT_OK;
}

static uint32_t frame_index(const WeftSim *sim)
{
    return sim->start_frame + (uint32_t)(sim->step_index / sim->steps_per_frame);
}

// One step and what is counted of it.
static WeftStatus take_step(WeftSim *sim, WeftStepReport *step)
{
    double     start = weft_clock_seconds();
    WeftStatus status = advance(sim, weft_sim_time(sim), sim->step_size, step);
    sim->run.wall_seconds += weft_clock_seconds() - start;
    if (status == WEFT_OK)
    {
        sim->step_index++;
        sim->run.frame_count = frame_index(sim);
        count_step(sim, step);
    }
    else
        sim->run.halvings += step->halvings;
    return status;
}

WeftStatus weft_sim_step(WeftSim *sim, WeftStepReport *report)
{
    WeftStepReport step = {0};
    WeftStatus     status = take_step(sim, &step);
    if (report != NULL)
    {
        sim->backend->energy(sim->engine, &step.kinetic_energy, &step.potential_energy);
        *report = step;
    }
    return status;
}

// Takes `count` steps at once where the engine can; *done may be less. Their reports are counted, the worst is told.
static WeftStatus advance_many(WeftSim *sim, uint32_t count, uint32_t *done, WeftStepReport *worst)
{
    WeftStepReport reports[MOST_AT_ONCE] = {0};
    double         start = weft_clock_seconds();
    WeftStatus     status = sim->backend->advance(sim->engine, weft_sim_time(sim), sim->step_size,
                                                  count, reports, done);
    sim->run.wall_seconds += weft_clock_seconds() - start;
    for (uint32_t k = 0; k < *done; k++)
    {
        reports[k].step_size = sim->step_size;
        count_step(sim, &reports[k]);
        if (k == 0 || reports[k].unconverged_count > worst->unconverged_count ||
            reports[k].softened_bend_springs > worst->softened_bend_springs ||
            reports[k].lost_pairs > worst->lost_pairs)
            *worst = reports[k];
    }
    sim->step_index += *done;
    sim->run.frame_count = frame_index(sim);
    return status;
}

WeftStatus weft_sim_advance(WeftSim *sim, uint32_t most, uint32_t *done, WeftStepReport *report)
{
    WeftStepReport worst = {0};
    uint32_t       left = sim->steps_per_frame - (uint32_t)(sim->step_index % sim->steps_per_frame);
    uint32_t       count = most < left ? most : left;
    WeftStatus     status = WEFT_OK;
    *done = 0;
    if (sim->backend->advance != NULL && count > 1)
        status = advance_many(sim, count < MOST_AT_ONCE ? count : MOST_AT_ONCE, done, &worst);

    // One by one, also the step that failed among many: it is then taken in halves.
    if (status == WEFT_OK && *done == 0 && count > 0)
    {
        status = take_step(sim, &worst);
        *done = status == WEFT_OK;
    }
    if (report != NULL)
        *report = worst;
    return status;
}

WeftStatus weft_sim_advance_frame(WeftSim *sim)
{
    uint32_t done;
    do
        WEFT_TRY(weft_sim_advance(sim, UINT32_MAX, &done, NULL));
    while (sim->step_index % sim->steps_per_frame != 0);
    return WEFT_OK;
}

const char *weft_sim_device(const WeftSim *sim)
{
    return sim->backend->device != NULL ? sim->backend->device(sim->engine) : "cpu";
}

uint32_t weft_sim_steps_per_frame(const WeftSim *sim)
{
    return sim->steps_per_frame;
}

double weft_sim_step_size(const WeftSim *sim)
{
    return sim->step_size;
}

double weft_sim_time(const WeftSim *sim)
{
    return sim->start_time + (double)sim->step_index * sim->step_size;
}

int weft_sim_threads(const WeftSim *sim)
{
    return sim->threads;
}

uint32_t weft_sim_particle_count(const WeftSim *sim)
{
    return sim->model.particle_count;
}

size_t weft_sim_cloth_count(const WeftSim *sim)
{
    return sim->model.cloth_count;
}

const WeftMesh *weft_sim_mesh(const WeftSim *sim, size_t cloth)
{
    return &sim->model.meshes[cloth];
}

static void read_cloth(const WeftSim *sim, size_t cloth, WeftQuantity quantity, double *out)
{
    sim->backend->read(sim->engine, quantity, sim->model.particle_of,
                       sim->model.first_vertex[cloth], sim->model.meshes[cloth].vertex_count, out);
}

void weft_sim_positions(const WeftSim *sim, size_t cloth, double *positions)
{
    read_cloth(sim, cloth, WEFT_QUANTITY_POSITION, positions);
}

void weft_sim_velocities(const WeftSim *sim, size_t cloth, double *velocities)
{
    read_cloth(sim, cloth, WEFT_QUANTITY_VELOCITY, velocities);
}

void weft_sim_components(const WeftSim *sim, size_t cloth, uint32_t *labels)
{
    const uint32_t *all = sim->backend->labels(sim->engine);
    for (uint32_t vertex = 0; vertex < sim->model.meshes[cloth].vertex_count; vertex++)
        labels[vertex] = all[weft_model_particle(&sim->model, cloth, vertex)];
}

WeftStatus weft_sim_grab(WeftSim *sim, size_t cloth, uint32_t vertex, const double place[3])
{
    uint32_t particle = weft_model_particle(&sim->model, cloth, vertex);
    if (particle != sim->held)
        WEFT_TRY(sim->backend->hold(sim->engine, particle, place));
    sim->held = particle;
    sim->backend->move_hand(sim->engine, place);
    return WEFT_OK;
}

WeftStatus weft_sim_release(WeftSim *sim)
{
    if (sim->held == WEFT_NO_PARTICLE)
        return WEFT_OK;
    sim->held = WEFT_NO_PARTICLE;
    return sim->backend->hold(sim->engine, WEFT_NO_PARTICLE, NULL);
}

void weft_sim_set_step(WeftSim *sim, double seconds)
{
    sim->start_time = weft_sim_time(sim);
    sim->start_frame = frame_index(sim);
    sim->step_index = 0;
    cut_frame(sim, seconds);
}

WeftStatus weft_sim_scale_springs(WeftSim *sim, double stiffness, double damping)
{
    WEFT_TRY(sim->backend->scale_springs(sim->engine, stiffness / sim->stiffness,
                                         damping / sim->damping));
    sim->stiffness = stiffness;
    sim->damping = damping;
    return WEFT_OK;
}

WeftRunReport weft_sim_report(const WeftSim *sim)
{
    WeftRunReport report = sim->run;
    double        steps = report.step_count > 0 ? report.step_count : 1;
    report.iterations_mean /= steps;
    report.components_mean /= steps;
    report.active_springs_mean /= steps;
    report.implicit_springs_mean /= steps;
    report.contacts_mean /= steps;
    report.cloth_contacts_mean /= steps;
    report.cloth_contact_blocks_mean /= steps;
    sim->backend->energy(sim->engine, &report.kinetic_energy, &report.potential_energy);
    if (sim->backend->costs != NULL)
    {
        WeftEngineCosts costs;
        sim->backend->costs(sim->engine, &costs);
        report.dispatches = costs.dispatches;
        report.barriers = costs.barriers;
        report.device_bytes = costs.device_bytes;
    }
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        report.peak_memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return report;
}
