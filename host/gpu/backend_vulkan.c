// backend_vulkan.c: the GPU engine: a step recorded once and replayed, several at a time.
//
// The CPU engine is created first: it lays everything out, and later places solids and pins for each step. The state lives
// on the device; the host's copy is brought up to date when somebody asks for it.
#include "backend_vulkan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"
#include "traffic.h"

enum
{
    FIRST_ITERATIONS = 64, // of large systems, recorded until a step needs more
    QUIET_STEPS = 200,     // after so many steps that needed less than a quarter, half is recorded
    TIMED_INTERVAL = 8,    // steps of which one is timed, where they are not queued
    WORDS_OF_A_STEP = FOUND_COUNT,
    PASS_MARKS = WEFT_STAGE_COUNT + 1, // the first mark of the passes of CG
};

static void destroy(void *object)
{
    WeftGpuBackend *backend = object;
    if (backend == NULL)
        return;
    if (backend->gpu != NULL)
    {
        weft_gpu_commands_destroy(&backend->step);
        weft_gpu_commands_destroy(&backend->timed_step);
        weft_gpu_commands_destroy(&backend->restore);
        weft_gpu_timer_destroy(backend->gpu, &backend->timer);
        weft_gpu_solve_destroy(&backend->solve);
        weft_gpu_contact_destroy(&backend->contact);
        weft_gpu_stages_destroy(&backend->stages);
        weft_gpu_engine_destroy(&backend->engine);
        weft_gpu_close(backend->gpu);
    }
    if (backend->host != NULL)
        backend->cpu->destroy(backend->host);
    free(backend);
}

static uint32_t mark_count(const WeftGpuBackend *backend)
{
    return PASS_MARKS + 2 * (backend->iterations < WEFT_GPU_MARKED_ITERATIONS
                                 ? backend->iterations
                                 : WEFT_GPU_MARKED_ITERATIONS);
}

// Marks a time, where times are wanted.
static void mark(const WeftGpuTimer *timer, WeftGpuCommands *commands, uint32_t number)
{
    if (timer != NULL)
        weft_gpu_timer_mark(timer, commands, number);
}

// A step, with a mark behind each stage unless `timer` is NULL.
static WeftStatus record_stages(WeftGpuBackend *backend, WeftGpuCommands *commands,
                                const WeftGpuTimer *timer)
{
    WEFT_TRY(weft_gpu_commands_begin(commands));
    if (timer != NULL)
        weft_gpu_timer_reset(timer, commands);
    mark(timer, commands, 0);
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        // The solver's marks are those of its stages; that of solve_multiply stands for all iterations.
        if (stage == WEFT_STAGE_label)
            weft_gpu_solve_record(&backend->solve, commands, backend->iterations, timer,
                                  WEFT_STAGE_label + 1, PASS_MARKS);
        if (stage >= WEFT_STAGE_label && stage < WEFT_STAGE_solve_update)
            continue;
        if (weft_gpu_contact_has((WeftStage)stage))
            weft_gpu_contact_record(&backend->contact, commands, (WeftStage)stage);
        if (weft_gpu_stages_has((WeftStage)stage))
            weft_gpu_stages_record(&backend->stages, commands, (WeftStage)stage);
        if (stage == WEFT_STAGE_guard)
            weft_gpu_stages_record_end(&backend->stages, commands);
        mark(timer, commands, (uint32_t)stage + 1);
    }
    return weft_gpu_commands_end(commands);
}

static WeftStatus record_step(WeftGpuBackend *backend)
{
    WEFT_TRY(weft_gpu_commands_wait(&backend->step));
    WEFT_TRY(weft_gpu_commands_wait(&backend->timed_step));
    if (backend->iterations > backend->engine.block.max_iterations)
        backend->iterations = backend->engine.block.max_iterations;
    if (backend->timer.count != mark_count(backend))
    {
        weft_gpu_timer_destroy(backend->gpu, &backend->timer);
        WEFT_TRY(weft_gpu_timer_create(backend->gpu, &backend->timer, mark_count(backend)));
    }
    WEFT_TRY(record_stages(backend, &backend->step, NULL));
    return record_stages(backend, &backend->timed_step, &backend->timer);
}

