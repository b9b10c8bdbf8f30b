// study_command.c: `weft bench STUDY`: runs a study, or all, and prints tables.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "arguments.h"
#include "commands.h"
#include "gpu/device_list.h"
#include "interrupt.h"
#include "study.h"

static const char usage[] =
    "Usage: weft bench STUDY [SCENE]... [options]\n"
    "       weft bench compare OLD.json NEW.json\n"
    "\n"
    "Runs a scene in several ways side by side and prints what each of them takes:\n"
    "  imex            all springs implicit against adaptive implicit-explicit steps\n"
    "  preconditioner  CG iterations with each preconditioner\n"
    "  decomposition   one system against a system for every connected component, and those with\n"
    "                  every other particle eliminated\n"
    "  threads         one thread against two\n"
    "  devices         the CPU engine against a Vulkan device\n"
    "  scaling         cost against size, from 1,000 to 1,000,000 particles\n"
    "  paper           all of these\n"
    "  contact         what keeping cloth from cloth costs, from 10,000 to 160,000 particles\n"
    "The scenes of the project are meant to be found in the folder scenes, and run at several "
    "sizes; any\n"
    "others can be named. tools/results makes a page with plots of it all.\n"
    "compare tells what became slower or quicker between two files, as ratios.\n"
    "\n"
    "  --device DEVICE    what computes, as in weft run (default: cpu; devices: gpu)\n"
    "  --scale F          grids with F times as many springs along both ways, steps 1/F as long "
    "(default:\n"
    "                     the scenes at several sizes)\n"
    "  --seconds S        at most so much motion of each scene\n"
    "  --set PATH=VALUE   change a key of the scenes; may be repeated\n"
    "  --csv FILE         write the figures as a table\n"
    "  --json FILE        write the figures, and how large the components were in each frame\n"
    "  --quiet            do not tell how far it is\n"
    "  --help             this text\n";

typedef struct Options
{
    WeftStudyOptions common;
    const char      *json, *csv;
    double           seconds, scale; // 0: as the cases have it
    bool             quiet;
} Options;

// A case to be run.
typedef struct Job
{
    const WeftStudy *study;
    WeftStudyCase    item;
    double           weight; // about how much work it is
} Job;

typedef struct Jobs
{
    Job   *items;
    size_t count;
} Jobs;

typedef struct Rows
{
    WeftStudyRow *items;
    size_t        count;
} Rows;

