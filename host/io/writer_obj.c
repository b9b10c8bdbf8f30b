// writer_obj.c: Wavefront OBJ, text. Coordinates are written to the nanometre.
#include "io/writer_formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    LINE_SIZE = 128
};

static char *put_unsigned(char *out, uint64_t value)
{
    char digits[20];
    int  count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

// A number with up to nine decimals, without the zeros at the end. Much faster than printf.
static char *put_coordinate(char *out, double value)
{
    if (fabs(value) > 1e9)
        return out + snprintf(out, LINE_SIZE / 4, "%.9g", value);

    int64_t scaled = llrint(value * 1e9);
    if (scaled < 0)
    {
        *out++ = '-';
        scaled = -scaled;
    }
    out = put_unsigned(out, (uint64_t)scaled / 1000000000);
    uint32_t decimals = (uint32_t)(scaled % 1000000000);
    if (decimals == 0)
        return out;

    int count = 9;
    while (decimals % 10 == 0)
    {
        decimals /= 10;
        count--;
    }
    *out++ = '.';
    for (int i = count - 1; i >= 0; i--)
    {
        out[i] = (char)('0' + decimals % 10);
        decimals /= 10;
    }
    return out + count;
}

void weft_obj_tail(WeftBytes *bytes, const WeftMesh *mesh)
{
    char line[LINE_SIZE];
    for (uint32_t face = 0; face < mesh->face_count; face++)
    {
        // A triangle repeats its third corner. OBJ counts from 1.
        const uint32_t *corners = mesh->face_corners + 4 * (size_t)face;
        int             corner_count = corners[3] == corners[2] ? 3 : 4;
        char           *out = line;
        *out++ = 'f';
        for (int i = 0; i < corner_count; i++)
        {
            *out++ = ' ';
            out = put_unsigned(out, (uint64_t)corners[i] + 1);
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
    for (uint32_t i = 0; i < cloth->vertex_count; i++)
    {
        char *out = line;
        *out++ = 'v';
        for (int axis = 0; axis < 3; axis++)
        {
            *out++ = ' ';
            out = put_coordinate(out, positions[3 * (size_t)i + axis]);
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
