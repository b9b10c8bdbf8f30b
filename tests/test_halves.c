// test_halves.c: systems in which every other particle is eliminated have the solution that they have without, in half of the iterations.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halves.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void solve(Rig *rig, bool eliminate, WeftStepReport *report)
{
    bool good;
    memset(report, 0, sizeof(*report));
    rig->scene.solver.eliminate = eliminate;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          rig->sim->backend->step(rig->sim->engine, weft_sim_time(rig->sim),
                                                  rig->sim->step_size, report, &good));
    TEST_ASSERT_TRUE(good);
    TEST_ASSERT_EQUAL_UINT32(0, report->unconverged_count);
}

static double *read_changes(const EngineData *data)
{
    double *changes = malloc(3 * (size_t)data->particle_count * sizeof(double));
    TEST_ASSERT_NOT_NULL(changes);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            changes[3 * i + axis] = (double)data->change[axis][i];
    return changes;
}

typedef struct Found
{
    uint32_t halved, whole;              // large systems
    uint32_t small, small_whole;         // small ones
    uint32_t iterations, all_iterations; // of the large systems: halved, whole
    uint64_t products, all_products;     // of all steps: with elimination, without
    double   worst;                      // relative difference of the solutions
} Found;

// Takes a step both ways, and leaves the simulation where it was.
static void compare(Rig *rig, Found *found)
{
    EngineData    *data = rig_data(rig);
    WeftStepReport report;
    solve(rig, true, &report);
    double  *changes = read_changes(data);
    bool    *halved = calloc(data->system_count + 1, sizeof(bool));
    uint32_t count = data->system_count;
    TEST_ASSERT_NOT_NULL(halved);
    for (uint32_t k = 0; k < count; k++)
    {
        bool large = !data->decompose || data->systems[k].row_count > SMALL_COMPONENT;
        halved[k] = large && data->systems[k].halved;
        found->halved += halved[k];
        found->whole += large && !halved[k];
        found->small += !large && data->systems[k].halved;
        found->small_whole += !large && !data->systems[k].halved;
        found->iterations += halved[k] ? data->systems[k].iterations : 0;
    }
    found->products += report.row_multiplies;
    rig->sim->backend->restore(rig->sim->engine);
    solve(rig, false, &report);
    TEST_ASSERT_EQUAL_UINT32(count, data->system_count);
    found->all_products += report.row_multiplies;
    for (uint32_t k = 0; k < count; k++)
        found->all_iterations += halved[k] ? data->systems[k].iterations : 0;
    double *whole = read_changes(data), error = 0, size = 0;
    for (size_t k = 0; k < 3 * (size_t)data->particle_count; k++)
    {
        error += (changes[k] - whole[k]) * (changes[k] - whole[k]);
        size += whole[k] * whole[k];
    }
    found->worst = fmax(found->worst, sqrt(error / size));
    rig->sim->backend->restore(rig->sim->engine);
    free(changes);
    free(whole);
    free(halved);
}

// Steps of `scene`, which has a place for the key "decompose"; every fifth is compared.
static Found run(const char *what, const char *cloths, bool decompose)
{
    Rig   rig;
    Found found = {0};
    rig_open(&rig,
             "{'step': 0.002, 'frames_per_second': 500, 'air': {'linear_drag': 1}, 'solver': "
             "{'precision': 'double', 'threads': 2, 'tolerance': 1e-11, 'decompose': %s}, %s}",
             decompose ? "true" : "false", cloths);
    for (int round = 0; round < WEFT_TEST_SIZE(24, 8); round++)
    {
        rig.scene.solver.eliminate = true;
        rig_step(&rig, 5);
        compare(&rig, &found);
    }
    printf("%s: %u halved, %u whole; small: %u, %u; iterations %u, whole %u; products %.3g, whole "
           "%.3g; difference %.2g\n",
           what, found.halved, found.whole, found.small, found.small_whole, found.iterations,
           found.all_iterations, (double)found.products, (double)found.all_products, found.worst);
    rig_close(&rig);
    return found;
}

#define FABRIC "'material': {'shear_stiffness': 1, 'shear_damping': 1e-4, 'stretch_damping': 0.1}"

