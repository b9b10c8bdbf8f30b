// test_twins.c: every stage of the GPU engine against its CPU twin on random and adversarial inputs, with guard words
// behind each buffer.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "gpu/check.h"
#include "test_gpu.h"

void setUp(void)
{
}

void tearDown(void)
{
}

typedef struct Trial
{
    const char *scene;
    uint32_t    seeds;    // shaken so many times
    double      distance; // m
    double      speed;    // m/s
} Trial;

// Without a device the test is left out, or fails where one is required.
static WeftCheck *open_check(const WeftScene *scene)
{
    WeftCheck  *check = NULL;
    const char *required = getenv("WEFT_REQUIRE_GPU");
    if (weft_check_create(&check, scene) == WEFT_OK)
        return check;
    if (required && strcmp(required, "1") == 0)
        TEST_FAIL_MESSAGE(weft_error_message());
    TEST_IGNORE_MESSAGE(weft_error_message());
    return NULL;
}

static void expect_good(const WeftCheckRow *rows, int count, const char *scene, uint32_t seed)
{
    const WeftCheckRow *last = &rows[count - 1];
    char                text[600];
    snprintf(text, sizeof(text),
             "seed %u, %s: %s of element %u is %.9g, not %.9g; squared %.3g, tolerance %.3g, usual "
             "%.3g, otherwise %u; %.200s",
             seed, last->stage, last->array ? last->array : "-", last->element, last->gpu,
             last->cpu, last->squared, last->tolerance, last->usual, last->otherwise, scene);
    TEST_ASSERT_TRUE_MESSAGE(last->good, text);
}

// What the steps of a trial found, at most.
static uint32_t found[FOUND_COUNT];

static void try_scene(Trial trial)
{
    memset(found, 0, sizeof(found));
    WeftScene scene;
    EXPECT_OK(weft_scene_parse(&scene, trial.scene, "test", ".", NULL, 0));
    free(scene.solver.device);
    scene.solver.device = strdup("gpu");
    WeftCheck   *check = open_check(&scene);
    WeftCheckRow rows[WEFT_CHECK_ROWS];
    int          count;
    for (uint32_t seed = 1; seed <= trial.seeds; seed++)
    {
        EXPECT_OK(weft_check_shake(check, seed, trial.distance, trial.speed));
        for (int step = 0; step < 2; step++)
        {
            EXPECT_OK(weft_check_step(check, rows, &count));
            expect_good(rows, count, trial.scene, seed);
            for (uint32_t k = 0; k < FOUND_COUNT; k++)
                if (weft_check_found(check, k) > found[k])
                    found[k] = weft_check_found(check, k);
        }
    }
    EXPECT_OK(weft_check_guards(check));
    weft_check_destroy(check);
    weft_scene_destroy(&scene);
    expect_no_validation_messages();
}

// A scene of one grid. Shaken springs are long, which is no failure here.
#define SCENE(integrator, size, counts, cloth, rest)                                               \
    "{\"step\": 0.001, \"integrator\": {\"stretch_limit\": 1e6" integrator                         \
    "}, \"cloths\": [{\"grid\": {\"size\": [" size "], \"counts\": [" counts "]}" cloth "}]" rest  \
    "}"
#define IMPLICIT ", \"method\": \"implicit\""
#define CORNERS                                                                                    \
    ", \"pins\": [{\"corner\": \"top_left\"}, {\"corner\": \"top_right\", \"keyframes\": "         \
    "[{\"time\": 0}, {\"time\": 1, \"position\": [0, 1, 0], \"rotation\": [0, 90, 0]}]}]"

static void try_strip(int particles)
{
    char text[400];
    snprintf(text, sizeof(text), SCENE(IMPLICIT, "%g, 0.01", "%d, 1", "", ""),
             0.01 * (particles > 1 ? particles - 1 : 1), particles);
    try_scene((Trial){text, 2, 0.001, 0.1});
}

static void test_one_particle(void)
{
    try_strip(1);
}

