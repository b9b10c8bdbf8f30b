// check.c: `weft check`: proves on a scene that every stage of the GPU engine does what its CPU twin does, and that both
// engines go the same way.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "gpu/check.h"

static const char usage[] =
    "Usage: weft check [SCENE] [OPTION...]\n\n"
    "After each stage on the GPU runs its CPU twin on the same input, in double, and compares "
    "what\n"
    "both wrote; then compares the way that both engines take. Stops at the first mismatch.\n\n"
    "  --steps N         steps to check (default: 10)\n"
    "  --after SECONDS   simulate so long on the CPU first (default: 0)\n"
    "  --device DEVICE   the GPU; the default, gpu, also takes a software one\n"
    "  --set PATH=VALUE  any key of the scene; may be repeated\n\n"
    "Exit status: 0 all is equal within its tolerance, 1 a mismatch, 2 wrong use, bad input or no "
    "GPU.\n";

typedef struct Options
{
    const char  *scene;
    const char **settings;
    size_t       setting_count;
    const char  *device;
    uint32_t     steps;
    double       after; // s
} Options;

// Where the cloth is as a whole.
typedef struct Place
{
    double center[3], kinetic, potential;
} Place;

// The worst that each row of the table has seen.
static void merge(WeftCheckRow *worst, const WeftCheckRow *row)
{
    uint64_t elements = worst->elements + row->elements;
    uint32_t otherwise = worst->otherwise + row->otherwise;
    if (worst->stage == NULL || !row->good || row->squared > worst->squared)
        *worst = *row;
    worst->elements = elements;
    worst->otherwise = otherwise;
}

static void print_table(const WeftCheckRow *rows, int count)
{
    printf("%-15s %-16s %12s %12s %12s %10s %12s %10s  %s\n", "stage", "array", "elements",
           "largest", "squared", "tolerance", "CPU's own", "otherwise", "verdict");
    for (int k = 0; k < count; k++)
        printf("%-15s %-16s %12llu %12.3g %12.3g %10.3g %12.3g %10u  %s\n", rows[k].stage,
               rows[k].array != NULL ? rows[k].array : "-", (unsigned long long)rows[k].elements,
               rows[k].largest, rows[k].squared, rows[k].tolerance, rows[k].usual,
               rows[k].otherwise, rows[k].good ? "good" : "BAD");
}

static int check_stages(const WeftScene *scene, uint32_t steps, double after)
{
    WeftCheck   *check;
    WeftCheckRow worst[WEFT_CHECK_ROWS] = {{0}};
    int          row_count = 0, most = 0;
    WeftStatus   status = weft_check_create(&check, scene);
    if (status == WEFT_OK)
    {
        printf("%s against the CPU engine in double, %u steps", weft_check_device(check), steps);
        printf(after > 0 ? " from %g s on\n" : "\n", after);
    }
    if (status == WEFT_OK && after > 0)
        status = weft_check_start_at(check, after);
    uint32_t step = 0;
    bool     good = true;
    for (; step < steps && status == WEFT_OK && good; step++)
    {
        WeftCheckRow rows[WEFT_CHECK_ROWS];
        status = weft_check_step(check, rows, &row_count);
        for (int k = 0; k < row_count && status == WEFT_OK; k++)
            merge(&worst[k], &rows[k]);
        most = row_count > most ? row_count : most;
        good = status != WEFT_OK || rows[row_count - 1].good;
    }
    weft_check_destroy(check);
    if (status != WEFT_OK)
    {
        fprintf(stderr, "weft check: %s\n", weft_error_message());
        return (int)status;
    }
    print_table(worst, most);
    if (good)
        return 0;
    const WeftCheckRow *bad = &worst[row_count - 1];
    printf("\nStep %u, stage %s: %s of element %u is %.9g on the GPU and %.9g on the CPU.\n", step,
           bad->stage, bad->array, bad->element, bad->gpu, bad->cpu);
    return 1;
}

// All positions of a simulation, (particle_count x 3).
static double *positions(const WeftSim *sim)
{
    double *all = malloc(3 * sizeof(double) * weft_sim_particle_count(sim)), *next = all;
    for (size_t cloth = 0; all != NULL && cloth < weft_sim_cloth_count(sim); cloth++)
    {
        weft_sim_positions(sim, cloth, next);
        next += 3 * weft_sim_mesh(sim, cloth)->vertex_count;
    }
    return all;
}

static Place place_of(const WeftSim *sim, const double *x)
{
    uint32_t      count = weft_sim_particle_count(sim);
    WeftRunReport report = weft_sim_report(sim);
    Place         place = {.kinetic = report.kinetic_energy, .potential = report.potential_energy};
    for (uint32_t i = 0; i < 3 * count; i++)
        place.center[i % 3] += x[i] / count;
    return place;
}

