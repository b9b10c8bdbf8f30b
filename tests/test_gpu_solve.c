// test_gpu_solve.c: components, ordering and CG on the device against the CPU's kernels in double, on the same input.
// Whole numbers are exact; solutions are compared by the residual that the CPU finds for them, iterations by those that it
// takes in float as well.
#include "test_gpu.h"

#include <math.h>
#include <stdio.h>

#include "float_solver.h"
#include "gpu/solve.h"
#include "sim/engine.h"

extern const WeftBackend weft_backend_f64_base, weft_backend_f32_base;

static WeftGpu        *gpu;
static WeftGpuCommands commands;

void setUp(void)
{
    gpu = open_test_device(NULL);
    EXPECT_OK(weft_gpu_commands_create(gpu, &commands));
}

void tearDown(void)
{
    if (gpu)
    {
        weft_gpu_commands_destroy(&commands);
        weft_gpu_close(gpu);
    }
    gpu = NULL;
    expect_no_validation_messages();
}

// A scene in both engines, up to the stage before label.
typedef struct Bench
{
    WeftScene       scene;
    WeftModel       model;
    double          time; // s, at the start of the step
    Engine         *engine;
    EngineData     *data;
    const WeftTwin *twin;
    WeftGpuEngine   device;
    WeftGpuContact  contact;
    WeftGpuSolve    solve;
} Bench;

static void send_values(Bench *bench)
{
    double values[512];
    TEST_ASSERT_LESS_THAN_UINT32(512, bench->device.block.value_count);
    bench->twin->values(bench->engine, values, bench->device.real_size);
    EXPECT_OK(weft_gpu_upload(gpu, &bench->device.values, 0, values,
                              bench->device.block.value_count * bench->device.real_size));
    uint32_t findings[FOUND_COUNT] = {0};
    findings[FOUND_PRESCRIBED] = bench->data->has_prescribed;
    EXPECT_OK(weft_gpu_upload(gpu, &bench->device.findings, 0, findings, sizeof(findings)));
}

// Runs `steps` steps on the CPU and the first stages of the next one, then gives both engines the same numbers.
static void open_bench(Bench *bench, const char *text, const char *const *settings,
                       size_t setting_count, int steps, WeftPrecision precision)
{
    memset(bench, 0, sizeof(*bench));
    EXPECT_OK(weft_scene_parse(&bench->scene, text, "test.json", "/tmp", settings, setting_count));
    EXPECT_OK(weft_model_create(&bench->model, &bench->scene));
    void *engine;
    EXPECT_OK(weft_backend_f64_base.create(&engine, &bench->model, 1));
    bench->engine = engine;
    bench->data = &bench->engine->data;
    bench->twin = weft_twin(WEFT_PRECISION_DOUBLE);
    double h = bench->scene.step;
    for (int k = 0; k < steps; k++)
    {
        WeftStepReport report = {0};
        bool           good;
        EXPECT_OK(weft_backend_f64_base.step(engine, k * h, h, &report, &good));
        TEST_ASSERT_TRUE(good);
    }
    bench->time = steps * h;
    bench->twin->begin(engine, bench->time, h);
    for (WeftStage stage = WEFT_STAGE_keep; stage < WEFT_STAGE_label; stage++)
        bench->twin->run(engine, stage);
    EXPECT_OK(weft_gpu_engine_create(gpu, &bench->device, precision, bench->twin, engine, 1));
    EXPECT_OK(weft_gpu_engine_download_all(&bench->device, bench->twin, engine));
    EXPECT_OK(weft_gpu_contact_create(&bench->contact, &bench->device));
    EXPECT_OK(weft_gpu_solve_create(&bench->solve, &bench->device, &bench->contact));
    send_values(bench);
}

