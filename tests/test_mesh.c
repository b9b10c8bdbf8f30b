// test_mesh.c: grids, OBJ files, pins, areas, and the motion of solids, pins and wind.
#include "scene/mesh.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene/motion.h"
#include "unity.h"

static char folder[] = "/tmp/weft_test_mesh_XXXXXX";
static char obj_path[200];

void setUp(void)
{
}

void tearDown(void)
{
}

// A scene of one cloth given as JSON, which must be right.
static WeftScene scene_of(const char *cloth)
{
    WeftScene scene;
    char      text[1000];
    snprintf(text, sizeof(text), "{\"cloths\": [%s]}", cloth);
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK,
                                  weft_scene_parse(&scene, text, "test.json", folder, NULL, 0),
                                  weft_error_message());
    return scene;
}

static WeftMesh mesh_of(const WeftScene *scene)
{
    WeftMesh mesh;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, weft_mesh_create(&mesh, scene, 0), weft_error_message());
    return mesh;
}

static void expect_point(double x, double y, double z, const double *point)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, x, point[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, y, point[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, z, point[2]);
}

static double distance(const WeftMesh *mesh, size_t a, size_t b)
{
    const double *p = mesh->positions + 3 * a, *q = mesh->positions + 3 * b;
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

static double area_sum(const WeftMesh *mesh, const WeftCloth *cloth)
{
    double *areas = calloc(mesh->vertex_count, sizeof(double)), sum = 0;
    weft_mesh_particle_areas(mesh, cloth, areas);
    for (size_t i = 0; i < mesh->vertex_count; i++)
    {
        TEST_ASSERT_TRUE(areas[i] > 0);
        sum += areas[i];
    }
    free(areas);
    return sum;
}

// Sum of the triangles' areas, and of their normals along `axis`.
static double triangle_area(const WeftMesh *mesh, int axis, double *projected)
{
    double sum = 0;
    *projected = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++)
    {
        const uint32_t *t = mesh->triangles + 3 * i;
        const double   *p = mesh->positions + 3 * t[0];
        double          u[3], v[3];
        for (int k = 0; k < 3; k++)
        {
            u[k] = mesh->positions[3 * t[1] + (uint32_t)k] - p[k];
            v[k] = mesh->positions[3 * t[2] + (uint32_t)k] - p[k];
        }
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
        sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        *projected += 0.5 * n[axis];
    }
    return sum;
}

