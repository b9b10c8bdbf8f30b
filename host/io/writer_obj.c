// writer_obj.c: Wavefront OBJ, text. Coordinates are written to the nanometre.
#include "io/number.h"
#include "io/writer_formats.h"

#include <stdio.h>

enum
{
    LINE_SIZE = 128
};

void weft_obj_tail(WeftBytes *bytes, const WeftMesh *mesh)
{
    char line[LINE_SIZE];
    for (uint32_t face = 0; face < mesh->face_count; face++)
    {
        // OBJ counts from 1.
        const uint32_t *corners = mesh->face_corners + 4 * (size_t)face;
        int             corner_count = weft_face_corner_count(mesh, face);
        char           *out = line;
        *out++ = 'f';
        for (int i = 0; i < corner_count; i++)
        {
            *out++ = ' ';
            out = weft_number_unsigned(out, (uint64_t)corners[i] + 1);
        }
        *out++ = '\n';
        weft_bytes_add(bytes, line, (size_t)(out - line));
    }
    uint32_t line_count = weft_chain_line_count(mesh);
    for (uint32_t i = 0; i < line_count; i++)
    {
        int length =
            snprintf(line, sizeof line, "l %u %u\n", i + 1, (i + 1) % mesh->vertex_count + 1);
        weft_bytes_add(bytes, line, (size_t)length);
    }
}

static WeftStatus put_all(WeftFile *file, const WeftWriterCloth *cloth, const double *positions)
{
    char line[LINE_SIZE];
    WEFT_TRY(weft_file_put(file, line,
                           (size_t)snprintf(line, sizeof line, "# weft %s\n", WEFT_VERSION)));
    for (uint32_t i = 0; i < cloth->mesh->vertex_count; i++)
    {
        char *out = line;
        *out++ = 'v';
        for (int axis = 0; axis < 3; axis++)
        {
            *out++ = ' ';
            out = weft_number_coordinate(out, positions[3 * (size_t)i + axis]);
        }
        *out++ = '\n';
        WEFT_TRY(weft_file_put(file, line, (size_t)(out - line)));
    }
    return weft_file_put(file, cloth->tail, cloth->tail_size);
}

WeftStatus weft_obj_write(const char *path, const WeftWriterCloth *cloth, const double *positions)
{
    WeftFile file;
    WEFT_TRY(weft_file_begin(&file, path));
    WeftStatus status = put_all(&file, cloth, positions);
    if (status == WEFT_OK)
        return weft_file_commit(&file);
    weft_file_abandon(&file);
    return status;
}