static void close_bench(Bench *bench)
{
    EXPECT_OK(weft_gpu_engine_guard_check(&bench->device));
    EXPECT_OK(weft_gpu_solve_guard_check(&bench->solve));
    weft_gpu_solve_destroy(&bench->solve);
    weft_gpu_contact_destroy(&bench->contact);
    weft_gpu_engine_destroy(&bench->device);
    weft_backend_f64_base.destroy(bench->engine);
    weft_model_destroy(&bench->model);
    weft_scene_destroy(&bench->scene);
}

static void run_commands(void)
{
    EXPECT_OK(weft_gpu_commands_end(&commands));
    EXPECT_OK(weft_gpu_commands_submit(&commands, 1));
    EXPECT_OK(weft_gpu_commands_wait(&commands));
}

static uint32_t *download_words(const WeftGpuBuffer *buffer)
{
    uint32_t *words = malloc(buffer->size + 4);
    EXPECT_OK(weft_gpu_download(gpu, buffer, 0, words, buffer->size));
    return words;
}

static void expect_equal(uint32_t expected, uint32_t got, const char *what, uint32_t at)
{
    if (expected == got)
        return;
    char text[100];
    snprintf(text, sizeof(text), "%s %u", what, at);
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(expected, got, text);
}

// Labels and order.

// The rows that kernels/order.c stands for: by label, then by index, held ones last.
static uint32_t *expected_rows(const EngineData *data)
{
    uint32_t *rows = malloc(4 * (size_t)data->particle_count + 4), count = 0;
    uint32_t *begin = calloc((size_t)data->particle_count + 2, 4);
    for (uint32_t i = 0; i < data->particle_count; i++)
        begin[(data->label[i] == LABEL_NONE ? data->particle_count : data->label[i]) + 1]++;
    for (uint32_t i = 0; i <= data->particle_count; i++)
        begin[i + 1] += begin[i];
    for (uint32_t i = 0; i < data->particle_count; i++, count++)
        rows[begin[data->label[i] == LABEL_NONE ? data->particle_count : data->label[i]]++] = i;
    free(begin);
    return rows;
}

// Tiles of the large systems, and the lists of small ones.
static void check_lists(Bench *bench, const uint32_t *systems, const uint32_t *sorted,
                        const uint32_t *findings)
{
    const EngineData *data = bench->data;
    uint32_t         *tiles = download_words(&bench->solve.tiles),
             *live = download_words(&bench->solve.live),
             *small = download_words(&bench->solve.small_list), *others = small;
    uint32_t tile = 0, few_count = 0, other_count = 0;
    others += SYSTEM_MOST(data->padded_count);
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        const uint32_t *system = systems + k * SYSTEM_WORDS;
        uint32_t        rows = system[SYSTEM_ROWS];
        if (data->decompose && rows <= FEW_ROWS)
            expect_equal(k, small[few_count++], "system of few rows", k);
        else if (data->decompose && rows <= SMALL_COMPONENT)
            expect_equal(k, others[other_count++], "small system", k);
        else
        {
            // A tile for every stretch of particles that has rows of the system.
            const uint32_t *list = sorted + system[SYSTEM_FIRST],
                           size = bench->device.block.tile_rows;
            expect_equal(tile, system[SYSTEM_TILE], "first tile of system", k);
            for (uint32_t row = 0; row < rows; row++)
            {
                if (row > 0 && list[row] / size == list[row - 1] / size)
                    continue;
                expect_equal(k, tiles[tile * TILE_WORDS + TILE_SYSTEM], "system of tile", tile);
                expect_equal(list[row] / size, tiles[tile * TILE_WORDS + TILE_PLACE],
                             "place of tile", tile);
                expect_equal(tile, live[tile], "live tile", tile);
                tile++;
            }
            expect_equal(tile, system[SYSTEM_TILE_END], "end of the system's tiles", k);
        }
    }
    expect_equal(few_count + other_count, findings[FOUND_SMALL], "small systems", 0);
    expect_equal(tile, findings[FOUND_TILES], "tiles", 0);
    free(tiles);
    free(live);
    free(small);
}