static void test_sheet_is_numbered_and_placed(void)
{
    WeftScene scene = scene_of("{\"grid\": {\"size\": [2, 3], \"counts\": [5, 4]}}");
    WeftMesh  mesh = mesh_of(&scene);
    TEST_ASSERT_EQUAL_UINT32(20, mesh.vertex_count);
    TEST_ASSERT_EQUAL_UINT32(12, mesh.face_count);
    TEST_ASSERT_EQUAL_UINT32(24, mesh.triangle_count);
    TEST_ASSERT_EQUAL_UINT32(5, mesh.grid_counts[0]);
    TEST_ASSERT_EQUAL_UINT32(4, mesh.grid_counts[1]);
    TEST_ASSERT_FALSE(mesh.grid_closed);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, mesh.grid_spacing[0]);
    TEST_ASSERT_EQUAL_DOUBLE(1, mesh.grid_spacing[1]);
    expect_point(-1, -1.5, 0, mesh.positions);
    expect_point(1, -1.5, 0, mesh.positions + 3 * 4);
    expect_point(-1, -0.5, 0, mesh.positions + 3 * 5);
    expect_point(1, 1.5, 0, mesh.positions + 3 * 19);
    uint32_t first[4] = {0, 1, 6, 5};
    TEST_ASSERT_EQUAL_UINT32_ARRAY(first, mesh.face_corners, 4);

    // All triangles look to +z and cover the sheet once.
    double projected;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6, triangle_area(&mesh, 2, &projected));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6, projected);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6, area_sum(&mesh, &scene.cloths[0]));

    double areas[20];
    weft_mesh_particle_areas(&mesh, &scene.cloths[0], areas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.125, areas[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, areas[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, areas[5]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, areas[6]);
    weft_mesh_destroy(&mesh);
    TEST_ASSERT_NULL(mesh.positions);
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

static void test_sheet_is_turned_then_shifted(void)
{
    WeftScene scene = scene_of("{\"grid\": {\"counts\": [3, 3]}, \"position\": [1, 2, 3], "
                               "\"rotation\": [-90, 0, 0]}");
    WeftMesh  mesh = mesh_of(&scene);
    // Lying flat: the bottom edge comes to the front (+z), and y is exactly the height.
    expect_point(0.5, 2, 3.5, mesh.positions);
    for (size_t i = 0; i < 9; i++)
        TEST_ASSERT_EQUAL_DOUBLE(2, mesh.positions[3 * i + 1]);
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

static void test_tube_closes_without_strain(void)
{
    WeftScene scene = scene_of("{\"grid\": {\"size\": [2, 1], \"counts\": [8, 5], \"shape\": "
                               "\"tube\"}}");
    WeftMesh  mesh = mesh_of(&scene);
    double    radius = 2 / (2 * acos(-1));
    TEST_ASSERT_TRUE(mesh.grid_closed);
    TEST_ASSERT_EQUAL_UINT32(8 * 4, mesh.face_count);
    expect_point(radius, -0.5, 0, mesh.positions);
    for (size_t i = 0; i < 40; i++)
    {
        size_t row = i / 8, next = row * 8 + (i + 1) % 8;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, mesh.grid_spacing[0], distance(&mesh, i, next));
        if (row < 4)
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, mesh.grid_spacing[1], distance(&mesh, i, i + 8));
    }
    // The areas are those of the faces, which look outwards.
    double projected, area = triangle_area(&mesh, 0, &projected);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, area, area_sum(&mesh, &scene.cloths[0]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, projected);
    const uint32_t *t = mesh.triangles;
    const double   *a = mesh.positions + 3 * t[0], *b = mesh.positions + 3 * t[1],
                 *c = mesh.positions + 3 * t[2];
    double normal_x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    TEST_ASSERT_TRUE(normal_x > 0);
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

static void test_chains_and_single_particles(void)
{
    WeftScene scene = scene_of("{\"grid\": {\"size\": [0.1, 2], \"counts\": [1, 5]}}");
    WeftMesh  mesh = mesh_of(&scene);
    TEST_ASSERT_EQUAL_UINT32(5, mesh.vertex_count);
    TEST_ASSERT_EQUAL_UINT32(0, mesh.face_count);
    TEST_ASSERT_NULL(mesh.triangles);
    expect_point(0, -1, 0, mesh.positions);
    TEST_ASSERT_EQUAL_DOUBLE(0.1, mesh.grid_spacing[0]);
    double areas[5];
    weft_mesh_particle_areas(&mesh, &scene.cloths[0], areas);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.025, areas[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.05, areas[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, area_sum(&mesh, &scene.cloths[0]));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);

    scene = scene_of("{\"grid\": {\"size\": [0.1, 2], \"counts\": [1, 1]}}");
    mesh = mesh_of(&scene);
    TEST_ASSERT_EQUAL_UINT32(1, mesh.vertex_count);
    expect_point(0, 0, 0, mesh.positions);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, area_sum(&mesh, &scene.cloths[0]));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

// Builds the mesh of an OBJ text; the caller destroys it if the status is WEFT_OK.
static WeftStatus read_obj(WeftMesh *mesh, const char *text, size_t size, const char *more)
{
    FILE *file = fopen(obj_path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_size_t(size, fwrite(text, 1, size, file));
    fclose(file);
    char cloth[300];
    snprintf(cloth, sizeof(cloth), "{\"mesh\": {\"file\": \"mesh.obj\"}%s}", more);
    WeftScene  scene = scene_of(cloth);
    WeftStatus status = weft_mesh_create(mesh, &scene, 0);
    weft_scene_destroy(&scene);
    return status;
}

static WeftMesh good_obj(const char *text)
{
    WeftMesh mesh;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, read_obj(&mesh, text, strlen(text), ""),
                                  weft_error_message());
    return mesh;
}

static void bad_obj(const char *text, int line, const char *piece)
{
    WeftMesh mesh;
    char     place[300];
    snprintf(place, sizeof(place), "%s:%d: ", obj_path, line);
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_ERROR_INPUT, read_obj(&mesh, text, strlen(text), ""), text);
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(place, weft_error_message(), strlen(place),
                                         weft_error_message());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), piece), weft_error_message());
    // One line, whatever the file holds.
    TEST_ASSERT_NULL_MESSAGE(strpbrk(weft_error_message(), "\n\r\t\033"), weft_error_message());
    TEST_ASSERT_NULL(mesh.positions);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void test_obj_faces_in_all_spellings(void)
{
    static const char *const faces[] = {"f 1 2 3 4\n",
                                        "f 1//1 2//1 3//1 4//1\n",
                                        "f -4 -3 -2 -1\n",
                                        "f 1/1 2/2 3/3 4/4\n",
                                        "f 1/1/9 2/2/9 3/3/9 4/4/9",
                                        "  f\t1/-4/-1 2/-3/-1  3/-2/-1 4/-1/-1 # end\r\n"};
    for (size_t i = 0; i < sizeof(faces) / sizeof(faces[0]); i++)
    {
        char text[400];
        snprintf(text, sizeof(text),
                 "# mesh\r\nmtllib x.mtl\r\no name\r\n" SQUARE
                 "vt 0 0\nvt 0.5\nvt 1 1 0\nvt 0 1\nvn 0 0 1\ns off\nusemtl x\n\n%s",
                 faces[i]);
        WeftMesh mesh = good_obj(text);
        uint32_t corners[4] = {0, 1, 2, 3};
        TEST_ASSERT_EQUAL_UINT32(4, mesh.vertex_count);
        TEST_ASSERT_EQUAL_UINT32(1, mesh.face_count);
        TEST_ASSERT_EQUAL_UINT32(2, mesh.triangle_count);
        TEST_ASSERT_EQUAL_UINT32_ARRAY(corners, mesh.face_corners, 4);
        TEST_ASSERT_EQUAL_UINT32(0, mesh.grid_counts[0]);
        if (i < 3)
            TEST_ASSERT_NULL(mesh.texture);
        else
        {
            double expected[8] = {0, 0, 0.5, 0, 1, 1, 0, 1};
            TEST_ASSERT_EQUAL_DOUBLE_ARRAY(expected, mesh.texture, 8);
        }
        weft_mesh_destroy(&mesh);
    }
}