static double distance(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// Rounding grows in folds, so single particles may part; the cloth as a whole may not.
static int compare_ways(WeftSim *gpu, WeftSim *cpu, uint32_t steps)
{
    double *start = positions(cpu), *x[2] = {positions(gpu), positions(cpu)}, largest = 0, way = 0;
    if (start == NULL || x[0] == NULL || x[1] == NULL)
        return 1;
    for (uint32_t i = 0; i < weft_sim_particle_count(cpu); i++)
        largest = fmax(largest, distance(x[0] + 3 * i, x[1] + 3 * i));
    Place  a = place_of(gpu, x[0]), b = place_of(cpu, x[1]);
    double apart = distance(a.center, b.center);
    double energy = fabs(a.kinetic + a.potential - b.kinetic - b.potential);
    double scale = fabs(b.kinetic) + fabs(b.potential);
    for (uint32_t i = 0; i < weft_sim_particle_count(cpu); i++)
        for (int axis = 0; axis < 3; axis++)
            way = fmax(way, fabs(x[1][3 * i + (uint32_t)axis] - b.center[axis]));
    bool good = apart <= 1e-3 * way + 1e-6 && energy <= 0.02 * scale + 1e-6;
    printf("\nAfter %u steps   %12s %12s\n", steps, "GPU", "CPU");
    printf("kinetic energy  %12.6g %12.6g J\n", a.kinetic, b.kinetic);
    printf("potential       %12.6g %12.6g J\n", a.potential, b.potential);
    printf("centres of mass %.3g m apart, particles %.3g m at most, in a cloth that reaches %.3g "
           "m: %s\n",
           apart, largest, way, good ? "good" : "BAD");
    free(start);
    free(x[0]);
    free(x[1]);
    return good ? 0 : 1;
}

static int check_ways(const WeftScene *scene, uint32_t steps, double after)
{
    WeftScene  on_cpu = *scene;
    WeftSim   *gpu = NULL, *cpu = NULL;
    WeftStatus status = weft_sim_create(&gpu, scene);
    on_cpu.solver.device = "cpu";
    if (status == WEFT_OK)
        status = weft_sim_create(&cpu, &on_cpu);
    if (status == WEFT_OK && after > 0)
        status = weft_check_start_both_at(gpu, cpu, after);
    for (uint32_t step = 0, done; step < steps && status == WEFT_OK; step += done)
        status = weft_sim_advance(gpu, steps - step, &done, NULL);
    for (uint32_t step = 0; step < steps && status == WEFT_OK; step++)
        status = weft_sim_step(cpu, NULL);
    if (status != WEFT_OK)
        fprintf(stderr, "weft check: %s\n", weft_error_message());
    int result = status == WEFT_OK ? compare_ways(gpu, cpu, steps) : (int)status;
    weft_sim_destroy(gpu);
    weft_sim_destroy(cpu);
    return result;
}

// Returns -1 to go on, else the exit status.
static int read_options(int argc, char **argv, Options *options)
{
    static const struct option known[] = {
        {"steps", required_argument, NULL, 's'},  {"after", required_argument, NULL, 'a'},
        {"device", required_argument, NULL, 'd'}, {"set", required_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    unsigned long count;
    char         *end;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
        switch (found)
        {
        case 's':
            if (!weft_read_count(optarg, 1000000, &count) || count == 0)
                return weft_wrong_use("check", "'%s' is not a number of steps", optarg);
            options->steps = (uint32_t)count;
            break;
        case 'a':
            options->after = strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(options->after >= 0 && options->after < 1e6))
                return weft_wrong_use("check", "'%s' is not a number of seconds", optarg);
            break;
        case 'd':
            options->device = optarg;
            break;
        case 'S':
            options->settings[options->setting_count++] = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return weft_wrong_option("check", found, argv, known);
        }
    if (optind < argc)
        options->scene = argv[optind++];
    if (optind < argc)
        return weft_wrong_use("check", "one scene at a time: '%s' or '%s'?", options->scene,
                              argv[optind]);
    return -1;
}

static int check_scene(const Options *options)
{
    WeftScene scene;
    if (weft_scene_load(&scene, options->scene, options->settings, options->setting_count) !=
        WEFT_OK)
    {
        fprintf(stderr, "weft check: %s\n", weft_error_message());
        return WEFT_EXIT_WRONG_USE;
    }
    if (options->device != NULL || scene.solver.device == NULL)
    {
        free(scene.solver.device);
        scene.solver.device = strdup(options->device != NULL ? options->device : "gpu");
    }
    int status = check_stages(&scene, options->steps, options->after);
    if (status == 0)
        status = check_ways(&scene, options->steps, options->after);
    weft_scene_destroy(&scene);
    return status;
}

int weft_command_check(int argc, char **argv)
{
    Options options = {.settings = calloc((size_t)argc, sizeof(char *)), .steps = 10};
    if (options.settings == NULL)
        return 1;
    int status = read_options(argc, argv, &options);
    if (status < 0)
        status = check_scene(&options);
    free(options.settings);
    return status;
}