static void check_order(Bench *bench)
{
    const EngineData *data = bench->data;
    uint32_t         *rows = expected_rows(data), *got = download_words(&bench->device.rows),
             *position = download_words(&bench->solve.position),
             *systems = download_words(&bench->solve.systems),
             *findings = download_words(&bench->device.findings);
    for (uint32_t k = 0; k < data->particle_count; k++)
    {
        expect_equal(rows[k], got[k], "row", k);
        expect_equal(k, position[rows[k]], "position of row", k);
    }
    expect_equal(data->component_count, findings[FOUND_COMPONENTS], "components", 0);
    expect_equal(data->largest_component, findings[FOUND_LARGEST], "largest", 0);
    expect_equal(data->system_count, findings[FOUND_SYSTEMS], "systems", 0);
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        const uint32_t *system = systems + k * SYSTEM_WORDS;
        expect_equal(data->systems[k].label, system[SYSTEM_LABEL], "label of system", k);
        expect_equal(data->systems[k].row_count, system[SYSTEM_ROWS], "rows of system", k);
        expect_equal(data->systems[k].label, rows[system[SYSTEM_FIRST]], "first row of system", k);
    }
    check_lists(bench, systems, rows, findings);
    free(rows);
    free(got);
    free(position);
    free(systems);
    free(findings);
}

static void check_labels(Bench *bench)
{
    WEFT_KERNEL(label)(bench->data);
    WEFT_KERNEL(order)(bench->data);
    send_values(bench);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record_label(&bench->solve, &commands);
    weft_gpu_solve_record_order(&bench->solve, &commands);
    run_commands();
    uint32_t *labels = download_words(&bench->device.arrays[WEFT_ARRAY_label]);
    for (uint32_t i = 0; i < bench->data->particle_count; i++)
        expect_equal(bench->data->label[i], labels[i], "label", i);
    free(labels);
    check_order(bench);
}

// Takes the first `count` particles and the springs among them that `wanted` says are implicit.
typedef bool (*Wanted)(uint32_t a, uint32_t b, uint32_t *state);

static void set_graph(Bench *bench, uint32_t count, Wanted wanted, uint32_t held_permille)
{
    EngineData *data = bench->data;
    SpringList *list = &data->structural;
    uint32_t    state = count + 7;
    data->particle_count = count;
    data->slice_count = (count + SLICE - 1) / SLICE;
    data->tile_count = (count + TILE - 1) / TILE;
    for (uint32_t k = 0; k < list->storage_count; k++)
        list->flags[k] &= (uint8_t)~SPRING_IMPLICIT;
    for (uint32_t r = 0; r < list->tile_runs[data->tile_count]; r++)
        for (uint32_t k = 0; k < list->runs[r].count; k++)
        {
            uint32_t at = list->runs[r].spring + k, a = list->runs[r].owner + k;
            if ((list->flags[at] & SPRING_PRESENT) && a < count && list->other[at] < count &&
                wanted(a, list->other[at], &state))
                list->flags[at] |= SPRING_IMPLICIT;
        }
    for (uint32_t i = 0; i < count; i++)
        data->degrees[i] =
            next_random(&state) % 1000 < held_permille ? 0 : 1 + next_random(&state) % 3;
    bench->device.block.particle_count = count;
    EXPECT_OK(weft_gpu_engine_upload_block(&bench->device));
    const WeftArray arrays[] = {WEFT_ARRAY_s_flags, WEFT_ARRAY_degrees};
    for (int k = 0; k < 2; k++)
        EXPECT_OK(weft_gpu_engine_upload(&bench->device, arrays[k], bench->twin, bench->engine));
}

#define WIDTH 90u

static bool none(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)a, (void)b, (void)state;
    return false;
}

static bool all(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)a, (void)b, (void)state;
    return true;
}

static bool every_fourth(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)a, (void)b;
    return next_random(state) % 4 == 0;
}

static bool every_ninth(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)a, (void)b;
    return next_random(state) % 9 == 0;
}

// Pairs along the width.
static bool pairs(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)state;
    return b == a + 1 && a % WIDTH % 2 == 0;
}

