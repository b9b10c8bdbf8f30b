// test_scene.c: scene files: what they give when right, and what they say when wrong.
#include "scene/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene/mesh.h"
#include "unity.h"

static char folder[] = "/tmp/weft_test_scene_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
}

// Writes a file into the test's folder and gives its path, which holds until the next call.
static const char *write_file(const char *name, const char *text, size_t size)
{
    static char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_size_t(size, fwrite(text, 1, size, file));
    fclose(file);
    return path;
}

static WeftStatus parse(WeftScene *scene, const char *text, const char *setting)
{
    return weft_scene_parse(scene, text, "test.json", NULL, &setting, setting != NULL ? 1 : 0);
}

// The message must hold every one of the pieces, which are parted by '~'.
static void expect_pieces(const char *pieces)
{
    char copy[600];
    snprintf(copy, sizeof(copy), "%s", pieces);
    for (char *piece = strtok(copy, "~"); piece != NULL; piece = strtok(NULL, "~"))
        if (strstr(weft_error_message(), piece) == NULL)
        {
            char text[2800];
            snprintf(text, sizeof(text), "\"%s\" is not in \"%s\"", piece, weft_error_message());
            TEST_FAIL_MESSAGE(text);
        }
}

static void expect_bad(const char *text, const char *pieces)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_ERROR_INPUT, parse(&scene, text, NULL), pieces);
    expect_pieces(pieces);
    TEST_ASSERT_NULL(scene.cloths);
    TEST_ASSERT_EQUAL_size_t(0, scene.cloths_count);
}

static void expect_bad_setting(const char *text, const char *setting, const char *pieces)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_ERROR_INPUT, parse(&scene, text, setting), pieces);
    expect_pieces(pieces);
    TEST_ASSERT_NULL(scene.cloths);
}

#define GRID "\"grid\": {\"size\": [1, 1], \"counts\": [5, 4]}"
#define CLOTH "\"cloths\": [{" GRID "}]"
#define PIN(pin) "{\"cloths\": [{" GRID ",\n\"pins\": [\n" pin "]}]}"

static void test_defaults_are_those_of_the_table(void)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, parse(&scene, "{" CLOTH "}", NULL));
    TEST_ASSERT_EQUAL_DOUBLE(0.002, scene.step);
    TEST_ASSERT_EQUAL_DOUBLE(-9.81, scene.gravity[1]);
    TEST_ASSERT_EQUAL_INT(WEFT_INTEGRATOR_ADAPTIVE, scene.integrator.method);
    TEST_ASSERT_EQUAL_INT(2000, scene.solver.max_iterations);
    TEST_ASSERT_TRUE(scene.solver.decompose);
    TEST_ASSERT_FALSE(scene.has_solver);
    TEST_ASSERT_NULL(scene.output.folder);
    TEST_ASSERT_EQUAL_size_t(1, scene.cloths_count);
    TEST_ASSERT_TRUE(scene.cloths[0].has_grid);
    TEST_ASSERT_FALSE(scene.cloths[0].has_material);
    TEST_ASSERT_EQUAL_DOUBLE(0.15, scene.cloths[0].material.density);
    TEST_ASSERT_EQUAL_INT(5, scene.cloths[0].grid.counts[0]);
    TEST_ASSERT_EQUAL_INT(4, scene.cloths[0].grid.counts[1]);
    TEST_ASSERT_EQUAL_size_t(90, weft_scene_frame_count(&scene));
    weft_scene_destroy(&scene);
    TEST_ASSERT_NULL(scene.cloths);
    weft_scene_destroy(&scene);
}