static void test_obj_faces_before_vertices_and_mixed(void)
{
    WeftMesh mesh = good_obj("f 1 2 3\nf 1 3 4\n" SQUARE "v 2 0 0 1.0 0.5 0.5 0.5\nf 2 5 3\n");
    TEST_ASSERT_EQUAL_UINT32(5, mesh.vertex_count);
    TEST_ASSERT_EQUAL_UINT32(3, mesh.triangle_count);
    uint32_t corners[4] = {1, 4, 2, 2};
    TEST_ASSERT_EQUAL_UINT32_ARRAY(corners, mesh.face_corners + 8, 4);
    WeftCloth cloth = {0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.5, area_sum(&mesh, &cloth));
    weft_mesh_destroy(&mesh);
}

static void test_obj_quads_split_along_the_shorter_diagonal(void)
{
    WeftMesh mesh = good_obj("v 0 0 0\nv 1 0 0\nv 3 3 0\nv 0 1 0\nf 1 2 3 4\n");
    uint32_t shorter[6] = {0, 1, 3, 1, 2, 3};
    TEST_ASSERT_EQUAL_UINT32_ARRAY(shorter, mesh.triangles, 6);
    weft_mesh_destroy(&mesh);
    // Corner 2 lies on the line from 1 to 3: only the other diagonal leaves two triangles.
    mesh = good_obj("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 1 3 0\nf 1 2 3 4\n");
    TEST_ASSERT_EQUAL_UINT32_ARRAY(shorter, mesh.triangles, 6);
    weft_mesh_destroy(&mesh);
}