static void test_strips_at_the_ends_of_groups(void)
{
    static const int sizes[] = {2, 127, 128, 129, 255, 256, 257};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        try_strip(sizes[k]);
}

// Nearly every spring is stretched, one after the other: a component as long as it can be.
static void test_one_snake(void)
{
    try_scene((Trial){SCENE(IMPLICIT, "4, 0.01", "3000, 1", ", \"pins\": [{\"indices\": [0]}]", ""),
                      2, 0.02, 0.5});
}

// Springs that are stretched and squeezed at random fall apart into pieces of all sizes.
static void test_thousands_of_tiny_components(void)
{
    try_scene((Trial){SCENE("", "1, 0.01", "6000, 1", "", ""), 2, 1e-5, 0.1});
    try_scene((Trial){SCENE("", "40, 40", "70, 70", "", ""), 2, 0.001, 0.1});
}

static void test_several_tiles_of_a_sheet(void)
{
    try_scene((Trial){SCENE("", "0.5, 0.5", "61, 47", CORNERS, ""), 2, 0.002, 0.5});
    try_scene((Trial){SCENE(IMPLICIT ", \"damping\": \"full\"", "0.5, 0.5", "61, 47", CORNERS, ""),
                      1, 0.002, 0.5});
}

static void test_all_pinned_and_nothing_pinned(void)
{
    try_scene(
        (Trial){SCENE("", "0.5, 0.5", "20, 20",
                      ", \"pins\": [{\"box\": {\"min\": [-9, -9, -9], \"max\": [9, 9, 9]}}]", ""),
                2, 0.01, 0.5});
    try_scene((Trial){SCENE("", "0.5, 0.5", "20, 20", "", ""), 2, 0.01, 0.5});
}

// Pins that leave one or two directions free, and drag of single particles.
static void test_partly_held_particles(void)
{
    try_scene((Trial){
        SCENE(
            "", "0.5, 0.5", "20, 20",
            ", \"pins\": [{\"box\": {\"min\": [-9, 0.1, -9], \"max\": [9, 9, 9]}, \"free_along\": "
            "[1, 2, 3]}, {\"box\": {\"min\": [-9, -9, -9], \"max\": [-0.1, 9, 9]}, "
            "\"fixed_along\": [3, -1, 1]}]",
            ", \"air\": {\"linear_drag\": 0.5, \"quadratic_drag\": 0.2, \"wind\": [3, 1, 2]}"),
        2, 0.003, 0.5});
}

static void test_without_springs(void)
{
    try_scene((Trial){"{\"step\": 0.001, \"cloths\": [{\"grid\": {\"counts\": [1, 1]}}, {\"grid\": "
                      "{\"counts\": [1, 1]}, \"position\": [1, 0, 0]}]}",
                      2, 0.01, 0.5});
}

// A sheet thrown among all kinds of solids, two of them moving.
static void test_solids_of_all_kinds(void)
{
    try_scene((Trial){
        SCENE(
            "", "1, 1", "40, 40", ", \"rotation\": [-90, 0, 0]",
            ", \"solids\": [{\"type\": \"plane\", \"position\": [0, -0.02, 0]}, "
            "{\"type\": \"sphere\", \"radius\": 0.1, \"position\": [0.3, 0, 0.3]}, "
            "{\"type\": \"box\", \"size\": [0.2, 0.1, 0.3], \"rotation\": [10, 20, 30], "
            "\"keyframes\": [{\"time\": 0}, {\"time\": 1, \"rotation\": [0, 90, 0]}]}, "
            "{\"type\": \"cylinder\", \"radius\": 0.1, \"height\": 0.2, \"position\": [-0.3, 0, "
            "0.3], \"friction\": 1}, "
            "{\"type\": \"capsule\", \"radius\": 0.05, \"height\": 0.2, \"position\": [0.3, 0, "
            "-0.3], \"rotation\": [0, 0, 80]}, "
            "{\"type\": \"cone\", \"radius\": 0.1, \"height\": 0.2, \"position\": [-0.3, 0, "
            "-0.3], \"friction\": 0}, "
            "{\"type\": \"torus\", \"radius\": 0.2, \"tube_radius\": 0.03, \"position\": [0, 0.01, "
            "0.2], \"keyframes\": [{\"time\": 0}, {\"time\": 1, \"position\": [1, 0, 0]}]}]"),
        4, 0.01, 1});
}