// Every width ends its rows elsewhere within the spans; a tube of odd girth is no chessboard at its seam.
static void test_solution_is_that_of_the_whole_system(void)
{
    static const struct
    {
        int         width, height;
        const char *shape;
        double      part; // of the iterations
    } grids[] = {{45, 43, "sheet", 0.55}, {44, 43, "sheet", 0.55}, {16, 41, "sheet", 0.55},
                 {150, 9, "sheet", 0.55}, {35, 30, "tube", 0.8},   {36, 30, "tube", 0.55},
                 {3, 301, "sheet", 0.55}};
    for (size_t k = 0; k < sizeof(grids) / sizeof(grids[0]); k++)
        for (int decompose = 0; decompose < 2; decompose++)
        {
            char cloths[512];
            snprintf(cloths, sizeof(cloths),
                     "'cloths': [{'grid': {'size': [%g, %g], 'counts': [%d, %d], 'shape': '%s'}, "
                     "'rotation': [20, 0, 0], 'pins': [{'indices': [0]}, {'indices': [5, 9], "
                     "'free_along': [1, 0, 2]}], " FABRIC "}]",
                     0.025 * (grids[k].width - 1), 0.025 * (grids[k].height - 1), grids[k].width,
                     grids[k].height, grids[k].shape);
            Found found = run(grids[k].shape, cloths, decompose);
            TEST_ASSERT_TRUE(found.halved > 0);
            TEST_ASSERT_TRUE(found.worst < 3e-10);
            TEST_ASSERT_TRUE(found.iterations < grids[k].part * found.all_iterations);
            TEST_ASSERT_TRUE(found.products < grids[k].part * found.all_products);
        }
}

// The same with cloths that fit a bench, of which one is too small to have a span to itself, and one has rows of one colour that are joined.
static void test_solution_of_small_components(void)
{
    static const struct
    {
        int         width, height;
        const char *shape;
        double      part; // of the products
        bool        has_colours;
    } grids[] = {{15, 15, "sheet", 0.6, true}, {16, 15, "sheet", 0.6, true},
                 {2, 3, "sheet", 0.8, true},   {3, 85, "sheet", 0.6, true},
                 {12, 20, "tube", 0.6, true},  {13, 19, "tube", 1.01, false}};
    for (size_t k = 0; k < sizeof(grids) / sizeof(grids[0]); k++)
    {
        char cloths[512];
        snprintf(cloths, sizeof(cloths),
                 "'cloths': [{'grid': {'size': [%g, %g], 'counts': [%d, %d], 'shape': '%s'}, "
                 "'rotation': [20, 0, 0], 'pins': [{'indices': [0]}, {'indices': [4], "
                 "'free_along': [1, 0, 2]}], " FABRIC "}]",
                 0.025 * (grids[k].width - 1), 0.025 * (grids[k].height - 1), grids[k].width,
                 grids[k].height, grids[k].shape);
        Found found = run(grids[k].shape, cloths, true);
        TEST_ASSERT_EQUAL_UINT32(0, found.halved + found.whole);
        TEST_ASSERT_EQUAL_INT(grids[k].has_colours, found.small > 0);
        TEST_ASSERT_TRUE(found.worst < 3e-10);
        TEST_ASSERT_TRUE(found.products < grids[k].part * found.all_products);
    }
}

// Components come and go, particles slide and stick; shear springs of the finer cloth are implicit, so that its systems stay whole.
static void test_solution_is_that_of_the_whole_system_on_solids(void)
{
    for (int decompose = 0; decompose < 2; decompose++)
    {
        Found found = run(
            "solids",
            "'cloths': [{'grid': {'size': [1, 0.9], 'counts': [41, 37]}, 'position': [0, 0.32, 0],"
            "'rotation': [-90, 0, 0], " FABRIC "}, {'grid': {'size': [0.9, 0.8], 'counts': [30, 27]"
            "}, 'position': [0, 0.36, 0], 'rotation': [-90, 10, 0], " FABRIC "}, {'grid': {'size': "
            "[0.2, 0.2], 'counts': [31, 31]}, 'position': [1, 1, 0], 'pins': [{'corner': "
            "'top_left'}], 'material': {'shear_stiffness': 100}}], 'solids': [{'type': 'sphere', "
            "'radius': 0.3, 'friction': 0.2}]",
            decompose);
        TEST_ASSERT_EQUAL_INT(decompose, found.halved > 0);
        TEST_ASSERT_EQUAL_INT(decompose, found.small > 0);
        TEST_ASSERT_TRUE(found.whole > 0);
        TEST_ASSERT_TRUE(found.worst < 3e-10);
    }
}

