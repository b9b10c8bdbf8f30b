// writer_usd.c: USD as text (.usda): a mesh for every cloth, whose points are sampled at every
// frame. A chain is a curve.
#include "io/number.h"
#include "io/texture.h"
#include "io/writer_formats.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static WeftStatus put_text(WeftFile *file, const char *text)
{
    return weft_file_put(file, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) WEFT_CHECKED static WeftStatus
put_formatted(WeftFile *file, const char *format, ...)
{
    char   *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
    WeftStatus status = weft_file_put(file, text, (size_t)length);
    free(text);
    return status;
}

// ", " between the elements of a list, and a whole number.
static WeftStatus put_index(WeftFile *file, size_t place, uint32_t value)
{
    char  text[2 + WEFT_NUMBER_SIZE] = ", ";
    char *end = weft_number_unsigned(text + 2, value);
    return place == 0 ? weft_file_put(file, text + 2, (size_t)(end - text - 2))
                      : weft_file_put(file, text, (size_t)(end - text));
}

enum
{
    TUPLE_SIZE = 8 + 3 * (2 + WEFT_NUMBER_SIZE)
};

// The same for a tuple of two or three numbers, as text; returns its length.
static size_t print_tuple(char text[TUPLE_SIZE], size_t place, const float *values, int count)
{
    char *out = text;
    if (place > 0)
    {
        *out++ = ',';
        *out++ = ' ';
    }
    for (int k = 0; k < count; k++)
    {
        *out++ = k == 0 ? '(' : ',';
        if (k > 0)
            *out++ = ' ';
        out = weft_number_coordinate(out, values[k]);
    }
    *out++ = ')';
    return (size_t)(out - text);
}

static WeftStatus put_tuple(WeftFile *file, size_t place, const float *values, int count)
{
    char text[TUPLE_SIZE];
    return weft_file_put(file, text, print_tuple(text, place, values, count));
}

// Faces, and texture coordinates if there are any.
static WeftStatus put_faces(WeftFile *file, const WeftMesh *mesh)
{
    WEFT_TRY(put_text(file, "        int[] faceVertexCounts = ["));
    for (size_t face = 0; face < mesh->face_count; face++)
        WEFT_TRY(put_index(file, face, (uint32_t)weft_face_corner_count(mesh, face)));
    WEFT_TRY(put_text(file, "]\n        int[] faceVertexIndices = ["));
    size_t place = 0;
    for (size_t face = 0; face < mesh->face_count; face++)
        for (int k = 0; k < weft_face_corner_count(mesh, face); k++)
            WEFT_TRY(put_index(file, place++, mesh->face_corners[4 * face + (size_t)k]));
    WEFT_TRY(put_text(file, "]\n"));
    if (!weft_texture_exists(mesh))
        return WEFT_OK;

    WEFT_TRY(put_text(file, "        texCoord2f[] primvars:st = ["));
    place = 0;
    for (size_t face = 0; face < mesh->face_count; face++)
        for (int k = 0; k < weft_face_corner_count(mesh, face); k++)
        {
            float uv[2];
            weft_texture_corner(mesh, face, k, uv);
            WEFT_TRY(put_tuple(file, place++, uv, 2));
        }
    return put_text(file, "] (\n            interpolation = \"faceVarying\"\n        )\n");
}

static WeftStatus put_points(WeftFile *file, WeftSpool *spool, uint32_t frame_count)
{
    WEFT_TRY(put_text(file, "        point3f[] points.timeSamples = {\n"));
    for (uint32_t frame = 0; frame < frame_count; frame++)
    {
        WEFT_TRY(weft_spool_read(spool, frame));
        WEFT_TRY(put_formatted(file, "            %u: [", frame));
        for (size_t i = 0; i < spool->vertex_count; i++)
            WEFT_TRY(put_tuple(file, i, spool->frame + 3 * i, 3));
        WEFT_TRY(put_text(file, "],\n"));
    }
    return put_text(file, "        }\n");
}

// A chain or a single particle stands for a strip of cloth, and is drawn that wide.
static float strip_width(const WeftMesh *mesh)
{
    if (mesh->face_count > 0)
        return 0;
    return (float)mesh->grid_spacing[mesh->grid_counts[0] == 1 ? 0 : 1];
}

// The box around the cloth in every frame.
static WeftStatus put_extent(WeftFile *file, WeftSpool *spool, uint32_t frame_count, float width)
{
    WEFT_TRY(put_text(file, "        float3[] extent.timeSamples = {\n"));
    for (uint32_t frame = 0; frame < frame_count; frame++)
    {
        WEFT_TRY(weft_spool_read(spool, frame));
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < 3 * (size_t)spool->vertex_count; i++)
        {
            low[i % 3] = fminf(low[i % 3], spool->frame[i]);
            high[i % 3] = fmaxf(high[i % 3], spool->frame[i]);
        }
        for (int axis = 0; axis < 3; axis++)
        {
            low[axis] -= width / 2;
            high[axis] += width / 2;
        }
        WEFT_TRY(put_formatted(file, "            %u: [", frame));
        WEFT_TRY(put_tuple(file, 0, low, 3));
        WEFT_TRY(put_tuple(file, 1, high, 3));
        WEFT_TRY(put_text(file, "],\n"));
    }
    return put_text(file, "        }\n");
}

