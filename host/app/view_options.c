// view_options.c: the command line of `weft view`.
#include "view_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "picture_words.h"

static const char usage[] =
    "Usage: weft view [SCENE] [OPTION...]\n\n"
    "Shows a scene, or the built-in tablecloth, in a window while it is simulated. Needs a\n"
    "display and a Vulkan device, which may be a software one.\n\n"
    "  --size WxH            pixels of the window (960x540)\n"
    "  --color WHAT          fabric, components, stretch or wireframe\n"
    "  --paused              wait for the space bar\n"
    "  --device DEVICE       what simulates, as for 'weft run'; a GPU then also draws\n"
    "  --set PATH=VALUE      any key of the scene; see 'weft keys'\n"
    "  --report FILE         write at the end what was shown and done, as JSON\n\n"
    "Keys and mouse in the window (H shows them there):\n\n";

static const char usage_end[] =
    "\nExit status: 0 all went well, 1 it failed, 2 wrong use or bad input.\n";

const char weft_view_keys[] =
    "  space        play, pause        left button    drag the cloth; beside it, turn the view\n"
    "  .            a single step      right button   turn the view\n"
    "  R            restart            middle button  shift the view (or Shift and left)\n"
    "  C, 1 to 4    colour mode        wheel          nearer, farther\n"
    "  F            show all of the cloth\n"
    "  P            save a picture, weft-N.png in the current folder\n"
    "  O            figures on, off\n"
    "  H            keys on, off\n"
    "  Q, Escape    close\n";

// One option with its value. Returns what was wrong with the value, or NULL.
static const char *read_value(WeftViewOptions *options, int letter, const char *value)
{
    switch (letter)
    {
    case 'z':
        return weft_read_size(value, &options->width, &options->height);
    case 'c':
        return weft_read_show(value, &options->show);
    case 'r':
        options->report = value;
        return *value ? NULL : "the name of a file";
    case 'd':
        return weft_read_device(options->settings, &options->setting_count, value);
    default:
        return weft_read_set(options->settings, &options->setting_count, value);
    }
}

int weft_view_options_read(WeftViewOptions *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"color", required_argument, NULL, 'c'},  {"device", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},         {"paused", no_argument, NULL, 'p'},
        {"report", required_argument, NULL, 'r'}, {"set", required_argument, NULL, 's'},
        {"size", required_argument, NULL, 'z'},   {NULL, 0, NULL, 0},
    };
    memset(options, 0, sizeof *options);
    options->width = 960;
    options->height = 540;
    options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
    if (!options->settings)
        return weft_wrong_use("view", "out of memory");

    opterr = 0;
    for (int found, at = 0; (found = getopt_long(argc, argv, ":h", known, &at)) != -1;)
    {
        if (found == 'h')
        {
            fputs(usage, stdout);
            fputs(weft_view_keys, stdout);
            fputs(usage_end, stdout);
            return 0;
        }
        if (found == ':' || found == '?')
            return weft_wrong_option("view", found, argv, known);
        if (found == 'p')
        {
            options->paused = true;
            continue;
        }
        const char *wanted = read_value(options, found, optarg);
        if (wanted)
            return weft_wrong_use("view", "--%s takes %s, not '%s'", known[at].name, wanted,
                                  optarg);
    }
    if (optind < argc)
        options->scene = argv[optind++];
    if (optind < argc)
        return weft_wrong_use("view", "one scene at a time: '%s' or '%s'?", options->scene,
                              argv[optind]);
    return -1;
}

void weft_view_options_destroy(WeftViewOptions *options)
{
    weft_free_settings(options->settings, options->setting_count);
    memset(options, 0, sizeof *options);
}