// A span's springs to the next row go slack together: their blocks leave the matrix, also for the rows beside them that share its slots.
static void test_springs_that_go_slack_leave_the_matrix(void)
{
    enum
    {
        WIDTH = 45,
        FIRST = 30 * SPAN
    };
    Rig   rig;
    Found found = {0};
    rig_open(&rig, "{'step': 0.002, 'frames_per_second': 500, 'solver': {'precision': 'double', "
                   "'threads': 2, 'tolerance': 1e-11}, 'integrator': {'stretch_limit': 100}, "
                   "'cloths': [{'grid': {'size': [1.1, 1.05], 'counts': [45, 43]}, "
                   "'pins': [{'corner': 'top_left'}], " FABRIC "}]}");
    EngineData *data = rig_data(&rig);
    rig_step(&rig, 30);
    for (uint32_t i = FIRST; i < FIRST + SPAN; i++)
        for (int axis = 0; axis < 3; axis++)
            data->x[axis][i + WIDTH] = (data->x[axis][i] + data->x[axis][i + WIDTH]) / 2;
    WEFT_KERNEL(guard)(data);
    compare(&rig, &found);
    TEST_ASSERT_EQUAL_UINT32(1, found.halved);
    TEST_ASSERT_TRUE(found.worst < 3e-10);
    rig_close(&rig);
}

// What a failed step leaves behind is not in the next one, even where particles that were free are held now.
static void test_no_number_that_is_none_is_kept(void)
{
    Rig rig;
    rig_open(&rig, "{'step': 0.002, 'frames_per_second': 500, 'solver': {'precision': 'double', "
                   "'threads': 2}, 'cloths': [{'grid': {'size': [1, 1], 'counts': [41, 41]}, "
                   "'pins': [{'corner': 'top_left'}], " FABRIC "}]}");
    EngineData *data = rig_data(&rig);
    rig_step(&rig, 30);
    double        *before = NULL, *after = NULL;
    WeftStepReport report;
    solve(&rig, true, &report);
    TEST_ASSERT_TRUE(data->systems[0].halved);
    before = read_changes(data);
    rig.sim->backend->restore(rig.sim->engine);

    real kept = data->v[1][800];
    bool good = true;
    data->v[1][800] = (real)NAN;
    memset(&report, 0, sizeof(report));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, rig.sim->backend->step(rig.sim->engine, weft_sim_time(rig.sim),
                                                          rig.sim->step_size, &report, &good));
    TEST_ASSERT_FALSE(good);
    rig.sim->backend->restore(rig.sim->engine);
    data->v[1][800] = kept;
    solve(&rig, true, &report);
    after = read_changes(data);
    TEST_ASSERT_EQUAL_MEMORY(before, after, 3 * (size_t)data->particle_count * sizeof(double));
    free(before);
    free(after);

    // Rows around the particle are held where they are now: the others still see the springs that lead there.
    kept = data->x[1][945];
    data->x[1][945] = (real)NAN;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, rig.sim->backend->step(rig.sim->engine, weft_sim_time(rig.sim),
                                                          rig.sim->step_size, &report, &good));
    TEST_ASSERT_FALSE(good);
    rig.sim->backend->restore(rig.sim->engine);
    data->x[1][945] = kept;
    WEFT_KERNEL(guard)(data);
    for (uint32_t i = 640; i < 960; i++)
        data->pin_of[i] = 0;
    memset(&report, 0, sizeof(report));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, rig.sim->backend->step(rig.sim->engine, weft_sim_time(rig.sim),
                                                          rig.sim->step_size, &report, &good));
    for (uint32_t i = 0; i < data->particle_count; i++)
        TEST_ASSERT_TRUE(isfinite(data->x[1][i]));
    rig_close(&rig);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solution_is_that_of_the_whole_system);
    RUN_TEST(test_solution_of_small_components);
    RUN_TEST(test_solution_is_that_of_the_whole_system_on_solids);
    RUN_TEST(test_springs_that_go_slack_leave_the_matrix);
    RUN_TEST(test_no_number_that_is_none_is_kept);
    return UNITY_END();
}
