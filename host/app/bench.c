// bench.c: `weft bench`: where the time of a step goes, and how near conjugate gradients come to the memory's speed.
//
// Every case runs in a process of its own, so that its peak memory is its own. The machines that benchmarks run on are shared: a step's
// time is the mean over the measured steps, an iteration's the least, and what counts are the ratios within one run.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "arguments.h"
#include "commands.h"
#include "sim/pool.h"
#include "sim/sim_internal.h"
#include "study.h"
#include "triad.h"

typedef struct Case
{
    const char *name;
    const char *text; // scene, or NULL: name is a file
    int         warm_up, steps;
} Case;

// A square metre of cotton, held at three corners above a floor.
#define SHEET(counts)                                                                              \
    "{\"step\": 0.001, \"frames_per_second\": 10, \"duration\": 100, \"cloths\": [{\"grid\": "     \
    "{\"size\": [1, 1], \"counts\": [" counts "]}, \"position\": [0, 0.6, 0], \"rotation\": "      \
    "[-90, 0, 0], \"pins\": [{\"corner\": \"bottom_left\"}, {\"corner\": \"bottom_right\"}, "      \
    "{\"corner\": \"top_left\"}]}], \"solids\": [{\"type\": \"plane\"}]}"

// The same, pulled at two edges and along the others, so that every spring acts: the full matrix.
// clang-format off
#define EDGE(low, high, normal, shift)                                                             \
    "{\"box\": {\"min\": " low ", \"max\": " high "}, \"fixed_along\": " normal                    \
    ", \"keyframes\": [{\"time\": 0}, {\"time\": 0.1, \"position\": " shift "}]}"
#define PULLED(counts)                                                                             \
    "{\"step\": 0.001, \"frames_per_second\": 10, \"duration\": 100, \"cloths\": [{\"grid\": "    \
    "{\"size\": [1, 1], \"counts\": [" counts "]}, \"pins\": ["                                    \
    EDGE("[-1, -1, -1]", "[-0.4999, 1, 1]", "[1, 0, 0]", "[-0.01, 0, 0]") ","                      \
    EDGE("[0.4999, -1, -1]", "[1, 1, 1]", "[1, 0, 0]", "[0.01, 0, 0]") ","                         \
    EDGE("[-1, -1, -1]", "[1, -0.4999, 1]", "[0, 1, 0]", "[0, -0.01, 0]") ","                      \
    EDGE("[-1, 0.4999, -1]", "[1, 1, 1]", "[0, 1, 0]", "[0, 0.01, 0]") "]}]}"

// clang-format on
static const Case built_in[] = {
    {"sheet-50", SHEET("50, 50"), 100, 100},
    {"sheet-150", SHEET("150, 150"), 60, 40},
    {"pulled-512", PULLED("512, 512"), 30, 6},
    {"pulled-1000", PULLED("1000, 1000"), 4, 2},
};
#define BUILT_IN_COUNT (sizeof(built_in) / sizeof(built_in[0]))

// Bytes a second that a good GPU has, for an outlook.
#define GPU_BANDWIDTH 500e9

// What the process of a case sends back.
typedef struct Result
{
    char     error[512];
    uint32_t particle_count;
    int      threads;
    int      steps;
    double   step_seconds; // mean
    double   stage_seconds[WEFT_STAGE_COUNT];
    double   iterations;        // mean a step
    double   iteration_seconds; // least, of a step's multiply and update
    double   matrix_bytes, iteration_bytes;
    double   components, largest_component, implicit_springs, active_springs;
    double   peak_memory_bytes;
    double   triad; // bytes a second
    char     device[64];
    double   dispatches, barriers, device_bytes, step_bytes; // on a GPU
} Result;

typedef struct Options
{
    const char **settings;
    size_t       setting_count;
    int          threads;
    const char  *device;
    int          steps, warm_up; // -1: as the case has it
    const char  *csv;
} Options;

static WeftStatus load(const Case *bench, const Options *options, WeftScene *scene)
{
    if (bench->text == NULL)
        return weft_scene_load(scene, bench->name, options->settings, options->setting_count);
    return weft_scene_parse(scene, bench->text, bench->name, ".", options->settings,
                            options->setting_count);
}