static void test_obj_is_scaled_and_placed(void)
{
    WeftMesh mesh;
    FILE    *file = fopen(obj_path, "wb");
    fputs("v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\n", file);
    fclose(file);
    WeftScene scene = scene_of("{\"mesh\": {\"file\": \"mesh.obj\", \"scale\": 0.01}, "
                               "\"position\": [0, 1, 0], \"rotation\": [0, 0, 90]}");
    mesh = mesh_of(&scene);
    expect_point(0, 1, 0, mesh.positions);
    expect_point(0, 2, 0, mesh.positions + 3);
    expect_point(-1, 1, 0, mesh.positions + 6);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, area_sum(&mesh, &scene.cloths[0]));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

static void test_bad_obj_files_are_refused_with_line(void)
{
    bad_obj("", 1, "no face");
    bad_obj(SQUARE, 4, "no face");
    bad_obj("v 0 0\n", 1, "3 numbers");
    bad_obj("v 0 0 x\n", 1, "3 numbers");
    bad_obj("v 0 nan 0\n", 1, "finite");
    bad_obj("v 0 0 0\nv 0 inf 0\n", 2, "finite");
    bad_obj("v 1e400 0 0\n", 1, "finite");
    bad_obj("vt nan 0\n", 1, "finite");
    bad_obj("vt\n", 1, "texture");
    bad_obj(SQUARE "f 1 2 5\n", 5, "not there");
    bad_obj(SQUARE "f 0 1 2\n", 5, "not there");
    bad_obj(SQUARE "f 1 2 -5\n", 5, "not there");
    bad_obj(SQUARE "f 1 2 99999999999999999999\n", 5, "not there");
    bad_obj(SQUARE "f 1/1 2/1 3/1\n", 5, "texture");
    bad_obj(SQUARE "f 1 2\n", 5, "3 or 4");
    bad_obj(SQUARE "f\n", 5, "3 or 4");
    bad_obj(SQUARE "v 2 2 2\nf 1 2 3 4 5\n", 6, "more than 4");
    bad_obj(SQUARE "f 1 2 x\n", 5, "corner");
    bad_obj(SQUARE "f 1 x 3\n", 5, "\"x\" is no corner");
    bad_obj(SQUARE "f 1 2 \033[1m\n", 5, "\"?[1m\" is no corner");
    bad_obj(SQUARE "f 1 2 \\\n3\n", 5, "\"\\\" is no corner");
    bad_obj(SQUARE "f 1 2 3/\n", 5, "corner");
    bad_obj(SQUARE "f 1 2 3//\n", 5, "corner");
    bad_obj(SQUARE "f 1 2 3.5\n", 5, "corner");
    bad_obj(SQUARE "f 1 2 2\n", 5, "twice");
    bad_obj(SQUARE "f 1 2 3 3\n", 5, "twice");
    bad_obj(SQUARE "f 1 2 3 1\n", 5, "twice");
    bad_obj(SQUARE "f 1 2 3\n", 4, "vertex 4 is in no face");
    bad_obj(SQUARE "v 0 0 0\nf 1 2 3 4\nf 1 5 2\n", 7, "no length");
    bad_obj("v 0 0 0\nv 1 1 1\nv 3 3 3\nf 1 2 3\n", 4, "no area");
    bad_obj("v 0 0 0\nv .1 .1 0\nv .3 .3 0\nv .7 .7 0\nf 1 2 3 4\n", 5, "no area");
}

