// writer.c: names of the files, and what all formats have in common.
#include "io/writer.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/writer_formats.h"

void weft_bytes_add(WeftBytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->capacity)
    {
        size_t   capacity = 2 * bytes->capacity + size + 4096;
        uint8_t *grown = bytes->failed ? NULL : realloc(bytes->data, capacity);
        if (!grown)
        {
            bytes->failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
}

static const char *extension(WeftFormat format)
{
    switch (format)
    {
    case WEFT_FORMAT_OBJ:
        return "obj";
    case WEFT_FORMAT_PLY:
        return "ply";
    case WEFT_FORMAT_PC2:
        break;
    }
    return "pc2";
}

// The start of a cloth's file names: its own name as far as a file may be called that, or its
// number. Two cloths never share one.
static char *make_stem(const WeftWriter *writer, const WeftScene *scene, size_t index)
{
    const char *name = scene->cloths[index].name;
    char       *stem = NULL;
    if (writer->cloth_count == 1 && writer->format != WEFT_FORMAT_PC2)
        return strdup("frame");
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
    for (size_t other = 0; stem && other < index; other++)
        if (strcmp(writer->cloths[other].stem, stem) == 0)
        {
            char *numbered = NULL;
            int   length = asprintf(&numbered, "%s_cloth_%zu", stem, index);
            free(stem);
            stem = length < 0 ? NULL : numbered;
            break;
        }
    return stem;
}

// Whether `name` is <stem>_<digits>.<extension>, as a frame of an earlier run is called.
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

static void remove_old_frames(const WeftWriter *writer)
{
    DIR *folder = opendir(writer->folder);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));)
        for (size_t i = 0; i < writer->cloth_count; i++)
            if (is_frame(entry->d_name, writer->cloths[i].stem, extension(writer->format)))
            {
                unlinkat(dirfd(folder), entry->d_name, 0);
                break;
            }
    closedir(folder);
}

// The full name of a cloth's file; `frame` NULL leaves the number out.
static WeftStatus make_path(char **path, const WeftWriter *writer, size_t cloth,
                            const uint32_t *frame, const char *ending)
{
    const char *stem = writer->cloths[cloth].stem;
    int length = frame ? asprintf(path, "%s/%s_%04u.%s", writer->folder, stem, *frame, ending)
                       : asprintf(path, "%s/%s.%s", writer->folder, stem, ending);
    if (length >= 0)
        return WEFT_OK;
    *path = NULL;
    return out_of_memory();
}

// Names and the unchanging part of the files.
static WeftStatus prepare_cloth(WeftWriter *writer, const WeftScene *scene, const WeftSim *sim,
                                size_t index)
{
    WeftWriterCloth *cloth = &writer->cloths[index];
    const WeftMesh  *mesh = weft_sim_mesh(sim, index);
    cloth->vertex_count = mesh->vertex_count;
    cloth->stem = make_stem(writer, scene, index);

    WeftBytes tail = {0};
    if (writer->format == WEFT_FORMAT_PLY)
        weft_ply_tail(&tail, mesh);
    else
        weft_obj_tail(&tail, mesh);
    cloth->tail = tail.data;
    cloth->tail_size = tail.size;
    return cloth->stem && !tail.failed ? WEFT_OK : out_of_memory();
}

// The point cache of a cloth and its faces.
static WeftStatus begin_cache(WeftWriter *writer, const WeftSim *sim, size_t index)
{
    WeftWriterCloth *cloth = &writer->cloths[index];
    char            *path;
    WEFT_TRY(make_path(&path, writer, index, NULL, "obj"));
    WeftStatus status = weft_obj_write(path, cloth, weft_sim_mesh(sim, index)->positions);
    free(path);
    WEFT_TRY(status);
    WEFT_TRY(make_path(&path, writer, index, NULL, "pc2"));
    status = weft_pc2_begin(&cloth->cache, path, cloth->vertex_count);
    free(path);
    return status;
}

static WeftStatus prepare(WeftWriter *writer, const WeftScene *scene, const WeftSim *sim)
{
    WEFT_TRY(weft_folder_create(writer->folder));
    size_t largest = 1;
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        WEFT_TRY(prepare_cloth(writer, scene, sim, i));
        if (writer->cloths[i].vertex_count > largest)
            largest = writer->cloths[i].vertex_count;
    }
    writer->positions = malloc(largest * 3 * sizeof *writer->positions);
    if (!writer->positions)
        return out_of_memory();

    if (writer->format != WEFT_FORMAT_PC2)
        remove_old_frames(writer);
    else
        for (size_t i = 0; i < writer->cloth_count; i++)
            WEFT_TRY(begin_cache(writer, sim, i));
    return WEFT_OK;
}

static void destroy(WeftWriter *writer)
{
    for (size_t i = 0; writer->cloths && i < writer->cloth_count; i++)
    {
        weft_file_abandon(&writer->cloths[i].cache);
        free(writer->cloths[i].stem);
        free(writer->cloths[i].tail);
    }
    free(writer->cloths);
    free(writer->folder);
    free(writer->positions);
    memset(writer, 0, sizeof *writer);
}

WeftStatus weft_writer_open(WeftWriter *writer, const char *folder, WeftFormat format,
                            const WeftScene *scene, const WeftSim *sim)
{
    memset(writer, 0, sizeof *writer);
    writer->format = format;
    writer->folder = strdup(folder);
    writer->cloth_count = weft_sim_cloth_count(sim);
    writer->cloths = calloc(writer->cloth_count + 1, sizeof *writer->cloths);
    WeftStatus status =
        writer->folder && writer->cloths ? prepare(writer, scene, sim) : out_of_memory();
    if (status != WEFT_OK)
        destroy(writer);
    return status;
}

static WeftStatus write_cloth(WeftWriter *writer, const WeftSim *sim, size_t index)
{
    WeftWriterCloth *cloth = &writer->cloths[index];
    weft_sim_positions(sim, index, writer->positions);
    for (size_t i = 0; i < 3 * (size_t)cloth->vertex_count; i++)
        if (!isfinite(writer->positions[i]))
            return weft_fail(WEFT_ERROR_FAILED,
                             "frame %u was not written: vertex %zu of cloth %zu is not finite",
                             writer->frame_count, i / 3, index);

    if (writer->format == WEFT_FORMAT_PC2)
        return weft_pc2_frame(&cloth->cache, cloth->vertex_count, writer->frame_count,
                              writer->positions);
    char *path;
    WEFT_TRY(make_path(&path, writer, index, &writer->frame_count, extension(writer->format)));
    WeftStatus status =
        writer->format == WEFT_FORMAT_PLY
            ? weft_ply_write(path, cloth, weft_sim_mesh(sim, index), writer->positions)
            : weft_obj_write(path, cloth, writer->positions);
    free(path);
    return status;
}

WeftStatus weft_writer_frame(WeftWriter *writer, const WeftSim *sim)
{
    for (size_t i = 0; i < writer->cloth_count; i++)
        WEFT_TRY(write_cloth(writer, sim, i));
    writer->frame_count++;
    return WEFT_OK;
}

WeftStatus weft_writer_close(WeftWriter *writer, bool keep)
{
    WeftStatus status = WEFT_OK;
    if (keep && writer->format == WEFT_FORMAT_PC2)
        for (size_t i = 0; i < writer->cloth_count; i++)
        {
            WeftStatus closed = weft_file_commit(&writer->cloths[i].cache);
            if (status == WEFT_OK)
                status = closed;
        }
    destroy(writer);
    return status;
}