static WeftStatus measure_steps(WeftSim *sim, int warm_up, int steps, Result *result)
{
    for (int k = 0; k < warm_up; k++)
        WEFT_TRY(weft_sim_step(sim, NULL));
    for (int k = 0; k < steps; k++)
    {
        double         before = sim->run.wall_seconds, solve;
        WeftStepReport report;
        WEFT_TRY(weft_sim_step(sim, &report));
        result->step_seconds += (sim->run.wall_seconds - before) / steps;
        for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
            result->stage_seconds[stage] += report.stage_seconds[stage] / steps;
        result->iterations += (double)report.iterations / steps;
        result->components += (double)report.component_count / steps;
        result->largest_component += (double)report.largest_component / steps;
        result->implicit_springs += (double)report.implicit_springs / steps;
        result->active_springs += (double)report.active_springs / steps;

        // A step whose rows are all in one large system shows what an iteration over the whole cloth costs.
        double iterations = (double)report.row_multiplies / weft_sim_particle_count(sim) - 1;
        solve = report.stage_seconds[WEFT_STAGE_solve_multiply] +
                report.stage_seconds[WEFT_STAGE_solve_update];
        double matrix, all;
        sim->backend->iteration_bytes(sim->engine, &matrix, &all);
        if (iterations >= 4 && report.largest_component > 0.9 * weft_sim_particle_count(sim) &&
            (result->iteration_seconds == 0 || solve / iterations < result->iteration_seconds))
        {
            result->iteration_seconds = solve / iterations;
            result->matrix_bytes = matrix;
            result->iteration_bytes = all;
        }
    }
    return WEFT_OK;
}

static WeftStatus measure(const Case *bench, const Options *options, Result *result)
{
    WeftScene scene;
    WeftSim  *sim;
    WEFT_TRY(load(bench, options, &scene));
    if (options->device != NULL)
    {
        free(scene.solver.device);
        scene.solver.device = strdup(options->device);
    }
    if (options->threads > 0)
        scene.solver.threads = options->threads;
    WeftStatus status = weft_sim_create(&sim, &scene);
    if (status == WEFT_OK)
    {
        result->particle_count = weft_sim_particle_count(sim);
        result->threads = weft_sim_threads(sim);
        result->steps = options->steps >= 0 ? options->steps : bench->steps;
        status = measure_steps(sim, options->warm_up >= 0 ? options->warm_up : bench->warm_up,
                               result->steps, result);
        WeftRunReport run = weft_sim_report(sim);
        snprintf(result->device, sizeof(result->device), "%s", weft_sim_device(sim));
        result->peak_memory_bytes = (double)run.peak_memory_bytes;
        result->dispatches = run.dispatches;
        result->barriers = run.barriers;
        result->device_bytes = (double)run.device_bytes;
        if (sim->backend->costs != NULL)
        {
            WeftEngineCosts costs;
            sim->backend->costs(sim->engine, &costs);
            result->step_bytes = costs.step_bytes;
        }
        weft_sim_destroy(sim);
    }
    weft_scene_destroy(&scene);
    return status;
}

typedef struct Work
{
    const Case    *bench; // NULL: the triad
    const Options *options;
} Work;

static WeftStatus do_work(void *context, void *result)
{
    const Work *work = context;
    Result     *found = result;
    if (work->bench != NULL)
        return measure(work->bench, work->options, found);
    found->triad = weft_triad_bandwidth(work->options->threads > 0 ? work->options->threads
                                                                   : weft_pool_core_count());
    return WEFT_OK;
}

// Runs a case, or the triad if `bench` is NULL, in a process of its own.
static Result run_apart(const Case *bench, const Options *options)
{
    Result result = {.error = ""};
    Work   work = {bench, options};
    if (weft_run_apart(do_work, &work, &result, sizeof(result)) != WEFT_OK)
        snprintf(result.error, sizeof(result.error), "%s", weft_error_message());
    return result;
}