// Row by row to and fro.
static bool snake(uint32_t a, uint32_t b, uint32_t *state)
{
    (void)state;
    uint32_t end = a / WIDTH % 2 == 0 ? WIDTH - 1 : 0;
    return (b == a + 1 && b % WIDTH != 0) || (b == a + WIDTH && a % WIDTH == end);
}

static const char sheet[] =
    "{\"cloths\": [{\"name\": \"c\", \"grid\": {\"size\": [1, 1], \"counts\": [90, 71]}}]}";

static void test_labels_and_rows_at_the_ends_of_groups_and_tiles(void)
{
    const uint32_t sizes[] = {6390, 4097, 4096, 2049, 2048, 1000, 257, 256, 255, 33, 2, 1};
    const Wanted   graphs[] = {every_fourth, all, every_ninth};
    Bench          bench;
    open_bench(&bench, sheet, NULL, 0, 0, WEFT_PRECISION_FLOAT);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        for (size_t graph = 0; graph < sizeof(graphs) / sizeof(graphs[0]); graph++)
        {
            set_graph(&bench, sizes[k], graphs[graph], graph == 0 ? 100 : 0);
            check_labels(&bench);
        }
    close_bench(&bench);
}

static void test_labels_and_rows_of_unusual_graphs(void)
{
    const struct
    {
        Wanted   graph;
        uint32_t held;
    } cases[] = {{none, 0}, {none, 500}, {all, 1000}, {pairs, 0}, {snake, 0}, {all, 300}};
    Bench bench;
    open_bench(&bench, sheet, NULL, 0, 0, WEFT_PRECISION_FLOAT);
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
    {
        set_graph(&bench, 6390, cases[k].graph, cases[k].held);
        check_labels(&bench);
    }
    close_bench(&bench);
}

static void test_rows_without_decomposition(void)
{
    const char *settings[] = {"solver.decompose=false"};
    Bench       bench;
    open_bench(&bench, sheet, settings, 1, 0, WEFT_PRECISION_FLOAT);
    const uint32_t sizes[] = {6390, 257, 256, 1};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
    {
        set_graph(&bench, sizes[k], all, 200);
        check_labels(&bench);
    }
    close_bench(&bench);
}

// Solving. Cloths of all sizes, with pins of every kind, a sphere under the largest, and motion.
static const char cloths[] =
    "{\"step\": 0.004, \"cloths\": ["
    "{\"name\": \"large\", \"grid\": {\"size\": [1, 1], \"counts\": [41, 37]},"
    " \"rotation\": [-80, 0, 0], \"velocity\": [0.3, -0.5, 0.1],"
    " \"pins\": [{\"indices\": [0]}, {\"indices\": [40], \"free_along\": [1, 1, 0]},"
    " {\"indices\": [1500, 1516], \"fixed_along\": [0, 1, 0.5]},"
    " {\"indices\": [700], \"keyframes\": [{\"time\": 0}, {\"time\": 1, \"position\": [0, 2, "
    "1]}]}]},"
    "{\"name\": \"middle\", \"grid\": {\"size\": [0.4, 0.3], \"counts\": [12, 11]},"
    " \"position\": [3, 0, 0], \"velocity\": [0, 0.2, 1],"
    " \"pins\": [{\"corner\": \"top_left\"}, {\"indices\": [5], \"fixed_along\": [1, 0, 0]}]},"
    "{\"name\": \"patch\", \"grid\": {\"size\": [0.2, 0.2], \"counts\": [5, 5]},"
    " \"position\": [6, 0, 0], \"pins\": [{\"corner\": \"top_left\"}]},"
    "{\"name\": \"pair\", \"grid\": {\"size\": [0.1, 0.1], \"counts\": [2, 1]},"
    " \"position\": [9, 0, 0], \"pins\": [{\"indices\": [0], \"free_along\": [1, 0, 0]}]}],"
    " \"solids\": [{\"name\": \"ball\", \"type\": \"sphere\", \"radius\": 0.3,"
    " \"position\": [0, -0.32, 0]}]}";