static void test_every_kind_of_value_is_read(void)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT(
        WEFT_OK,
        parse(&scene,
              "\xEF\xBB\xBF{\"name\": \"flag\", \"step\": 1e-3, \"gravity\": [0, 0, -1],"
              "\"solver\": {\"decompose\": false, \"threads\": 2.0, \"precision\": \"double\"},"
              "\"output\": {\"format\": \"pc2\", \"folder\": \"out\"},"
              "\"cloths\": [{" GRID ", \"pins\": [{\"indices\": [0, 19], \"release\": 2,"
              "\"keyframes\": [{\"time\": 0}, {\"time\": 1, \"position\": [0, 1, 0]}]},"
              "{\"sphere\": {\"center\": [1, 2, 3]}}, {\"box\": {}}, {\"corner\": \"all\"}]}],"
              "\"solids\": [{\"type\": \"torus\"}]}",
              NULL));
    TEST_ASSERT_EQUAL_STRING("flag", scene.name);
    TEST_ASSERT_FALSE(scene.solver.decompose);
    TEST_ASSERT_TRUE(scene.has_solver);
    TEST_ASSERT_EQUAL_INT(2, scene.solver.threads);
    TEST_ASSERT_EQUAL_INT(WEFT_PRECISION_DOUBLE, scene.solver.precision);
    TEST_ASSERT_EQUAL_INT(WEFT_FORMAT_PC2, scene.output.format);
    const WeftPin *pins = scene.cloths[0].pins;
    TEST_ASSERT_EQUAL_size_t(4, scene.cloths[0].pins_count);
    TEST_ASSERT_EQUAL_size_t(2, pins[0].indices_count);
    TEST_ASSERT_EQUAL_INT(19, pins[0].indices[1]);
    TEST_ASSERT_EQUAL_size_t(2, pins[0].keyframes_count);
    TEST_ASSERT_EQUAL_DOUBLE(1, pins[0].keyframes[1].position[1]);
    TEST_ASSERT_TRUE(pins[1].has_sphere);
    TEST_ASSERT_EQUAL_DOUBLE(3, pins[1].sphere.center[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.01, pins[1].sphere.radius);
    TEST_ASSERT_TRUE(pins[2].has_box);
    TEST_ASSERT_EQUAL_INT(WEFT_CORNER_ALL, pins[3].corner);
    TEST_ASSERT_EQUAL_INT(WEFT_SOLID_TORUS, scene.solids[0].type);
    TEST_ASSERT_EQUAL_STRING("torus", weft_scene_choice_word("solids[].type", WEFT_SOLID_TORUS));
    TEST_ASSERT_EQUAL_STRING("adaptive", weft_scene_choice_word("integrator.method", 3));
    TEST_ASSERT_EQUAL_STRING("smooth", weft_scene_choice_word("cloths[2].pins[].interpolation", 1));
    TEST_ASSERT_EQUAL_STRING("?", weft_scene_choice_word("integrator.method", 4));
    TEST_ASSERT_EQUAL_STRING("?", weft_scene_choice_word("integrator.step", 0));
    weft_scene_destroy(&scene);
}

static void test_preset_fills_and_keys_override(void)
{
    WeftScene scene;
    // The preset stands last, yet does not undo the density.
    TEST_ASSERT_EQUAL_INT(WEFT_OK, parse(&scene,
                                         "{\"cloths\": [{" GRID ", \"material\": {\"density\": 1, "
                                         "\"preset\": \"denim\"}}, {" GRID "}]}",
                                         NULL));
    const WeftMaterial *material = &scene.cloths[0].material;
    TEST_ASSERT_EQUAL_INT(WEFT_MATERIAL_DENIM, material->preset);
    TEST_ASSERT_EQUAL_DOUBLE(1, material->density);
    TEST_ASSERT_EQUAL_DOUBLE(2000, material->stretch_stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, material->stretch_damping);
    TEST_ASSERT_EQUAL_DOUBLE(0.003, material->thickness);
    weft_scene_destroy(&scene);
}

static void test_cotton_is_the_default_material(void)
{
    WeftScene plain, cotton;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, parse(&plain, "{" CLOTH "}", NULL));
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          parse(&cotton, "{" CLOTH "}", "cloths[].material.preset=cotton"));
    const WeftMaterial *a = &plain.cloths[0].material, *b = &cotton.cloths[0].material;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->density, b->density);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->stretch_stiffness, b->stretch_stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->stretch_damping, b->stretch_damping);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->shear_stiffness, b->shear_stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->shear_damping, b->shear_damping);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, a->bend_stiffness, b->bend_stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->bend_damping, b->bend_damping);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->thickness, b->thickness);
    weft_scene_destroy(&plain);
    weft_scene_destroy(&cotton);
}

