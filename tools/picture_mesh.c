// picture_mesh.c: meshes to draw: growing, reading from OBJ, smooth normals, colours by component.
#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *weft_picture_resize(void *memory, size_t count, size_t size)
{
    void *result = count > SIZE_MAX / size ? NULL : realloc(memory, count ? count * size : 1);
    if (!result)
    {
        fputs("weft-picture: out of memory\n", stderr);
        exit(2);
    }
    return result;
}

uint32_t weft_picture_mesh_add_vertex(PictureMesh *mesh, Vec3 position, Vec3 normal)
{
    if (mesh->vertex_count == mesh->vertex_room)
    {
        mesh->vertex_room = mesh->vertex_room ? 2 * mesh->vertex_room : 256;
        mesh->positions = weft_picture_resize(mesh->positions, mesh->vertex_room, sizeof(Vec3));
        mesh->normals = weft_picture_resize(mesh->normals, mesh->vertex_room, sizeof(Vec3));
    }
    mesh->positions[mesh->vertex_count] = position;
    mesh->normals[mesh->vertex_count] = normal;
    return mesh->vertex_count++;
}

void weft_picture_mesh_add_triangle(PictureMesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    if (mesh->triangle_count == mesh->triangle_room)
    {
        mesh->triangle_room = mesh->triangle_room ? 2 * mesh->triangle_room : 256;
        mesh->triangles =
            weft_picture_resize(mesh->triangles, mesh->triangle_room, 3 * sizeof(uint32_t));
    }
    uint32_t *corner = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

void weft_picture_mesh_destroy(PictureMesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->tints);
    free(mesh->triangles);
    *mesh = (PictureMesh){0};
}

static Vec3 corner_position(const PictureMesh *mesh, size_t triangle, int corner)
{
    return mesh->positions[mesh->triangles[3 * triangle + (size_t)(corner % 3)]];
}

float weft_picture_mesh_spacing(const PictureMesh *mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            sum += length(sub(corner_position(mesh, t, k + 1), corner_position(mesh, t, k)));
    return mesh->triangle_count ? (float)(sum / (3.0 * mesh->triangle_count)) : 0;
}

// Each vertex takes the mean of its triangles' normals, larger triangles counting more.
static void smooth_normals(PictureMesh *mesh)
{
    for (size_t t = 0; t < mesh->triangle_count; t++)
    {
        Vec3 a = corner_position(mesh, t, 0);
        Vec3 normal =
            cross(sub(corner_position(mesh, t, 1), a), sub(corner_position(mesh, t, 2), a));
        for (int k = 0; k < 3; k++)
        {
            Vec3 *sum = &mesh->normals[mesh->triangles[3 * t + (size_t)k]];
            *sum = add(*sum, normal);
        }
    }
    for (size_t v = 0; v < mesh->vertex_count; v++)
        mesh->normals[v] = normalize(mesh->normals[v]);
}

// Surrounds a line through `count` vertices with a round tube.
static void add_tube(PictureMesh *mesh, const uint32_t *line, size_t count)
{
    enum
    {
        SIDES = 10
    };
    double total = 0;
    for (size_t i = 1; i < count; i++)
        total += length(sub(mesh->positions[line[i]], mesh->positions[line[i - 1]]));
    float    radius = (float)fmin(0.2 * total / (double)(count - 1), 0.006 * total);
    Vec3     side = vec3(0, 0, 0);
    uint32_t ring = 0;
    for (size_t i = 0; i < count; i++)
    {
        // The ring stands across the mean direction; its zero angle is carried along unturned.
        Vec3 center = mesh->positions[line[i]];
        Vec3 next = mesh->positions[line[i + 1 < count ? i + 1 : i]];
        Vec3 tangent = normalize(sub(next, mesh->positions[line[i ? i - 1 : 0]]));
        side = mad(side, -dot(side, tangent), tangent);
        side = length(side) > 1e-3f ? normalize(side) : perpendicular(tangent);
        Vec3 other = cross(tangent, side);
        ring = mesh->vertex_count;
        for (int k = 0; k < SIDES; k++)
        {
            float angle = 6.2831853f * (float)k / SIDES;
            Vec3  normal = mad(scale(side, cosf(angle)), sinf(angle), other);
            weft_picture_mesh_add_vertex(mesh, mad(center, radius, normal), normal);
        }
        for (uint32_t k = 0; i && k < SIDES; k++)
        {
            uint32_t a = ring + k, b = ring + (k + 1) % SIDES;
            weft_picture_mesh_add_triangle(mesh, a - SIDES, b - SIDES, b);
            weft_picture_mesh_add_triangle(mesh, a - SIDES, b, a);
        }
    }
}