// A ring of triangles, which is hollow in the middle, and a cache in which it swells and moves.
#define RING_PARTS 16
static void write_ring(const char *path, const char *cache_path)
{
    FILE *file = fopen(path, "w"), *cache = fopen(cache_path, "wb");
    TEST_ASSERT_TRUE(file != NULL && cache != NULL);
    uint32_t header[5] = {1, RING_PARTS * RING_PARTS, 0, 0, 2};
    float    step = 1;
    memcpy(&header[3], &step, sizeof(step));
    fwrite("POINTCACHE2", 1, 12, cache);
    fwrite(header, sizeof(header), 1, cache);
    for (int frame = 0; frame < 2; frame++)
        for (int k = 0; k < RING_PARTS * RING_PARTS; k++)
        {
            double around = 2 * M_PI * (k / RING_PARTS) / RING_PARTS,
                   across = 2 * M_PI * (k % RING_PARTS) / RING_PARTS;
            double radial = 0.1 + (frame ? 0.06 : 0.04) * cos(across);
            float  point[3] = {(float)(radial * cos(around)),
                               (float)(0.04 * sin(across) + (frame ? 0.02 : 0)),
                               (float)(radial * sin(around))};
            fwrite(point, sizeof(point), 1, cache);
            if (frame == 0)
                fprintf(file, "v %.9g %.9g %.9g\n", (double)point[0], (double)point[1],
                        (double)point[2]);
        }
    for (int k = 0; k < RING_PARTS * RING_PARTS; k++)
    {
        int up = (k + RING_PARTS) % (RING_PARTS * RING_PARTS),
            turn = (k + 1) % RING_PARTS == 0 ? 1 - RING_PARTS : 1;
        fprintf(file, "f %d %d %d %d\n", k + 1, k + 1 + turn, up + 1 + turn, up + 1);
    }
    fclose(file);
    fclose(cache);
}

// Rings at rest, moving, and changing their shape; the third is larger than the grid is wide in a step.
static void test_solids_from_meshes(void)
{
    char text[2000];
    write_ring("twins_ring.obj", "twins_ring.pc2");
    snprintf(
        text, sizeof(text),
        SCENE(
            "", "0.6, 0.6", "40, 40",
            ", \"rotation\": [-90, 0, 0], \"material\": {\"bend_stiffness\": 6e-6}%s",
            ", \"frames_per_second\": 100, \"solids\": [{\"type\": \"plane\", \"position\": [0, "
            "-0.02, 0]}, "
            "{\"type\": \"mesh\", \"file\": \"twins_ring.obj\", \"position\": [0.15, 0, 0.15]}, "
            "{\"type\": \"mesh\", \"file\": \"twins_ring.obj\", \"position\": [-0.15, 0.02, 0.1], "
            "\"rotation\": [60, 10, 0], \"friction\": 1, \"keyframes\": [{\"time\": 0}, {\"time\": "
            "1, "
            "\"rotation\": [0, 90, 0], \"position\": [1, 0, 0]}]}, "
            "{\"type\": \"mesh\", \"file\": \"twins_ring.obj\", \"animation\": \"twins_ring.pc2\", "
            "\"position\": [0.1, 0, -0.15], \"rotation\": [0, 20, 10]}]"),
        "");
    try_scene((Trial){text, 4, 0.01, 1});
    remove("twins_ring.obj");
    remove("twins_ring.pc2");
}