static void record_copy(WeftGpuBackend *backend, WeftArray from, WeftArray to)
{
    const VkBufferCopy copy = {.size = backend->engine.arrays[from].size};
    vkCmdCopyBuffer(backend->restore.buffer, backend->engine.arrays[from].handle,
                    backend->engine.arrays[to].handle, 1, &copy);
}

// The kept state back in its place, the clock at 0, the springs measured, and what is near what found anew.
static WeftStatus record_restore(WeftGpuBackend *backend)
{
    WeftGpuCommands *commands = &backend->restore;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    record_copy(backend, WEFT_ARRAY_kept_x, WEFT_ARRAY_x);
    record_copy(backend, WEFT_ARRAY_kept_v, WEFT_ARRAY_v);
    record_copy(backend, WEFT_ARRAY_kept_change, WEFT_ARRAY_change);
    record_copy(backend, WEFT_ARRAY_kept_load, WEFT_ARRAY_contact_load);
    record_copy(backend, WEFT_ARRAY_kept_contact, WEFT_ARRAY_contact);
    record_copy(backend, WEFT_ARRAY_kept_solid, WEFT_ARRAY_contact_solid);
    // Rows also read, times zero, u of other systems: no NaN of the failed step may stay there.
    WeftGpuBuffer *cleared[] = {&backend->engine.arrays[WEFT_ARRAY_u],
                                &backend->engine.arrays[WEFT_ARRAY_direction]};
    for (int k = 0; k < 2; k++)
        weft_gpu_record_fill(commands, cleared[k], 0, cleared[k]->size, 0);
    weft_gpu_record_fill(commands, &backend->engine.clock, 0, backend->engine.clock.size, 0);
    weft_gpu_record_barrier(commands);
    weft_gpu_stages_record(&backend->stages, commands, WEFT_STAGE_guard);
    weft_gpu_contact_record(&backend->contact, commands, WEFT_STAGE_cells);
    weft_gpu_contact_record(&backend->contact, commands, WEFT_STAGE_near);
    return weft_gpu_commands_end(commands);
}

static uint32_t first_iterations(const WeftModel *model)
{
    uint32_t most = (uint32_t)model->scene->solver.max_iterations;
    return most < FIRST_ITERATIONS ? most : FIRST_ITERATIONS;
}

static WeftStatus build(WeftGpuBackend *backend, WeftModel *model, int threads)
{
    const WeftSolver    *solver = &model->scene->solver;
    const WeftGpuOptions options = {.guards = weft_gpu_is_validating()};
    backend->model = model;
    backend->cpu = weft_backend_cpu(solver->precision);
    backend->twin = weft_twin(solver->precision);
    WEFT_TRY(
        weft_gpu_open(&backend->gpu, solver->device != NULL ? solver->device : "auto", &options));
    if (backend->gpu == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "the GPU is gone");
    WEFT_TRY(backend->cpu->create(&backend->host, model, threads));
    WEFT_TRY(weft_gpu_engine_create(backend->gpu, &backend->engine, solver->precision,
                                    backend->twin, backend->host, WEFT_GPU_RING));
    WEFT_TRY(weft_gpu_stages_create(&backend->stages, &backend->engine));
    WEFT_TRY(weft_gpu_contact_create(&backend->contact, &backend->engine));
    WEFT_TRY(weft_gpu_solve_create(&backend->solve, &backend->engine, &backend->contact));
    WEFT_TRY(weft_gpu_commands_create(backend->gpu, &backend->step));
    WEFT_TRY(weft_gpu_commands_create(backend->gpu, &backend->timed_step));
    WEFT_TRY(weft_gpu_commands_create(backend->gpu, &backend->restore));
    backend->iterations = first_iterations(model);
    backend->has_state = true;
    WEFT_TRY(record_restore(backend));
    return record_step(backend);
}