static void test_bad_json_is_refused_with_line(void)
{
    expect_bad("{\n\"step\": 0.1,\n" CLOTH ",\n}", "test.json:4:~JSON");
    expect_bad("", "test.json:1:");
    expect_bad("[1]", "test.json:1: scene:~object");
    expect_bad("3", "test.json:1:");
    expect_bad("{\n\"step\": 0.1,\n\"step\": 0.2," CLOTH "}", "test.json:3:~twice~step");
    expect_bad("{\"step\": NaN, " CLOTH "}", "test.json:1:");
    expect_bad("{\"step\": 1e999, " CLOTH "}", "test.json:1:");
    expect_bad("{\"name\": \"\\u0000\", " CLOTH "}", "test.json:1:");
}

static void test_unknown_keys_get_a_hint(void)
{
    expect_bad("{" CLOTH ",\n\"grvity\": [0, 0, 0]}",
               "test.json:2: grvity: unknown key~did you mean \"gravity\"~frames_per_second");
    expect_bad("{" CLOTH ",\n\"solver\": {\n\"tolerence\": 1}}",
               "test.json:3: solver.tolerence: unknown key~did you mean \"tolerance\"~threads");
    expect_bad("{" CLOTH ", \"tolerance\": 1}", "it belongs in solver");
    expect_bad("{" CLOTH ", \"xyzzy\": 1}", "test.json:1: xyzzy: unknown key~possible here: name");
    expect_bad("{\"cloths\": [{" GRID "},\n{" GRID ",\n\"colour\": 1}]}",
               "test.json:3: cloths[1].colour: unknown key");
    expect_bad("{" CLOTH ", \"a\\nb\\u001b\": 1}", "a?b?: unknown key");
}

static void test_wrong_types_are_refused(void)
{
    expect_bad("{" CLOTH ",\n\"step\": \"fast\"}", "test.json:2: step:~\"fast\"~number");
    expect_bad("{" CLOTH ", \"name\": 3}", "name:~text in quotes");
    expect_bad("{" CLOTH ", \"solver\": 3}", "test.json:1: solver:~object");
    expect_bad("{" CLOTH ", \"solver\": null}", "solver: is null");
    expect_bad("{" CLOTH ", \"solver\": {\"decompose\": 1}}", "solver.decompose:~true or false");
    expect_bad("{" CLOTH ", \"solver\": {\"threads\": 1.5}}", "solver.threads:~whole number");
    expect_bad("{" CLOTH ", \"gravity\": 9.81}", "gravity:~list of 3 numbers");
    expect_bad("{" CLOTH ", \"gravity\": [0, 1]}", "gravity: is a list of 2~list of 3 numbers");
    expect_bad("{" CLOTH ", \"gravity\": [0,\n1, true]}", "test.json:2: gravity[2]:~number");
    expect_bad("{\"cloths\": {}}", "cloths:~list");
    expect_bad("{\"cloths\": [1]}", "cloths[0]:~object");
    expect_bad("{" CLOTH ", \"solver\": {\"precision\": 8}}", "solver.precision:~float, double");
}

static void test_values_out_of_range_are_refused(void)
{
    expect_bad("{" CLOTH ",\n\"step\": 0}", "test.json:2: step:~from 1e-9 to 10 s");
    expect_bad("{" CLOTH ", \"solver\": {\"tolerance\": 2}}",
               "solver.tolerance: 2 is out of range");
    expect_bad("{" CLOTH ", \"solver\": {\"threads\": -1}}", "solver.threads:~0 to 1024");
    expect_bad("{" CLOTH ", \"gravity\": [0, -1e12, 0]}", "gravity[1]:~out of range");
    expect_bad("{" CLOTH ", \"step\": 1e-9, \"frames_per_second\": 0.001}",
               "scene: a frame would take");
    expect_bad("{\"cloths\": [{" GRID ", \"material\": {\"density\": 0}}]}",
               "cloths[0].material.density:~out of range");
    expect_bad("{\"cloths\": [{" GRID ", \"particle_mass\": 1e-30}]}", "cloths[0]:~weigh");
    expect_bad("{\"cloths\": [{" GRID ", \"particle_mass\": -1}]}",
               "cloths[0].particle_mass:~out of range");
}

