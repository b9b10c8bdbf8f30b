// picture.c: the program weft-picture: frames of `weft run` as a PNG picture, without a GPU.
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: weft-picture SCENE.json|default FRAME... --out picture.png [options]\n"
    "\n"
    "FRAME is an OBJ file that `weft run` wrote, one for each cloth (also as a,b,c),\n"
    "or a folder of frames, whose last one is shown.\n"
    "\n"
    "  --out FILE        the picture to write\n"
    "  --size WxH        its size in pixels (1280x720)\n"
    "  --strip N         N evenly spaced frames of a folder, side by side\n"
    "  --set path=value  change the scene, as in `weft run`\n"
    "  --time T          where keyframed solids stand, s (frame number / frames per second)\n"
    "  --from x,y,z      where the eye is, m\n"
    "  --at x,y,z        what it looks at, m\n"
    "  --zoom F          enlarge by a factor (1)\n"
    "  --inset M         draw solids smaller by this much, m (0.3 of the cloth's spacing)\n"
    "  --labels FILE     colour particles by component: a whole number for each\n";

typedef struct Options
{
    const char  *scene, *out, *labels;
    char       **frames; // (frame_count)
    const char **settings;
    size_t       frame_count, setting_count;
    int          width, height, strip;
    bool         has_time, has_from, has_at;
    Vec3         from, at;
    double       time;
    float        zoom, inset; // inset < 0: by the cloth's spacing
} Options;