static WeftStatus create(void **object, WeftModel *model, int threads)
{
    WeftGpuBackend *backend = calloc(1, sizeof(*backend));
    *object = NULL;
    if (backend == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the engine");
    WeftStatus status = build(backend, model, threads);
    if (status != WEFT_OK)
    {
        destroy(backend);
        return status;
    }
    *object = backend;
    return WEFT_OK;
}

WeftStatus weft_gpu_backend_prepare(WeftGpuBackend *backend, uint32_t ring, double time, double h)
{
    // A change of the scene's settings acts at once.
    EngineBlock now = backend->engine.block;
    backend->twin->begin(backend->host, time, h);
    backend->twin->describe(backend->host, &now);
    if (memcmp(&now, &backend->engine.block, sizeof(now)) != 0)
    {
        backend->engine.block = now;
        WEFT_TRY(weft_gpu_engine_upload_block(&backend->engine));
        WEFT_TRY(record_step(backend));
    }
    weft_gpu_engine_set_inputs(&backend->engine, ring, backend->twin, backend->host);
    return WEFT_OK;
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static void report_step(const uint32_t *found, WeftStepReport *report)
{
    report->component_count = found[FOUND_COMPONENTS];
    report->largest_component = found[FOUND_LARGEST];
    report->iterations =
        found[FOUND_ITERATIONS] > report->iterations ? found[FOUND_ITERATIONS] : report->iterations;
    report->row_multiplies += (uint64_t)found[FOUND_ROWS_HIGH] << 32 | found[FOUND_ROWS_LOW];
    report->unconverged_count += found[FOUND_UNCONVERGED];
    report->worst_residual =
        fmax(report->worst_residual, sqrt((double)float_of(found[FOUND_RESIDUAL])));
    report->active_springs = found[FOUND_ACTIVE];
    report->implicit_springs = found[FOUND_IMPLICIT];
    report->softened_bend_springs = found[FOUND_SOFTENED];
    report->contact_count = found[FOUND_CONTACTS];
    report->stick_count = found[FOUND_STICKS];
    report->cloth_contact_count = found[FOUND_TOUCHING];
    report->cloth_contact_blocks = found[FOUND_JOINING];
    report->lost_pairs = found[FOUND_LOST];
    report->cut_count = found[FOUND_CUT];
    report->cloth_stuck = found[FOUND_STUCK] != 0;
    report->largest_stretch = (double)float_of(found[FOUND_STRETCH]);
}

// Seconds of each stage in the timed step.
static WeftStatus read_times(WeftGpuBackend *backend, uint32_t iterations)
{
    double         seconds[PASS_MARKS + 2 * WEFT_GPU_MARKED_ITERATIONS], updates = 0;
    const uint32_t marks = mark_count(backend);
    WeftGpuTimes  *times = &backend->times;
    WEFT_TRY(weft_gpu_timer_read(backend->gpu, &backend->timer, seconds));
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        times->seconds[stage] = seconds[stage + 1] - seconds[stage];

    // The time of all iterations, shared out between their passes as that of the marked ones is.
    for (uint32_t k = PASS_MARKS; k < marks; k += 2)
        updates += seconds[k + 1] - seconds[k];
    const double marked = seconds[marks - 1] - seconds[WEFT_STAGE_solve_start + 1];
    const double all = seconds[WEFT_STAGE_solve_multiply + 1] - seconds[WEFT_STAGE_solve_start + 1];
    const double share = marked > 0 ? updates / marked : 0;
    times->seconds[WEFT_STAGE_solve_multiply] -= share * all;
    times->seconds[WEFT_STAGE_solve_update] += share * all;
    times->iterations = iterations;
    times->age = 0;
    backend->has_times = true;
    return WEFT_OK;
}

// A step is taken to have been as long as the timed one, its iterations each as long as those.
static void report_times(const WeftGpuTimes *times, uint32_t iterations, WeftStepReport *report)
{
    const double more = times->iterations > 0 ? (double)iterations / times->iterations : 1;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        bool is_pass = stage == WEFT_STAGE_solve_multiply || stage == WEFT_STAGE_solve_update;
        report->stage_seconds[stage] += times->seconds[stage] * (is_pass ? more : 1);
    }
}

WeftStatus weft_gpu_backend_take_back(WeftGpuBackend *backend)
{
    backend->has_state = false;
    WEFT_TRY(weft_gpu_commands_submit(&backend->restore, 1));
    return weft_gpu_commands_wait(&backend->restore);
}

WeftStatus weft_gpu_backend_lengthen(WeftGpuBackend *backend)
{
    uint32_t most = backend->engine.block.max_iterations;
    backend->iterations = backend->iterations * 2 < most ? backend->iterations * 2 : most;
    backend->quiet_steps = 0;
    return record_step(backend);
}

// Records fewer where they have not been needed for long: those that find nothing to do still cost their dispatch.
static WeftStatus shorten(WeftGpuBackend *backend, uint32_t needed)
{
    backend->quiet_steps = needed * 4 < backend->iterations ? backend->quiet_steps + 1 : 0;
    if (backend->quiet_steps < QUIET_STEPS || backend->iterations <= FIRST_ITERATIONS / 4)
        return WEFT_OK;
    backend->iterations /= 2;
    backend->quiet_steps = 0;
    return record_step(backend);
}

// Steps behind a failed one do nothing, and so take no time.
static bool any_failed(const uint32_t *results, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (results[k * WORDS_OF_A_STEP + FOUND_FAILED])
            return true;
    return false;
}

// Runs the steps that lie in the queue and reads what they found. *done counts those before the first that failed.
static WeftStatus run_queue(WeftGpuBackend *backend, uint32_t count, WeftStepReport *reports,
                            uint32_t *done, bool *unfinished)
{
    const uint32_t *results = backend->engine.results.memory;
    memset(backend->engine.results.memory, 0, count * WORDS_OF_A_STEP * sizeof(uint32_t));
    backend->has_state = backend->has_labels = false;
    const bool is_timed = !backend->has_times || backend->times.age + count >= TIMED_INTERVAL;
    WEFT_TRY(weft_gpu_engine_reset_clock(&backend->engine));
    WEFT_TRY(weft_gpu_commands_submit(&backend->step, count - is_timed));
    WEFT_TRY(weft_gpu_commands_submit(&backend->timed_step, is_timed));
    WEFT_TRY(weft_gpu_commands_wait(&backend->step));
    WEFT_TRY(weft_gpu_commands_wait(&backend->timed_step));
    backend->times.age += count;
    if (is_timed && !any_failed(results, count))
        WEFT_TRY(read_times(backend, results[(count - 1) * WORDS_OF_A_STEP + FOUND_ITERATIONS]));
    *unfinished = false;
    for (*done = 0; *done < count; (*done)++)
    {
        const uint32_t *found = results + *done * WORDS_OF_A_STEP;
        *unfinished = found[FOUND_UNFINISHED] > 0;
        if (*unfinished)
            break;
        report_step(found, &reports[*done]);
        if (found[FOUND_FAILED])
            break;
        report_times(&backend->times, found[FOUND_ITERATIONS], &reports[*done]);
    }
    return WEFT_OK;
}

static WeftStatus advance(void *object, double time, double h, uint32_t count,
                          WeftStepReport *reports, uint32_t *done)
{
    WeftGpuBackend *backend = object;
    *done = 0;
    WEFT_TRY(backend->status);
    while (*done < count)
    {
        uint32_t part = count - *done, good;
        bool     unfinished;
        part = part < WEFT_GPU_RING ? part : WEFT_GPU_RING;
        for (uint32_t k = 0; k < part; k++)
            WEFT_TRY(weft_gpu_backend_prepare(backend, k, time + (*done + k) * h, h));
        WEFT_TRY(run_queue(backend, part, reports + *done, &good, &unfinished));
        uint32_t needed = good > 0 ? reports[*done + good - 1].iterations : 0;
        *done += good;
        if (good == part)
        {
            WEFT_TRY(shorten(backend, needed));
            continue;
        }
        WEFT_TRY(weft_gpu_backend_take_back(backend));
        if (!unfinished)
            return WEFT_OK;
        WEFT_TRY(weft_gpu_backend_lengthen(backend));
    }
    return WEFT_OK;
}

static WeftStatus step(void *object, double time, double h, WeftStepReport *report, bool *good)
{
    uint32_t   done = 0;
    WeftStatus status = advance(object, time, h, 1, report, &done);
    *good = done == 1;
    return status;
}

static void restore(void *object)
{
    // advance() has taken the failed step back already.
    (void)object;
}

// Brings the host's copy of the state up to date.
static void fetch_state(WeftGpuBackend *backend)
{
    static const WeftArray arrays[] = {WEFT_ARRAY_x, WEFT_ARRAY_v, WEFT_ARRAY_s_length};
    for (size_t k = 0; k < 3 && !backend->has_state && backend->status == WEFT_OK; k++)
        backend->status =
            weft_gpu_engine_download(&backend->engine, arrays[k], backend->twin, backend->host);
    backend->has_state = true;
}

static void energy(void *object, double *kinetic, double *potential)
{
    WeftGpuBackend *backend = object;
    fetch_state(backend);
    backend->cpu->energy(backend->host, kinetic, potential);
}

static void read_state(void *object, WeftQuantity quantity, const uint32_t *particles,
                       uint32_t first, uint32_t count, double *out)
{
    WeftGpuBackend *backend = object;
    fetch_state(backend);
    backend->cpu->read(backend->host, quantity, particles, first, count, out);
}

static const uint32_t *labels(void *object)
{
    WeftGpuBackend *backend = object;
    if (!backend->has_labels && backend->status == WEFT_OK)
        backend->status = weft_gpu_engine_download(&backend->engine, WEFT_ARRAY_label,
                                                   backend->twin, backend->host);
    backend->has_labels = true;
    return backend->cpu->labels(backend->host);
}

static WeftStatus hold(void *object, uint32_t particle, const double place[3])
{
    WeftGpuBackend *backend = object;
    WEFT_TRY(backend->cpu->hold(backend->host, particle, place));
    WEFT_TRY(
        weft_gpu_engine_upload(&backend->engine, WEFT_ARRAY_pin_of, backend->twin, backend->host));
    return weft_gpu_engine_upload(&backend->engine, WEFT_ARRAY_pin_start, backend->twin,
                                  backend->host);
}

static void move_hand(void *object, const double place[3])
{
    WeftGpuBackend *backend = object;
    backend->cpu->move_hand(backend->host, place);
}

static WeftStatus scale_springs(void *object, double stiffness, double damping)
{
    static const WeftArray arrays[] = {WEFT_ARRAY_s_stiffness,   WEFT_ARRAY_s_damping,
                                       WEFT_ARRAY_s_base,        WEFT_ARRAY_b_stiffness,
                                       WEFT_ARRAY_b_damping,     WEFT_ARRAY_b_base,
                                       WEFT_ARRAY_weave_strength};
    WeftGpuBackend        *backend = object;
    WEFT_TRY(backend->cpu->scale_springs(backend->host, stiffness, damping));
    for (size_t k = 0; k < sizeof(arrays) / sizeof(arrays[0]); k++)
        WEFT_TRY(weft_gpu_engine_upload(&backend->engine, arrays[k], backend->twin, backend->host));
    return WEFT_OK;
}

static void iteration_bytes(const void *object, double *matrix, double *all)
{
    const WeftGpuBackend *backend = object;
    *all = weft_gpu_iteration_bytes(&backend->engine, backend->engine.results.memory, matrix);
}

static const char *device(const void *object)
{
    return ((const WeftGpuBackend *)object)->gpu->info.name;
}

static void costs(const void *object, WeftEngineCosts *out)
{
    const WeftGpuBackend *backend = object;
    out->dispatches = backend->step.dispatch_count;
    out->barriers = backend->step.barrier_count;
    out->device_bytes = backend->engine.bytes + backend->contact.bytes + backend->solve.bytes;
    out->step_bytes = weft_gpu_step_bytes(&backend->engine, backend->engine.results.memory);
}

const WeftBackend weft_backend_vulkan = {
    .name = "gpu",
    .create = create,
    .destroy = destroy,
    .step = step,
    .advance = advance,
    .restore = restore,
    .energy = energy,
    .read = read_state,
    .labels = labels,
    .hold = hold,
    .move_hand = move_hand,
    .scale_springs = scale_springs,
    .iteration_bytes = iteration_bytes,
    .device = device,
    .costs = costs,
};
