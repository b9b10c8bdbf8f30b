// writer.c: which files a run writes, and what all formats have in common.
#include "io/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/writer_formats.h"

typedef enum Share
{
    FILE_A_FRAME, // of every cloth
    FILE_A_CLOTH, // a point cache
    FILE_A_SCENE
} Share;

static const struct
{
    const char *ending;
    Share       share;
    bool        spooled; // put together at the end
} formats[] = {
    [WEFT_FORMAT_OBJ] = {"obj", FILE_A_FRAME, false},
    [WEFT_FORMAT_PLY] = {"ply", FILE_A_FRAME, false},
    [WEFT_FORMAT_PC2] = {"pc2", FILE_A_CLOTH, false},
    [WEFT_FORMAT_MDD] = {"mdd", FILE_A_CLOTH, true},
    [WEFT_FORMAT_USDA] = {"usda", FILE_A_SCENE, true},
    [WEFT_FORMAT_GLB] = {"glb", FILE_A_SCENE, true},
};

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
}

// The full name of a file in the folder; `frame` NULL leaves the number out.
static WeftStatus make_path(char **path, const WeftWriter *writer, const char *stem,
                            const uint32_t *frame, const char *ending)
{
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
    cloth->mesh = weft_sim_mesh(sim, index);
    cloth->stem = weft_writer_stem(writer, scene, index);

    WeftBytes tail = {0};
    if (writer->format == WEFT_FORMAT_PLY)
        weft_ply_tail(&tail, cloth->mesh);
    else if (formats[writer->format].share != FILE_A_SCENE)
        weft_obj_tail(&tail, cloth->mesh);

    // PC2 has no room for the rate of its frames.
    if (formats[writer->format].share == FILE_A_CLOTH)
        weft_bytes_print(&tail, "# %.9g frames a second\n", writer->frames_per_second);
    cloth->tail = tail.data;
    cloth->tail_size = tail.size;
    return cloth->stem && !tail.failed ? WEFT_OK : out_of_memory();
}

// The faces of a cloth and its point cache.
static WeftStatus begin_cache(WeftWriter *writer, const WeftScene *scene, size_t index)
{
    WeftWriterCloth *cloth = &writer->cloths[index];
    char            *path;
    WEFT_TRY(make_path(&path, writer, cloth->stem, NULL, "obj"));
    WeftStatus status = weft_writer_spare_input(scene, path);
    if (status == WEFT_OK)
        status = weft_obj_write(path, cloth, cloth->mesh->positions);
    free(path);
    WEFT_TRY(status);
    WEFT_TRY(make_path(&path, writer, cloth->stem, NULL, formats[writer->format].ending));
    status = weft_writer_spare_input(scene, path);
    if (status == WEFT_OK)
        status = writer->format == WEFT_FORMAT_PC2
                     ? weft_pc2_begin(&cloth->cache, path, cloth->mesh->vertex_count)
                     : weft_file_begin(&cloth->cache, path);
    free(path);
    return status;
}

// Every file that cannot be written is found before the first step.
static WeftStatus begin_files(WeftWriter *writer, const WeftScene *scene)
{
    const char *ending = formats[writer->format].ending;
    switch (formats[writer->format].share)
    {
    case FILE_A_FRAME:
        WEFT_TRY(weft_writer_remove_frames(writer, scene, ending));
        break;
    case FILE_A_CLOTH:
        for (size_t i = 0; i < writer->cloth_count; i++)
            WEFT_TRY(begin_cache(writer, scene, i));
        break;
    case FILE_A_SCENE:
    {
        char *path;
        WEFT_TRY(make_path(&path, writer, "scene", NULL, ending));
        WeftStatus status = weft_file_begin(&writer->file, path);
        free(path);
        WEFT_TRY(status);
        break;
    }
    }
    if (writer->format == WEFT_FORMAT_GLB)
        WEFT_TRY(weft_glb_begin(writer));
    if (formats[writer->format].spooled)
        for (size_t i = 0; i < writer->cloth_count; i++)
        {
            WeftWriterCloth *cloth = &writer->cloths[i];
            WEFT_TRY(weft_spool_begin(&cloth->spool, writer->folder, cloth->mesh->vertex_count));
        }
    return WEFT_OK;
}