static void upload_change(Bench *bench)
{
    EXPECT_OK(
        weft_gpu_engine_upload(&bench->device, WEFT_ARRAY_change, bench->twin, bench->engine));
}

// Largest difference of two vectors of particles, relative to the largest entry of the first.
static double difference(const Bench *bench, double *const expected[], int parts, WeftArray array)
{
    uint32_t   *raw = download_words(&bench->device.arrays[array]);
    const void *got = raw;
    double      largest = 0, apart = 0;
    for (int part = 0; part < parts; part++)
        for (uint32_t i = 0; i < bench->data->particle_count; i++)
        {
            size_t place = (size_t)part * bench->data->padded_count + i;
            double value = bench->device.real_size == 8 ? ((const double *)got)[place]
                                                        : (double)((const float *)got)[place];
            TEST_ASSERT_TRUE(isfinite(value));
            apart = fmax(apart, fabs(value - expected[part][i]));
            largest = fmax(largest, fabs(expected[part][i]));
        }
    free(raw);
    return largest > 0 ? apart / largest : apart;
}

static void expect_near(const Bench *bench, double *const expected[], int parts, WeftArray array,
                        double most)
{
    double found = difference(bench, expected, parts, array);
    char   text[100];
    snprintf(text, sizeof(text), "%s is off by %g", weft_array_name(array), found);
    TEST_ASSERT_TRUE_MESSAGE(found <= most, text);
}

// The relative residual of the device's solution as the CPU finds it, of the worst system.
static double true_residual(Bench *bench)
{
    EngineData *data = bench->data;
    double      worst = 0;
    EXPECT_OK(
        weft_gpu_engine_download(&bench->device, WEFT_ARRAY_change, bench->twin, bench->engine));
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        data->current = &data->systems[k];
        WEFT_KERNEL(solve_start)(data);
        if (data->current->reference > 0)
            worst = fmax(worst, sqrt(fabs(data->current->gamma) / data->current->reference));
    }
    return worst;
}

// The fewest and most iterations that the CPU engine takes for a system in float, however it rounds.
typedef struct Counts
{
    uint32_t least, most;
} Counts;

#define DRAWS 6

// Rounding makes CG forget directions that it has been in, the sooner the longer the sums that its scalars are, and it then
// goes there again: how often depends on every single rounding. In exact arithmetic a multiple of the right-hand side, and of
// what is prescribed and guessed, takes as many iterations; in float each factor rounds otherwise.
static Counts *count_in_float(Bench *bench)
{
    static const WeftArray scaled[] = {WEFT_ARRAY_rhs, WEFT_ARRAY_change, WEFT_ARRAY_prescribed};
    const WeftTwin        *twin = weft_twin(WEFT_PRECISION_FLOAT);
    uint32_t               system_count = bench->data->system_count;
    size_t                 length = 3 * (size_t)bench->data->padded_count;
    float                 *vector = malloc(length * sizeof(float));
    Counts                *counts = malloc((system_count + 1) * sizeof(*counts));
    WeftModel              model;
    void                  *engine;
    EXPECT_OK(weft_model_create(&model, &bench->scene));
    EXPECT_OK(weft_backend_f32_base.create(&engine, &model, 1));
    twin->begin(engine, bench->time, bench->scene.step);
    float_solver_set_prescribed(engine, bench->data->has_prescribed);
    for (int draw = 0; draw < DRAWS; draw++)
    {
        EXPECT_OK(weft_gpu_engine_download_all(&bench->device, twin, engine));
        for (int k = 0; k < 3; k++)
        {
            twin->pack(engine, scaled[k], vector, sizeof(float));
            for (size_t place = 0; place < length; place++)
                vector[place] *= 1 + (float)draw / DRAWS;
            twin->unpack(engine, scaled[k], vector, sizeof(float));
        }
        twin->solve(engine);
        for (uint32_t k = 0; k < system_count; k++)
        {
            uint32_t iterations = float_solver_iterations(engine, k);
            if (draw == 0 || iterations < counts[k].least)
                counts[k].least = iterations;
            if (draw == 0 || iterations > counts[k].most)
                counts[k].most = iterations;
        }
    }
    weft_backend_f32_base.destroy(engine);
    weft_model_destroy(&model);
    free(vector);
    return counts;
}