// Particles 0.02 m apart, so far from the origin that the next number is about as far away.
static void test_particles_that_fall_together_are_refused(void)
{
    static const struct
    {
        const char *shape, *place, *precision, *refused;
    } cases[] = {
        {"grid", "1e3", "float", NULL},
        {"grid", "1e5", "float", "cloths[0].grid: "},
        {"grid", "1e5", "double", NULL},
        {"mesh", "1e3", "float", NULL},
        {"mesh", "1e5", "float", "double"},
        {"mesh", "1e5", "double", NULL},
        {"mesh", "1e5", "float", "cloths[0].mesh: "},
    };
    FILE *file = fopen(obj_path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    fputs("v 0 0 0\nv 1 0 0\nv 1 0.02 0\nf 1 2 3\n", file);
    fclose(file);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        bool is_grid = strcmp(cases[i].shape, "grid") == 0;
        char text[300];
        snprintf(
            text, sizeof(text),
            "{\"solver\": {\"precision\": \"%s\"}, \"cloths\": [{%s, \"position\": [0, %s, 0]}]}",
            cases[i].precision,
            is_grid ? "\"grid\": {\"counts\": [51, 51]}" : "\"mesh\": {\"file\": \"mesh.obj\"}",
            cases[i].place);
        WeftScene scene;
        WeftMesh  mesh;
        TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK,
                                      weft_scene_parse(&scene, text, "test.json", folder, NULL, 0),
                                      weft_error_message());
        WeftStatus status = weft_mesh_create(&mesh, &scene, 0);
        TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].refused ? WEFT_ERROR_INPUT : WEFT_OK, status, text);
        if (cases[i].refused)
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), cases[i].refused),
                                         weft_error_message());
        weft_mesh_destroy(&mesh);
        weft_scene_destroy(&scene);
    }
}

// A program that weft is part of may speak a language that writes 0,5.
static void test_obj_numbers_have_a_point_in_any_language(void)
{
    char command[300];
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    setenv("LOCPATH", folder, 1);
    bool       speaks = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    WeftMesh   mesh;
    const char text[] = "v 0 0 0.5\nv 1 0 0\nv 0 1 0\nvt 0.25 0.75\nf 1/1 2/1 3/1\n";
    WeftStatus status = read_obj(&mesh, text, strlen(text), "");
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof(command), "rm -rf %s/de_DE.UTF-8", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));

    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, status, weft_error_message());
    TEST_ASSERT_EQUAL_DOUBLE(0.5, mesh.positions[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.75, mesh.texture[1]);
    weft_mesh_destroy(&mesh);
    if (!speaks)
        TEST_IGNORE_MESSAGE("there is no other language here (Debian: locales)");
}

static void test_lonely_vertices_are_allowed_with_a_mass(void)
{
    WeftMesh    mesh;
    const char *text = SQUARE "f 1 2 3\n";
    TEST_ASSERT_EQUAL_INT(WEFT_OK, read_obj(&mesh, text, strlen(text), ", \"particle_mass\": 0.1"));
    TEST_ASSERT_EQUAL_UINT32(4, mesh.vertex_count);
    weft_mesh_destroy(&mesh);
}