static bool read_numbers(const char *text, double *numbers, int count)
{
    for (int k = 0; k < count; k++)
    {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text || !isfinite((float)numbers[k]) || *end != (k + 1 < count ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

static WeftStatus read_option(Options *options, const char *name, const char *value)
{
    double      numbers[3] = {0};
    char        rest;
    const char *wanted = "";
    bool        good = true;
    if (strcmp(name, "--out") == 0)
        options->out = value;
    else if (strcmp(name, "--labels") == 0)
        options->labels = value;
    else if (strcmp(name, "--set") == 0)
        options->settings[options->setting_count++] = value;
    else if (strcmp(name, "--size") == 0)
    {
        wanted = "WxH from 16x16 to 16384x16384";
        good = sscanf(value, "%5dx%5d%c", &options->width, &options->height, &rest) == 2 &&
               options->width >= 16 && options->width <= 16384 && options->height >= 16 &&
               options->height <= 16384;
    }
    else if (strcmp(name, "--strip") == 0)
    {
        wanted = "a number from 1 to 64";
        good = sscanf(value, "%4d%c", &options->strip, &rest) == 1 && options->strip >= 1 &&
               options->strip <= 64;
    }
    else if (strcmp(name, "--time") == 0)
    {
        wanted = "a time in seconds";
        good = options->has_time = read_numbers(value, &options->time, 1);
    }
    else if (strcmp(name, "--from") == 0 || strcmp(name, "--at") == 0)
    {
        bool from = name[2] == 'f';
        wanted = "three numbers x,y,z";
        good = read_numbers(value, numbers, 3);
        *(from ? &options->has_from : &options->has_at) = true;
        *(from ? &options->from : &options->at) =
            vec3((float)numbers[0], (float)numbers[1], (float)numbers[2]);
    }
    else if (strcmp(name, "--zoom") == 0)
    {
        wanted = "a factor from 0.01 to 1000";
        good = read_numbers(value, numbers, 1) && numbers[0] >= 0.01 && numbers[0] <= 1000;
        options->zoom = (float)numbers[0];
    }
    else if (strcmp(name, "--inset") == 0)
    {
        wanted = "a length in metres";
        good = read_numbers(value, numbers, 1) && numbers[0] >= 0;
        options->inset = (float)numbers[0];
    }
    else
        return weft_fail(WEFT_ERROR_INPUT, "%s: no such option", name);
    return good ? WEFT_OK : weft_fail(WEFT_ERROR_INPUT, "%s: '%s' is not %s", name, value, wanted);
}

static WeftStatus read_arguments(Options *options, int count, char **arguments)
{
    for (int i = 1; i < count; i++)
    {
        if (strncmp(arguments[i], "--", 2) == 0)
        {
            if (i + 1 == count)
                return weft_fail(WEFT_ERROR_INPUT, "%s: needs a value", arguments[i]);
            WEFT_TRY(read_option(options, arguments[i], arguments[i + 1]));
            i++;
        }
        else if (!options->scene)
            options->scene = arguments[i];
        else
            options->frames[options->frame_count++] = arguments[i];
    }
    if (!options->scene || !options->frame_count || !options->out)
        return weft_fail(WEFT_ERROR_INPUT, "needs a scene, a frame and --out; see --help");
    if (options->width / options->strip < 16)
        return weft_fail(WEFT_ERROR_INPUT, "--strip: %d frames do not fit into %d pixels",
                         options->strip, options->width);
    return WEFT_OK;
}

// Colours, and checks if the cloth is a grid whose rows and columns are known.
static void dress(PictureMesh *mesh, const WeftScene *scene, size_t index)
{
    static const Vec3 colors[] = {{0.50f, 0.075f, 0.065f}, {0.055f, 0.20f, 0.42f},
                                  {0.60f, 0.36f, 0.06f},   {0.07f, 0.28f, 0.17f},
                                  {0.30f, 0.10f, 0.33f},   {0.46f, 0.44f, 0.40f}};
    mesh->front = colors[index % (sizeof colors / sizeof *colors)];
    mesh->back = mix(scale(mesh->front, 0.75f), vec3(0.40f, 0.38f, 0.35f), 0.35f);
    mesh->transmission = 0.18f;
    if (index >= scene->cloths_count || !scene->cloths[index].has_grid)
        return;
    const WeftGrid *grid = &scene->cloths[index].grid;
    uint64_t        columns = (uint64_t)grid->counts[0], rows = (uint64_t)grid->counts[1];
    if (columns < 2 || rows < 2 || columns * rows != mesh->point_count)
        return;
    mesh->grid_width = (uint32_t)columns;
    mesh->grid_closed = grid->shape == WEFT_GRID_TUBE;
    // Square checks, about twelve over the shorter side; a tube takes an even number around.
    double around = mesh->grid_closed ? (double)columns : (double)columns - 1;
    double check = fmin(grid->size[0], grid->size[1]) / 12;
    double across = fmax(2, 2 * round(0.5 * grid->size[0] / check));
    double along = fmax(2, round(grid->size[1] / check));
    mesh->check_size[0] = (float)(around / across);
    mesh->check_size[1] = (float)(((double)rows - 1) / along);
}

static WeftStatus load_stage(PictureStage *stage, const PictureFrame *frame, const Options *options,
                             const WeftScene *scene, Vec3 sky)
{
    stage->meshes = weft_picture_resize(NULL, frame->path_count, sizeof *stage->meshes);
    float spacing = 0;
    for (size_t i = 0; i < frame->path_count; i++)
    {
        WEFT_TRY(weft_picture_mesh_load(&stage->meshes[i], frame->paths[i]));
        stage->cloth_count = ++stage->mesh_count;
        dress(&stage->meshes[i], scene, i);
        spacing = fmaxf(spacing, weft_picture_mesh_spacing(&stage->meshes[i]));
    }
    if (options->labels)
        WEFT_TRY(weft_picture_labels_apply(stage->meshes, stage->cloth_count, options->labels));
    double time = options->has_time ? options->time : frame->number / scene->frames_per_second;
    weft_picture_solids_add(stage, scene, time, sky,
                            options->inset >= 0 ? options->inset : 0.3f * spacing);
    return WEFT_OK;
}

static void destroy_stage(PictureStage *stage)
{
    for (size_t m = 0; m < stage->mesh_count; m++)
        weft_picture_mesh_destroy(&stage->meshes[m]);
    free(stage->meshes);
    free(stage->planes);
}

static WeftStatus draw(const Options *options, const WeftScene *scene, const PictureFrames *frames,
                       PictureStage *stages)
{
    const double *g = scene->gravity;
    Vec3          sky = normalize(vec3(-(float)g[0], -(float)g[1], -(float)g[2]));
    if (length(sky) == 0)
        sky = vec3(0, 1, 0);

    // One panel shows the last frame; several spread from the first to the last.
    size_t panel_count = (size_t)options->strip;
    if (panel_count > frames->count)
        return weft_fail(WEFT_ERROR_INPUT, "--strip: asks for %zu frames, there are %zu",
                         panel_count, frames->count);
    for (size_t i = 0; i < panel_count; i++)
    {
        size_t last = frames->count - 1;
        size_t pick =
            panel_count == 1 ? last : (i * last + (panel_count - 1) / 2) / (panel_count - 1);
        WEFT_TRY(load_stage(&stages[i], &frames->frames[pick], options, scene, sky));
    }

    float         aspect = (float)options->width / (float)options->strip / (float)options->height;
    PictureCamera camera = weft_picture_camera_fit(
        stages, panel_count, sky, aspect, options->has_from ? &options->from : NULL,
        options->has_at ? &options->at : NULL, options->zoom);

    size_t       pixel_count = (size_t)options->width * (size_t)options->height;
    PictureImage image = {options->width, options->height,
                          weft_picture_resize(NULL, pixel_count, 3)};
    for (int i = 0; i < options->strip; i++)
    {
        int left = options->width * i / options->strip;
        int right = options->width * (i + 1) / options->strip;
        weft_picture_render(&image, left, right - left, &stages[i], &camera);
        for (int y = 0; i && y < image.height; y++) // a thin white line between panels
            memset(image.pixels + 3 * ((size_t)y * (size_t)image.width + (size_t)left), 255, 6);
    }
    WeftStatus status = weft_picture_png_write(&image, options->out);
    free(image.pixels);
    return status;
}

static WeftStatus make_picture(Options *options, int count, char **arguments)
{
    WEFT_TRY(read_arguments(options, count, arguments));
    WeftScene   scene;
    const char *path = strcmp(options->scene, "default") == 0 ? NULL : options->scene;
    WEFT_TRY(weft_scene_load(&scene, path, options->settings, options->setting_count));
    PictureFrames frames;
    PictureStage *stages = weft_picture_resize(NULL, (size_t)options->strip, sizeof *stages);
    memset(stages, 0, (size_t)options->strip * sizeof *stages);
    WeftStatus status =
        weft_picture_frames_find(&frames, options->frames, options->frame_count, &scene);
    if (status == WEFT_OK)
        status = draw(options, &scene, &frames, stages);
    for (int i = 0; i < options->strip; i++)
        destroy_stage(&stages[i]);
    free(stages);
    weft_picture_frames_destroy(&frames);
    weft_scene_destroy(&scene);
    return status;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
        {
            fputs(USAGE, stdout);
            return 0;
        }
    Options options = {.width = 1280, .height = 720, .strip = 1, .zoom = 1, .inset = -1};
    options.frames = weft_picture_resize(NULL, (size_t)argc, sizeof *options.frames);
    options.settings = weft_picture_resize(NULL, (size_t)argc, sizeof *options.settings);
    WeftStatus status = make_picture(&options, argc, argv);
    if (status != WEFT_OK)
        fprintf(stderr, "weft-picture: %s\n", weft_error_message());
    free(options.frames);
    free(options.settings);
    return status == WEFT_OK ? 0 : 2;
}