// Rounding only ever delays CG: the device takes what the CPU takes in double, or one less where the last residual is just at
// the tolerance, and no more than the CPU in float but for as much again as that scatters, and one.
static void check_counts(Bench *bench, const Counts *counts, const char *label)
{
    const EngineData *data = bench->data;
    uint32_t         *systems = download_words(&bench->solve.systems);
    uint32_t         *findings = download_words(&bench->device.findings), most = 0;
    uint64_t products = findings[FOUND_ROWS_LOW] | (uint64_t)findings[FOUND_ROWS_HIGH] << 32;
    double   apart = 0;
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        uint32_t iterations = systems[k * SYSTEM_WORDS + SYSTEM_END];
        uint32_t exact = data->systems[k].iterations;
        char     text[400];
        snprintf(text, sizeof(text),
                 "%s: %u iterations of system %u with %u rows; %u in double, %u to %u in float",
                 label, iterations, k, data->systems[k].row_count, exact, counts[k].least,
                 counts[k].most);
        TEST_ASSERT_TRUE_MESSAGE(iterations + 1 >= exact, text);
        TEST_ASSERT_TRUE_MESSAGE(iterations <= 2 * counts[k].most - counts[k].least + 1, text);
        TEST_ASSERT_EQUAL_UINT32_MESSAGE(data->systems[k].converged,
                                         systems[k * SYSTEM_WORDS + SYSTEM_CONVERGED], text);
        // Rounding also tells whether a guess is worse than none, which takes a product more.
        apart += data->systems[k].row_count * (fabs((double)iterations - exact) + 1);
        most = iterations > most ? iterations : most;
    }
    expect_equal(most, findings[FOUND_ITERATIONS], "most iterations", 0);
    expect_equal(0, findings[FOUND_UNFINISHED], "unfinished", 0);
    expect_equal(0, findings[FOUND_UNCONVERGED], "unconverged", 0);
    TEST_ASSERT_TRUE_MESSAGE(fabs((double)products - (double)data->row_multiplies) <= apart, label);
    free(systems);
    free(findings);
}

static void check_solution(Bench *bench, const char *label)
{
    // Before the device changes what is there to be solved.
    for (WeftStage stage = WEFT_STAGE_label; stage <= WEFT_STAGE_order; stage++)
        bench->twin->run(bench->engine, stage);
    Counts *counts = count_in_float(bench);

    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench->solve, &commands, 400, NULL, 0, 0);
    run_commands();
    bench->twin->solve(bench->engine);
    check_counts(bench, counts, label);
    free(counts);

    double residual = true_residual(bench), limit = 1.1 * bench->data->tolerance + 2e-5;
    char   text[400];
    snprintf(text, sizeof(text), "%s: residual %g", label, residual);
    TEST_ASSERT_TRUE_MESSAGE(residual <= limit, text);
}

static void test_solutions_with_all_settings(void)
{
    // Steps before: flat cloth, and cloth that has come into motion.
    static const int states[] = {0, 3, 8};
    const char      *preconditioners[] = {
             "solver.preconditioner=modified", "solver.preconditioner=block",
             "solver.preconditioner=diagonal", "solver.preconditioner=none"};
    for (int k = 0; k < 48; k++)
    {
        const char *settings[] = {preconditioners[k / 4 % 4],
                                  k & 1 ? "solver.start=constraints" : "solver.start=previous",
                                  k & 2 ? "solver.decompose=false" : "solver.decompose=true",
                                  k % 3 ? "integrator.method=implicit"
                                        : "integrator.method=adaptive",
                                  "solver.tolerance=1e-3"};
        char        label[300];
        Bench       bench;
        snprintf(label, sizeof(label), "%s %s %s %s, after %d steps", settings[0], settings[1],
                 settings[2], settings[3], states[k / 16]);
        open_bench(&bench, cloths, settings, 5, states[k / 16], WEFT_PRECISION_FLOAT);
        check_solution(&bench, label);
        close_bench(&bench);
    }
}

