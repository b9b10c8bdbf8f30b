// study_command.c: `weft bench STUDY`: runs a study and prints its table.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "study.h"

static const char usage[] =
    "Usage: weft bench STUDY [SCENE]... [options]\n"
    "       weft bench compare OLD.json NEW.json\n"
    "\n"
    "Runs a scene in several ways side by side and prints what each of them takes:\n"
    "  imex            all springs implicit against adaptive implicit-explicit steps\n"
    "  preconditioner  CG iterations with each preconditioner\n"
    "  decomposition   one system against a system for every connected component\n"
    "  threads         one thread against two\n"
    "  scaling         cost against size, from 1,000 to 1,000,000 particles\n"
    "  paper           all of these\n"
    "The scenes of the project are meant to be found in the folder scenes; any others can be "
    "named.\n"
    "compare tells what became slower or quicker between two files, as ratios.\n"
    "\n"
    "  --seconds S        motion to simulate (default: 0.5; scaling: 0.02)\n"
    "  --set PATH=VALUE   change a key of the scenes; may be repeated\n"
    "  --json FILE        write the figures\n"
    "  --help             this text\n";

typedef struct Options
{
    const char **settings;
    size_t       setting_count;
    const char  *json;
    double       seconds; // 0: the study's own
} Options;

typedef struct Rows
{
    WeftStudyRow *items;
    size_t        count;
} Rows;

// Figures, and behind them what they are against the first variant's.
static void print_rows(const WeftStudyRow *rows, int count)
{
    printf("  %-21s %9s %9s %7s %7s %10s %9s %7s | %6s %6s %6s %6s %8s\n", "", "ms a step", "ms CG",
           "order %", "iterat.", "multiplies", "implicit", "compon.", "time", "CG", "iter.",
           "mult.", "apart, m");
    for (int k = 0; k < count; k++)
    {
        const WeftStudyRow *row = &rows[k], *first = &rows[0];
        printf("  %-21s %9.3f %9.3f %7.2f %7.1f %10.3g %9.0f %7.0f |", row->variant, row->step_ms,
               row->solve_ms, row->step_ms > 0 ? 100 * row->order_ms / row->step_ms : 0,
               row->iterations, row->multiplies, row->implicit_springs, row->components);
        if (k > 0)
            printf(" %5.2fx %5.2fx %5.2fx %5.2fx %8.2g", row->step_ms / first->step_ms,
                   row->solve_ms / first->solve_ms, row->iterations / first->iterations,
                   row->multiplies / first->multiplies, row->apart);
        if (row->memory_bytes > 0)
            printf("  %.0f bytes a particle", row->memory_bytes);
        printf("\n");
    }
}

// The exponent with which the time of a step grows with the particles, by least squares.
static void print_exponent(const WeftStudyRow *rows, size_t count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t k = 0; k < count; k++)
    {
        double size = log(rows[k].particle_count),
               cost = log(rows[k].step_ms / fmax(1, rows[k].iterations));
        x += size;
        y += cost;
        xx += size * size;
        xy += size * cost;
    }
    double spread = (double)count * xx - x * x;
    if (count > 1 && spread > 0)
        printf("\nTime of a step over its CG iterations grows with the particles to the power of "
               "%.2f\n",
               ((double)count * xy - x * y) / spread);
}

static int run_study(const WeftStudy *study, char **scenes, int scene_count, const Options *options,
                     Rows *all)
{
    bool   is_scaling = strcmp(study->name, "scaling") == 0;
    double seconds = options->seconds > 0 ? options->seconds : is_scaling ? 0.02 : 0.5;
    size_t begin = all->count;
    printf("\n%s: %s\n", study->name, study->what);
    if (study->paper[0] != '\0')
        printf("the paper: %s\n", study->paper);
    for (int k = 0; scene_count > 0 ? k < scene_count : study->cases[k].name != NULL; k++)
    {
        WeftStudyCase item = scene_count > 0 ? (WeftStudyCase){scenes[k], NULL} : study->cases[k];
        WeftStudyRow  rows[WEFT_VARIANT_MOST];
        int           count;
        if (weft_study_measure(study, &item, options->settings, options->setting_count, seconds,
                               rows, &count) != WEFT_OK)
        {
            fprintf(stderr, "weft bench: %s\n", weft_error_message());
            return WEFT_EXIT_WRONG_USE;
        }
        printf("\n%s, %u particles, %u steps\n", item.name, rows[0].particle_count,
               rows[0].step_count);
        print_rows(rows, count);
        fflush(stdout);
        WeftStudyRow *more = realloc(all->items, (all->count + (size_t)count) * sizeof(*more));
        if (more == NULL)
            return 1;
        all->items = more;
        memcpy(all->items + all->count, rows, (size_t)count * sizeof(*rows));
        all->count += (size_t)count;
    }
    if (is_scaling)
        print_exponent(all->items + begin, all->count - begin);
    return 0;
}

// Returns -1 to go on, else the exit status.
static int read_options(int argc, char **argv, Options *options)
{
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'},
                                          {"set", required_argument, NULL, 'S'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    char                      *end;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
        switch (found)
        {
        case 's':
            options->seconds = strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(options->seconds > 0 && options->seconds < 1e4))
                return weft_wrong_use("bench", "'%s' is not a number of seconds", optarg);
            break;
        case 'S':
            options->settings[options->setting_count++] = optarg;
            break;
        case 'j':
            options->json = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            return weft_wrong_option("bench", found, argv, known);
        }
    return -1;
}

int weft_command_study(const WeftStudy *study, int argc, char **argv)
{
    Options options = {.settings = calloc((size_t)argc, sizeof(char *))};
    Rows    rows = {NULL, 0};
    if (options.settings == NULL)
        return 1;
    int status = read_options(argc, argv, &options);
    if (status < 0)
    {
        status = 0;
        for (const WeftStudy *each = study != NULL ? study : weft_studies;
             each->name != NULL && status == 0; each++)
        {
            status = run_study(each, argv + optind, argc - optind, &options, &rows);
            if (study != NULL)
                break;
        }
        if (status == 0 && options.json != NULL &&
            weft_study_write(options.json, rows.items, rows.count) != WEFT_OK)
        {
            fprintf(stderr, "weft bench: %s\n", weft_error_message());
            status = WEFT_EXIT_WRONG_USE;
        }
    }
    free(rows.items);
    free(options.settings);
    return status;
}
