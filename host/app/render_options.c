// render_options.c: the command line of `weft render`.
#include "render_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "commands.h"
#include "io/frames.h"
#include "picture_words.h"

static const char usage[] =
    "Usage: weft render [SCENE] [FRAMES] --out picture.png|film.mp4 [OPTION...]\n\n"
    "Simulates a scene, or the built-in tablecloth, and draws it: a picture of the last\n"
    "frame, or a film of all. With FRAMES nothing is simulated: they are what 'weft run'\n"
    "wrote, a folder of obj, pc2 or mdd files or one pc2 or mdd file; without a SCENE\n"
    "there are then no solids. Needs a Vulkan device, which may be a software one; films\n"
    "also need the program ffmpeg.\n\n"
    "  --out FILE            what to write, as its ending says: .png or .mp4\n"
    "  --frame N | A:B       this frame, or those from A to B; 0 is the start\n"
    "  --strip N             a row of N frames, spread evenly, in one picture\n"
    "  --size WxH            pixels (1280x720)\n"
    "  --color WHAT          fabric, components (each its own colour, held particles white),\n"
    "                        stretch (with a legend) or wireframe (springs and pins)\n"
    "  --texture FILE.png    an image on the cloth in place of the checks\n"
    "  --azimuth DEGREES     where to look from: from the front (z) to the right (31)\n"
    "  --elevation DEGREES   from the level up (25)\n"
    "  --distance M          from eye to target; by itself so that everything fits\n"
    "  --target X,Y,Z        what to look at; by itself the middle\n"
    "  --camera X,Y,Z        where the eye is, in place of the three above\n"
    "  --fov DEGREES         angle of view from top to bottom (30)\n"
    "  --device DEVICE       what simulates, as for 'weft run'\n"
    "  --set PATH=VALUE      any key of the scene; see 'weft keys'\n"
    "  --quiet               only warnings and errors\n\n"
    "Exit status: 0 all went well, 1 it failed, 2 wrong use or bad input, 130 interrupted.\n";

static bool read_number(const char *text, double low, double high, float *number)
{
    char  *end;
    double value = strtod(text, &end);
    *number = (float)value;
    return end != text && *end == '\0' && value >= low && value <= high;
}

static bool read_point(const char *text, Vec3 *point)
{
    double numbers[3];
    char   rest;
    if (sscanf(text, "%lf,%lf,%lf%c", &numbers[0], &numbers[1], &numbers[2], &rest) != 3)
        return false;
    *point = vec3((float)numbers[0], (float)numbers[1], (float)numbers[2]);
    return isfinite(point->x) && isfinite(point->y) && isfinite(point->z);
}

// N or A:B.
static bool read_frames(WeftRenderOptions *options, const char *text)
{
    unsigned long first, last;
    char          word[32];
    const char   *colon = strchr(text, ':');
    snprintf(word, sizeof word, "%.*s", (int)(colon ? colon - text : 31), text);
    if (!weft_read_count(word, UINT32_MAX - 1, &first))
        return false;
    last = first;
    if (colon && (!weft_read_count(colon + 1, UINT32_MAX - 1, &last) || last < first))
        return false;
    options->has_frames = true;
    options->first = (uint32_t)first;
    options->last = (uint32_t)last;
    return true;
}

// One option with its value. Returns what was wrong with the value, or NULL.
static const char *read_value(WeftRenderOptions *options, int letter, const char *value)
{
    WeftCameraWish *camera = &options->camera;
    unsigned long   count;
    switch (letter)
    {
    case 'o':
        options->out = value;
        return *value ? NULL : "the name of a file";
    case 'f':
        return read_frames(options, value) ? NULL : "a frame N or a range A:B";
    case 'n':
        if (!weft_read_count(value, 64, &count) || count < 2)
            return "a number of frames from 2 to 64";
        options->strip = (uint32_t)count;
        return NULL;
    case 'z':
        return weft_read_size(value, &options->width, &options->height);
    case 'c':
        return weft_read_show(value, &options->show);
    case 'd':
        return weft_read_device(options->settings, &options->setting_count, value);
    case 's':
        return weft_read_set(options->settings, &options->setting_count, value);
    case 't':
        options->texture = value;
        return *value ? NULL : "the name of a file";
    case 'a':
        camera->has_azimuth = read_number(value, -360, 360, &camera->azimuth);
        return camera->has_azimuth ? NULL : "degrees from -360 to 360";
    case 'e':
        camera->has_elevation = read_number(value, -89, 89, &camera->elevation);
        return camera->has_elevation ? NULL : "degrees from -89 to 89";
    case 'D':
        camera->has_distance = read_number(value, 1e-6, 1e6, &camera->distance);
        return camera->has_distance ? NULL : "metres from 1e-6 to 1e6";
    case 'v':
        camera->has_fov = read_number(value, 1, 150, &camera->fov);
        return camera->has_fov ? NULL : "degrees from 1 to 150";
    case 'E':
        camera->has_eye = read_point(value, &camera->eye);
        return camera->has_eye ? NULL : "three numbers X,Y,Z";
    default:
        camera->has_target = read_point(value, &camera->target);
        return camera->has_target ? NULL : "three numbers X,Y,Z";
    }
}

