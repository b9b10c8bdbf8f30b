// obj_read.c: Wavefront OBJ, the part that cloth needs: v, vt and f with three or four corners.
//
// One pass reads the lines into growing arrays; indices are checked when all vertices are known,
// because a face may stand before its vertices. The line of every vertex and face is kept until
// the end, so that each complaint can name it.
#include "obj_read.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene_table.h"

#define FACE_LIMIT 200000000u
#define NO_TEXTURE UINT32_MAX

#define REPEATED_CORNER "a face names the same vertex twice; remove the face or the corner"

// Shorter than this part of the mesh's size is no length: single precision could not tell.
#define LENGTH_LIMIT 1e-9

typedef struct Reader
{
    const char *path;
    double      scale;
    size_t      line;
    bool        all_textured;

    double   *positions; // (vertex_count x 3)
    uint32_t *vertex_lines;
    size_t    vertex_count, vertex_capacity;
    double   *texture; // (texture_count x 2)
    size_t    texture_count, texture_capacity;
    uint32_t *corners;         // (face_count x 4), a triangle repeats its third
    uint32_t *texture_corners; // (face_count x 4)
    uint32_t *face_lines;
    size_t    face_count, face_capacity;
} Reader;

static WeftStatus out_of_memory(const Reader *reader)
{
    return weft_fail(WEFT_ERROR_FAILED, "%s: out of memory", reader->path);
}

// Resizes an array to `count` elements of `size` bytes; false if there is no memory.
static bool resize(void *array, size_t count, size_t size)
{
    void *larger = realloc(*(void **)array, (count > 0 ? count : 1) * size);
    if (larger == NULL)
        return false;
    *(void **)array = larger;
    return true;
}

static size_t grown(size_t capacity)
{
    return capacity < 1024 ? 1024 : capacity + capacity / 2;
}

// Reads three numbers at `text`; extra ones (weights, colours) are left alone.
static WeftStatus read_numbers(const Reader *reader, const char *text, double numbers[3])
{
    for (int k = 0; k < 3; k++)
    {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text)
            return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: a vertex needs 3 numbers", reader->path,
                             reader->line);
        text = end;
    }
    return WEFT_OK;
}

static WeftStatus read_vertex(Reader *reader, const char *text)
{
    if (reader->vertex_count == WEFT_PARTICLE_LIMIT)
        return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: more than %d vertices; use a coarser mesh",
                         reader->path, reader->line, WEFT_PARTICLE_LIMIT);
    if (reader->vertex_count == reader->vertex_capacity)
    {
        size_t capacity = grown(reader->vertex_capacity);
        if (!resize(&reader->positions, capacity, 3 * sizeof(double)) ||
            !resize(&reader->vertex_lines, capacity, sizeof(uint32_t)))
            return out_of_memory(reader);
        reader->vertex_capacity = capacity;
    }
    double *position = reader->positions + 3 * reader->vertex_count;
    WEFT_TRY(read_numbers(reader, text, position));
    for (int k = 0; k < 3; k++)
    {
        position[k] *= reader->scale;
        if (!(fabs(position[k]) <= WEFT_VECTOR_LIMIT))
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s:%zu: coordinate %g of a vertex is not a usable number; give "
                             "finite coordinates below %g m",
                             reader->path, reader->line, position[k], WEFT_VECTOR_LIMIT);
    }
    reader->vertex_lines[reader->vertex_count++] = (uint32_t)reader->line;
    return WEFT_OK;
}

static WeftStatus read_texture(Reader *reader, const char *text)
{
    if (reader->texture_count == FACE_LIMIT)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s:%zu: more than %u texture coordinates; use a "
                         "coarser mesh",
                         reader->path, reader->line, FACE_LIMIT);
    if (reader->texture_count == reader->texture_capacity)
    {
        size_t capacity = grown(reader->texture_capacity);
        if (!resize(&reader->texture, capacity, 2 * sizeof(double)))
            return out_of_memory(reader);
        reader->texture_capacity = capacity;
    }
    double *uv = reader->texture + 2 * reader->texture_count;
    // The second number may be left out and is then 0.
    char *end;
    uv[0] = strtod(text, &end);
    uv[1] = strtod(end, NULL);
    if (end == text || !isfinite(uv[0]) || !isfinite(uv[1]))
        return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: a texture coordinate needs finite numbers",
                         reader->path, reader->line);
    reader->texture_count++;
    return WEFT_OK;
}

