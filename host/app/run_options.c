// run_options.c: the command line of `weft run`.
#include "run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"

static const char usage[] =
    "Usage: weft run [SCENE] [OPTION...]\n\n"
    "Simulates a scene: a JSON file, or without one the built-in tablecloth.\n\n"
    "  --out DIR                 write frames to this folder (output.folder)\n"
    "  --format FORMAT           obj, ply: a file a frame; pc2, mdd: a point cache a cloth;\n"
    "                            usda, glb: one file for all (output.format)\n"
    "  --frames N                stop after N frames; 0 writes only the start\n"
    "  --device DEVICE           what computes: auto (a GPU if there is one, else the CPU),\n"
    "                            cpu, gpu (also a software one), or a name or index that\n"
    "                            'weft devices' lists (solver.device)\n"
    "  --threads N               threads, 0 for one a core (solver.threads)\n"
    "  --precision float|double  numbers of 4 or 8 bytes (solver.precision)\n"
    "  --set PATH=VALUE          any key of the scene, such as solver.tolerance=1e-6 or\n"
    "                            cloths[0].material.preset=silk; see 'weft keys'\n"
    "  --report FILE             write the run's figures as JSON; - for standard output\n"
    "  --count-intersections     count at every frame how often triangles of the cloths cut\n"
    "                            each other, and report it\n"
    "  --quiet                   only warnings and errors\n\n"
    "Ctrl-C ends a run after its current step; frames and report stay complete.\n"
    "Exit status: 0 all went well, 1 the run failed, 2 wrong use, bad input or a file\n"
    "that cannot be written, 130 interrupted.\n";

// An option's letter, the key it stands for; 0 at the end.
static const struct
{
    int         letter;
    const char *key;
} keys[] = {
    {'d', "solver.device"},  {'o', "output.folder"},    {'F', "output.format"},
    {'t', "solver.threads"}, {'p', "solver.precision"}, {0, NULL},
};

static const char *find_key(int letter)
{
    for (size_t i = 0; keys[i].key; i++)
        if (keys[i].letter == letter)
            return keys[i].key;
    return NULL;
}

static int add_setting(WeftRunOptions *options, const char *key, const char *value)
{
    return weft_add_setting(options->settings, &options->setting_count, key, value)
               ? -1
               : weft_wrong_use("run", "out of memory");
}

int weft_run_options_read(WeftRunOptions *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"count-intersections", no_argument, NULL, 'i'},
        {"device", required_argument, NULL, 'd'},
        {"format", required_argument, NULL, 'F'},
        {"frames", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {"out", required_argument, NULL, 'o'},
        {"precision", required_argument, NULL, 'p'},
        {"quiet", no_argument, NULL, 'q'},
        {"report", required_argument, NULL, 'r'},
        {"set", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };

    // No more settings than arguments.
    memset(options, 0, sizeof *options);
    options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
    if (!options->settings)
        return weft_wrong_use("run", "out of memory");

    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
    {
        int           status = -1;
        unsigned long count = 0;
        switch (found)
        {
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'i':
            options->count_intersections = true;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'f':
            options->has_frame_count = weft_read_count(optarg, UINT32_MAX, &count);
            options->frame_count = (uint32_t)count;
            if (!options->has_frame_count)
                status =
                    weft_wrong_use("run", "--frames takes a whole number from 0 to %u, not '%s'",
                                   UINT32_MAX, optarg);
            break;
        case 'r':
            options->report = optarg;
            if (!*optarg)
                status = weft_wrong_use("run", "--report needs the name of a file");
            break;
        case 's':
            status = strchr(optarg, '=') && optarg[0] != '='
                         ? add_setting(options, NULL, optarg)
                         : weft_wrong_use("run", "--set takes PATH=VALUE, not '%s'", optarg);
            break;
        case ':':
        case '?':
            status = weft_wrong_option("run", found, argv, known);
            break;
        default:
            status = *optarg ? add_setting(options, find_key(found), optarg)
                             : weft_wrong_use("run", "%s must not be empty", find_key(found));
        }
        if (status >= 0)
            return status;
    }

    if (optind < argc)
        options->scene = argv[optind++];
    if (optind < argc)
        return weft_wrong_use("run", "one scene at a time: '%s' or '%s'?", options->scene,
                              argv[optind]);
    return -1;
}

void weft_run_options_destroy(WeftRunOptions *options)
{
    weft_free_settings(options->settings, options->setting_count);
    memset(options, 0, sizeof *options);
}
