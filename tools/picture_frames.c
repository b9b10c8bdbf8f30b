// picture_frames.c: which OBJ files make a frame, and which frames a folder holds.
#include "picture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The digits of a name such as "flag_0042.obj", as `weft run` writes them; NULL for other names.
static const char *frame_digits(const char *path)
{
    const char *name = base_name(path), *digits = strrchr(name, '_');
    size_t      count = digits ? strspn(++digits, "0123456789") : 0;
    return count && strcmp(digits + count, ".obj") == 0 ? digits : NULL;
}

static unsigned frame_number(const char *path)
{
    const char *digits = frame_digits(path);
    return digits ? (unsigned)strtoul(digits, NULL, 10) : 0;
}

// Takes ownership of `path`. A path goes to the last frame, or opens a new one.
static void add_path(PictureFrames *frames, char *path, bool new_frame)
{
    if (new_frame)
    {
        frames->frames =
            weft_picture_resize(frames->frames, frames->count + 1, sizeof *frames->frames);
        frames->frames[frames->count++] = (PictureFrame){.number = frame_number(path)};
    }
    PictureFrame *frame = &frames->frames[frames->count - 1];
    frame->paths = weft_picture_resize(frame->paths, frame->path_count + 1, sizeof *frame->paths);
    frame->paths[frame->path_count++] = path;
}

static char *copy_text(const char *text, size_t size)
{
    char *copy = weft_picture_resize(NULL, size + 1, 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static int compare_paths(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    unsigned    number_a = frame_number(a), number_b = frame_number(b);
    return number_a != number_b ? (number_a > number_b) - (number_a < number_b) : strcmp(a, b);
}

// Whether `path` is a frame of a cloth: its name, or cloth_N, before the number. The writer puts an
// underscore for what should not stand in a file name.
static bool belongs_to(const char *path, const WeftScene *scene, size_t cloth)
{
    const char *given = scene->cloths[cloth].name, *name = base_name(path);
    char        numbered[32];
    snprintf(numbered, sizeof numbered, "cloth_%zu", cloth);
    const char *stem = given && *given ? given : numbered;
    size_t      size = (size_t)(frame_digits(path) - 1 - name);
    if (size != strlen(stem))
        return false;
    for (size_t i = 0; i < size; i++)
        if (name[i] != stem[i] && name[i] != '_')
            return false;
    return true;
}

// Files of the scene's cloths come in the scene's order; the rest stay by name.
static void order_by_cloth(PictureFrame *frame, const WeftScene *scene)
{
    size_t done = 0;
    for (size_t c = 0; c < scene->cloths_count; c++)
        for (size_t i = done; i < frame->path_count; i++)
        {
            if (!belongs_to(frame->paths[i], scene, c))
                continue;
            char *path = frame->paths[i];
            memmove(frame->paths + done + 1, frame->paths + done, (i - done) * sizeof path);
            frame->paths[done++] = path;
            break;
        }
}

static WeftStatus find_in_folder(PictureFrames *frames, const char *folder, const WeftScene *scene)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
    char         **paths = NULL;
    size_t         count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)))
    {
        if (!frame_digits(entry->d_name))
            continue;
        size_t room = strlen(folder) + strlen(entry->d_name) + 2;
        paths = weft_picture_resize(paths, count + 1, sizeof *paths);
        paths[count] = weft_picture_resize(NULL, room, 1);
        snprintf(paths[count++], room, "%s/%s", folder, entry->d_name);
    }
    closedir(directory);
    if (!count)
        return weft_fail(WEFT_ERROR_INPUT, "%s: holds no frames such as frame_0000.obj", folder);

    qsort(paths, count, sizeof *paths, compare_paths);
    for (size_t i = 0; i < count; i++)
        add_path(frames, paths[i], !i || frame_number(paths[i]) != frame_number(paths[i - 1]));
    free(paths);
    for (size_t i = 0; i < frames->count; i++)
        order_by_cloth(&frames->frames[i], scene);
    return WEFT_OK;
}

WeftStatus weft_picture_frames_find(PictureFrames *frames, char *const *arguments,
                                    size_t argument_count, const WeftScene *scene)
{
    *frames = (PictureFrames){0};
    struct stat info;
    if (argument_count == 1 && stat(arguments[0], &info) == 0 && S_ISDIR(info.st_mode))
        return find_in_folder(frames, arguments[0], scene);
    for (size_t i = 0; i < argument_count; i++)
        for (const char *p = arguments[i]; *p;)
        {
            size_t size = strcspn(p, ",");
            if (size)
                add_path(frames, copy_text(p, size), frames->count == 0);
            p += size + (p[size] == ',');
        }
    return frames->count ? WEFT_OK : weft_fail(WEFT_ERROR_INPUT, "no frame is named");
}

void weft_picture_frames_destroy(PictureFrames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
    {
        for (size_t k = 0; k < frames->frames[i].path_count; k++)
            free(frames->frames[i].paths[k]);
        free(frames->frames[i].paths);
    }
    free(frames->frames);
    *frames = (PictureFrames){0};
}