// Reads an index, counted from 1, or from the end if negative, and moves `text` past it. Gives a
// number counted from 0; what cannot be one becomes UINT32_MAX. False if there is no number.
static bool read_index(const char **text, size_t count, uint32_t *index)
{
    const char *c = *text;
    bool        negative = *c == '-';
    c += negative;
    if (*c < '0' || *c > '9')
        return false;
    uint64_t number = 0;
    for (; *c >= '0' && *c <= '9'; c++)
        number = number < UINT32_MAX ? 10 * number + (uint64_t)(*c - '0') : number;
    *text = c;
    if (number == 0 || number >= UINT32_MAX || (negative && number > count))
        *index = UINT32_MAX;
    else
        *index = (uint32_t)(negative ? count - number : number - 1);
    return true;
}

// Reads one corner, "v", "v/vt", "v//vn" or "v/vt/vn"; false if it is none of these.
static bool read_corner(const Reader *reader, const char **text, uint32_t *vertex,
                        uint32_t *texture, bool *textured)
{
    uint32_t    normal;
    const char *c = *text;
    *textured = false;
    *texture = NO_TEXTURE;
    if (!read_index(&c, reader->vertex_count, vertex))
        return false;
    if (*c == '/')
    {
        c++;
        *textured = *c != '/';
        if (*textured && !read_index(&c, reader->texture_count, texture))
            return false;
        if (*c == '/')
        {
            c++;
            if (!read_index(&c, 0, &normal))
                return false;
        }
    }
    if (*c != '\0' && strchr(" \t\r\n", *c) == NULL)
        return false;
    *text = c;
    return true;
}

static WeftStatus read_face(Reader *reader, const char *text)
{
    if (reader->face_count == FACE_LIMIT)
        return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: more than %u faces; use a coarser mesh",
                         reader->path, reader->line, FACE_LIMIT);
    if (reader->face_count == reader->face_capacity)
    {
        size_t capacity = grown(reader->face_capacity);
        if (!resize(&reader->corners, capacity, 4 * sizeof(uint32_t)) ||
            !resize(&reader->texture_corners, capacity, 4 * sizeof(uint32_t)) ||
            !resize(&reader->face_lines, capacity, sizeof(uint32_t)))
            return out_of_memory(reader);
        reader->face_capacity = capacity;
    }
    uint32_t *corners = reader->corners + 4 * reader->face_count;
    uint32_t *texture = reader->texture_corners + 4 * reader->face_count;
    int       count = 0;
    for (text += strspn(text, " \t\r\n"); *text != '\0' && *text != '#';
         text += strspn(text, " \t\r\n"))
    {
        if (count == 4)
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s:%zu: a face has more than 4 corners; split it into triangles or "
                             "quads",
                             reader->path, reader->line);
        bool textured;
        if (!read_corner(reader, &text, &corners[count], &texture[count], &textured))
        {
            size_t length = strcspn(text, " \t\r\n");
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s:%zu: \"%.*s\" is no corner of a face; write 7, 7/3, 7//2 or "
                             "7/3/2",
                             reader->path, reader->line, (int)(length < 20 ? length : 20), text);
        }
        reader->all_textured = reader->all_textured && textured;
        count++;
    }
    if (count < 3)
        return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: a face needs 3 or 4 corners but has %d",
                         reader->path, reader->line, count);
    // The fourth corner of a triangle repeats its third, so a quad that does so must not get in.
    if (count == 4 && corners[3] == corners[2] && corners[3] != UINT32_MAX)
        return weft_fail(WEFT_ERROR_INPUT, "%s:%zu: " REPEATED_CORNER, reader->path, reader->line);
    if (count == 3)
    {
        corners[3] = corners[2];
        texture[3] = texture[2];
    }
    reader->face_lines[reader->face_count++] = (uint32_t)reader->line;
    return WEFT_OK;
}

static WeftStatus read_line(Reader *reader, const char *line)
{
    line += strspn(line, " \t");
    size_t word = strcspn(line, " \t\r\n");
    if (word == 1 && line[0] == 'v')
        return read_vertex(reader, line + word);
    if (word == 2 && line[0] == 'v' && line[1] == 't')
        return read_texture(reader, line + word);
    if (word == 1 && line[0] == 'f')
        return read_face(reader, line + word);
    return WEFT_OK;
}