static WeftStatus read_text(char **text, const char *path)
{
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    size_t size = 0, room = 1 << 16, got;
    char  *buffer = weft_picture_resize(NULL, room, 1);
    while ((got = fread(buffer + size, 1, room - size - 1, file)) > 0)
    {
        size += got;
        if (size + 1 == room)
            buffer = weft_picture_resize(buffer, room *= 2, 1);
    }
    int failed = ferror(file), reason = errno;
    fclose(file);
    if (failed)
    {
        free(buffer);
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", path, strerror(reason));
    }
    buffer[size] = '\0';
    *text = buffer;
    return WEFT_OK;
}

// Vertex numbers of a line of text such as "1/1/1 2/2/2 3/3/3" or "-3 -2 -1", counted from 0.
// Returns how many, or -1 if one is wrong. `line` has room for half as many as there are letters.
static long read_corners(const char *text, uint32_t vertex_count, uint32_t *line)
{
    long count = 0;
    for (;;)
    {
        text += strspn(text, " \t\r");
        if (*text == '\0' || *text == '#')
            return count;
        char *end;
        long  number = strtol(text, &end, 10);
        number += number < 0 ? (long)vertex_count : -1;
        if (end == text || !strchr(" \t\r/", *end) || number < 0 || number >= (long)vertex_count)
            return -1;
        line[count++] = (uint32_t)number;
        text = end + strcspn(end, " \t\r");
    }
}

static void add_face(PictureMesh *mesh, const uint32_t *line, long count)
{
    const Vec3 *at = mesh->positions;
    // The shorter diagonal cuts a quad where it is bent.
    int turn =
        count == 4 && length(sub(at[line[0]], at[line[2]])) > length(sub(at[line[1]], at[line[3]]));
    for (long k = 0; k + 2 < count; k++)
        weft_picture_mesh_add_triangle(mesh, line[turn], line[turn + k + 1],
                                       line[(turn + k + 2) % count]);
}

// Reads one pass of an OBJ text: vertices and faces first, then the tubes of lines, whose extra
// vertices must come after all others.
static WeftStatus read_obj(PictureMesh *mesh, const char *text, const char *path, bool tubes)
{
    WeftStatus status = WEFT_OK;
    char      *row = NULL;
    uint32_t  *line = NULL;
    size_t     room = 0;
    uint32_t   known = 0;
    for (int number = 1; *text && status == WEFT_OK; number++)
    {
        size_t size = strcspn(text, "\n");
        if (size + 1 > room)
        {
            room = 2 * size + 64;
            row = weft_picture_resize(row, room, 1);
            line = weft_picture_resize(line, room, sizeof *line);
        }
        memcpy(row, text, size);
        row[size] = '\0';
        text += size + (text[size] == '\n');
        char *word = row + strspn(row, " \t");
        char  kind = word[0];
        if (!kind || (word[1] != ' ' && word[1] != '\t') || !strchr("vfl", kind))
            continue;

        if (kind == 'v')
        {
            double p[3] = {0};
            char  *next = word + 1, *start = NULL;
            known++;
            for (int k = 0; k < 3 && !tubes && start != next; k++)
            {
                start = next;
                p[k] = strtod(start, &next);
                if (start == next || !isfinite((float)p[k]))
                    status = weft_fail(WEFT_ERROR_INPUT,
                                       "%s:%d: a vertex needs three finite numbers", path, number);
            }
            if (!tubes && status == WEFT_OK)
                weft_picture_mesh_add_vertex(mesh, vec3((float)p[0], (float)p[1], (float)p[2]),
                                             vec3(0, 0, 0));
            continue;
        }
        if ((kind == 'l') != tubes)
            continue;
        long count = read_corners(word + 1, known, line);
        if (count < 0)
            status = weft_fail(WEFT_ERROR_INPUT, "%s:%d: names a vertex that does not exist", path,
                               number);
        else if (kind == 'f' && (count < 3 || count > 4))
            status = weft_fail(WEFT_ERROR_INPUT, "%s:%d: a face needs 3 or 4 corners, this has %ld",
                               path, number, count);
        else if (kind == 'l' && count < 2)
            status = weft_fail(WEFT_ERROR_INPUT, "%s:%d: a line needs 2 vertices", path, number);
        else if (kind == 'f')
            add_face(mesh, line, count);
        else
            add_tube(mesh, line, (size_t)count);
    }
    free(row);
    free(line);
    return status;
}

