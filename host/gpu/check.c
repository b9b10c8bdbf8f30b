// check.c: runs the GPU engine stage by stage beside its CPU twin. See check.h.
#include "check_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Which items of an array a stage answers for.
typedef enum Mask
{
    ALL, // of real particles
    EVERY,
    STRUCTURAL, // springs that are there
    PAIRS,      // that are listed
    ACTIVE,     // pairs whose contact spring acts
    DIRECTED,   // particles with 1 or 2 degrees of freedom
    TOUCHING,   // particles with a contact
    SINGLE,     // particles whose system has one row
    SMALL,      // 2 to SMALL_COMPONENT
    LARGE
} Mask;

typedef struct Output
{
    WeftStage stage;
    WeftArray array;
    Mask      mask;
    bool
         is_decision; // where the engines may differ for want of digits, and the particle or pair is left out
    bool is_motion; // x or v, measured by what the stage has changed in them
} Output;

#define OUTPUT(stage, array, mask)                                                                 \
    {                                                                                              \
        WEFT_STAGE_##stage, WEFT_ARRAY_##array, mask, false, false                                 \
    }
#define DECISION(stage, array, mask)                                                               \
    {                                                                                              \
        WEFT_STAGE_##stage, WEFT_ARRAY_##array, mask, true, false                                  \
    }
#define MOTION(stage, array)                                                                       \
    {                                                                                              \
        WEFT_STAGE_##stage, WEFT_ARRAY_##array, ALL, false, true                                   \
    }
static const Output outputs[] = {
    OUTPUT(keep, kept_x, ALL),
    OUTPUT(keep, kept_v, ALL),
    OUTPUT(keep, kept_change, ALL),
    OUTPUT(keep, kept_load, ALL),
    OUTPUT(keep, kept_contact, ALL),
    OUTPUT(keep, kept_solid, ALL),
    OUTPUT(weave, s_tension, STRUCTURAL),
    OUTPUT(weave, s_weave, STRUCTURAL),
    OUTPUT(classify, s_flags, STRUCTURAL),
    OUTPUT(springs, s_impulse, STRUCTURAL),
    OUTPUT(springs, s_block, STRUCTURAL),
    DECISION(touch, pair_flags, PAIRS),
    OUTPUT(touch, pair_weight, ACTIVE),
    OUTPUT(touch, pair_normal, ACTIVE),
    OUTPUT(touch, pair_gap, ACTIVE),
    OUTPUT(touch, pair_alpha, ACTIVE),
    OUTPUT(touch, pair_beta, ACTIVE),
    OUTPUT(touch, pair_impulse, ACTIVE),
    OUTPUT(air, air_force, EVERY),
    OUTPUT(gather, rhs, ALL),
    OUTPUT(gather, diagonal, ALL),
    OUTPUT(gather, light, ALL),
    OUTPUT(gather, s_slot_flags, EVERY),
    OUTPUT(bend, rhs, ALL),
    DECISION(constrain, contact, ALL),
    DECISION(constrain, degrees, ALL),
    OUTPUT(constrain, prescribed, ALL),
    OUTPUT(constrain, direction, DIRECTED),
    OUTPUT(constrain, rhs, ALL),
    OUTPUT(constrain, diagonal, ALL),
    OUTPUT(label, label, ALL),
    OUTPUT(precondition, inverse, ALL),
    OUTPUT(precondition, change, ALL),
    OUTPUT(solve_single, change, SINGLE),
    OUTPUT(solve_small, change, SMALL),
    OUTPUT(solve_start, r, LARGE),
    OUTPUT(solve_start, u, LARGE),
    OUTPUT(solve_start, change, LARGE),
    OUTPUT(solve_multiply, w, LARGE),
    OUTPUT(solve_update, p, LARGE),
    OUTPUT(solve_update, s, LARGE),
    OUTPUT(solve_update, change, LARGE),
    OUTPUT(solve_update, r, LARGE),
    OUTPUT(solve_update, u, LARGE),
    DECISION(react, contact, ALL),
    OUTPUT(react, contact_load, TOUCHING),
    OUTPUT(integrate, v, ALL),
    OUTPUT(integrate, x, ALL),
    DECISION(collide, contact, ALL),
    DECISION(collide, contact_solid, TOUCHING),
    OUTPUT(collide, x, ALL),
    OUTPUT(collide, v, ALL),
    OUTPUT(collide, contact_load, TOUCHING),
    OUTPUT(cells, pair_ways, EVERY),
    OUTPUT(cells, cell_size, EVERY),
    MOTION(cells, x),
    MOTION(cells, v),
    MOTION(limit, x),
    MOTION(limit, v),
    OUTPUT(guard, s_length, STRUCTURAL),
};