static void print_result(const Case *bench, const Result *result, double triad)
{
    double step = result->step_seconds;
    double order =
        result->stage_seconds[WEFT_STAGE_label] + result->stage_seconds[WEFT_STAGE_order];
    printf("\n%s: %u particles, %d threads, %d steps\n", bench->name, result->particle_count,
           result->threads, result->steps);
    printf("  step        %9.3f ms   %.1f CG iterations, %.0f components, the largest of %.0f\n",
           1e3 * step, result->iterations, result->components, result->largest_component);
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        printf("  %-14s %6.3f ms  %5.1f %%\n", weft_stage_name((WeftStage)stage),
               1e3 * result->stage_seconds[stage],
               step > 0 ? 100 * result->stage_seconds[stage] / step : 0);
    printf("  label and order: %.2f %% of a step\n", step > 0 ? 100 * order / step : 0);
    if (result->iteration_seconds > 0)
        printf("  CG iteration %.3f ms: %.0f bytes of matrix a particle, %.0f bytes in all; %.1f "
               "GB/s, "
               "%.0f %% of triad\n",
               1e3 * result->iteration_seconds, result->matrix_bytes / result->particle_count,
               result->iteration_bytes / result->particle_count,
               1e-9 * result->iteration_bytes / result->iteration_seconds,
               triad > 0 ? 100 * result->iteration_bytes / result->iteration_seconds / triad : 0);
    if (result->device_bytes > 0)
    {
        printf(
            "  on %s: %.0f dispatches and %.0f barriers a step, %.0f bytes of arrays a particle\n",
            result->device, result->dispatches, result->barriers,
            result->device_bytes / result->particle_count);
        printf(
            "  the last step moved %.0f bytes a particle: %.3f ms where memory gives %.0f GB/s\n",
            result->step_bytes / result->particle_count, 1e3 * result->step_bytes / GPU_BANDWIDTH,
            1e-9 * GPU_BANDWIDTH);
    }
    printf("  peak memory %.1f MB, %.0f bytes a particle\n", 1e-6 * result->peak_memory_bytes,
           result->peak_memory_bytes / result->particle_count);
}

// The same case on the CPU engine, for comparison with a GPU.
static void print_ratio(const Case *bench, const Options *options, const Result *result)
{
    Options cpu = *options;
    cpu.device = "cpu";
    Result other = run_apart(bench, &cpu);
    if (other.error[0] == '\0' && other.step_seconds > 0)
        printf("  the CPU engine takes %.3f ms a step: 1 to %.2f\n", 1e3 * other.step_seconds,
               result->step_seconds / other.step_seconds);
}

static void print_csv(FILE *table, const Case *bench, const Result *result, double triad)
{
    fprintf(table, "%s,%u,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", bench->name,
            result->particle_count, result->threads, result->steps, 1e3 * result->step_seconds,
            result->iterations, result->components, 1e3 * result->iteration_seconds,
            result->matrix_bytes, result->iteration_bytes, result->peak_memory_bytes, triad);
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        fprintf(table, ",%.9g", 1e3 * result->stage_seconds[stage]);
    fprintf(table, "\n");
}

static const char usage[] =
    "Usage: weft bench [CASE | SCENE]... [options]\n"
    "       weft bench imex|preconditioner|decomposition|threads|devices|scaling|paper|contact\n"
    "                  [SCENE]...\n"
    "                  (see weft bench paper --help)\n"
    "       weft bench compare OLD.json NEW.json\n"
    "\n"
    "Measures where the time of a step goes, the bytes that a CG iteration moves and how much of "
    "this\n"
    "machine's memory bandwidth (STREAM triad) that is. Without arguments all built-in cases run:\n"
    "sheet-50, sheet-150 (a square metre held at three corners), pulled-512, pulled-1000 (the same "
    "pulled\n"
    "at its edges, so that every spring acts). A GPU is compared with the CPU engine in the same "
    "run, and\n"
    "the bytes that a step moves with what a GPU's memory gives.\n"
    "\n"
    "  --device DEVICE    what computes, as in weft run\n"
    "  --threads N        threads (default: one a core)\n"
    "  --steps N          steps to measure\n"
    "  --warm-up N        steps before that\n"
    "  --set PATH=VALUE   change a key of the scenes; may be repeated\n"
    "  --csv FILE         write the figures as a table\n"
    "  --help             this text\n";