static void test_damaged_obj_files_are_survived(void)
{
    const char *good = SQUARE "vt 0 0\nvt 1 1\nf 1/1/1 2/2/1 3/1/1\nf 1//1 3//1 4//1\n";
    char        text[200];
    size_t      size = strlen(good);
    uint32_t    seed = 99;
    for (int round = 0; round < 1500; round++)
    {
        memcpy(text, good, size);
        // Mostly a few changed bytes; every tenth file is noise.
        size_t changes = round % 10 == 0 ? size : (size_t)(1 + round % 4);
        for (size_t i = 0; i < changes; i++)
        {
            seed = seed * 1664525u + 1013904223u;
            size_t place = changes == size ? i : (seed >> 8) % size;
            text[place] =
                round % 2 ? "0123456789-/. vf\n\0e"[(seed >> 24) % 19] : (char)(seed >> 24);
        }
        WeftMesh mesh;
        if (read_obj(&mesh, text, size, "") == WEFT_OK)
        {
            for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count; i++)
                TEST_ASSERT_LESS_THAN(mesh.vertex_count, mesh.triangles[i]);
            weft_mesh_destroy(&mesh);
        }
        else
            TEST_ASSERT_NULL(mesh.positions);
    }
}

static void test_large_obj_takes_linear_time(void)
{
    // 250,000 vertices; with anything quadratic the test would run for minutes.
    const int count = 500;
    FILE     *file = fopen(obj_path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    for (int row = 0; row < count; row++)
        for (int column = 0; column < count; column++)
            fprintf(file, "v %d %d 0\n", column, row);
    for (int row = 0; row + 1 < count; row++)
        for (int column = 0; column + 1 < count; column++)
        {
            int a = row * count + column + 1;
            fprintf(file, "f %d %d %d %d\n", a, a + 1, a + 1 + count, a + count);
        }
    fclose(file);
    WeftScene scene = scene_of("{\"mesh\": {\"file\": \"mesh.obj\"}}");
    WeftMesh  mesh = mesh_of(&scene);
    TEST_ASSERT_EQUAL_UINT32(250000, mesh.vertex_count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 499.0 * 499.0, area_sum(&mesh, &scene.cloths[0]));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

// Number of particles that pin 0 of the cloth selects.
static size_t select_count(const char *cloth, bool *selected)
{
    WeftScene scene = scene_of(cloth);
    WeftMesh  mesh = mesh_of(&scene);
    size_t    count = 0;
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        WEFT_OK,
        weft_pin_select(&scene.cloths[0].pins[0], &mesh, "cloths[0].pins[0]", selected, &count),
        weft_error_message());
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
    return count;
}

#define PINNED(pin) "{\"grid\": {\"size\": [2, 2], \"counts\": [5, 4]}, \"pins\": [" pin "]}"

static void test_pins_select_their_particles(void)
{
    bool selected[20];
    memset(selected, true, sizeof(selected));
    TEST_ASSERT_EQUAL_size_t(2, select_count(PINNED("{\"indices\": [3, 19, 3]}"), selected));
    TEST_ASSERT_TRUE(selected[3] && selected[19]);
    TEST_ASSERT_FALSE(selected[0]);
    TEST_ASSERT_EQUAL_size_t(4, select_count(PINNED("{\"corner\": \"all\"}"), selected));
    TEST_ASSERT_TRUE(selected[0] && selected[4] && selected[15] && selected[19]);
    TEST_ASSERT_EQUAL_size_t(1, select_count(PINNED("{\"corner\": \"top_left\"}"), selected));
    TEST_ASSERT_TRUE(selected[15]);
    TEST_ASSERT_EQUAL_size_t(1, select_count(PINNED("{\"corner\": \"bottom_right\"}"), selected));
    TEST_ASSERT_TRUE(selected[4]);
    // The whole top row lies on the border of the box.
    TEST_ASSERT_EQUAL_size_t(
        5, select_count(PINNED("{\"box\": {\"min\": [-1, 1, 0], \"max\": [1, 2, 0]}}"), selected));
    TEST_ASSERT_TRUE(selected[15] && selected[17] && selected[19]);
    TEST_ASSERT_EQUAL_size_t(
        3,
        select_count(PINNED("{\"sphere\": {\"center\": [0, 1, 0], \"radius\": 0.5}}"), selected));
    TEST_ASSERT_TRUE(selected[16] && selected[17] && selected[18]);
}

static void test_pins_of_nothing_are_refused(void)
{
    bool      selected[20];
    size_t    count;
    WeftScene scene = scene_of(PINNED("{\"sphere\": {\"center\": [9, 9, 9]}}"));
    WeftMesh  mesh = mesh_of(&scene);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_pin_select(&scene.cloths[0].pins[0], &mesh,
                                                            "cloths[0].pins[0]", selected, &count));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "cloths[0].pins[0]: holds no particle"));

    int     index = 20;
    WeftPin pin = {.indices = &index, .indices_count = 1};
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_pin_select(&pin, &mesh, "pin", selected, &count));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "pin.indices[0]: there is no particle 20"));
    pin = (WeftPin){.corner = WEFT_CORNER_ALL};
    mesh.grid_closed = true;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_pin_select(&pin, &mesh, "pin", selected, &count));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "pin.corner"));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);
}