static void test_wrong_words_are_refused(void)
{
    expect_bad(
        "{" CLOTH ",\n\"integrator\": {\"method\": \"implicite\"}}",
        "test.json:2: integrator.method:~did you mean \"implicit\"~explicit, implicit, imex");
    expect_bad("{\"cloths\": [{" GRID ", \"material\": {\n\"preset\": \"xx\"}}]}",
               "test.json:2: cloths[0].material.preset:~cotton, silk");
}

static void test_bad_cloths_are_refused(void)
{
    expect_bad("{}", "test.json:1: cloths:~no cloth");
    expect_bad("{\n\"cloths\": []}", "test.json:2: cloths:~no cloth");
    expect_bad("{\"cloths\": [\n{}]}", "test.json:2: cloths[0]: has neither grid nor mesh");
    expect_bad("{\"cloths\": [\n{" GRID ", \"mesh\": {\"file\": \"a.obj\"}}]}",
               "test.json:2: cloths[0]: has both grid and mesh");
    expect_bad("{\"cloths\": [{\n\"mesh\": {}}]}", "test.json:2: cloths[0].mesh:~no file");
    expect_bad("{\"cloths\": [{\"mesh\": {\n\"file\": \"/nowhere/a.obj\"}}]}",
               "test.json:2: cloths[0].mesh.file:~/nowhere/a.obj");
    expect_bad("{\"cloths\": [{\"grid\": {\n\"size\": [1, 0]}}]}",
               "test.json:2: cloths[0].grid.size[1]:~no length");
    expect_bad("{\"cloths\": [{\"grid\": {\"size\": [-1, 1]}}]}", "cloths[0].grid.size[0]:");
    expect_bad("{\"cloths\": [{\"grid\": {\"counts\": [0, 4]}}]}",
               "cloths[0].grid.counts[0]:~out of range");
    expect_bad("{\"cloths\": [{\"grid\": {\"counts\": [2.5, 4]}}]}",
               "cloths[0].grid.counts[0]:~whole");
    expect_bad("{\"cloths\": [{\"grid\": {\"counts\": [20000, 20000]}}]}",
               "cloths[0].grid.counts:~particles");
    expect_bad("{\"cloths\": [{\"grid\": {\"counts\": [6000, 6000]}},\n{\"grid\": {\"counts\": "
               "[6000, 6000]}}]}",
               "test.json:2: cloths[1].grid.counts:~72000000 particles");
    expect_bad("{\"cloths\": [{\n\"grid\": {\"counts\": [2, 4], \"shape\": \"tube\"}}]}",
               "test.json:2: cloths[0].grid:~tube needs at least 3");
    expect_bad("{\"cloths\": [{" GRID ", \"name\": \"a/b\"}]}", "cloths[0].name:~file name");
    expect_bad("{\"cloths\": [{" GRID ", \"name\": \"a\"}, {" GRID ", \"name\": \"a\"}]}",
               "cloths[1].name:~already");
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          parse(&scene, "{\"cloths\": [{\"grid\": {\"counts\": [1, 1]}}]}", NULL));
    weft_scene_destroy(&scene);
}

static void test_bad_pins_are_refused(void)
{
    expect_bad(PIN("{}"), "test.json:3: cloths[0].pins[0]: names no particles");
    expect_bad(PIN("{\"corner\": \"none\"}"), "cloths[0].pins[0]: names no particles");
    expect_bad(PIN("{\"corner\": \"all\", \"box\": {}}"),
               "cloths[0].pins[0]: names its particles in more than one way");
    expect_bad(PIN("{\"indices\": []}"), "cloths[0].pins[0].indices: is a list of 0");
    expect_bad(PIN("{\"indices\": [0,\n1.5]}"),
               "test.json:4: cloths[0].pins[0].indices[1]:~not a whole number");
    expect_bad(PIN("{\"indices\": [-1]}"), "cloths[0].pins[0].indices[0]:~out of range");
    expect_bad(PIN("{\"indices\": [20]}"), "cloths[0].pins[0].indices[0]:~0 to 19");
    expect_bad(PIN("{\"corner\": \"all\", \"free_along\": [1,0,0], \"fixed_along\": [1,0,0]}"),
               "cloths[0].pins[0]: has both free_along and fixed_along");
    expect_bad(PIN("{\"corner\": \"all\", \"free_along\": [1e-12,0,0]}"),
               "cloths[0].pins[0].free_along: is too short");
    expect_bad(PIN("{\"box\": {\"min\": [0, 1, 0], \"max\": [1, 0, 1]}}"),
               "cloths[0].pins[0].box: min is above max along y");
    expect_bad(PIN("{\"corner\": \"all\", \"keyframes\": [{\"time\": 1},\n{\"time\": 1}]}"),
               "test.json:4: cloths[0].pins[0].keyframes[1].time:~increasing");
    expect_bad("{\"cloths\": [{\"grid\": {\"shape\": \"tube\"}, \"pins\": [{\"corner\": "
               "\"all\"}]}]}",
               "cloths[0].pins[0].corner:~sheet");
}