// A sheet of 0.5 m whose inner points have strayed: triangles, skewed quads, and rectangles at its corners.
static void write_cloth(const char *path, int side)
{
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    srand(4);
    for (int k = 0; k < side * side; k++)
    {
        double place[2] = {k % side, k / side};
        for (int axis = 0; axis < 2; axis++)
        {
            bool strays = place[axis] > 2 && place[axis] < side - 3;
            place[axis] += strays ? 0.5 * rand() / RAND_MAX - 0.25 : 0;
        }
        fprintf(file, "v %.9g %.9g 0\n", 0.5 * place[0] / (side - 1) - 0.25,
                0.5 * place[1] / (side - 1) - 0.25);
    }
    for (int row = 0; row + 1 < side; row++)
        for (int column = 0; column + 1 < side; column++)
        {
            int a = row * side + column + 1, b = a + 1, c = b + side, d = a + side;
            if ((row + column) % 3 == 0)
                fprintf(file, "f %d %d %d %d\n", a, b, c, d);
            else if (row % 2 == 0)
                fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
            else
                fprintf(file, "f %d %d %d\nf %d %d %d\n", a, b, d, b, c, d);
        }
    fclose(file);
}

// With a grid beside it, whose springs have no threads.
static void test_cloth_of_triangles(void)
{
    static const char *const methods[] = {"adaptive", "implicit", "imex", "explicit"};
    write_cloth("twins_cloth.obj", 30);
    for (size_t k = 0; k < sizeof(methods) / sizeof(methods[0]); k++)
    {
        char text[900];
        snprintf(text, sizeof(text),
                 "{\"step\": 0.001, \"integrator\": {\"stretch_limit\": 1e6, \"method\": "
                 "\"%s\"%s}, \"cloths\": [{\"mesh\": {\"file\": \"twins_cloth.obj\"}, \"pins\": "
                 "[{\"indices\": [3]}]}, {\"grid\": {\"size\": [0.2, 0.2], \"counts\": [9, 9]}, "
                 "\"position\": [0, 0.5, 0]}], \"solids\": [{\"type\": \"sphere\", \"radius\": "
                 "0.1}]}",
                 methods[k], k == 1 ? ", \"damping\": \"full\"" : "");
        try_scene((Trial){text, k == 0 ? 3 : 1, 0.002, 0.5});
        TEST_ASSERT_TRUE(found[FOUND_ACTIVE] > 500);
    }
    remove("twins_cloth.obj");
}

static void test_every_preconditioner_and_one_system(void)
{
    static const char *const solvers[] = {
        "\"preconditioner\": \"none\"",
        "\"preconditioner\": \"diagonal\", \"start\": \"constraints\"",
        "\"preconditioner\": \"block\", \"decompose\": false",
        "\"preconditioner\": \"modified\", \"decompose\": false"};
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++)
    {
        char text[900];
        snprintf(text, sizeof(text),
                 SCENE("", "0.5, 0.5", "24, 24", CORNERS,
                       ", \"solver\": {%s}, \"solids\": [{\"type\": \"sphere\", \"radius\": 0.1}]"),
                 solvers[k]);
        try_scene((Trial){text, 1, 0.002, 0.5});
    }
}

static void test_explicit_and_imex(void)
{
    try_scene((Trial){SCENE(", \"method\": \"explicit\"", "0.5, 0.5", "24, 24", CORNERS, ""), 1,
                      0.002, 0.5});
    try_scene(
        (Trial){SCENE(", \"method\": \"imex\"", "0.5, 0.5", "24, 24", CORNERS, ""), 1, 0.002, 0.5});
}

