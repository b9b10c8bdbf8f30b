// test_determinism.c: a run gives the same bits with any number of threads, again, and in every
// build of its precision; the numbering of a mesh changes nothing but rounding.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define GRID_SIDE 37 // more than 1024 particles
#define STEP_COUNT WEFT_TEST_SIZE(40, 14)

void setUp(void)
{
}

void tearDown(void)
{
}

extern const WeftBackend weft_backend_f32_base, weft_backend_f64_base;
#ifdef __x86_64__
extern const WeftBackend weft_backend_f32_v3, weft_backend_f64_v3;
#endif

// Everything at once: pins of all kinds, contacts with moving solids, wind, a large component next to
// small ones, a grid and an irregular mesh.
static void parse_all(WeftScene *scene)
{
    static const int    counts[2] = {24, 20};
    static const double size[2] = {0.6, 0.5};
    uint32_t            order[480];
    char                text[3000], file[300];
    for (uint32_t k = 0; k < 480; k++)
        order[k] = (77 * k + 5) % 480;
    snprintf(file, sizeof(file), "%s", write_sheet("all.obj", MESH_JITTERED, counts, size, order));
    snprintf(
        text, sizeof(text),
        "{'air': {'wind': [2, 0, 1], 'gust': 0.5, 'linear_drag': 0.1}, 'cloths': [{'grid': "
        "{'size': [1.2, 1.2], 'counts': [%d, %d]}, 'rotation': [-90, 0, 0], 'position': [0, "
        "0.31, 0], 'pins': [{'corner': 'top_left'}, {'indices': [5, 6, 7], 'free_along': [1, 1, "
        "0]}, {'indices': [90, 91], 'fixed_along': [0, 1, 1], 'keyframes': [{'time': 0}, "
        "{'time': 1, 'position': [0, 0.3, 0]}]}]},"
        "{'mesh': {'file': '%s'}, 'position': [0, 0.6, 0], 'rotation': [-70, 20, 0]},"
        // Pushed together, so that it falls apart into components.
        "{'grid': {'size': [0.4, 0.4], 'counts': [17, 17]}, 'position': [2, 1, 0], 'pins': "
        "[{'box': "
        "{'min': [1, 0, -1], 'max': [1.81, 2, 1]}, 'keyframes': [{'time': 0}, {'time': 0.1, "
        "'position': [0.2, 0, 0]}]}, {'box': {'min': [2.19, 0, -1], 'max': [3, 2, 1]}}]}],"
        "'solids': [{'type': 'sphere', 'radius': 0.3}, {'type': 'torus', 'radius': 0.3,"
        "'position': [0.2, 0.1, 0.2], 'keyframes': [{'time': 0}, {'time': 1, 'rotation': [0, "
        "90, 40]}]}, {'type': 'plane', 'position': [0, -0.1, 0], 'rotation': [0, 0, 10]}]}",
        GRID_SIDE, GRID_SIDE, file);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, weft_scene_parse(scene, text, "test", NULL, NULL, 0),
                                  weft_error_message());
}

// Steps a backend and returns the hash of all positions and velocities.
static uint64_t run_hash(const WeftBackend *backend, WeftScene *scene, int threads, bool decompose)
{
    WeftModel      model;
    void          *engine;
    WeftStepReport report = {0};
    scene->solver.decompose = decompose;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_model_create(&model, scene));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, backend->create(&engine, &model, threads));
    uint32_t largest = 0, most = 0;
    for (int k = 0; k < STEP_COUNT; k++)
    {
        memset(&report, 0, sizeof(report));
        bool good;
        TEST_ASSERT_EQUAL_INT(WEFT_OK, backend->step(engine, k * 0.004, 0.004, &report, &good));
        TEST_ASSERT_TRUE(good);
        largest = report.largest_component > largest ? report.largest_component : largest;
        most = report.component_count > most ? report.component_count : most;
    }
    // Both solvers and the contacts took part.
    TEST_ASSERT_TRUE(largest > 1024);
    TEST_ASSERT_TRUE(report.contact_count > 0);
    TEST_ASSERT_TRUE(!decompose || most > 2);

    double  *out = malloc(3 * model.particle_count * sizeof(double));
    uint64_t hash = HASH_START;
    for (int quantity = 0; quantity < 2; quantity++)
    {
        backend->read(engine, (WeftQuantity)quantity, NULL, 0, model.particle_count, out);
        hash = hash_bytes(hash, out, 3 * model.particle_count * sizeof(double));
    }
    free(out);
    backend->destroy(engine);
    weft_model_destroy(&model);
    return hash;
}

static void check_backends(const WeftBackend *base, const WeftBackend *better)
{
    WeftScene scene;
    parse_all(&scene);
    for (int decompose = 0; decompose < 2; decompose++)
    {
        const int threads[] = {1, 2, 3, 8};
        uint64_t  first = run_hash(base, &scene, 1, decompose);
        printf("hash %016llx\n", (unsigned long long)first);
        for (int k = 0; k < 4; k += WEFT_TEST_SIZE(1, 3))
            TEST_ASSERT_EQUAL_HEX64(first, run_hash(base, &scene, threads[k], decompose));
        if (better != NULL)
            for (int k = 0; k < 3; k += WEFT_TEST_SIZE(1, 3))
                TEST_ASSERT_EQUAL_HEX64(first, run_hash(better, &scene, threads[k], decompose));
    }
    weft_scene_destroy(&scene);
}

static const WeftBackend *better(bool is_double)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return is_double ? &weft_backend_f64_v3 : &weft_backend_f32_v3;
#endif
    (void)is_double;
    return NULL;
}

static void test_float_runs_give_the_same_bits_however_they_are_run(void)
{
    check_backends(&weft_backend_f32_base, better(false));
}

static void test_double_runs_give_the_same_bits_however_they_are_run(void)
{
    check_backends(&weft_backend_f64_base, better(true));
}

static void test_order_of_a_mesh_changes_only_rounding(void)
{
    static const int    counts[2] = {15, 13};
    static const double size[2] = {0.6, 0.5};
    uint32_t            order[195];
    double              places[2][3 * 195];
    for (uint32_t k = 0; k < 195; k++)
        order[k] = (77 * k + 5) % 195;
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(
            &rig,
            "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double', "
            "'tolerance': 1e-13}, 'cloths': [{'mesh': {'file': '%s'}, 'rotation': [-80, 0, 0], "
            "'pins': [{'indices': [%u, %u]}]}]}",
            write_sheet("order.obj", MESH_JITTERED, counts, size, k ? order : NULL),
            k ? order[0] : 0, k ? order[194] : 194);
        rig_step(&rig, 40);
        rig_read(&rig);
        for (uint32_t i = 0; i < 195; i++)
            memcpy(places[k] + 3 * i, rig.x + 3 * (k ? order[i] : i), 3 * sizeof(double));
        rig_close(&rig);
    }
    double worst = 0;
    for (int k = 0; k < 3 * 195; k++)
        worst = fmax(worst, fabs(places[0][k] - places[1][k]));
    printf("another order of the vertices moves a particle by up to %.2g m\n", worst);
    TEST_ASSERT_TRUE(worst < 1e-8);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_float_runs_give_the_same_bits_however_they_are_run);
    RUN_TEST(test_double_runs_give_the_same_bits_however_they_are_run);
    RUN_TEST(test_order_of_a_mesh_changes_only_rounding);
    return UNITY_END();
}