static void test_bad_solids_are_refused(void)
{
    expect_bad("{" CLOTH ", \"solids\": [{},\n{\"type\": \"box\", \"size\": [1, 0, 1]}]}",
               "test.json:2: solids[1].size[1]:");
    expect_bad("{" CLOTH ", \"solids\": [{\"keyframes\": [{\"time\": 2}, {\"time\": 1}]}]}",
               "solids[0].keyframes[1].time:");
    expect_bad("{" CLOTH ", \"solids\": [{\"radius\": 0}]}", "solids[0].radius:~out of range");
    expect_bad("{" CLOTH ", \"solids\": [{\"type\": \"shere\"}]}", "did you mean \"sphere\"");
}

static void test_settings_change_the_scene(void)
{
    const char *settings[] = {"solver.tolerance=1e-5",
                              "cloths[0].grid.counts=[7,8]",
                              "cloths[1]={\"grid\":{}}",
                              "cloths[].material.preset=silk",
                              "cloths[1].material.density=\t2 ",
                              "gravity[1]=-3",
                              "cloths[1].grid.counts[0]=9",
                              "cloths[0].pins[0].corner=all",
                              "cloths[0].pins[0].release=2",
                              "cloths[0].pins[1].indices[0]=3",
                              "output.folder=2024",
                              "name=a=b",
                              "duration=null",
                              "solver.decompose=false"};
    WeftScene   scene;
    WeftStatus  status = weft_scene_parse(&scene, "{\"duration\": 7, " CLOTH "}", "test.json", NULL,
                                          settings, sizeof(settings) / sizeof(settings[0]));
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, status, weft_error_message());
    TEST_ASSERT_EQUAL_DOUBLE(1e-5, scene.solver.tolerance);
    TEST_ASSERT_FALSE(scene.solver.decompose);
    TEST_ASSERT_TRUE(scene.has_solver);
    TEST_ASSERT_EQUAL_INT(8, scene.cloths[0].grid.counts[1]);
    TEST_ASSERT_EQUAL_size_t(2, scene.cloths_count);
    TEST_ASSERT_EQUAL_INT(WEFT_MATERIAL_SILK, scene.cloths[0].material.preset);
    TEST_ASSERT_EQUAL_DOUBLE(0.07, scene.cloths[0].material.density);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.cloths[1].material.density);
    TEST_ASSERT_EQUAL_DOUBLE(-3, scene.gravity[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, scene.gravity[0]);
    TEST_ASSERT_EQUAL_INT(9, scene.cloths[1].grid.counts[0]);
    TEST_ASSERT_EQUAL_INT(50, scene.cloths[1].grid.counts[1]);
    TEST_ASSERT_EQUAL_INT(WEFT_CORNER_ALL, scene.cloths[0].pins[0].corner);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.cloths[0].pins[0].release);
    TEST_ASSERT_EQUAL_INT(3, scene.cloths[0].pins[1].indices[0]);
    TEST_ASSERT_EQUAL_STRING("2024", scene.output.folder);
    TEST_ASSERT_EQUAL_STRING("a=b", scene.name);
    TEST_ASSERT_EQUAL_DOUBLE(3, scene.duration);
    weft_scene_destroy(&scene);
}

