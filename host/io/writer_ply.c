// writer_ply.c: PLY, binary, little endian: coordinates as floats, faces as lists of corners.
#include "io/writer_formats.h"

#include <stdio.h>

void weft_ply_tail(WeftBytes *bytes, const WeftMesh *mesh)
{
    uint8_t record[17];
    for (uint32_t face = 0; face < mesh->face_count; face++)
    {
        const uint32_t *corners = mesh->face_corners + 4 * (size_t)face;
        int             corner_count = weft_face_corner_count(mesh, face);
        record[0] = (uint8_t)corner_count;
        for (int i = 0; i < corner_count; i++)
            weft_bytes_little(record + 1 + 4 * i, corners[i]);
        weft_bytes_add(bytes, record, 1 + 4 * (size_t)corner_count);
    }
    uint32_t line_count = weft_chain_line_count(mesh);
    for (uint32_t i = 0; i < line_count; i++)
    {
        weft_bytes_little(record, i);
        weft_bytes_little(record + 4, (i + 1) % mesh->vertex_count);
        weft_bytes_add(bytes, record, 8);
    }
}

static WeftStatus put_all(WeftFile *file, const WeftWriterCloth *cloth, const double *positions)
{
    const WeftMesh *mesh = cloth->mesh;
    char            header[512];
    int             length = snprintf(header, sizeof header,
                                      "ply\nformat binary_little_endian 1.0\ncomment weft %s\n"
                                                  "element vertex %u\nproperty float x\nproperty float y\n"
                                                  "property float z\n",
                                      WEFT_VERSION, mesh->vertex_count);
    WEFT_TRY(weft_file_put(file, header, (size_t)length));
    uint32_t line_count = weft_chain_line_count(mesh);
    if (line_count > 0)
        length = snprintf(header, sizeof header,
                          "element edge %u\nproperty int vertex1\nproperty int vertex2\n"
                          "end_header\n",
                          line_count);
    else
        length = snprintf(header, sizeof header,
                          "element face %u\nproperty list uchar int vertex_indices\nend_header\n",
                          mesh->face_count);
    WEFT_TRY(weft_file_put(file, header, (size_t)length));

    for (size_t i = 0; i < mesh->vertex_count; i++)
    {
        uint8_t record[12];
        for (int axis = 0; axis < 3; axis++)
            weft_bytes_little(record + 4 * axis, weft_float_bits((float)positions[3 * i + axis]));
        WEFT_TRY(weft_file_put(file, record, sizeof record));
    }
    return weft_file_put(file, cloth->tail, cloth->tail_size);
}

WeftStatus weft_ply_write(const char *path, const WeftWriterCloth *cloth, const double *positions)
{
    WeftFile file;
    WEFT_TRY(weft_file_begin(&file, path));
    WeftStatus status = put_all(&file, cloth, positions);
    if (status == WEFT_OK)
        return weft_file_commit(&file);
    weft_file_abandon(&file);
    return status;
}