static void test_rotation_is_about_x_then_y_then_z(void)
{
    double        shift[3] = {10, 20, 30}, turn[3] = {90, 90, 0}, x[3] = {0, 1, 0}, result[3];
    WeftTransform place = weft_transform_place(shift, turn);
    // y goes to z about x, and on to x about y.
    weft_transform_apply(&place, x, result);
    expect_point(11, 20, 30, result);
    double turn_all[3] = {90, 0, 90};
    place = weft_transform_place(shift, turn_all);
    // y goes to z about x and stays there about z.
    weft_transform_apply(&place, x, result);
    expect_point(10, 20, 31, result);

    // Any rotation keeps lengths and right angles.
    double odd[3] = {12, -345, 678};
    place = weft_transform_place(shift, odd);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
        {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += place.rotation[3 * a + k] * place.rotation[3 * b + k];
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, a == b, sum);
        }
}

static void test_keyframes_are_interpolated_and_held(void)
{
    WeftKeyframe keys[3] = {
        {.time = 1}, {.time = 3, .position = {2, 0, 0}}, {.time = 4, .position = {2, 4, 0}}};
    WeftPin pin = {.keyframes = keys, .keyframes_count = 3};
    const struct
    {
        double time, x, y;
    } linear[] = {{0, 0, 0}, {1, 0, 0},      {1.5, 0.5, 0}, {2, 1, 0},
                  {3, 2, 0}, {3.25, 2, 1.0}, {4, 2, 4},     {9, 2, 4}};
    for (size_t i = 0; i < sizeof(linear) / sizeof(linear[0]); i++)
    {
        WeftTransform motion = weft_pin_motion(&pin, linear[i].time);
        expect_point(linear[i].x, linear[i].y, 0, motion.translation);
    }
    pin.interpolation = WEFT_INTERPOLATION_SMOOTH;
    expect_point(2 * 0.15625, 0, 0, weft_pin_motion(&pin, 1.5).translation);
    expect_point(1, 0, 0, weft_pin_motion(&pin, 2).translation);
    expect_point(2, 0, 0, weft_pin_motion(&pin, 3).translation);
}

static void test_pins_turn_about_their_pivot(void)
{
    WeftKeyframe  keys[2] = {{.time = 0}, {.time = 1, .rotation = {0, 0, 90}}};
    WeftPin       pin = {.keyframes = keys, .keyframes_count = 2, .pivot = {1, 0, 0}};
    double        x[3] = {2, 0, 0}, result[3];
    WeftTransform motion = weft_pin_motion(&pin, 1);
    weft_transform_apply(&motion, x, result);
    expect_point(1, 1, 0, result);
    motion = weft_pin_motion(&pin, 0.5);
    weft_transform_apply(&motion, pin.pivot, result);
    expect_point(1, 0, 0, result);
}