static void test_bad_settings_are_named(void)
{
    const char *text = "{" CLOTH "}";
    expect_bad_setting(text, "solver.tolerance=5", "--set solver.tolerance=5: 5 is out of range");
    expect_bad_setting(text, "solver.tolerence=5",
                       "--set solver.tolerence=5: unknown key~did you mean \"tolerance\"");
    expect_bad_setting(text, "step=abc", "--set step=abc:~\"abc\"~number");
    expect_bad_setting(text, "step", "--set step:~path=value");
    expect_bad_setting(text, "=3", "path=value");
    expect_bad_setting(text, "", "path=value");
    expect_bad_setting(text, "a..b=3", "path=value");
    expect_bad_setting(text, "cloths[x].name=3", "path=value");
    expect_bad_setting(text, "cloths[0.name=3", "path=value");
    expect_bad_setting(text, "cloths[99999999999999999999999].name=3", "path=value");
    expect_bad_setting(text, "cloths[2].name=a", "--set cloths[2].name=a:~no element 2");
    expect_bad_setting(text, "cloths.name=a", "cloths[0]~cloths[]");
    expect_bad_setting(text, "step.x=a", "no keys of its own");
    expect_bad_setting(text, "step[0]=1", "not a list");
    expect_bad_setting(text, "gravity[3]=1", "no element 3");
    expect_bad_setting(text, "gravity[0].x=1", "numbers");
    expect_bad_setting(text, "cloths[0][1]=1", "objects");
    expect_bad_setting(text, "solids[].friction=1", "solids is empty");
    expect_bad_setting(text, "cloths[].grid.size=[0,1]",
                       "--set cloths[].grid.size=[0,1]: cloths[0].grid.size[0]:");
    expect_bad_setting(text, "cloths[0].mesh.scale=2",
                       "--set cloths[0].mesh.scale=2: cloths[0]: has both");
    expect_bad_setting(text, "cloths[0].pins[0].release=1",
                       "--set cloths[0].pins[0].release=1: cloths[0].pins[0]: names no particles");
    expect_bad_setting(text, "solver={\"tol\":1}", "--set solver={\"tol\":1}: solver.tol: unknown");
    expect_bad_setting("{\"cloths\": 3}", "cloths[0].name=a", "not a list");
    expect_bad_setting("{\"solver\": 3}", "solver.threads=1", "not an object");
    // A fault of the file stays one, whatever else is set.
    expect_bad_setting("{\"step\": 0, " CLOTH "}", "duration=1", "test.json:1: step:");
}

static void test_files_are_found_from_the_scene(void)
{
    WeftScene   scene;
    const char *obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    char        path[300];
    write_file("tri.obj", obj, strlen(obj));
    const char *text = "{\"cloths\": [{\"mesh\": {\"file\": \"tri.obj\"}}]}";
    snprintf(path, sizeof(path), "%s", write_file("scene.json", text, strlen(text)));
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, weft_scene_load(&scene, path, NULL, 0),
                                  weft_error_message());
    char expected[320];
    snprintf(expected, sizeof(expected), "%s/tri.obj", folder);
    TEST_ASSERT_EQUAL_STRING(expected, scene.cloths[0].mesh.file);
    WeftMesh mesh;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_mesh_create(&mesh, &scene, 0));
    weft_mesh_destroy(&mesh);
    weft_scene_destroy(&scene);

    // Messages carry the path as it was given.
    text = "{\n\"stepp\": 1}";
    snprintf(path, sizeof(path), "%s", write_file("bad.json", text, strlen(text)));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_scene_load(&scene, path, NULL, 0));
    snprintf(expected, sizeof(expected), "%s:2: stepp:", path);
    expect_pieces(expected);
}

static void test_unreadable_files_are_refused(void)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT,
                          weft_scene_load(&scene, "/nowhere/scene.json", NULL, 0));
    expect_pieces("/nowhere/scene.json");
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_scene_load(&scene, folder, NULL, 0));
    expect_pieces("folder");
    const char *path = write_file("binary.json", "{\0}", 3);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_scene_load(&scene, path, NULL, 0));
    expect_pieces("not a scene");
    path = write_file("empty.json", "", 0);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_scene_load(&scene, path, NULL, 0));
    expect_pieces("empty.json:1:");
}

static void test_built_in_scene_loads(void)
{
    WeftScene scene;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, weft_scene_load(&scene, NULL, NULL, 0),
                                  weft_error_message());
    TEST_ASSERT_GREATER_THAN(0, scene.cloths_count);
    TEST_ASSERT_GREATER_THAN(0, scene.solids_count);
    weft_scene_destroy(&scene);
    const char *setting = "stepp=1";
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_scene_load(&scene, NULL, &setting, 1));
    expect_pieces("did you mean \"step\"");
}