// Two sheets that lie closely over each other, the lower one pinned at a side; `contact` and `rest` go into the scene.
static void try_layers(const char *contact, const char *rest, uint32_t seeds, double distance,
                       double speed)
{
    char text[1200];
    snprintf(
        text, sizeof(text),
        "{\"step\": 0.001, \"contact\": {\"cloth\": true%s}, \"cloths\": ["
        "{\"grid\": {\"size\": [0.2, 0.2], \"counts\": [17, 17]}, \"rotation\": [-90, 0, 0], "
        "\"material\": {\"thickness\": 0.004}, \"pins\": [{\"box\": {\"min\": [-9, -9, -9], "
        "\"max\": [-0.09, 9, 9]}}]}, {\"grid\": {\"size\": [0.15, 0.15], \"counts\": [12, 12]}, "
        "\"rotation\": [-90, 20, 0], \"position\": [0.01, 0.003, 0.005], \"material\": "
        "{\"thickness\": 0.004}}], %s}",
        contact, rest);
    try_scene((Trial){text, seeds, distance, speed});
}

#define NO_LIMIT "\"integrator\": {\"stretch_limit\": 1e6}"

static void test_layers_that_touch(void)
{
    try_layers("", NO_LIMIT ", \"solver\": {\"decompose\": false}", 1, 0.0005, 0.1);
    TEST_ASSERT_TRUE(found[FOUND_TOUCHING] > 0);
    TEST_ASSERT_EQUAL_UINT32(found[FOUND_TOUCHING], found[FOUND_JOINING]);
    try_layers(", \"friction\": 0, \"damping\": 0.3",
               "\"integrator\": {\"stretch_limit\": 1e6, \"method\": \"explicit\"}", 1, 0.0005,
               0.1);
    TEST_ASSERT_TRUE(found[FOUND_TOUCHING] > 0);
    TEST_ASSERT_EQUAL_UINT32(0, found[FOUND_JOINING]);
}

// Weak springs, with thresholds below, among and above their kappas.
static void test_layers_whose_springs_are_explicit(void)
{
    static const char *const thresholds[] = {"0.001", "0.1", "0.9"};
    for (int k = 0; k < 3; k++)
    {
        char rest[200];
        snprintf(rest, sizeof(rest), "\"integrator\": {\"stretch_limit\": 1e6, \"threshold\": %s}",
                 thresholds[k]);
        try_layers(", \"stiffness\": 0.002, \"damping\": 0.0005", rest, 1, 0.0005, 0.1);
        uint32_t acting = found[FOUND_TOUCHING], implicit = found[FOUND_JOINING];
        TEST_ASSERT_TRUE(acting > 20);
        TEST_ASSERT_TRUE(k == 0   ? implicit == acting
                         : k == 1 ? implicit > 0 && implicit < acting
                                  : implicit == 0);
    }
}

// So fast that pushing is not enough; then so much through each other that all have to be held.
static void test_layers_that_are_held_back(void)
{
    // With room for all pairs, also while holding looks farther.
    try_layers(", \"max_pairs\": 100000", NO_LIMIT, 2, 0.001, 8);
    TEST_ASSERT_TRUE(found[FOUND_CUT] > 0);
    TEST_ASSERT_EQUAL_UINT32(0, found[FOUND_LOST]);
    try_layers(", \"max_pairs\": 100000", NO_LIMIT, 2, 0.004, 10);
    TEST_ASSERT_TRUE(found[FOUND_CUT] > 0);
    TEST_ASSERT_EQUAL_UINT32(0, found[FOUND_LOST]);
}

// A falling stack whose lowest sheet is pinned, with room for so many pairs.
static void try_stack(int max_pairs)
{
    char   text[6000];
    size_t used = (size_t)snprintf(text, sizeof(text),
                                   "{\"step\": 0.001, \"contact\": {\"cloth\": true, "
                                   "\"max_pairs\": %d}, " NO_LIMIT ", \"cloths\": [",
                                   max_pairs);
    for (int sheet = 0; sheet < 20; sheet++)
        used += (size_t)snprintf(
            text + used, sizeof(text) - used,
            "%s{\"grid\": {\"size\": [0.1, 0.1], \"counts\": [3, 3]}, \"rotation\": [-90, 0, 0], "
            "\"position\": [0, %g, 0], \"material\": {\"thickness\": 0.004}, %s}",
            sheet > 0 ? ", " : "", 0.005 * sheet,
            sheet > 0 ? "\"velocity\": [0, -20, 0]"
                      : "\"pins\": [{\"box\": {\"min\": [-9, -9, -9], \"max\": [9, 9, 9]}}]");
    snprintf(text + used, sizeof(text) - used, "]}");
    try_scene((Trial){text, 1, 0.0001, 0.1});
}