static WeftStatus prepare(WeftWriter *writer, const WeftScene *scene, const WeftSim *sim)
{
    WEFT_TRY(weft_folder_create(writer->folder));
    size_t largest = 1;
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        WEFT_TRY(prepare_cloth(writer, scene, sim, i));
        if (writer->cloths[i].mesh->vertex_count > largest)
            largest = writer->cloths[i].mesh->vertex_count;
    }
    writer->positions = malloc(largest * 3 * sizeof *writer->positions);
    return writer->positions ? begin_files(writer, scene) : out_of_memory();
}

static void destroy(WeftWriter *writer)
{
    for (size_t i = 0; writer->cloths && i < writer->cloth_count; i++)
    {
        weft_file_abandon(&writer->cloths[i].cache);
        weft_spool_end(&writer->cloths[i].spool);
        free(writer->cloths[i].stem);
        free(writer->cloths[i].tail);
    }
    weft_file_abandon(&writer->file);
    weft_glb_end(writer);
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
    writer->frames_per_second = scene->frames_per_second;
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
    uint32_t         vertex_count = cloth->mesh->vertex_count;
    weft_sim_positions(sim, index, writer->positions);
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        if (!isfinite((float)writer->positions[i]))
            return weft_fail(WEFT_ERROR_FAILED,
                             "frame %u was not written: vertex %zu of cloth %zu is not finite",
                             writer->frame_count, i / 3, index);

    if (formats[writer->format].spooled)
        return weft_spool_add(&cloth->spool, writer->positions);
    if (writer->format == WEFT_FORMAT_PC2)
        return weft_pc2_frame(&cloth->cache, vertex_count, writer->frame_count, writer->positions);
    char *path;
    WEFT_TRY(make_path(&path, writer, cloth->stem, &writer->frame_count,
                       formats[writer->format].ending));
    WeftStatus status = writer->format == WEFT_FORMAT_PLY
                            ? weft_ply_write(path, cloth, writer->positions)
                            : weft_obj_write(path, cloth, writer->positions);
    free(path);
    return status;
}

static WeftStatus reserve(WeftWriter *writer)
{
    for (size_t i = 0; writer->format == WEFT_FORMAT_MDD && i < writer->cloth_count; i++)
        WEFT_TRY(weft_mdd_reserve(writer, i));
    if (writer->format == WEFT_FORMAT_USDA)
        WEFT_TRY(weft_usd_reserve(writer));
    if (writer->format == WEFT_FORMAT_GLB)
        WEFT_TRY(weft_glb_reserve(writer));
    return WEFT_OK;
}

WeftStatus weft_writer_frame(WeftWriter *writer, const WeftSim *sim)
{
    for (size_t i = 0; i < writer->cloth_count; i++)
        WEFT_TRY(write_cloth(writer, sim, i));
    WEFT_TRY(reserve(writer));
    writer->frame_count++;
    return WEFT_OK;
}

// Fills what was only begun, and gives the file its name.
static WeftStatus finish_cloth(WeftWriter *writer, size_t index)
{
    if (writer->format == WEFT_FORMAT_MDD)
        WEFT_TRY(weft_mdd_write(writer, index));
    return weft_file_commit(&writer->cloths[index].cache);
}

static WeftStatus finish_scene(WeftWriter *writer)
{
    WEFT_TRY(writer->format == WEFT_FORMAT_GLB ? weft_glb_write(writer) : weft_usd_write(writer));
    return weft_file_commit(&writer->file);
}

WeftStatus weft_writer_close(WeftWriter *writer, bool keep)
{
    // Files that are put together at the end are none without a frame.
    WeftStatus status = WEFT_OK;
    Share      share = formats[writer->format].share;
    keep = keep && (writer->frame_count > 0 || !formats[writer->format].spooled);
    if (keep && share == FILE_A_SCENE)
        status = finish_scene(writer);
    for (size_t i = 0; keep && share == FILE_A_CLOTH && i < writer->cloth_count; i++)
    {
        WeftStatus finished = finish_cloth(writer, i);
        if (status == WEFT_OK)
            status = finished;
    }
    destroy(writer);
    return status;
}