// Damaged scenes must be refused or read, never crash; the sanitizers watch.
static void test_damaged_text_is_survived(void)
{
    const char *text = "{\"name\": \"x\\\"y\", \"cloths\": [{" GRID ", \"pins\": [{\"indices\": "
                       "[0, 1], \"keyframes\": [{\"time\": 0, \"position\": [1, 2, 3]}]}]}],"
                       "\"solids\": [{\"type\": \"box\", \"size\": [1, 1, 1]}]}";
    static const char letters[] = "{}[]\",:0-e.\\ \n\x80tn";
    uint32_t          seed = 12345;
    char              copy[400];
    TEST_ASSERT_LESS_THAN(sizeof(copy), strlen(text));
    for (int round = 0; round < 5000; round++)
    {
        strcpy(copy, text);
        for (int change = 0; change < 1 + round % 3; change++)
        {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 8) % strlen(text)] = letters[(seed >> 24) % (sizeof(letters) - 1)];
        }
        WeftScene  scene;
        WeftStatus status = parse(&scene, copy, round % 2 ? "cloths[0].pins[0].release=1" : NULL);
        if (status == WEFT_OK)
            weft_scene_destroy(&scene);
        else
            TEST_ASSERT_NOT_EQUAL(0, strlen(weft_error_message()));
    }
}

static void test_key_table_has_every_key(void)
{
    for (int markdown = 0; markdown < 2; markdown++)
    {
        char  *text = NULL;
        size_t size = 0;
        FILE  *stream = open_memstream(&text, &size);
        weft_scene_print_keys(stream, markdown);
        fclose(stream);

        static const char *const names[] = {
#define NUMBER(name, value, low, high, unit, help) #name,
#define INTEGER(name, value, low, high, unit, help) #name,
#define FLAG(name, value, help) #name,
#define VECTOR2(name, a, b, unit, help) #name,
#define VECTOR3(name, a, b, c, unit, help) #name,
#define COUNTS(name, a, b, low, high, help) #name,
#define TEXT(name, help) #name,
#define CHOICE(name, type, value, words, help) #name,
#define INDICES(name, help) #name,
#define OBJECT(type, name, help) #name,
#define LIST(type, name, help) #name,
#include "scene/scene_fields.def"
        };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, names[i]), names[i]);
        TEST_ASSERT_NOT_NULL(strstr(text, "cloths[].pins[].keyframes[].time"));
        TEST_ASSERT_NOT_NULL(strstr(text, "solids[].keyframes[]"));
        TEST_ASSERT_NOT_NULL(strstr(text, "1e-9 to 10"));
        TEST_ASSERT_NOT_NULL(strstr(text, "denim"));

        // The plain table fits a terminal.
        if (!markdown)
            for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
                TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(100, strlen(line), line);
        free(text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    if (mkdtemp(folder) == NULL)
        return 1;
    RUN_TEST(test_defaults_are_those_of_the_table);
    RUN_TEST(test_every_kind_of_value_is_read);
    RUN_TEST(test_preset_fills_and_keys_override);
    RUN_TEST(test_cotton_is_the_default_material);
    RUN_TEST(test_bad_json_is_refused_with_line);
    RUN_TEST(test_unknown_keys_get_a_hint);
    RUN_TEST(test_wrong_types_are_refused);
    RUN_TEST(test_values_out_of_range_are_refused);
    RUN_TEST(test_wrong_words_are_refused);
    RUN_TEST(test_bad_cloths_are_refused);
    RUN_TEST(test_bad_pins_are_refused);
    RUN_TEST(test_bad_solids_are_refused);
    RUN_TEST(test_settings_change_the_scene);
    RUN_TEST(test_bad_settings_are_named);
    RUN_TEST(test_files_are_found_from_the_scene);
    RUN_TEST(test_unreadable_files_are_refused);
    RUN_TEST(test_built_in_scene_loads);
    RUN_TEST(test_damaged_text_is_survived);
    RUN_TEST(test_key_table_has_every_key);

    static const char *const files[] = {"tri.obj", "scene.json", "bad.json", "binary.json",
                                        "empty.json"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
    {
        char path[300];
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return UNITY_END();
}