static WeftStatus read_file(Reader *reader, FILE *file)
{
    char      *line = NULL;
    size_t     capacity = 0;
    WeftStatus status = WEFT_OK;
    while (status == WEFT_OK && getline(&line, &capacity, file) >= 0)
    {
        reader->line++;
        status = read_line(reader, line);
    }
    free(line);
    if (status == WEFT_OK && ferror(file))
        status =
            weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read (%s)", reader->path, strerror(errno));
    return status;
}

static WeftStatus fail_face(const Reader *reader, size_t face, const char *message)
{
    return weft_fail(WEFT_ERROR_INPUT, "%s:%u: %s", reader->path, reader->face_lines[face],
                     message);
}

static WeftStatus check_indices(Reader *reader)
{
    if (reader->face_count == 0)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s:%zu: there is no face (f) in the file; export the "
                         "mesh with its faces",
                         reader->path, reader->line > 0 ? reader->line : 1);
    for (size_t face = 0; face < reader->face_count; face++)
    {
        const uint32_t *corners = reader->corners + 4 * face;
        const uint32_t *texture = reader->texture_corners + 4 * face;
        int             count = corners[3] == corners[2] ? 3 : 4;
        for (int i = 0; i < 4; i++)
        {
            if (corners[i] >= reader->vertex_count)
                return weft_fail(WEFT_ERROR_INPUT,
                                 "%s:%u: corner %d of a face names a vertex that is not there; the "
                                 "file has %zu",
                                 reader->path, reader->face_lines[face], i + 1,
                                 reader->vertex_count);
            if (texture[i] != NO_TEXTURE && texture[i] >= reader->texture_count)
                return weft_fail(WEFT_ERROR_INPUT,
                                 "%s:%u: corner %d of a face names a texture coordinate that is "
                                 "not there; the file has %zu",
                                 reader->path, reader->face_lines[face], i + 1,
                                 reader->texture_count);
        }
        for (int i = 0; i < count; i++)
            for (int k = i + 1; k < count; k++)
                if (corners[i] == corners[k])
                    return fail_face(reader, face, REPEATED_CORNER);
    }
    return WEFT_OK;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// Height of the triangle over its longest edge, as a part of that edge: 0 if it has no area.
static double slimness(const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++)
    {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
           z = u[0] * v[1] - u[1] * v[0];
    double edge = fmax(distance(a, b), fmax(distance(b, c), distance(c, a)));
    return sqrt(x * x + y * y + z * z) / (edge * edge);
}

static double mesh_size(const Reader *reader)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < reader->vertex_count; i++)
        for (int k = 0; k < 3; k++)
        {
            low[k] = fmin(low[k], reader->positions[3 * i + (size_t)k]);
            high[k] = fmax(high[k], reader->positions[3 * i + (size_t)k]);
        }
    return distance(low, high);
}