WeftStatus weft_picture_mesh_load(PictureMesh *mesh, const char *path)
{
    *mesh = (PictureMesh){0};
    char *text;
    WEFT_TRY(read_text(&text, path));
    WeftStatus status = read_obj(mesh, text, path, false);
    if (status == WEFT_OK)
    {
        smooth_normals(mesh);
        mesh->point_count = mesh->vertex_count;
        status = read_obj(mesh, text, path, true);
    }
    free(text);
    if (status == WEFT_OK && mesh->triangle_count == 0)
        status = weft_fail(WEFT_ERROR_INPUT, "%s: holds no faces and no lines", path);
    if (status != WEFT_OK)
        weft_picture_mesh_destroy(mesh);
    return status;
}

// Labels are particle indices, often in steps of a row; scattering them keeps hues apart.
static Vec3 label_color(uint32_t label)
{
    label = (label ^ (label >> 15)) * 0x2C1B3C6Du;
    label ^= label >> 12;
    float hue = 6 * (float)(label % 997) / 997;
    float r = clampf(fabsf(hue - 3) - 1, 0, 1), g = clampf(2 - fabsf(hue - 2), 0, 1);
    float b = clampf(2 - fabsf(hue - 4), 0, 1);
    return vec3(0.08f + 0.6f * r * r, 0.08f + 0.5f * g * g, 0.10f + 0.6f * b * b);
}

WeftStatus weft_picture_labels_apply(PictureMesh *cloths, size_t cloth_count, const char *path)
{
    char *text;
    WEFT_TRY(read_text(&text, path));
    size_t total = 0, count = 0;
    for (size_t c = 0; c < cloth_count; c++)
        total += cloths[c].point_count;
    uint32_t *labels = weft_picture_resize(NULL, total, sizeof *labels);
    char     *next = text + strspn(text, " \t\r\n,"), *end = next;
    bool      good = true;
    for (; *next && good; next = end + strspn(end, " \t\r\n,"), count++)
    {
        long long value = strtoll(next, &end, 10);
        good = end != next && value >= -1 && value <= UINT32_MAX;
        if (good && count < total)
            labels[count] = value < 0 ? UINT32_MAX : (uint32_t)value;
    }
    free(text);

    WeftStatus status = WEFT_OK;
    if (!good)
        status = weft_fail(WEFT_ERROR_INPUT, "%s: label %zu is not a whole number", path, count);
    else if (count != total)
        status = weft_fail(WEFT_ERROR_INPUT, "%s: holds %zu labels, the frame has %zu particles",
                           path, count, total);
    for (size_t c = 0, first = 0; status == WEFT_OK && c < cloth_count; c++)
    {
        PictureMesh *mesh = &cloths[c];
        mesh->tints = weft_picture_resize(mesh->tints, mesh->vertex_count, sizeof *mesh->tints);
        for (size_t v = 0; v < mesh->vertex_count; v++)
        {
            mesh->tints[v] = mesh->front;
            if (v < mesh->point_count)
                mesh->tints[v] = labels[first + v] == UINT32_MAX ? vec3(0.02f, 0.02f, 0.02f)
                                                                 : label_color(labels[first + v]);
        }
        first += mesh->point_count;
    }
    free(labels);
    return status;
}