// Reads the scene, so that a bad one is found before anything runs, and guesses at the work.
static WeftStatus add_job(Jobs *jobs, const WeftStudy *study, WeftStudyCase item,
                          const Options *options)
{
    WeftScene scene;
    double    particles = 0, variants = 0;
    Job      *more = realloc(jobs->items, (jobs->count + 1) * sizeof(*more));
    if (more == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the study");
    jobs->items = more;
    WEFT_TRY(weft_study_load(&scene, study, 0, &item, &options->common));
    for (size_t k = 0; k < scene.cloths_count; k++)
        particles += (double)scene.cloths[k].grid.counts[0] * scene.cloths[k].grid.counts[1];
    for (int k = 0; k < WEFT_VARIANT_MOST && study->variants[k].name; k++)
        variants += study->needs_device && k > 0 ? 10 : 1;
    if (!(item.seconds > 0))
        item.seconds = scene.duration;
    if (options->seconds > 0)
        item.seconds = fmin(item.seconds, options->seconds);
    jobs->items[jobs->count++] =
        (Job){study, item, particles * item.seconds / scene.step * variants + 1};
    weft_scene_destroy(&scene);
    return WEFT_OK;
}

static WeftStatus add_study(Jobs *jobs, const WeftStudy *study, char **scenes, int scene_count,
                            const Options *options)
{
    double scale = options->scale > 0 ? options->scale : 1;
    for (int k = 0; k < scene_count; k++)
        WEFT_TRY(
            add_job(jobs, study, (WeftStudyCase){scenes[k], NULL, NULL, scale, scale, 0}, options));
    for (int k = 0; scene_count == 0 && study->cases[k].name != NULL; k++)
    {
        // A scale is one of the cases' own sizes.
        WeftStudyCase item = study->cases[k];
        if (options->scale > 0 && item.scale != 1)
            continue;
        if (options->scale > 0)
            item.scale = item.pace = options->scale;
        WEFT_TRY(add_job(jobs, study, item, options));
    }
    return WEFT_OK;
}

// Whether there is a Vulkan device by that name. In a process of its own: drivers would stay in this one's memory, and be counted
// as that of the cases.
static WeftStatus find_device(void *context, void *result)
{
    const char *wanted = context;
    int         index = -1;
    WeftGpuList list;
    (void)result;
    WEFT_TRY(weft_gpu_list_create(&list));
    WeftStatus status = weft_gpu_choose(&list, wanted, &index);
    if (status == WEFT_OK && index < 0)
        status = weft_fail(WEFT_ERROR_INPUT, "'%s' stands for the CPU here", wanted);
    weft_gpu_list_destroy(&list);
    return status;
}

// Fails with the reason why a study cannot run here.
static WeftStatus check_study(const WeftStudy *study, const Options *options)
{
    const char *device = options->common.device;
    bool        is_cpu = device != NULL && strcmp(device, "cpu") == 0;
    char        nothing = 0;
    if (study->is_of_cpu && device != NULL && !is_cpu)
        return weft_fail(WEFT_ERROR_INPUT,
                         "it is about threads of the CPU engine; leave --device out");
    if (study->needs_device && is_cpu)
        return weft_fail(WEFT_ERROR_INPUT,
                         "it compares the CPU with another device; --device names that one");
    if (!study->needs_device)
        return WEFT_OK;
    return weft_run_apart(find_device, (void *)(device != NULL ? device : "gpu"), &nothing,
                          sizeof(nothing));
}

static WeftStatus run_job(const Job *job, const Options *options, WeftStudyProgress *progress,
                          Rows *all)
{
    WeftStudyRow *more = realloc(all->items, (all->count + WEFT_VARIANT_MOST) * sizeof(*more)),
                 *rows;
    int count;
    if (more == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the figures");
    all->items = more;
    rows = more + all->count;
    progress->number++;
    progress->weight = job->weight;
    WEFT_TRY(weft_study_measure(job->study, &job->item, &options->common, progress, rows, &count));
    all->count += (size_t)count;
    progress->done += job->weight;
    weft_progress_clear(&progress->bar);
    printf("\n%s%s, %u particles, %u steps, %.3g s of motion\n", job->item.name,
           job->item.scale < 1   ? ", coarser"
           : job->item.scale > 1 ? ", finer"
                                 : "",
           rows[0].particle_count, rows[0].step_count, rows[0].seconds);
    weft_study_print_rows(rows, count);
    fflush(stdout);
    return WEFT_OK;
}

static WeftStatus run_jobs(const Jobs *jobs, const Options *options, Rows *rows)
{
    double work = 0;
    for (size_t k = 0; k < jobs->count; k++)
        work += jobs->items[k].weight;
    WeftStudyProgress progress = {
        .bar = weft_progress_start(options->quiet, (uint32_t)jobs->count, (uint64_t)work)};
    progress.bar.item = "case";
    progress.bar.unit = NULL;
    size_t begin = 0;
    for (size_t k = 0; k < jobs->count; k++)
    {
        const WeftStudy *study = jobs->items[k].study;
        if (k == 0 || jobs->items[k - 1].study != study)
        {
            begin = rows->count;
            printf("\n%s: %s\n", study->name, study->what);
            if (study->paper[0] != '\0')
                printf("the paper: %s\n", study->paper);
        }
        WEFT_TRY(run_job(&jobs->items[k], options, &progress, rows));
        if (k + 1 < jobs->count && jobs->items[k + 1].study == study)
            continue;
        if (study->is_apart)
            weft_study_print_fit(rows->items + begin, rows->count - begin);
        if (study->is_of_contact)
            weft_study_print_contact(rows->items + begin, rows->count - begin);
    }
    weft_progress_finish(&progress.bar, (uint32_t)jobs->count, (uint64_t)work);
    return WEFT_OK;
}

// Reads a number above 0.
static bool read_number(const char *text, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number > 0 && *number <= most;
}

// Returns -1 to go on, else the exit status.
static int read_options(int argc, char **argv, Options *options)
{
    static const struct option known[] = {{"device", required_argument, NULL, 'd'},
                                          {"scale", required_argument, NULL, 'x'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"set", required_argument, NULL, 'S'},
                                          {"csv", required_argument, NULL, 'c'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
        switch (found)
        {
        case 'd':
            options->common.device = optarg;
            break;
        case 'x':
            if (!read_number(optarg, 100, &options->scale))
                return weft_wrong_use("bench", "'%s' is not a scale above 0, up to 100", optarg);
            break;
        case 's':
            if (!read_number(optarg, 1e4, &options->seconds))
                return weft_wrong_use("bench", "'%s' is not a number of seconds", optarg);
            break;
        case 'S':
            options->common.settings[options->common.setting_count++] = optarg;
            break;
        case 'c':
            options->csv = optarg;
            break;
        case 'j':
            options->json = optarg;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return weft_wrong_option("bench", found, argv, known);
        }
    return -1;
}

// Lists what is to be run, runs it, writes the files.
static WeftStatus carry_out(const WeftStudy *study, char **scenes, int scene_count,
                            const Options *options, Jobs *jobs, Rows *rows)
{
    for (const WeftStudy *each = study != NULL ? study : weft_studies; each->name != NULL; each++)
    {
        WeftStatus status = check_study(each, options);
        char       why[512];
        snprintf(why, sizeof(why), "%s", weft_error_message());
        if (study == NULL && each->is_of_contact)
            continue;
        if (status != WEFT_OK && study != NULL)
            return weft_fail(status, "%s: %s", each->name, why);
        if (status != WEFT_OK)
            printf("%s is left out: %s\n", each->name, why);
        else
            WEFT_TRY(add_study(jobs, each, scenes, scene_count, options));
        if (study != NULL)
            break;
    }

    // What was measured before a failure is not lost.
    WeftStatus status = run_jobs(jobs, options, rows);
    char       why[512];
    snprintf(why, sizeof(why), "%s", weft_error_message());
    if (options->json != NULL && rows->count > 0)
        WEFT_TRY(weft_study_write_json(options->json, rows->items, rows->count));
    if (options->csv != NULL && rows->count > 0)
        WEFT_TRY(weft_study_write_csv(options->csv, rows->items, rows->count));
    return status == WEFT_OK ? WEFT_OK : weft_fail(status, "%s", why);
}

int weft_command_study(const WeftStudy *study, int argc, char **argv)
{
    Options options = {.common.settings = calloc((size_t)argc, sizeof(char *))};
    Jobs    jobs = {NULL, 0};
    Rows    rows = {NULL, 0};
    if (options.common.settings == NULL)
        return 1;
    int status = read_options(argc, argv, &options);
    if (status < 0)
    {
        weft_interrupt_listen();
        status = (int)carry_out(study, argv + optind, argc - optind, &options, &jobs, &rows);
        if (status != 0)
            fprintf(stderr, "weft bench: %s\n", weft_error_message());
        if (weft_interrupted())
            status = WEFT_EXIT_INTERRUPTED;
    }
    for (size_t k = 0; k < rows.count; k++)
        weft_study_row_destroy(&rows.items[k]);
    free(rows.items);
    free(jobs.items);
    free(options.common.settings);
    return status;
}