// Splits the faces into triangles: quads along the shorter diagonal, along the other one only if
// the shorter would leave a triangle without area.
static WeftStatus make_triangles(const Reader *reader, WeftMesh *mesh)
{
    mesh->triangles = malloc(2 * reader->face_count * 3 * sizeof(uint32_t));
    if (mesh->triangles == NULL)
        return out_of_memory(reader);
    double shortest = LENGTH_LIMIT * mesh_size(reader);
    for (size_t face = 0; face < reader->face_count; face++)
    {
        const uint32_t *corners = reader->corners + 4 * face;
        const double   *p[4];
        int             count = corners[3] == corners[2] ? 3 : 4;
        for (int i = 0; i < 4; i++)
            p[i] = reader->positions + 3 * (size_t)corners[i];
        for (int i = 0; i < count; i++)
            if (!(distance(p[i], p[(i + 1) % count]) > shortest))
                return fail_face(reader, face,
                                 "a face has an edge of no length; merge its two vertices");

        // Corners of one or two triangles for either diagonal.
        static const uint8_t splits[3][2][3] = {
            {{0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
        int split = count == 3 ? 0 : distance(p[0], p[2]) <= distance(p[1], p[3]) ? 1 : 2;
        for (int attempt = 0;; attempt++)
        {
            double worst = INFINITY;
            for (int t = 0; t < 2; t++)
            {
                const uint8_t *s = splits[split][t];
                worst = fmin(worst, slimness(p[s[0]], p[s[1]], p[s[2]]));
            }
            if (worst > LENGTH_LIMIT)
                break;
            if (attempt == 1 || split == 0)
                return fail_face(reader, face,
                                 "a face has no area: three of its corners lie on a line; remove "
                                 "or repair it");
            split = 3 - split;
        }
        for (int t = 0; t < (count == 3 ? 1 : 2); t++)
        {
            for (int i = 0; i < 3; i++)
                mesh->triangles[3 * (size_t)mesh->triangle_count + (size_t)i] =
                    corners[splits[split][t][i]];
            mesh->triangle_count++;
        }
    }
    // Smaller never fails in practice; if it does, the larger block stays valid.
    (void)resize(&mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof(uint32_t));
    return WEFT_OK;
}

static WeftStatus check_all_used(const Reader *reader)
{
    bool *used = calloc(reader->vertex_count, sizeof(bool));
    if (used == NULL)
        return out_of_memory(reader);
    for (size_t i = 0; i < 4 * reader->face_count; i++)
        used[reader->corners[i]] = true;
    const bool *unused = memchr(used, 0, reader->vertex_count);
    size_t      vertex = unused != NULL ? (size_t)(unused - used) : 0;
    free(used);
    if (unused == NULL)
        return WEFT_OK;
    return weft_fail(WEFT_ERROR_INPUT,
                     "%s:%u: vertex %zu is in no face and so has no mass; remove it or give the "
                     "cloth a particle_mass",
                     reader->path, reader->vertex_lines[vertex], vertex + 1);
}

// Texture coordinates a face corner, if every corner has them.
static WeftStatus make_texture(const Reader *reader, WeftMesh *mesh)
{
    if (!reader->all_textured)
        return WEFT_OK;
    mesh->texture = malloc(reader->face_count * 4 * 2 * sizeof(double));
    if (mesh->texture == NULL)
        return out_of_memory(reader);
    for (size_t i = 0; i < 4 * reader->face_count; i++)
        for (size_t k = 0; k < 2; k++)
            mesh->texture[2 * i + k] = reader->texture[2 * (size_t)reader->texture_corners[i] + k];
    return WEFT_OK;
}

static WeftStatus read_mesh(Reader *reader, WeftMesh *mesh, FILE *file, bool needs_area)
{
    // Devices and pipes may never end.
    struct stat info;
    if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        return weft_fail(WEFT_ERROR_INPUT, "%s: is not a file; name an OBJ file", reader->path);
    WEFT_TRY(read_file(reader, file));
    WEFT_TRY(check_indices(reader));
    if (needs_area)
        WEFT_TRY(check_all_used(reader));
    WEFT_TRY(make_texture(reader, mesh));
    WEFT_TRY(make_triangles(reader, mesh));

    // Hand the arrays over, without the room left for growth.
    (void)resize(&reader->positions, reader->vertex_count, 3 * sizeof(double));
    (void)resize(&reader->corners, reader->face_count, 4 * sizeof(uint32_t));
    mesh->positions = reader->positions;
    mesh->vertex_count = (uint32_t)reader->vertex_count;
    mesh->face_corners = reader->corners;
    mesh->face_count = (uint32_t)reader->face_count;
    reader->positions = NULL;
    reader->corners = NULL;
    return WEFT_OK;
}

WeftStatus weft_obj_read(WeftMesh *mesh, const char *path, double scale, bool needs_area)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return weft_fail(WEFT_ERROR_INPUT, "%s: the mesh cannot be opened (%s)", path,
                         strerror(errno));
    Reader reader = {.path = path, .scale = scale, .all_textured = true};

    // Numbers have a point, whatever the language of the program that reads them here.
    locale_t   plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t   usual = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    WeftStatus status =
        plain != (locale_t)0 ? read_mesh(&reader, mesh, file, needs_area) : out_of_memory(&reader);
    if (plain != (locale_t)0)
    {
        uselocale(usual);
        freelocale(plain);
    }
    free(reader.positions);
    free(reader.vertex_lines);
    free(reader.texture);
    free(reader.corners);
    free(reader.texture_corners);
    free(reader.face_lines);
    fclose(file);
    return status;
}
