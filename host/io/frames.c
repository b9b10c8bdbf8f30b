// frames.c: finds and reads the files that a run left.
#include "io/frames.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/writer_formats.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the frames");
}

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

static bool is_cache(const char *path)
{
    return strcmp(ending_of(path), ".pc2") == 0 || strcmp(ending_of(path), ".mdd") == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool weft_frames_named(const char *path)
{
    return is_folder(path) || is_cache(path);
}

// The stem of a file in the folder: of a first frame <stem>_0000.obj, or of a cache. 0 if it is neither.
static size_t stem_length(const char *name, bool caches)
{
    const char first[] = "_0000.obj";
    size_t     length = strlen(name), size = strlen(first);
    if (caches)
        return is_cache(name) ? length - 4 : 0;
    return length > size && strcmp(name + length - size, first) == 0 ? length - size : 0;
}

static int compare_cloths(const void *a, const void *b)
{
    return strcmp(((const WeftFramesCloth *)a)->stem, ((const WeftFramesCloth *)b)->stem);
}

// The cloths that the folder has files of.
static WeftStatus list_cloths(WeftFrames *frames, bool caches)
{
    DIR *folder = opendir(frames->folder);
    if (!folder)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", frames->folder,
                         strerror(errno));
    WeftStatus status = WEFT_OK;
    for (struct dirent *entry; status == WEFT_OK && (entry = readdir(folder));)
    {
        size_t length = stem_length(entry->d_name, caches);
        if (length == 0)
            continue;
        WeftFramesCloth *grown =
            realloc(frames->cloths, (frames->cloth_count + 1) * sizeof *frames->cloths);
        char *stem = strndup(entry->d_name, length);
        if (grown)
            frames->cloths = grown;
        if (grown && stem)
            frames->cloths[frames->cloth_count++] = (WeftFramesCloth){.stem = stem};
        else
        {
            free(stem);
            status = out_of_memory();
        }
    }
    closedir(folder);
    if (frames->cloth_count > 1)
        qsort(frames->cloths, frames->cloth_count, sizeof *frames->cloths, compare_cloths);
    return status;
}

// The cloths of the scene, by the names that the writer gives their files.
static WeftStatus name_cloths(WeftFrames *frames, const WeftScene *scene, bool caches)
{
    size_t     count = scene->cloths_count;
    WeftWriter writer = {.format = caches ? WEFT_FORMAT_PC2 : WEFT_FORMAT_OBJ,
                         .cloth_count = count,
                         .cloths = calloc(count + 1, sizeof *writer.cloths)};
    frames->cloths = calloc(count + 1, sizeof *frames->cloths);
    frames->cloth_count = frames->cloths ? count : 0;
    bool good = writer.cloths && frames->cloths;
    for (size_t k = 0; good && k < count; k++)
    {
        frames->cloths[k].stem = writer.cloths[k].stem = weft_writer_stem(&writer, scene, k);
        good = frames->cloths[k].stem != NULL;
    }
    free(writer.cloths);
    return good ? WEFT_OK : out_of_memory();
}

static WeftStatus make_path(char **path, const WeftFrames *frames, size_t cloth, const char *ending)
{
    if (asprintf(path, "%s/%s%s", frames->folder, frames->cloths[cloth].stem, ending) >= 0)
        return WEFT_OK;
    *path = NULL;
    return out_of_memory();
}

static WeftStatus frame_path(char **path, const WeftFrames *frames, size_t cloth, uint32_t frame)
{
    char ending[32];
    snprintf(ending, sizeof ending, "_%04u.obj", frame);
    return make_path(path, frames, cloth, ending);
}

// The vertices of an OBJ frame, (count x 3), or only their number if `positions` is NULL. Faces are as in the first frame and
// are not looked at: cloth may crumple so that one has no area.
static WeftStatus read_vertices(const char *path, double *positions, uint32_t *count)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    char      *line = NULL;
    size_t     room = 0;
    uint32_t   found = 0, line_number = 0;
    WeftStatus status = WEFT_OK;
    while (status == WEFT_OK && getline(&line, &room, file) >= 0)
    {
        double point[3];
        char  *at = line + 2;
        line_number++;
        if (strncmp(line, "v ", 2) != 0)
            continue;
        for (int k = 0; k < 3 && status == WEFT_OK; k++)
        {
            char *end;
            point[k] = strtod(at, &end);
            if (end == at || !isfinite(point[k]))
                status = weft_fail(WEFT_ERROR_INPUT, "%s:%u: a vertex is three finite numbers",
                                   path, line_number);
            at = end;
        }
        if (positions && status == WEFT_OK && found < *count)
            memcpy(positions + 3 * (size_t)found, point, sizeof point);
        found++;
    }
    free(line);
    fclose(file);
    if (status == WEFT_OK && positions && found != *count)
        return weft_fail(WEFT_ERROR_INPUT, "%s: has %u vertices, but the first frame has %u", path,
                         found, *count);
    *count = found;
    return status;
}