static void test_solution_in_double(void)
{
    if (!gpu->info.has_float64)
        TEST_IGNORE_MESSAGE("the device has no doubles");
    const char *settings[] = {"integrator.method=implicit", "solver.tolerance=1e-9"};
    Bench       bench;
    open_bench(&bench, cloths, settings, 2, 6, WEFT_PRECISION_DOUBLE);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench.solve, &commands, 400, NULL, 0, 0);
    run_commands();
    bench.twin->solve(bench.engine);
    expect_near(&bench, bench.data->change, 3, WEFT_ARRAY_change, 1e-7);
    TEST_ASSERT_TRUE(true_residual(&bench) < 1.1e-9);
    close_bench(&bench);
}

static void test_preconditioner_and_starting_guess(void)
{
    const char *preconditioners[] = {
        "solver.preconditioner=modified", "solver.preconditioner=block",
        "solver.preconditioner=diagonal", "solver.preconditioner=none"};
    for (int k = 0; k < 4; k++)
    {
        const char *settings[] = {preconditioners[k], "integrator.method=implicit"};
        Bench       bench;
        open_bench(&bench, cloths, settings, 2, 4, WEFT_PRECISION_FLOAT);
        EXPECT_OK(weft_gpu_commands_begin(&commands));
        weft_gpu_solve_record_precondition(&bench.solve, &commands);
        run_commands();
        WEFT_KERNEL(precondition)(bench.data);
        expect_near(&bench, bench.data->inverse, 6, WEFT_ARRAY_inverse, 1e-5);
        expect_near(&bench, bench.data->change, 3, WEFT_ARRAY_change, 1e-6);
        close_bench(&bench);
    }
}

// The CPU's first iteration on every system that the device solves tile by tile.
static void iterate_large(EngineData *data)
{
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        if (data->decompose && data->systems[k].row_count <= SMALL_COMPONENT)
            continue;
        data->current = &data->systems[k];
        WEFT_KERNEL(solve_start)(data);
        WEFT_KERNEL(solve_multiply)(data);
        WEFT_KERNEL(solve_update)(data);
    }
}

static void test_first_iteration(void)
{
    for (int k = 0; k < 2; k++)
    {
        const char *settings[] = {"integrator.method=implicit",
                                  k ? "solver.decompose=false" : "solver.decompose=true"};
        Bench       bench;
        open_bench(&bench, cloths, settings, 2, 6, WEFT_PRECISION_FLOAT);
        EngineData *data = bench.data;
        EXPECT_OK(weft_gpu_commands_begin(&commands));
        weft_gpu_solve_record_label(&bench.solve, &commands);
        weft_gpu_solve_record_order(&bench.solve, &commands);
        weft_gpu_solve_record_precondition(&bench.solve, &commands);
        weft_gpu_solve_record_start(&bench.solve, &commands);
        weft_gpu_solve_record_iteration(&bench.solve, &commands, 0);
        run_commands();
        for (WeftStage stage = WEFT_STAGE_label; stage <= WEFT_STAGE_precondition; stage++)
            bench.twin->run(bench.engine, stage);
        iterate_large(data);
        expect_near(&bench, data->p, 3, WEFT_ARRAY_p, 2e-4);
        expect_near(&bench, data->r, 3, WEFT_ARRAY_r, 2e-4);
        expect_near(&bench, data->change, 3, WEFT_ARRAY_change, 1e-4);
        close_bench(&bench);
    }
}