// Iterations after which small systems are compared.
#define FEW_ITERATIONS 4

// How much worse than the CPU engine in the device's precision the device may be, squared.
#define USUAL_FACTOR 16
#define USUAL_MOST 1 // beyond that its error says nothing

#define STAGE(name, per, repeat, tolerance, what) tolerance,
static const double tolerances[] = {
#include "../../kernels/stages.def"
};
#undef STAGE

size_t weft_check_item_count(const WeftCheck *check, WeftArray array)
{
    const WeftArrayShape *shape = &check->backend->engine.shapes[array];
    return (size_t)shape->parts * shape->length;
}

void weft_check_destroy(WeftCheck *check)
{
    if (check == NULL)
        return;
    weft_gpu_commands_destroy(&check->commands);
    weft_sim_destroy(check->sim);
    weft_sim_destroy(check->reference);
    free(check->device_items);
    free(check->host_items);
    free(check->usual_items);
    free(check->kept_change);
    free(check->before[0]);
    free(check->before[1]);
    free(check->words);
    free(check->rows_of);
    free(check->left_out);
    free(check->degrees);
    free(check->contacts);
    free(check);
}

static WeftStatus build(WeftCheck *check, const WeftScene *scene)
{
    check->reference_scene = *scene;
    check->reference_scene.solver.device = "cpu";
    check->reference_scene.solver.precision = WEFT_PRECISION_DOUBLE;
    WEFT_TRY(weft_sim_create(&check->sim, scene));
    if (check->sim->backend->device == NULL)
        return weft_fail(WEFT_ERROR_INPUT, "there is no GPU to check: --device gpu also takes a "
                                           "software one if there is any");
    WEFT_TRY(weft_sim_create(&check->reference, &check->reference_scene));
    // It calculates in double now; what it is to take for rounding is the device's.
    check->reference_scene.solver.precision = scene->solver.precision;
    check->backend = check->sim->engine;
    WEFT_TRY(weft_gpu_commands_create(check->backend->gpu, &check->commands));
    size_t largest = check->backend->engine.block.padded_count;
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
    {
        size_t count = weft_check_item_count(check, (WeftArray)k);
        largest = count > largest ? count : largest;
    }
    check->largest = largest;
    check->device_items = calloc(largest, sizeof(double));
    check->host_items = calloc(largest, sizeof(double));
    check->usual_items = calloc(largest, sizeof(double));
    check->kept_change = calloc(largest, sizeof(double));
    check->before[0] = calloc(weft_check_item_count(check, WEFT_ARRAY_x), sizeof(double));
    check->before[1] = calloc(weft_check_item_count(check, WEFT_ARRAY_v), sizeof(double));
    check->words = calloc(largest, sizeof(uint32_t));
    check->rows_of = calloc(largest, sizeof(uint32_t));
    check->left_out = calloc(largest, sizeof(bool));
    check->degrees = calloc(largest, sizeof(uint32_t));
    check->contacts = calloc(largest, sizeof(uint32_t));
    if (check->device_items == NULL || check->host_items == NULL || check->usual_items == NULL ||
        check->kept_change == NULL || check->before[0] == NULL || check->before[1] == NULL ||
        check->words == NULL || check->rows_of == NULL || check->left_out == NULL ||
        check->degrees == NULL || check->contacts == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the check");
    return WEFT_OK;
}

WeftStatus weft_check_create(WeftCheck **result, const WeftScene *scene)
{
    WeftCheck *check = calloc(1, sizeof(*check));
    *result = NULL;
    if (check == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the check");
    WeftStatus status = build(check, scene);
    if (status != WEFT_OK)
    {
        weft_check_destroy(check);
        return status;
    }
    *result = check;
    return WEFT_OK;
}

const char *weft_check_device(const WeftCheck *check)
{
    return weft_sim_device(check->sim);
}

static WeftStatus run_commands(WeftCheck *check)
{
    WEFT_TRY(weft_gpu_commands_end(&check->commands));
    WEFT_TRY(weft_gpu_commands_submit(&check->commands, 1));
    return weft_gpu_commands_wait(&check->commands);
}

// Runs a stage on the device. The first iteration of the large systems is both multiply and update.
static WeftStatus run_on_device(WeftCheck *check, WeftStage stage)
{
    WeftGpuBackend  *backend = check->backend;
    WeftGpuCommands *commands = &check->commands;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    switch (stage)
    {
    case WEFT_STAGE_label:
        weft_gpu_solve_record_label(&backend->solve, commands);
        break;
    case WEFT_STAGE_order:
        weft_gpu_solve_record_order(&backend->solve, commands);
        break;
    case WEFT_STAGE_precondition:
        weft_gpu_solve_record_precondition(&backend->solve, commands);
        break;
    case WEFT_STAGE_solve_single:
        weft_gpu_solve_record_single(&backend->solve, commands);
        break;
    case WEFT_STAGE_solve_small:
        weft_gpu_solve_record_small(&backend->solve, commands);
        break;
    case WEFT_STAGE_solve_start:
        weft_gpu_solve_record_start(&backend->solve, commands);
        break;
    case WEFT_STAGE_solve_multiply:
        weft_gpu_solve_record_iteration(&backend->solve, commands, 0);
        break;
    case WEFT_STAGE_solve_update:
        break;
    default:
        if (weft_gpu_contact_has(stage))
            weft_gpu_contact_record(&backend->contact, commands, stage);
        else
            weft_gpu_stages_record(&backend->stages, commands, stage);
    }
    return run_commands(check);
}

// Small systems are solved whole, and one iteration more or less makes a difference of the solver's tolerance. So they are
// compared after few iterations; what comes of all is seen in the residual.
static WeftStatus begin_small(WeftCheck *check)
{
    WeftGpuEngine *engine = &check->backend->engine;
    uint32_t       most = engine->block.max_iterations;
    engine->block.max_iterations = most < FEW_ITERATIONS ? most : FEW_ITERATIONS;
    WEFT_TRY(weft_gpu_download(engine->gpu, &engine->arrays[WEFT_ARRAY_change], 0,
                               check->kept_change, engine->arrays[WEFT_ARRAY_change].size));
    WEFT_TRY(weft_gpu_download(engine->gpu, &engine->findings, 0, check->kept_findings,
                               sizeof(check->kept_findings)));
    WEFT_TRY(weft_gpu_engine_upload_block(engine));
    WEFT_TRY(run_on_device(check, WEFT_STAGE_solve_small));
    engine->block.max_iterations = most;
    return weft_gpu_engine_upload_block(engine);
}

static WeftStatus finish_small(WeftCheck *check)
{
    WeftGpuEngine *engine = &check->backend->engine;
    WEFT_TRY(weft_gpu_upload(engine->gpu, &engine->arrays[WEFT_ARRAY_change], 0, check->kept_change,
                             engine->arrays[WEFT_ARRAY_change].size));
    WEFT_TRY(weft_gpu_upload(engine->gpu, &engine->findings, 0, check->kept_findings,
                             sizeof(check->kept_findings)));
    return run_on_device(check, WEFT_STAGE_solve_small);
}

// The iterations that are left, and the end of the large systems.
static WeftStatus finish_large(WeftCheck *check)
{
    WeftGpuBackend *backend = check->backend;
    uint32_t        most = backend->engine.block.max_iterations, count = backend->iterations;
    count = count < most ? count : most;
    WEFT_TRY(weft_gpu_commands_begin(&check->commands));
    for (uint32_t k = 1; k < count; k++)
        weft_gpu_solve_record_iteration(&backend->solve, &check->commands, k);
    weft_gpu_solve_record_end(&backend->solve, &check->commands, count);
    return run_commands(check);
}

WeftStatus weft_check_fetch(WeftCheck *check, WeftArray array, double *items)
{
    const WeftGpuEngine *engine = &check->backend->engine;
    size_t               count = weft_check_item_count(check, array);
    bool                 is_real = engine->shapes[array].is_real;
    size_t               size = is_real ? engine->real_size : sizeof(uint32_t);
    WEFT_TRY(weft_gpu_download(engine->gpu, &engine->arrays[array], 0, items, count * size));

    // From the end, so that nothing is overwritten before it is read.
    for (size_t k = count; k-- > 0;)
    {
        const char *from = (const char *)items + k * size;
        double      item;
        float       small;
        uint32_t    word;
        if (!is_real)
            item = (memcpy(&word, from, size), (double)word);
        else if (size == sizeof(float))
            item = (memcpy(&small, from, size), (double)small);
        else
            memcpy(&item, from, size);
        items[k] = item;
    }
    return WEFT_OK;
}

void weft_check_fetch_host(const WeftCheck *check, const WeftTwin *twin, const void *engine,
                           WeftArray array, double *items)
{
    twin->pack(engine, array, items, sizeof(double));
    if (check->backend->engine.shapes[array].is_real)
        return;
    for (size_t k = weft_check_item_count(check, array); k-- > 0;)
    {
        uint32_t word;
        memcpy(&word, (const char *)items + k * sizeof(word), sizeof(word));
        items[k] = (double)word;
    }
}

static WeftStatus fetch_words(WeftCheck *check, WeftArray array, uint32_t *words)
{
    const WeftGpuEngine *engine = &check->backend->engine;
    return weft_gpu_download(engine->gpu, &engine->arrays[array], 0, words,
                             weft_check_item_count(check, array) * sizeof(uint32_t));
}

static bool is_asked(const WeftCheck *check, Mask mask, uint32_t k)
{
    const EngineBlock *block = &check->backend->engine.block;
    switch (mask)
    {
    case STRUCTURAL:
        return (check->words[k] & SPRING_PRESENT) != 0;
    case PAIRS:
        return k < check->pair_count;
    case ACTIVE:
        return k < check->pair_count && !check->left_out[k] && (check->words[k] & PAIR_ACTIVE) != 0;
    case EVERY:
        return true;
    default:
        break;
    }
    if (k >= block->particle_count || check->left_out[k])
        return false;
    uint32_t rows = check->rows_of[k];
    switch (mask)
    {
    case DIRECTED:
        return (check->degrees[k] & 3) == 1 || (check->degrees[k] & 3) == 2;
    case TOUCHING:
        return check->contacts[k] != CONTACT_NONE;
    case SINGLE:
        return block->decompose && rows == 1;
    case SMALL:
        return block->decompose && rows > 1 && rows <= SMALL_COMPONENT;
    case LARGE:
        return !block->decompose || rows > SMALL_COMPONENT;
    default:
        return true;
    }
}

// Size of the velocities: what a change of velocity is measured by where it is next to nothing.
static WeftStatus velocity_size(WeftCheck *check, double *sum)
{
    WEFT_TRY(weft_check_fetch(check, WEFT_ARRAY_v, check->device_items));
    *sum = 0;
    for (size_t k = 0; k < weft_check_item_count(check, WEFT_ARRAY_v); k++)
        *sum += pow(((double *)check->device_items)[k], 2);
    return WEFT_OK;
}

// Size of the ways that the particles went: what their mean is measured by, twice, for drift and frame.
static WeftStatus way_size(WeftCheck *check, double *sum)
{
    const EngineBlock *block = &check->backend->engine.block;
    WEFT_TRY(weft_check_fetch(check, WEFT_ARRAY_x, check->device_items));
    WEFT_TRY(weft_check_fetch(check, WEFT_ARRAY_kept_x, check->host_items));
    for (size_t k = 0; k < weft_check_item_count(check, WEFT_ARRAY_x); k++)
        *sum += pow(((double *)check->device_items)[k] - ((double *)check->host_items)[k], 2) /
                block->particle_count;
    return WEFT_OK;
}

bool weft_check_judge(const WeftCheckRow *row, double squared, double usual)
{
    return squared <= row->tolerance ||
           (row->tolerance > 0 && usual < USUAL_MOST && squared <= USUAL_FACTOR * usual);
}

static WeftStatus compare(WeftCheck *check, const Output *output, const WeftTwin *twin,
                          void *engine, WeftCheckRow *row)
{
    const WeftArrayShape *shape = &check->backend->engine.shapes[output->array];
    double                error2 = 0, usual2 = 0, size2 = 0, largest = 0, worst[2] = {0, 0};
    uint32_t              at = 0;
    bool          odd = false, is_float = check->backend->engine.precision == WEFT_PRECISION_FLOAT;
    const double *before = check->before[output->array == WEFT_ARRAY_x ? 0 : 1];
    if (output->array == WEFT_ARRAY_prescribed || output->array == WEFT_ARRAY_change)
        WEFT_TRY(velocity_size(check, &size2));
    if (output->array == WEFT_ARRAY_pair_ways)
        WEFT_TRY(way_size(check, &size2));
    if (output->mask == ACTIVE)
        WEFT_TRY(fetch_words(check, WEFT_ARRAY_pair_flags, check->words));
    if (output->mask == STRUCTURAL)
        WEFT_TRY(fetch_words(check, WEFT_ARRAY_s_flags, check->words));
    WEFT_TRY(weft_check_fetch(check, output->array, check->device_items));
    weft_check_fetch_host(check, twin, engine, output->array, check->host_items);
    weft_check_fetch_host(check, check->backend->twin, check->backend->host, output->array,
                          check->usual_items);
    for (uint32_t part = 0; part < shape->parts; part++)
        for (uint32_t k = 0; k < shape->length; k++)
        {
            size_t place = (size_t)part * shape->length + k;
            double gpu = ((double *)check->device_items)[place],
                   cpu = ((double *)check->host_items)[place], error = fabs(gpu - cpu);
            if (!is_asked(check, output->mask, k))
                continue;
            row->elements++;
            if (output->is_decision && error != 0)
            {
                check->left_out[k] = true;
                row->otherwise++;
                continue;
            }
            odd = odd || !isfinite(gpu) || !isfinite(cpu);
            error2 += error * error;
            usual2 += pow(((double *)check->usual_items)[place] - cpu, 2);
            // Less than the rounding of places and velocities is no error of a motion.
            if (output->is_motion)
                size2 += pow(cpu - before[place], 2) +
                         pow(cpu * (is_float ? 0x1p-22 : 0x1p-50), 2) / row->tolerance;
            else
                size2 += cpu * cpu;
            if (!(error <= largest))
            {
                largest = error;
                at = k;
                worst[0] = gpu;
                worst[1] = cpu;
            }
        }
    double squared = error2 > 0 ? error2 / fmax(size2, 1e-30) : 0;
    double usual = usual2 > 0 ? usual2 / fmax(size2, 1e-30) : 0;
    bool   good = !odd && weft_check_judge(row, squared, usual);
    if (row->array == NULL || !good || squared > row->squared)
    {
        row->array = weft_array_name(output->array);
        row->largest = largest;
        row->squared = squared;
        row->usual = usual;
        row->element = at;
        row->gpu = worst[0];
        row->cpu = worst[1];
    }
    row->good = row->good && good;
    return WEFT_OK;
}

// Rows of each particle's system, from the labels.
static WeftStatus count_rows(WeftCheck *check)
{
    uint32_t count = check->backend->engine.block.particle_count;
    WEFT_TRY(fetch_words(check, WEFT_ARRAY_label, check->words));
    memset(check->degrees, 0, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++)
        if (check->words[i] != LABEL_NONE)
            check->degrees[check->words[i]]++;
    for (uint32_t i = 0; i < count; i++)
        check->rows_of[i] = check->words[i] != LABEL_NONE ? check->degrees[check->words[i]] : 0;
    return WEFT_OK;
}

// Rows must be sorted by label, then by index, the held ones last; the counts of components must be those of the twin.
static WeftStatus compare_order(WeftCheck *check, const WeftTwin *twin, void *engine,
                                WeftCheckRow *row)
{
    const WeftGpuEngine *gpu = &check->backend->engine;
    uint32_t  count = gpu->block.particle_count, found[FOUND_COUNT], expected[FOUND_COUNT];
    uint32_t *label = check->words, *rows = check->contacts;
    WEFT_TRY(fetch_words(check, WEFT_ARRAY_label, label));
    WEFT_TRY(weft_gpu_download(gpu->gpu, &gpu->rows, 0, rows, count * sizeof(uint32_t)));
    WEFT_TRY(weft_gpu_download(gpu->gpu, &gpu->findings, 0, found, sizeof(found)));
    twin->found(engine, expected);
    row->array = "rows";
    row->elements = count + 2;
    for (uint32_t k = 0; k < count && row->good; k++)
    {
        bool valid = rows[k] < count;
        bool sorted = valid && (k == 0 || label[rows[k - 1]] < label[rows[k]] ||
                                (label[rows[k - 1]] == label[rows[k]] && rows[k - 1] < rows[k]));
        if (sorted)
            continue;
        row->good = false;
        row->element = k;
        row->gpu = rows[k];
        row->cpu = k > 0 ? rows[k - 1] : 0;
    }
    static const uint32_t counts[] = {FOUND_COMPONENTS, FOUND_LARGEST};
    for (size_t k = 0; k < 2 && row->good; k++)
        if (found[counts[k]] != expected[counts[k]])
        {
            row->good = false;
            row->array = k == 0 ? "component count" : "largest component";
            row->gpu = found[counts[k]];
            row->cpu = expected[counts[k]];
        }
    return WEFT_OK;
}

static WeftStatus compare_stage(WeftCheck *check, WeftStage stage, const WeftTwin *twin,
                                void *engine, WeftCheckRow *row)
{
    uint32_t count = check->backend->engine.block.particle_count, deciding = 0;
    uint32_t counts[PAIR_COUNTS];
    *row = (WeftCheckRow){
        .stage = weft_stage_name(stage), .tolerance = tolerances[stage], .good = true};
    memset(check->left_out, 0, check->largest * sizeof(bool));
    if (stage == WEFT_STAGE_order)
        return compare_order(check, twin, engine, row);
    if (stage == WEFT_STAGE_precondition)
        WEFT_TRY(count_rows(check));
    WEFT_TRY(fetch_words(check, WEFT_ARRAY_degrees, check->degrees));
    WEFT_TRY(fetch_words(check, WEFT_ARRAY_contact, check->contacts));
    WEFT_TRY(fetch_words(check, WEFT_ARRAY_pair_counts, counts));
    check->pair_count = counts[PAIR_COUNT];
    for (size_t k = 0; k < sizeof(outputs) / sizeof(outputs[0]); k++)
        if (outputs[k].stage == stage)
            WEFT_TRY(compare(check, &outputs[k], twin, engine, row));

    // A few decisions may fall on the other side of a limit; more than that is an error.
    for (uint32_t i = 0; i < count; i++)
        deciding += check->contacts[i] != CONTACT_NONE;
    if (stage == WEFT_STAGE_touch)
        deciding = check->pair_count;
    if (row->otherwise > 2 + deciding / 100)
    {
        row->good = false;
        row->array = stage == WEFT_STAGE_touch ? "pair_flags" : "contact";
    }
    if (check->backend->engine.block.pair_capacity == 0)
        return WEFT_OK;
    if (stage == WEFT_STAGE_cells)
        return weft_check_cells(check, row);
    return stage == WEFT_STAGE_near || stage == WEFT_STAGE_limit ? weft_check_pairs(check, row)
                                                                 : WEFT_OK;
}

static WeftStatus check_stage(WeftCheck *check, WeftStage stage, WeftCheckRow *row)
{
    WeftGpuBackend *backend = check->backend;
    const WeftTwin *exact = weft_twin(WEFT_PRECISION_DOUBLE), *usual = backend->twin;
    void           *reference = check->reference->engine;

    // An iteration runs as a whole on the device: what update is to start from is multiply's result.
    if (stage != WEFT_STAGE_solve_update)
    {
        WEFT_TRY(weft_gpu_engine_download_all(&backend->engine, exact, reference));
        WEFT_TRY(weft_gpu_engine_download_all(&backend->engine, usual, backend->host));
    }
    WEFT_TRY(weft_check_fetch(check, WEFT_ARRAY_x, check->before[0]));
    WEFT_TRY(weft_check_fetch(check, WEFT_ARRAY_v, check->before[1]));
    if (stage == WEFT_STAGE_solve_small)
    {
        exact->limit(reference, FEW_ITERATIONS);
        usual->limit(backend->host, FEW_ITERATIONS);
    }
    WEFT_TRY(stage == WEFT_STAGE_solve_small ? begin_small(check) : run_on_device(check, stage));
    exact->run(reference, stage);
    usual->run(backend->host, stage);

    // Bits can only be equal in the same precision. And where one rounding decides whether somebody is pushed, and that who is pushed
    // next, the precisions part for good.
    if (tolerances[stage] == 0 || stage == WEFT_STAGE_limit)
        return compare_stage(check, stage, usual, backend->host, row);
    return compare_stage(check, stage, exact, reference, row);
}

// The residual of the device's solution, as the CPU engine finds it in double.
static WeftStatus check_residual(WeftCheck *check, WeftCheckRow *row)
{
    const WeftTwin *twin = weft_twin(WEFT_PRECISION_DOUBLE);
    void           *engine = check->reference->engine;
    double          asked = check->sim->scene->solver.tolerance;
    bool            is_float = check->backend->engine.precision == WEFT_PRECISION_FLOAT;
    uint32_t        found[FOUND_COUNT];
    WEFT_TRY(weft_gpu_download(check->backend->gpu, &check->backend->engine.findings, 0, found,
                               sizeof(found)));
    WEFT_TRY(weft_gpu_engine_download_all(&check->backend->engine, twin, engine));
    double residual = twin->residual(engine, is_float ? 0x1p-22 : 0x1p-50);
    bool   ended = found[FOUND_UNCONVERGED] == 0 && found[FOUND_UNFINISHED] == 0;
    for (uint32_t i = 0; i < check->backend->engine.block.particle_count; i++)
        row->elements += check->rows_of[i] > 1;

    // The residual is carried along, so rounding parts it from the true one.
    *row = (WeftCheckRow){.stage = "residual",
                          .array = "all systems",
                          .elements = row->elements,
                          .largest = residual,
                          .squared = residual * residual,
                          .tolerance = pow(2 * asked + (is_float ? 1e-3 : 1e-8), 2),
                          .gpu = residual,
                          .cpu = asked};
    row->good = !ended || row->squared <= row->tolerance;
    return WEFT_OK;
}

// All stages of a step; stops at the first bad row.
static WeftStatus check_stages(WeftCheck *check, WeftCheckRow *rows, int *row_count)
{
    *row_count = 0;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        WEFT_TRY(check_stage(check, (WeftStage)stage, &rows[*row_count]));
        if (!rows[(*row_count)++].good)
            return WEFT_OK;
        if (stage == WEFT_STAGE_solve_small)
            WEFT_TRY(finish_small(check));
        if (stage != WEFT_STAGE_solve_update)
            continue;
        WEFT_TRY(finish_large(check));
        rows[*row_count] = (WeftCheckRow){0};
        WEFT_TRY(check_residual(check, &rows[*row_count]));
        if (!rows[(*row_count)++].good)
            return WEFT_OK;
    }
    return WEFT_OK;
}

WeftStatus weft_check_step(WeftCheck *check, WeftCheckRow *rows, int *row_count)
{
    WeftGpuBackend *backend = check->backend;
    double          h = check->sim->step_size;
    const uint32_t *found = backend->engine.results.memory;
    do
    {
        WEFT_TRY(weft_gpu_backend_prepare(backend, 0, check->time, h));
        weft_twin(WEFT_PRECISION_DOUBLE)->begin(check->reference->engine, check->time, h);
        WEFT_TRY(weft_gpu_engine_reset_clock(&backend->engine));
        WEFT_TRY(check_stages(check, rows, row_count));
        WEFT_TRY(weft_gpu_commands_begin(&check->commands));
        weft_gpu_stages_record_end(&backend->stages, &check->commands);
        WEFT_TRY(run_commands(check));
        if (found[FOUND_FAILED])
            WEFT_TRY(weft_gpu_backend_take_back(backend));
        if (found[FOUND_UNFINISHED])
            WEFT_TRY(weft_gpu_backend_lengthen(backend));
    } while (found[FOUND_UNFINISHED] && rows[*row_count - 1].good);
    backend->has_state = backend->has_labels = false;
    check->time += h;
    return WEFT_OK;
}

// The state of a CPU engine, over to the device.
static WeftStatus take_over(WeftSim *gpu, const WeftSim *cpu, WeftPrecision precision)
{
    static const WeftArray state[] = {WEFT_ARRAY_kept_x,       WEFT_ARRAY_kept_v,
                                      WEFT_ARRAY_kept_change,  WEFT_ARRAY_kept_load,
                                      WEFT_ARRAY_kept_contact, WEFT_ARRAY_kept_solid};
    WeftGpuBackend        *backend = gpu->engine;
    const WeftTwin        *twin = weft_twin(precision);
    twin->run(cpu->engine, WEFT_STAGE_keep);
    for (size_t k = 0; k < sizeof(state) / sizeof(state[0]); k++)
        WEFT_TRY(weft_gpu_engine_upload(&backend->engine, state[k], twin, cpu->engine));
    gpu->step_index = cpu->step_index;
    WEFT_TRY(weft_gpu_backend_take_back(backend));

    // What the last step has found near, not what is near now.
    for (int k = WEFT_ARRAY_pair_counts; k <= WEFT_ARRAY_blind; k++)
        WEFT_TRY(weft_gpu_engine_upload(&backend->engine, (WeftArray)k, twin, cpu->engine));
    return WEFT_OK;
}

static WeftStatus run_until(WeftSim *sim, double time)
{
    while (weft_sim_time(sim) + sim->step_size / 2 < time)
        WEFT_TRY(weft_sim_step(sim, NULL));
    return WEFT_OK;
}

WeftStatus weft_check_start_at(WeftCheck *check, double time)
{
    WEFT_TRY(run_until(check->reference, time));
    check->time = weft_sim_time(check->reference);
    return take_over(check->sim, check->reference, WEFT_PRECISION_DOUBLE);
}

WeftStatus weft_check_start_both_at(WeftSim *gpu, WeftSim *cpu, double time)
{
    WEFT_TRY(run_until(cpu, time));
    return take_over(gpu, cpu, cpu->scene->solver.precision);
}

static double random_part(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (double)*state / 2147483648.0 - 1;
}

WeftStatus weft_check_shake(WeftCheck *check, uint32_t seed, double distance, double speed)
{
    WeftGpuEngine  *gpu = &check->backend->engine;
    const WeftTwin *twin = weft_twin(WEFT_PRECISION_DOUBLE);
    void           *engine = check->reference->engine;
    uint32_t        state = seed * 2654435761u + 1;
    const WeftArray arrays[] = {WEFT_ARRAY_x, WEFT_ARRAY_v, WEFT_ARRAY_change};
    for (int k = 0; k < 3; k++)
    {
        double *items = check->host_items;
        WEFT_TRY(weft_gpu_engine_download(gpu, arrays[k], twin, engine));
        twin->pack(engine, arrays[k], items, sizeof(double));
        for (size_t place = 0; place < weft_check_item_count(check, arrays[k]); place++)
            if (place % gpu->block.padded_count < gpu->block.particle_count)
                items[place] += (k == 0 ? distance : speed) * random_part(&state);
        twin->unpack(engine, arrays[k], items, sizeof(double));
        WEFT_TRY(weft_gpu_engine_upload(gpu, arrays[k], twin, engine));
    }

    // The springs have to be measured anew, and what is near found.
    WEFT_TRY(weft_gpu_engine_reset_clock(gpu));
    WEFT_TRY(run_on_device(check, WEFT_STAGE_keep));
    WEFT_TRY(run_on_device(check, WEFT_STAGE_cells));
    WEFT_TRY(run_on_device(check, WEFT_STAGE_near));
    return run_on_device(check, WEFT_STAGE_guard);
}

uint32_t weft_check_found(const WeftCheck *check, uint32_t place)
{
    return ((const uint32_t *)check->backend->engine.results.memory)[place];
}

WeftStatus weft_check_guards(WeftCheck *check)
{
    WEFT_TRY(weft_gpu_engine_guard_check(&check->backend->engine));
    WEFT_TRY(weft_gpu_contact_guard_check(&check->backend->contact));
    return weft_gpu_solve_guard_check(&check->backend->solve);
}