// What the points are joined to; a grid of a single particle is a mere point.
static WeftStatus put_shape(WeftFile *file, const WeftMesh *mesh, const char *name)
{
    uint32_t line_count = weft_chain_line_count(mesh);
    if (mesh->face_count > 0)
    {
        WEFT_TRY(put_formatted(file,
                               "    def Mesh \"%s\"\n    {\n"
                               "        uniform token subdivisionScheme = \"none\"\n"
                               "        uniform bool doubleSided = 1\n",
                               name));
        return put_faces(file, mesh);
    }
    if (line_count == 0)
        WEFT_TRY(put_formatted(file, "    def Points \"%s\"\n    {\n", name));
    else
        WEFT_TRY(put_formatted(file,
                               "    def BasisCurves \"%s\"\n    {\n"
                               "        uniform token type = \"linear\"\n"
                               "        uniform token wrap = \"%s\"\n"
                               "        int[] curveVertexCounts = [%u]\n",
                               name, line_count == mesh->vertex_count ? "periodic" : "nonperiodic",
                               mesh->vertex_count));
    return put_formatted(file,
                         "        float[] widths = [%.9g] (\n"
                         "            interpolation = \"constant\"\n        )\n",
                         strip_width(mesh));
}

static bool is_stem(const WeftWriter *writer, const char *name)
{
    for (size_t i = 0; i < writer->cloth_count; i++)
        if (strcmp(writer->cloths[i].stem, name) == 0)
            return true;
    return false;
}

// A name as USD allows it: letters, digits and underscores, no digit first. Where that is not the
// cloth's own, its number at the end keeps it apart from the others.
static char *make_name(const WeftWriter *writer, size_t index)
{
    const char *stem = writer->cloths[index].stem;
    bool        is_good = !isdigit((unsigned char)stem[0]);
    for (const char *c = stem; *c; c++)
        is_good = is_good && (isalnum((unsigned char)*c) || *c == '_');
    char *name = NULL;
    if (is_good || asprintf(&name, "_%s_%zu", stem, index) < 0)
        return is_good ? strdup(stem) : NULL;
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    while (name && is_stem(writer, name))
    {
        char *longer = NULL;
        int   length = asprintf(&longer, "_%s", name);
        free(name);
        name = length < 0 ? NULL : longer;
    }
    return name;
}

static WeftStatus put_cloth(WeftWriter *writer, size_t index)
{
    WeftFile  *file = &writer->file;
    WeftSpool *spool = &writer->cloths[index].spool;
    char      *name = make_name(writer, index);
    if (!name)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
    const WeftMesh *mesh = writer->cloths[index].mesh;
    WeftStatus      status = put_shape(file, mesh, name);
    free(name);
    WEFT_TRY(status);
    WEFT_TRY(put_extent(file, spool, writer->frame_count, strip_width(mesh)));
    WEFT_TRY(put_points(file, spool, writer->frame_count));
    return put_text(file, "    }\n");
}

// What the texts above take at most: all that stands once, a cloth, a corner of a face, a frame
// without its points.
enum
{
    ONCE_BOUND = 1000,
    CLOTH_BOUND = 1000,
    CORNER_BOUND = 100,
    FRAME_BOUND = 400
};

WeftStatus weft_usd_reserve(WeftWriter *writer)
{
    uint64_t size = writer->usd_size;
    if (writer->frame_count == 0)
        size = ONCE_BOUND;
    for (size_t i = 0; i < writer->cloth_count; i++)
    {
        const WeftWriterCloth *cloth = &writer->cloths[i];
        const WeftSpool       *spool = &cloth->spool;
        if (writer->frame_count == 0)
            size += CLOTH_BOUND + strlen(cloth->stem) +
                    4 * CORNER_BOUND * (uint64_t)cloth->mesh->face_count;
        size += FRAME_BOUND;
        char text[TUPLE_SIZE];
        for (size_t k = 0; k < spool->vertex_count; k++)
            size += print_tuple(text, k, spool->frame + 3 * k, 3);
    }
    WEFT_TRY(weft_file_reserve(&writer->file, size));
    writer->usd_size = size;
    return WEFT_OK;
}

WeftStatus weft_usd_write(WeftWriter *writer)
{
    WEFT_TRY(put_formatted(&writer->file,
                           "#usda 1.0\n(\n"
                           "    doc = \"weft %s\"\n"
                           "    defaultPrim = \"weft\"\n"
                           "    metersPerUnit = 1\n"
                           "    upAxis = \"Y\"\n"
                           "    startTimeCode = 0\n"
                           "    endTimeCode = %u\n"
                           "    timeCodesPerSecond = %.9g\n"
                           "    framesPerSecond = %.9g\n"
                           ")\n\n"
                           "def Xform \"weft\"\n{\n",
                           WEFT_VERSION, writer->frame_count - 1, writer->frames_per_second,
                           writer->frames_per_second));
    for (size_t i = 0; i < writer->cloth_count; i++)
        WEFT_TRY(put_cloth(writer, i));
    return put_text(&writer->file, "}\n");
}