static void test_recorded_iterations_that_are_too_few_are_reported(void)
{
    const char *settings[] = {"integrator.method=implicit", "solver.tolerance=1e-5"};
    Bench       bench;
    open_bench(&bench, cloths, settings, 2, 6, WEFT_PRECISION_FLOAT);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench.solve, &commands, 3, NULL, 0, 0);
    run_commands();
    uint32_t *findings = download_words(&bench.device.findings);
    TEST_ASSERT_EQUAL_UINT32(1, findings[FOUND_UNFINISHED]);
    TEST_ASSERT_EQUAL_UINT32(0, findings[FOUND_UNCONVERGED]);
    free(findings);
    close_bench(&bench);
}

static void test_systems_that_may_not_iterate_on_do_not_converge(void)
{
    const char *settings[] = {"integrator.method=implicit", "solver.tolerance=1e-5",
                              "solver.max_iterations=3"};
    Bench       bench;
    open_bench(&bench, cloths, settings, 3, 6, WEFT_PRECISION_FLOAT);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench.solve, &commands, 64, NULL, 0, 0);
    run_commands();
    bench.twin->solve(bench.engine);
    uint32_t *findings = download_words(&bench.device.findings), unconverged = 0;
    for (uint32_t k = 0; k < bench.data->system_count; k++)
        unconverged += !bench.data->systems[k].converged;
    TEST_ASSERT_EQUAL_UINT32(0, findings[FOUND_UNFINISHED]);
    TEST_ASSERT_EQUAL_UINT32(unconverged, findings[FOUND_UNCONVERGED]);
    TEST_ASSERT_EQUAL_UINT32(3, findings[FOUND_ITERATIONS]);
    TEST_ASSERT_EQUAL_UINT64(bench.data->row_multiplies, findings[FOUND_ROWS_LOW]);
    free(findings);
    close_bench(&bench);
}

static void test_a_failed_step_leaves_the_state_alone(void)
{
    Bench bench;
    open_bench(&bench, cloths, NULL, 0, 2, WEFT_PRECISION_FLOAT);
    const uint32_t clock[4] = {0, 1, 0, 0};
    EXPECT_OK(weft_gpu_upload(gpu, &bench.device.clock, 0, clock, sizeof(clock)));
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench.solve, &commands, 20, NULL, 0, 0);
    run_commands();
    TEST_ASSERT_TRUE(difference(&bench, bench.data->change, 3, WEFT_ARRAY_change) == 0);
    close_bench(&bench);
}

static void test_runs_repeat_bit_for_bit(void)
{
    const char *settings[] = {"integrator.method=adaptive"};
    Bench       bench;
    open_bench(&bench, cloths, settings, 1, 6, WEFT_PRECISION_FLOAT);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_solve_record(&bench.solve, &commands, 100, NULL, 0, 0);
    run_commands();
    const WeftGpuBuffer *change = &bench.device.arrays[WEFT_ARRAY_change];
    uint32_t            *first = download_words(change);
    for (int run = 0; run < 10; run++)
    {
        upload_change(&bench);
        send_values(&bench);
        EXPECT_OK(weft_gpu_commands_submit(&commands, 1));
        EXPECT_OK(weft_gpu_commands_wait(&commands));
        uint32_t *again = download_words(change);
        TEST_ASSERT_EQUAL_MEMORY(first, again, change->size);
        free(again);
    }
    free(first);
    close_bench(&bench);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_labels_and_rows_at_the_ends_of_groups_and_tiles);
    RUN_TEST(test_labels_and_rows_of_unusual_graphs);
    RUN_TEST(test_rows_without_decomposition);
    RUN_TEST(test_preconditioner_and_starting_guess);
    RUN_TEST(test_first_iteration);
    RUN_TEST(test_solutions_with_all_settings);
    RUN_TEST(test_solution_in_double);
    RUN_TEST(test_recorded_iterations_that_are_too_few_are_reported);
    RUN_TEST(test_systems_that_may_not_iterate_on_do_not_converge);
    RUN_TEST(test_a_failed_step_leaves_the_state_alone);
    RUN_TEST(test_runs_repeat_bit_for_bit);
    return UNITY_END();
}