static const struct option long_options[] = {
    {"device", required_argument, NULL, 'd'}, {"threads", required_argument, NULL, 't'},
    {"steps", required_argument, NULL, 's'},  {"warm-up", required_argument, NULL, 'w'},
    {"set", required_argument, NULL, 'S'},    {"csv", required_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};

// Returns -1 to go on, else the exit status.
static int read_options(int argc, char **argv, Options *options)
{
    unsigned long count;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", long_options, NULL)) != -1;)
        switch (found)
        {
        case 't':
        case 's':
        case 'w':
            if (!weft_read_count(optarg, 1000000, &count) || (found != 'w' && count == 0))
                return weft_wrong_use("bench", "'%s' is not a number of %s", optarg,
                                      found == 't' ? "threads" : "steps");
            *(found == 't'   ? &options->threads
              : found == 's' ? &options->steps
                             : &options->warm_up) = (int)count;
            break;
        case 'S':
            options->settings[options->setting_count++] = optarg;
            break;
        case 'd':
            options->device = optarg;
            break;
        case 'c':
            options->csv = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return weft_wrong_option("bench", found, argv, long_options);
        }
    return -1;
}

static Case find_case(const char *name)
{
    for (size_t k = 0; k < BUILT_IN_COUNT; k++)
        if (strcmp(name, built_in[k].name) == 0)
            return built_in[k];
    return (Case){name, NULL, 100, 200};
}

// Runs all cases; `table` collects their lines for --csv.
static int run_cases(char **names, int count, const Options *options, FILE *table)
{
    double triad = run_apart(NULL, options).triad;
    int    failed = 0, cases = count > 0 ? count : (int)BUILT_IN_COUNT;
    printf("STREAM triad: %.1f GB/s\n", 1e-9 * triad);
    for (int k = 0; k < cases; k++)
    {
        Case   bench = count > 0 ? find_case(names[k]) : built_in[k];
        Result result = run_apart(&bench, options);
        if (result.error[0] != '\0')
        {
            fprintf(stderr, "weft bench: %s\n", result.error);
            failed = WEFT_EXIT_WRONG_USE;
            continue;
        }
        print_result(&bench, &result, triad);
        if (result.device_bytes > 0)
            print_ratio(&bench, options, &result);
        if (table != NULL)
            print_csv(table, &bench, &result, triad);
    }
    return failed;
}

// Whether the words after `bench` ask for a study; then *status is what came of it.
static bool run_as_study(int argc, char **argv, int *status)
{
    const WeftStudy *study = weft_studies;
    if (argc < 2)
        return false;
    if (strcmp(argv[1], "compare") == 0)
    {
        *status = argc == 4 ? weft_study_compare(argv[2], argv[3])
                            : weft_wrong_use("bench", "compare takes two files: OLD.json NEW.json");
        return true;
    }
    while (study->name != NULL && strcmp(argv[1], study->name) != 0)
        study++;
    if (study->name == NULL && strcmp(argv[1], "paper") != 0)
        return false;
    *status = weft_command_study(study->name != NULL ? study : NULL, argc - 1, argv + 1);
    return true;
}

int weft_command_bench(int argc, char **argv)
{
    int study_status;
    if (run_as_study(argc, argv, &study_status))
        return study_status;
    Options options = {
        .settings = calloc((size_t)argc, sizeof(char *)), .steps = -1, .warm_up = -1};
    if (options.settings == NULL)
        return 1;
    int   status = read_options(argc, argv, &options);
    FILE *table = NULL;
    if (status < 0 && options.csv != NULL && (table = fopen(options.csv, "w")) == NULL)
        status = weft_wrong_use("bench", "cannot write %s", options.csv);
    if (status < 0)
    {
        if (table != NULL)
        {
            fprintf(table, "case,particles,threads,steps,ms_per_step,cg_iterations,components,ms_"
                           "per_iteration,"
                           "matrix_bytes,iteration_bytes,peak_memory_bytes,triad_bytes_per_second");
            for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
                fprintf(table, ",ms_%s", weft_stage_name((WeftStage)stage));
            fprintf(table, "\n");
        }
        status = run_cases(argv + optind, argc - optind, &options, table);
    }
    if (table != NULL && fclose(table) != 0)
    {
        fprintf(stderr, "weft bench: %s could not be written\n", options.csv);
        status = WEFT_EXIT_WRONG_USE;
    }
    free(options.settings);
    return status;
}
