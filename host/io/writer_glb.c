// writer_glb.c: binary glTF 2.0, after the specification by the Khronos Group.
#include "io/writer_glb.h"

#include <stdlib.h>
#include <string.h>

#include "io/writer_formats.h"

enum
{
    HEADER_SIZE = 12,
    CHUNK_HEADER_SIZE = 8
};

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
}

WeftStatus weft_glb_begin(WeftWriter *writer)
{
    WeftGlb *glb = calloc(1, sizeof *glb);
    writer->glb = glb;
    if (!glb)
        return out_of_memory();
    glb->meshes = calloc(writer->cloth_count + 1, sizeof *glb->meshes);
    glb->places = calloc(writer->cloth_count + 1, sizeof *glb->places);
    if (!glb->meshes || !glb->places)
        return out_of_memory();
    for (size_t i = 0; i < writer->cloth_count; i++)
        WEFT_TRY(weft_glb_mesh_create(&glb->meshes[i], writer->cloths[i].mesh));
    return WEFT_OK;
}

void weft_glb_end(WeftWriter *writer)
{
    WeftGlb *glb = writer->glb;
    for (size_t i = 0; glb && glb->meshes && i < writer->cloth_count; i++)
        weft_glb_mesh_destroy(&glb->meshes[i]);
    if (glb)
    {
        free(glb->meshes);
        free(glb->places);
    }
    free(glb);
    writer->glb = NULL;
}

void weft_glb_plan(WeftGlb *glb, size_t cloth_count, uint32_t frame_count)
{
    uint64_t offset = 0;
    uint32_t accessor = 0;
    for (size_t i = 0; i < cloth_count; i++)
    {
        const WeftGlbMesh *mesh = &glb->meshes[i];
        WeftGlbPlace      *place = &glb->places[i];
        place->indices = offset;
        place->indices_accessor = accessor;
        offset += 4 * (uint64_t)mesh->index_count;
        accessor += mesh->index_count > 0;
        place->texture = offset;
        place->texture_accessor = accessor;
        offset += mesh->texture ? 8 * (uint64_t)mesh->vertex_count : 0;
        accessor += mesh->texture != NULL;
        place->positions = offset;
        place->positions_accessor = accessor;
        offset += 12 * (uint64_t)mesh->vertex_count * frame_count;
        accessor += frame_count;
    }
    glb->times = offset;
    glb->times_accessor = accessor;
    glb->weights = offset + 4 * (uint64_t)frame_count;
    bool moves = frame_count > 1;
    glb->size = moves ? glb->weights + 4 * (uint64_t)frame_count * (frame_count - 1) : offset;
}

WeftStatus weft_glb_reserve(WeftWriter *writer)
{
    uint32_t frame_count = writer->frame_count + 1;
    weft_glb_plan(writer->glb, writer->cloth_count, frame_count);
    uint64_t size = HEADER_SIZE + 2 * CHUNK_HEADER_SIZE + writer->glb->size +
                    weft_glb_json_bound(writer, frame_count);
    if (size <= UINT32_MAX)
        return weft_file_reserve(&writer->file, size);
    return weft_fail(WEFT_ERROR_INPUT,
                     "%s: frame %u does not fit: a glb file is never larger than 4 GiB; the "
                     "formats pc2, mdd and usda have no such bound",
                     writer->file.path, writer->frame_count);
}

WeftStatus weft_glb_frame(WeftSpool *spool, uint32_t frame, const float *start)
{
    WEFT_TRY(weft_spool_read(spool, frame));
    for (size_t i = 0; frame > 0 && i < 3 * (size_t)spool->vertex_count; i++)
        spool->frame[i] -= start[i];
    return WEFT_OK;
}

static WeftStatus put_little(WeftFile *file, uint32_t value)
{
    uint8_t bytes[4];
    weft_bytes_little(bytes, value);
    return weft_file_put(file, bytes, sizeof bytes);
}

static WeftStatus put_float(WeftFile *file, float value)
{
    return put_little(file, weft_float_bits(value));
}

static WeftStatus put_positions(WeftWriter *writer, size_t cloth, float *start)
{
    const WeftGlbMesh *mesh = &writer->glb->meshes[cloth];
    WeftSpool         *spool = &writer->cloths[cloth].spool;
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
    {
        WEFT_TRY(weft_glb_frame(spool, frame, start));
        if (frame == 0)
            memcpy(start, spool->frame, 3 * sizeof *start * spool->vertex_count);
        for (size_t i = 0; i < mesh->vertex_count; i++)
            for (size_t axis = 0; axis < 3; axis++)
                WEFT_TRY(
                    put_float(&writer->file, spool->frame[3 * (size_t)mesh->particles[i] + axis]));
    }
    return WEFT_OK;
}

static WeftStatus put_cloth(WeftWriter *writer, size_t cloth)
{
    const WeftGlbMesh *mesh = &writer->glb->meshes[cloth];
    for (size_t i = 0; i < mesh->index_count; i++)
        WEFT_TRY(put_little(&writer->file, mesh->indices[i]));
    for (size_t i = 0; mesh->texture && i < 2 * (size_t)mesh->vertex_count; i++)
        WEFT_TRY(put_float(&writer->file, mesh->texture[i]));
    float *start = malloc(3 * sizeof *start * writer->cloths[cloth].mesh->vertex_count);
    if (!start)
        return out_of_memory();
    WeftStatus status = put_positions(writer, cloth, start);
    free(start);
    return status;
}

static WeftStatus put_animation(WeftWriter *writer)
{
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
        WEFT_TRY(put_float(&writer->file, (float)(frame / writer->frames_per_second)));
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
        for (uint32_t target = 1; target < writer->frame_count; target++)
            WEFT_TRY(put_float(&writer->file, target == frame));
    return WEFT_OK;
}

static WeftStatus put_all(WeftWriter *writer, const WeftBytes *json)
{
    WeftFile *file = &writer->file;
    uint32_t  json_size = (uint32_t)json->size, binary_size = (uint32_t)writer->glb->size;
    WEFT_TRY(weft_file_put(file, "glTF", 4));
    WEFT_TRY(put_little(file, 2));
    WEFT_TRY(put_little(file, HEADER_SIZE + 2 * CHUNK_HEADER_SIZE + json_size + binary_size));
    WEFT_TRY(put_little(file, json_size));
    WEFT_TRY(weft_file_put(file, "JSON", 4));
    WEFT_TRY(weft_file_put(file, json->data, json->size));
    WEFT_TRY(put_little(file, binary_size));
    WEFT_TRY(weft_file_put(file, "BIN", 4));
    for (size_t i = 0; i < writer->cloth_count; i++)
        WEFT_TRY(put_cloth(writer, i));
    return writer->frame_count > 1 ? put_animation(writer) : WEFT_OK;
}

WeftStatus weft_glb_write(WeftWriter *writer)
{
    weft_glb_plan(writer->glb, writer->cloth_count, writer->frame_count);
    WeftBytes  json = {0};
    WeftStatus status = weft_glb_json(&json, writer);
    if (status == WEFT_OK)
        status = put_all(writer, &json);
    free(json.data);
    return status;
}