// A round of holding stops one more sheet: there are more of them than rounds. And holding looks for more pairs than there may be.
static void test_stack_that_holding_does_not_stop(void)
{
    try_stack(1000000);
    TEST_ASSERT_EQUAL_UINT32(0, found[FOUND_LOST]);
    TEST_ASSERT_TRUE(found[FOUND_STUCK] > 0);
    try_stack(8192);
    TEST_ASSERT_TRUE(found[FOUND_STUCK] > 0);
}

static void test_layers_with_too_little_room(void)
{
    try_layers(", \"max_pairs\": 150", NO_LIMIT, 1, 0.001, 1);
    TEST_ASSERT_TRUE(found[FOUND_LOST] > 0);
    TEST_ASSERT_TRUE(found[FOUND_CUT] > 0);
}

// On a sphere that pushes them up, and under a box.
static void test_layers_on_solids(void)
{
    try_layers("",
               NO_LIMIT ", \"solids\": [{\"type\": \"sphere\", \"radius\": 0.5, \"position\": "
                        "[0, -0.504, 0], \"keyframes\": [{\"time\": 0}, {\"time\": 1, "
                        "\"position\": [0, 1, 0]}]}, {\"type\": \"box\", \"size\": [0.1, 0.1, "
                        "0.1], \"position\": [0.05, 0.055, 0]}]",
               2, 0.001, 5);
    TEST_ASSERT_TRUE(found[FOUND_TOUCHING] > 0);
    TEST_ASSERT_TRUE(found[FOUND_CONTACTS] > 0);
}

static void test_double_precision_where_the_device_has_it(void)
{
    WeftGpu *gpu = open_test_device(NULL);
    bool     has_double = gpu->info.has_float64;
    weft_gpu_close(gpu);
    if (!has_double)
        TEST_IGNORE_MESSAGE("the device has no double precision");
    try_scene((Trial){SCENE("", "0.5, 0.5", "30, 30", CORNERS,
                            ", \"solver\": {\"precision\": \"double\"}, \"solids\": [{\"type\": "
                            "\"sphere\", \"radius\": 0.1}]"),
                      2, 0.002, 0.5});
}

// The tests of several drivers run side by side: each has a folder for its files.
int main(void)
{
    char folder[] = "/tmp/weft_twins_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    UNITY_BEGIN();
    RUN_TEST(test_one_particle);
    RUN_TEST(test_strips_at_the_ends_of_groups);
    RUN_TEST(test_one_snake);
    RUN_TEST(test_thousands_of_tiny_components);
    RUN_TEST(test_several_tiles_of_a_sheet);
    RUN_TEST(test_all_pinned_and_nothing_pinned);
    RUN_TEST(test_partly_held_particles);
    RUN_TEST(test_without_springs);
    RUN_TEST(test_solids_of_all_kinds);
    RUN_TEST(test_solids_from_meshes);
    RUN_TEST(test_cloth_of_triangles);
    RUN_TEST(test_every_preconditioner_and_one_system);
    RUN_TEST(test_explicit_and_imex);
    RUN_TEST(test_layers_that_touch);
    RUN_TEST(test_layers_whose_springs_are_explicit);
    RUN_TEST(test_layers_that_are_held_back);
    RUN_TEST(test_stack_that_holding_does_not_stop);
    RUN_TEST(test_layers_with_too_little_room);
    RUN_TEST(test_layers_on_solids);
    RUN_TEST(test_double_precision_where_the_device_has_it);
    int failures = UNITY_END();
    rmdir(folder);
    return failures;
}