// What options say together.
static int check_options(WeftRenderOptions *options)
{
    const char *command = "render";
    if (!options->out)
        return weft_wrong_use(command, "--out says what to write: picture.png or film.mp4");
    const char *ending = strrchr(options->out, '.');
    options->is_film = ending && strcasecmp(ending, ".mp4") == 0;
    if (!options->is_film && !(ending && strcasecmp(ending, ".png") == 0))
        return weft_wrong_use(command, "--out takes a name that ends in .png or .mp4, not '%s'",
                              options->out);
    if (options->strip && options->is_film)
        return weft_wrong_use(command, "--strip makes one picture, not a film");
    if (options->has_frames && options->first < options->last && !options->is_film &&
        !options->strip)
        return weft_wrong_use(command, "several frames make a film.mp4, or a picture with --strip");
    if (options->strip && options->width / options->strip < 16)
        return weft_wrong_use(command, "%u frames do not fit side by side into %u pixels",
                              options->strip, options->width);
    if (options->files && options->show == WEFT_SHOW_COMPONENTS)
        return weft_wrong_use(command, "--color components needs a simulation: frames in files do "
                                       "not say what was solved together");
    const WeftCameraWish *camera = &options->camera;
    if (camera->has_eye && (camera->has_azimuth || camera->has_elevation || camera->has_distance))
        return weft_wrong_use(command,
                              "--camera takes the place of --azimuth, --elevation and --distance");
    return -1;
}

int weft_render_options_read(WeftRenderOptions *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"azimuth", required_argument, NULL, 'a'},
        {"camera", required_argument, NULL, 'E'},
        {"color", required_argument, NULL, 'c'},
        {"device", required_argument, NULL, 'd'},
        {"distance", required_argument, NULL, 'D'},
        {"elevation", required_argument, NULL, 'e'},
        {"fov", required_argument, NULL, 'v'},
        {"frame", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {"out", required_argument, NULL, 'o'},
        {"quiet", no_argument, NULL, 'q'},
        {"set", required_argument, NULL, 's'},
        {"size", required_argument, NULL, 'z'},
        {"strip", required_argument, NULL, 'n'},
        {"target", required_argument, NULL, 'T'},
        {"texture", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    memset(options, 0, sizeof *options);
    options->width = 1280;
    options->height = 720;
    options->settings = calloc((size_t)argc + 1, sizeof *options->settings);
    if (!options->settings)
        return weft_wrong_use("render", "out of memory");

    opterr = 0;
    for (int found, at = -1; (found = getopt_long(argc, argv, ":h", known, &at)) != -1;)
    {
        const char *wanted = NULL;
        switch (found)
        {
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'q':
            options->quiet = true;
            break;
        case ':':
        case '?':
            return weft_wrong_option("render", found, argv, known);
        default:
            wanted = read_value(options, found, optarg);
        }
        if (wanted)
            return weft_wrong_use("render", "--%s takes %s, not '%s'", known[at].name, wanted,
                                  optarg);
    }
    for (; optind < argc; optind++)
    {
        bool         is_files = weft_frames_named(argv[optind]);
        const char **place = is_files ? &options->files : &options->scene;
        if (*place)
            return weft_wrong_use("render", "one %s at a time: '%s' or '%s'?",
                                  is_files ? "set of frames" : "scene", *place, argv[optind]);
        *place = argv[optind];
    }
    return check_options(options);
}

void weft_render_options_destroy(WeftRenderOptions *options)
{
    weft_free_settings(options->settings, options->setting_count);
    memset(options, 0, sizeof *options);
}
