// writer_glb_json.c: the JSON part of a glb file, which says what the binary part holds.
#include "io/writer_glb.h"

#include <math.h>
#include <stdlib.h>

enum
{
    FLOATS = 5126, // component types
    WHOLE_NUMBERS = 5125,
    VERTEX_DATA = 34962, // targets of a buffer view
    INDEX_DATA = 34963
};

// What the texts below take at most for a frame of a cloth, a cloth, and all the rest.
enum
{
    FRAME_BOUND = 300,
    CLOTH_BOUND = 1500,
    REST_BOUND = 2000
};

uint64_t weft_glb_json_bound(const WeftWriter *writer, uint32_t frame_count)
{
    uint64_t bound = REST_BOUND;
    for (size_t i = 0; i < writer->cloth_count; i++)
        bound +=
            FRAME_BOUND * (uint64_t)frame_count + CLOTH_BOUND + 2 * strlen(writer->cloths[i].stem);
    return bound;
}

// A stem has no character that JSON would have to escape.
static void add_nodes_and_meshes(WeftBytes *json, const WeftWriter *writer)
{
    weft_bytes_print(json, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < writer->cloth_count; i++)
        weft_bytes_print(json, "%s%zu", i > 0 ? "," : "", i);
    weft_bytes_print(json, "]}],\"nodes\":[");
    for (size_t i = 0; i < writer->cloth_count; i++)
        weft_bytes_print(json, "%s{\"name\":\"%s\",\"mesh\":%zu}", i > 0 ? "," : "",
                         writer->cloths[i].stem, i);

    weft_bytes_print(json, "],\"meshes\":[");
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        const WeftGlbMesh  *mesh = &writer->glb->meshes[i];
        const WeftGlbPlace *place = &writer->glb->places[i];
        weft_bytes_print(json,
                         "%s{\"name\":\"%s\",\"primitives\":[{\"mode\":%d,\"material\":0,"
                         "\"attributes\":{\"POSITION\":%u",
                         i > 0 ? "," : "", writer->cloths[i].stem, mesh->mode,
                         place->positions_accessor);
        if (mesh->texture)
            weft_bytes_print(json, ",\"TEXCOORD_0\":%u", place->texture_accessor);
        weft_bytes_print(json, "}");
        if (mesh->index_count > 0)
            weft_bytes_print(json, ",\"indices\":%u", place->indices_accessor);
        for (uint32_t frame = 1; frame < writer->frame_count; frame++)
            weft_bytes_print(json, "%s{\"POSITION\":%u}", frame == 1 ? ",\"targets\":[" : ",",
                             place->positions_accessor + frame);
        weft_bytes_print(json, "%s}]}", writer->frame_count > 1 ? "]" : "");
    }

    // Cloth is seen from both sides.
    weft_bytes_print(json, "],\"materials\":[{\"name\":\"cloth\",\"doubleSided\":true,"
                           "\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
                           "\"roughnessFactor\":0.9}}],");
}

static void add_animation(WeftBytes *json, const WeftWriter *writer)
{
    weft_bytes_print(json,
                     "\"animations\":[{\"name\":\"weft\",\"samplers\":[{\"input\":%u,"
                     "\"output\":%u,\"interpolation\":\"LINEAR\"}],\"channels\":[",
                     writer->glb->times_accessor, writer->glb->times_accessor + 1);
    for (size_t i = 0; i < writer->cloth_count; i++)
        weft_bytes_print(json, "%s{\"sampler\":0,\"target\":{\"node\":%zu,\"path\":\"weights\"}}",
                         i > 0 ? "," : "", i);
    weft_bytes_print(json, "]}],");
}

// Opens an element of a list and counts it.
static void open_element(WeftBytes *json, uint32_t *count)
{
    weft_bytes_print(json, (*count)++ > 0 ? ",{" : "{");
}

static void add_bounds(WeftBytes *json, const float *values, size_t count)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++)
        {
            low[axis] = fminf(low[axis], values[3 * i + axis]);
            high[axis] = fmaxf(high[axis], values[3 * i + axis]);
        }
    // Nine digits give a float back exactly, which readers rely on here.
    weft_bytes_print(json, "\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", low[0], low[1],
                     low[2], high[0], high[1], high[2]);
}

