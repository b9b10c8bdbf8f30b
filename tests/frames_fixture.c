// frames_fixture.c: a simulation that only has positions, and a temporary folder.
#include "frames_fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t weft_sim_cloth_count(const WeftSim *a_sim)
{
    return a_sim->cloth_count;
}

const WeftMesh *weft_sim_mesh(const WeftSim *a_sim, size_t cloth)
{
    return &a_sim->meshes[cloth];
}

void weft_sim_positions(const WeftSim *a_sim, size_t cloth, double *positions)
{
    memcpy(positions, a_sim->positions[cloth],
           3 * sizeof *positions * a_sim->meshes[cloth].vertex_count);
}

double    sheet_positions[5 * 3];
double    chain_positions[3 * 3] = {0, 0, 0, 0, -1, 0, 0, -2, 0};
WeftCloth cloths[2];
WeftScene scene;
WeftSim   sim;
char      folder[] = "/tmp/weft_test_io_XXXXXX";

static uint32_t sheet_corners[] = {0, 1, 2, 3, 1, 4, 2, 2};
static uint32_t sheet_triangles[] = {0, 1, 2, 0, 2, 3, 1, 4, 2};

void setUp(void)
{
    static const double start[5 * 3] = {
        0, 0, 0, 1, 0, 0, 1, 1, 0.5, -0.25, 1, 0, 2, 0, 123456.789,
    };
    memcpy(sheet_positions, start, sizeof start);
    memset(&scene, 0, sizeof scene);
    memset(cloths, 0, sizeof cloths);
    scene.cloths = cloths;
    scene.cloths_count = 2;
    scene.frames_per_second = 25;
    memset(&sim, 0, sizeof sim);
    sim.cloth_count = 1;
    sim.meshes[0] = (WeftMesh){.vertex_count = 5,
                               .positions = sheet_positions,
                               .triangle_count = 3,
                               .triangles = sheet_triangles,
                               .face_count = 2,
                               .face_corners = sheet_corners};
    sim.meshes[1] = (WeftMesh){.vertex_count = 3,
                               .positions = chain_positions,
                               .grid_counts = {1, 3},
                               .grid_spacing = {0.5, 1}};
    sim.positions[0] = sheet_positions;
    sim.positions[1] = chain_positions;
    memcpy(strrchr(folder, '_') + 1, "XXXXXX", 6);
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
}

void tearDown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

size_t count_files(void)
{
    size_t count = 0;
    DIR   *open_folder = opendir(folder);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        count += entry->d_name[0] != '.';
    if (open_folder)
        closedir(open_folder);
    return count;
}

char *read_file(const char *name, size_t *size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(stream, path);
    static char bytes[65536];
    *size = fread(bytes, 1, sizeof bytes - 1, stream);
    bytes[*size] = '\0';
    fclose(stream);
    return bytes;
}

static void write_moving_frames(WeftFormat format, int count, double rise)
{
    WeftWriter writer;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_open(&writer, folder, format, &scene, &sim));
    for (int i = 0; i < count; i++)
    {
        TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));
        sheet_positions[3 * 2 + 1] += rise;
    }
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, true));
}

void write_frames(WeftFormat format, int count)
{
    write_moving_frames(format, count, 0);
}

void write_rising_frames(WeftFormat format, int count)
{
    write_moving_frames(format, count, 0.25);
}