static WeftStatus open_cache(WeftFrames *frames, size_t cloth, const char *file)
{
    WeftFramesCloth *entry = &frames->cloths[cloth];
    char            *path = NULL;
    WEFT_TRY(make_path(&path, frames, cloth, ".pc2"));
    if (!file && access(path, F_OK) != 0)
    {
        free(path);
        WEFT_TRY(make_path(&path, frames, cloth, ".mdd"));
    }
    WeftStatus status = weft_cache_open(&entry->cache, file ? file : path);
    free(path);
    WEFT_TRY(status);
    entry->has_cache = true;
    entry->vertex_count = entry->cache.vertex_count;
    if (cloth == 0 || entry->cache.frame_count < frames->frame_count)
        frames->frame_count = entry->cache.frame_count;
    return make_path(&entry->mesh_path, frames, cloth, ".obj");
}

static WeftStatus open_objs(WeftFrames *frames, size_t cloth)
{
    WeftFramesCloth *entry = &frames->cloths[cloth];
    WEFT_TRY(frame_path(&entry->mesh_path, frames, cloth, 0));
    WEFT_TRY(read_vertices(entry->mesh_path, NULL, &entry->vertex_count));
    uint32_t count = 1;
    for (bool more = true; more; count += more)
    {
        char *path;
        WEFT_TRY(frame_path(&path, frames, cloth, count));
        more = access(path, F_OK) == 0;
        free(path);
    }
    if (cloth == 0 || count < frames->frame_count)
        frames->frame_count = count;
    return WEFT_OK;
}

// Whether the folder has a cache of any cloth.
static bool has_caches(const char *path)
{
    bool found = false;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = is_cache(entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

// One cache: its folder and its stem.
static WeftStatus split_file(WeftFrames *frames, const char *path)
{
    char *copy = strdup(path), *again = strdup(path);
    frames->cloths = calloc(1, sizeof *frames->cloths);
    if (copy && again && frames->cloths)
    {
        const char *name = basename(again);
        frames->folder = strdup(dirname(copy));
        frames->cloth_count = 1;
        frames->cloths[0].stem = strndup(name, strlen(name) - 4);
    }
    free(copy);
    free(again);
    return frames->cloths && frames->folder && frames->cloths[0].stem ? WEFT_OK : out_of_memory();
}

static WeftStatus open_all(WeftFrames *frames, const char *path, const WeftScene *scene)
{
    if (!is_folder(path))
    {
        if (scene && scene->cloths_count != 1)
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s: is one cache, but the scene has %zu cloths; give their folder",
                             path, scene->cloths_count);
        WEFT_TRY(split_file(frames, path));
        return open_cache(frames, 0, path);
    }
    bool caches = has_caches(path);
    frames->folder = strdup(path);
    if (!frames->folder)
        return out_of_memory();
    WEFT_TRY(scene ? name_cloths(frames, scene, caches) : list_cloths(frames, caches));
    if (frames->cloth_count == 0)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s: holds no frames that can be read: obj, pc2 or mdd as weft run writes "
                         "them",
                         path);
    for (size_t k = 0; k < frames->cloth_count; k++)
        WEFT_TRY(caches ? open_cache(frames, k, NULL) : open_objs(frames, k));
    return WEFT_OK;
}

WeftStatus weft_frames_open(WeftFrames *frames, const char *path, const WeftScene *scene)
{
    memset(frames, 0, sizeof *frames);
    WeftStatus status = open_all(frames, path, scene);
    if (status != WEFT_OK)
        weft_frames_close(frames);
    return status;
}

void weft_frames_close(WeftFrames *frames)
{
    for (size_t k = 0; k < frames->cloth_count; k++)
    {
        weft_cache_close(&frames->cloths[k].cache);
        free(frames->cloths[k].stem);
        free(frames->cloths[k].mesh_path);
    }
    free(frames->cloths);
    free(frames->folder);
    memset(frames, 0, sizeof *frames);
}

WeftStatus weft_frames_read(WeftFrames *frames, size_t cloth, uint32_t frame, double *positions)
{
    WeftFramesCloth *entry = &frames->cloths[cloth];
    if (entry->has_cache)
        return weft_cache_read(&entry->cache, frame, positions);
    char *path;
    WEFT_TRY(frame_path(&path, frames, cloth, frame));
    WeftStatus status = read_vertices(path, positions, &entry->vertex_count);
    free(path);
    return status;
}