// The accessors of a cloth, in the order that weft_glb_plan() counts. `view` is the number of its
// first buffer view.
static WeftStatus add_cloth_accessors(WeftBytes *json, WeftWriter *writer, size_t cloth,
                                      uint32_t *count, uint32_t *view, float *start)
{
    const WeftGlbMesh *mesh = &writer->glb->meshes[cloth];
    WeftSpool         *spool = &writer->cloths[cloth].spool;
    if (mesh->index_count > 0)
    {
        open_element(json, count);
        weft_bytes_print(json,
                         "\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":"
                         "\"SCALAR\"}",
                         (*view)++, WHOLE_NUMBERS, mesh->index_count);
    }
    if (mesh->texture)
    {
        open_element(json, count);
        weft_bytes_print(json,
                         "\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":"
                         "\"VEC2\"}",
                         (*view)++, FLOATS, mesh->vertex_count);
    }
    for (uint32_t frame = 0; frame < writer->frame_count; frame++)
    {
        WEFT_TRY(weft_glb_frame(spool, frame, start));
        if (frame == 0)
            memcpy(start, spool->frame, 3 * sizeof *start * spool->vertex_count);
        open_element(json, count);
        weft_bytes_print(json,
                         "\"bufferView\":%u,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%u,"
                         "\"type\":\"VEC3\",",
                         *view, 12ull * mesh->vertex_count * frame, FLOATS, mesh->vertex_count);
        add_bounds(json, spool->frame, spool->vertex_count);
        weft_bytes_print(json, "}");
    }
    (*view)++;
    return WEFT_OK;
}

static WeftStatus add_accessors(WeftBytes *json, WeftWriter *writer)
{
    uint32_t count = 0, view = 0, frame_count = writer->frame_count;
    weft_bytes_print(json, "\"accessors\":[");
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        float *start = malloc(3 * sizeof *start * writer->cloths[i].mesh->vertex_count);
        if (!start)
            return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
        WeftStatus status = add_cloth_accessors(json, writer, i, &count, &view, start);
        free(start);
        WEFT_TRY(status);
    }
    if (frame_count > 1)
    {
        open_element(json, &count);
        weft_bytes_print(json,
                         "\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":\"SCALAR\","
                         "\"min\":[0],\"max\":[%.9g]}",
                         view, FLOATS, frame_count,
                         (float)((frame_count - 1) / writer->frames_per_second));
        open_element(json, &count);
        weft_bytes_print(
            json, "\"bufferView\":%u,\"componentType\":%d,\"count\":%llu,\"type\":\"SCALAR\"}",
            view + 1, FLOATS, (unsigned long long)frame_count * (frame_count - 1));
    }
    weft_bytes_print(json, "],");
    return WEFT_OK;
}

// A view from one offset to the next; `more` is what else there is to say of it.
static void add_view(WeftBytes *json, uint32_t *count, uint64_t begin, uint64_t end,
                     const char *more)
{
    if (begin == end)
        return;
    open_element(json, count);
    weft_bytes_print(json, "\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}",
                     (unsigned long long)begin, (unsigned long long)(end - begin), more);
}

static void add_views(WeftBytes *json, const WeftWriter *writer)
{
    const WeftGlb *glb = writer->glb;
    uint32_t       count = 0;
    char           indices[32], texture[32], positions[64];
    snprintf(indices, sizeof indices, ",\"target\":%d", INDEX_DATA);
    snprintf(texture, sizeof texture, ",\"target\":%d", VERTEX_DATA);
    snprintf(positions, sizeof positions, ",\"byteStride\":12,\"target\":%d", VERTEX_DATA);

    weft_bytes_print(json, "\"bufferViews\":[");
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        const WeftGlbPlace *place = &glb->places[i];
        uint64_t            end = i + 1 < writer->cloth_count ? place[1].indices : glb->times;
        add_view(json, &count, place->indices, place->texture, indices);
        add_view(json, &count, place->texture, place->positions, texture);
        add_view(json, &count, place->positions, end, positions);
    }
    if (writer->frame_count > 1)
    {
        add_view(json, &count, glb->times, glb->weights, "");
        add_view(json, &count, glb->weights, glb->size, "");
    }
    weft_bytes_print(json, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)glb->size);
}

WeftStatus weft_glb_json(WeftBytes *json, WeftWriter *writer)
{
    weft_bytes_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"weft %s\"},",
                     WEFT_VERSION);
    add_nodes_and_meshes(json, writer);
    if (writer->frame_count > 1)
        add_animation(json, writer);
    WEFT_TRY(add_accessors(json, writer));
    add_views(json, writer);
    while (json->size % 4 != 0 && !json->failed)
        weft_bytes_add(json, " ", 1);
    return json->failed ? weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files")
                        : WEFT_OK;
}
