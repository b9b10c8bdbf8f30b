// writer_names.c: what the files of a run are called, and which files of an earlier run go.
#include "io/writer_formats.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_taken(const WeftWriter *writer, size_t index, const char *stem)
{
    for (size_t other = 0; other < index; other++)
        if (strcmp(writer->cloths[other].stem, stem) == 0)
            return true;
    return false;
}

// What a cloth would like its files to be called.
static char *wanted_stem(const WeftWriter *writer, const WeftScene *scene, size_t index)
{
    const char *name = scene->cloths[index].name;
    char       *stem = NULL;
    if (!name || !*name)
    {
        if (writer->cloth_count == 1)
            return strdup("cloth");
        return asprintf(&stem, "cloth_%zu", index) < 0 ? NULL : stem;
    }
    stem = strdup(name);
    for (char *c = stem; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-", *c) && (*c != '.' || c == stem))
            *c = '_';
    return stem;
}

char *weft_writer_stem(const WeftWriter *writer, const WeftScene *scene, size_t index)
{
    bool in_frames = writer->format == WEFT_FORMAT_OBJ || writer->format == WEFT_FORMAT_PLY;
    if (writer->cloth_count == 1 && in_frames)
        return strdup("frame");
    char *stem = wanted_stem(writer, scene, index);
    while (stem && is_taken(writer, index, stem))
    {
        char *numbered = NULL;
        int   length = asprintf(&numbered, "%s_cloth_%zu", stem, index);
        free(stem);
        stem = length < 0 ? NULL : numbered;
    }
    return stem;
}

// Whether `name` is <stem>_<digits>.<ending>, as a frame of an earlier run is called.
static bool is_frame(const char *name, const char *stem, const char *ending)
{
    size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0 || name[length] != '_')
        return false;
    const char *digits = name + length + 1;
    size_t      digit_count = strspn(digits, "0123456789");
    return digit_count >= 4 && digits[digit_count] == '.' &&
           strcmp(digits + digit_count + 1, ending) == 0;
}

WeftStatus weft_writer_spare_input(const WeftScene *scene, const char *path)
{
    if (!weft_scene_reads(scene, path))
        return WEFT_OK;
    return weft_fail(WEFT_ERROR_INPUT,
                     "%s: the scene is read from this file, which would be lost; choose another "
                     "folder for the output",
                     path);
}

// Removes a frame of an earlier run, unless the scene needs it.
static WeftStatus remove_frame(const WeftWriter *writer, const WeftScene *scene, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", writer->folder, name) < 0)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
    WeftStatus status = weft_writer_spare_input(scene, path);

    // What is marked as not to be written is not to be removed either.
    if (status == WEFT_OK &&
        (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 || unlink(path) != 0))
        status =
            weft_fail(WEFT_ERROR_INPUT, "%s: this frame of an earlier run cannot be removed: %s",
                      path, strerror(errno));
    free(path);
    return status;
}

WeftStatus weft_writer_remove_frames(const WeftWriter *writer, const WeftScene *scene,
                                     const char *ending)
{
    DIR *folder = opendir(writer->folder);
    if (!folder)
        return weft_fail(WEFT_ERROR_INPUT, "%s: this folder cannot be read: %s", writer->folder,
                         strerror(errno));

    WeftStatus status = WEFT_OK;
    for (struct dirent *entry; status == WEFT_OK && (entry = readdir(folder));)
        for (size_t i = 0; i < writer->cloth_count; i++)
            if (is_frame(entry->d_name, writer->cloths[i].stem, ending))
            {
                status = remove_frame(writer, scene, entry->d_name);
                break;
            }
    closedir(folder);
    return status;
}
