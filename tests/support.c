// support.c: see support.h.
#include "support.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/weft_test_XXXXXX";
static char path[300];

void rig_open(Rig *rig, const char *format, ...)
{
    static char text[20000];
    va_list     arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    TEST_ASSERT_TRUE(length > 0 && (size_t)length < sizeof(text));
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    memset(rig, 0, sizeof(*rig));
    if (weft_scene_parse(&rig->scene, text, "test", NULL, NULL, 0) != WEFT_OK ||
        weft_sim_create(&rig->sim, &rig->scene) != WEFT_OK)
        TEST_FAIL_MESSAGE(weft_error_message());
    rig->count = weft_sim_mesh(rig->sim, 0)->vertex_count;
    rig->x = calloc(3 * (size_t)rig->count, sizeof(double));
    rig->v = calloc(3 * (size_t)rig->count, sizeof(double));
    TEST_ASSERT_TRUE(rig->x != NULL && rig->v != NULL);
    rig_read(rig);
}

void rig_close(Rig *rig)
{
    weft_sim_destroy(rig->sim);
    weft_scene_destroy(&rig->scene);
    free(rig->x);
    free(rig->v);
    memset(rig, 0, sizeof(*rig));
}

WeftStepReport rig_step(Rig *rig, int count)
{
    WeftStepReport report = {0};
    for (int k = 0; k < count; k++)
        if (weft_sim_step(rig->sim, &report) != WEFT_OK)
            TEST_FAIL_MESSAGE(weft_error_message());
    return report;
}

void rig_read(Rig *rig)
{
    weft_sim_positions(rig->sim, 0, rig->x);
    weft_sim_velocities(rig->sim, 0, rig->v);
}

static uint64_t random_state = 1;

void random_seed(uint32_t seed)
{
    random_state = seed * 2654435761u + 12345;
}

// The 64-bit generator of Knuth's MMIX, its upper bits.
double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static FILE *open_file(const char *name)
{
    static bool made = false;
    if (!made)
        TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    made = true;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    return file;
}

const char *write_text(const char *name, const char *text)
{
    FILE *file = open_file(name);
    fputs(text, file);
    fclose(file);
    return path;
}

static void write_faces(FILE *file, MeshKind kind, const int counts[2], const uint32_t *order)
{
    for (int row = 0; row + 1 < counts[1]; row++)
        for (int column = 0; column + 1 < counts[0]; column++)
        {
            uint32_t a = (uint32_t)(row * counts[0] + column), b = a + 1;
            uint32_t d = a + (uint32_t)counts[0], c = d + 1;
            uint32_t corner[4] = {a, b, c, d};
            for (int k = 0; k < 4; k++)
                corner[k] = (order != NULL ? order[corner[k]] : corner[k]) + 1;
            int turn = random_between(0, 1) < 0.5;
            if (kind == MESH_QUADS || kind == MESH_SKEWED)
                fprintf(file, "f %u %u %u %u\n", corner[0], corner[1], corner[2], corner[3]);
            else
                fprintf(file, "f %u %u %u\nf %u %u %u\n", corner[turn], corner[1 + turn],
                        corner[2 + turn], corner[turn], corner[2 + turn], corner[(3 + turn) % 4]);
        }
}

const char *write_sheet(const char *name, MeshKind kind, const int counts[2], const double size[2],
                        const uint32_t *order)
{
    size_t  count = (size_t)counts[0] * (size_t)counts[1];
    double *places = calloc(2 * count, sizeof(double));
    FILE   *file = open_file(name);
    TEST_ASSERT_NOT_NULL(places);
    random_seed(17);
    for (int row = 0; row < counts[1]; row++)
        for (int column = 0; column < counts[0]; column++)
        {
            size_t grid = (size_t)(row * counts[0] + column);
            size_t at = order != NULL ? order[grid] : grid;
            bool   inner = row > 0 && column > 0 && row + 1 < counts[1] && column + 1 < counts[0];
            double stray = (kind == MESH_JITTERED || kind == MESH_SKEWED) && inner ? 0.25 : 0;
            double dx = random_between(-stray, stray), dy = random_between(-stray, stray);
            places[2 * at] = size[0] * ((column + dx) / (counts[0] - 1) - 0.5);
            places[2 * at + 1] = size[1] * ((row + dy) / (counts[1] - 1) - 0.5);
        }
    for (size_t k = 0; k < count; k++)
        fprintf(file, "v %.17g %.17g 0\n", places[2 * k], places[2 * k + 1]);
    write_faces(file, kind, counts, order);
    fclose(file);
    free(places);
    return path;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ byte[k]) * 0x100000001b3ull;
    return hash;
}