static void test_solids_turn_about_their_pivot_and_come_back_exactly(void)
{
    WeftKeyframe keys[3] = {
        {.time = 0.1}, {.time = 1, .position = {0, 1, 0}, .rotation = {0, 90, 0}}, {.time = 2}};
    WeftSolid     solid = {.keyframes = keys,
                           .keyframes_count = 3,
                           .position = {0.1, 0.2, 0.3},
                           .rotation = {10, 20, 30},
                           .pivot = {0.7, 0.01, -0.3}};
    WeftTransform start = weft_transform_place(solid.position, solid.rotation);
    // Exactly the start before, at and after keys without offset.
    static const double times[] = {0, 0.1, 2, 5};
    for (size_t i = 0; i < 4; i++)
    {
        WeftTransform place = weft_solid_place(&solid, times[i]);
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(start.rotation, place.rotation, 9);
        for (int k = 0; k < 3; k++)
            TEST_ASSERT_TRUE(start.translation[k] == place.translation[k]);
    }

    // At the second key the pivot has only moved up, and the rest has turned about it.
    WeftTransform place = weft_solid_place(&solid, 1);
    double        before[3], after[3], expected[3];
    weft_transform_apply(&start, solid.pivot, before);
    weft_transform_apply(&place, solid.pivot, after);
    expect_point(before[0], before[1] + 1, before[2], after);
    double point[3] = {1, 2, 3};
    weft_transform_apply(&start, point, expected);
    weft_transform_apply(&place, point, after);
    expect_point(before[0] + (expected[2] - before[2]), expected[1] + 1,
                 before[2] - (expected[0] - before[0]), after);
}

static void test_wind_swells_but_never_turns(void)
{
    WeftAir air = {.wind = {2, 0, -1}, .gust = 1, .gust_period = 1.5};
    double  wind[3], low = 1, high = 0, sum = 0;
    for (int i = 0; i < 10000; i++)
    {
        weft_air_wind(&air, 0.01 * i, wind);
        TEST_ASSERT_TRUE(wind[0] >= 0 && wind[0] <= 4);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5 * wind[0], wind[2]);
        low = fmin(low, wind[0]);
        high = fmax(high, wind[0]);
        sum += wind[0] / 10000;
    }
    TEST_ASSERT_TRUE(low < 0.2 && high > 3.8);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 2, sum);
    air.gust = 0;
    weft_air_wind(&air, 0.77, wind);
    expect_point(2, 0, -1, wind);
}

int main(void)
{
    UNITY_BEGIN();
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(obj_path, sizeof(obj_path), "%s/mesh.obj", folder);
    RUN_TEST(test_sheet_is_numbered_and_placed);
    RUN_TEST(test_sheet_is_turned_then_shifted);
    RUN_TEST(test_tube_closes_without_strain);
    RUN_TEST(test_chains_and_single_particles);
    RUN_TEST(test_obj_faces_in_all_spellings);
    RUN_TEST(test_obj_faces_before_vertices_and_mixed);
    RUN_TEST(test_obj_quads_split_along_the_shorter_diagonal);
    RUN_TEST(test_obj_is_scaled_and_placed);
    RUN_TEST(test_bad_obj_files_are_refused_with_line);
    RUN_TEST(test_particles_that_fall_together_are_refused);
    RUN_TEST(test_obj_numbers_have_a_point_in_any_language);
    RUN_TEST(test_lonely_vertices_are_allowed_with_a_mass);
    RUN_TEST(test_damaged_obj_files_are_survived);
    RUN_TEST(test_large_obj_takes_linear_time);
    RUN_TEST(test_pins_select_their_particles);
    RUN_TEST(test_pins_of_nothing_are_refused);
    RUN_TEST(test_rotation_is_about_x_then_y_then_z);
    RUN_TEST(test_keyframes_are_interpolated_and_held);
    RUN_TEST(test_pins_turn_about_their_pivot);
    RUN_TEST(test_solids_turn_about_their_pivot_and_come_back_exactly);
    RUN_TEST(test_wind_swells_but_never_turns);
    unlink(obj_path);
    rmdir(folder);
    return UNITY_END();
}
