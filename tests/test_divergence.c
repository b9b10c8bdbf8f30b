// test_divergence.c: what happens to a step that fails: it is taken back and halved, the state never
// holds anything that is not a number, and giving up leaves the last good state.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void check_finite(Rig *rig)
{
    rig_read(rig);
    for (uint32_t k = 0; k < 3 * rig->count; k++)
        TEST_ASSERT_TRUE(isfinite(rig->x[k]) && isfinite(rig->v[k]));
}

// A particle circling a pin at 2 rad/s. A step of 0.5 s leads along the tangent to 1.41 rest
// lengths, beyond the limit; half of it to 1.12.
static void open_circling(Rig *rig, const char *precision, int retries)
{
    rig_open(
        rig,
        "{'step': 0.5, 'frames_per_second': 2, 'integrator': {'method': 'implicit', 'retries': "
        "%d, 'stretch_limit': 1.2}, 'solver': {'precision': '%s'}, 'gravity': [0, 0, 0], 'air': "
        "{'density': 0}, 'cloths': [{'grid': {'size': [1, 1], 'counts': [2, 1]}, "
        "'particle_mass': 0.01, 'velocity': [0, 2, 0], 'pins': [{'indices': [0]}]}]}",
        retries, precision);
}

static void test_failed_steps_are_halved_and_counted(void)
{
    const char *precisions[] = {"float", "double"};
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        open_circling(&rig, precisions[k], 12);
        uint32_t halvings = 0;
        for (int n = 0; n < 5; n++)
        {
            WeftStepReport report = rig_step(&rig, 1);
            check_finite(&rig);
            halvings += report.halvings;
            TEST_ASSERT_TRUE(report.halvings == 0 ? report.step_size == rig.sim->step_size
                                                  : report.step_size <= rig.sim->step_size / 2);
            TEST_ASSERT_TRUE(report.largest_stretch <= 1.2);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, (n + 1) * 0.5, weft_sim_time(rig.sim));
        }
        printf("%s: %u halvings in 5 steps\n", precisions[k], halvings);
        TEST_ASSERT_TRUE(halvings > 0);
        TEST_ASSERT_EQUAL_UINT32(halvings, weft_sim_report(rig.sim).halvings);
        TEST_ASSERT_EQUAL_UINT32(5, weft_sim_report(rig.sim).step_count);
        TEST_ASSERT_TRUE(weft_sim_report(rig.sim).largest_stretch <= 1.2);
        rig_close(&rig);
    }
}

// A ball in the middle of the cloth throws its particles to all sides at once, which no step is small enough for.
static void test_a_start_inside_a_solid_is_suspected(void)
{
    Rig rig;
    rig_open(&rig, "{'cloths': [{'grid': {'counts': [21, 21]}}], 'solids': [{'type': 'sphere', "
                   "'radius': 0.3, 'position': [0, 0.1, 0.05]}]}");
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_sim_step(rig.sim, NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), "inside a solid"),
                                 weft_error_message());
    check_finite(&rig);
    rig_close(&rig);
}

static void test_giving_up_leaves_the_last_good_state(void)
{
    for (int retries = 0; retries < 3; retries++)
    {
        Rig            rig;
        WeftStepReport report;
        open_circling(&rig, "double", retries);
        // So fast that two halvings do not suffice.
        rig_data(&rig)->v[1][1] = 10;
        rig_read(&rig);
        double x[6], v[6];
        memcpy(x, rig.x, sizeof(x));
        memcpy(v, rig.v, sizeof(v));
        TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_sim_step(rig.sim, &report));
        TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "stretch_limit"));
        TEST_ASSERT_EQUAL_UINT32(retries, report.halvings);
        TEST_ASSERT_EQUAL_UINT32(retries, weft_sim_report(rig.sim).halvings);
        TEST_ASSERT_EQUAL_UINT32(0, weft_sim_report(rig.sim).step_count);
        TEST_ASSERT_EQUAL_DOUBLE(0, weft_sim_time(rig.sim));
        rig_read(&rig);
        TEST_ASSERT_EQUAL_MEMORY(x, rig.x, sizeof(x));
        TEST_ASSERT_EQUAL_MEMORY(v, rig.v, sizeof(v));

        // From there it can go on with better settings.
        rig.scene.integrator.retries = 12;
        rig_step(&rig, 20);
        check_finite(&rig);
        rig_close(&rig);
    }
}

// NaN spreads to all that it meets, in the state and in the vectors of the solver.
static void check_recovery(bool poison_all)
{
    Rig            rig;
    WeftStepReport report;
    rig_open(
        &rig,
        "{'step': 0.01, 'frames_per_second': 100, 'integrator': {'method': 'implicit', "
        "'retries': 2}, 'gravity': [1, 9.81, 2],"
        "'solver': {'precision': 'double', 'threads': 2}, 'cloths': [{'grid': {'size': [1, 1], "
        "'counts': [37, 37]}, 'pins': [{'indices': [0, 36]}]}, {'grid': {'size': [1, 1], "
        "'counts': [35, 36]}, 'position': [0, 0, 1], 'pins': [{'indices': [3, 31]}]}]}");
    rig_step(&rig, WEFT_TEST_SIZE(30, 12));
    rig_read(&rig);
    double *x = malloc(3 * rig.count * sizeof(double));
    memcpy(x, rig.x, 3 * rig.count * sizeof(double));

    // Into the second cloth, or into one particle of the first.
    uint32_t first = poison_all ? 37 * 37 : 700, last = poison_all ? 37 * 37 + 35 * 36 : 701;
    for (int pass = 0; pass < 2; pass++)
    {
        for (uint32_t i = first; i < last; i++)
            rig_data(&rig)->v[0][i] = pass ? 0 : NAN;
        if (pass == 0)
        {
            TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_sim_step(rig.sim, &report));
            TEST_ASSERT_EQUAL_UINT32(2, report.halvings);
            rig_read(&rig);
            TEST_ASSERT_EQUAL_MEMORY(x, rig.x, 3 * rig.count * sizeof(double));
        }
    }

    // With the cause gone, nothing of it is left in the engine.
    TEST_ASSERT_EQUAL_UINT32(0, rig_step(&rig, 1).unconverged_count);
    rig_step(&rig, 10);
    check_finite(&rig);
    free(x);
    rig_close(&rig);
}

static void test_state_survives_numbers_that_are_none(void)
{
    check_recovery(false);
    check_recovery(true);
}

// Both ends of a spring in one place: it has no direction, and no force either.
static void test_springs_of_no_length_do_no_harm(void)
{
    const char *methods[] = {"explicit", "implicit"};
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.0001, 'frames_per_second': 10000, 'integrator': {'method': '%s', "
                 "'stretch_limit': 10}, "
                 "'solver': {'precision': 'double'}, 'cloths': [{'grid': {'size': [0.5, 0.5], "
                 "'counts': [6, 6]}, 'pins': [{'corner': 'top_left'}]}]}",
                 methods[k]);
        EngineData *data = rig_data(&rig);
        for (int axis = 0; axis < 3; axis++)
            data->x[axis][8] = data->x[axis][9] = data->x[axis][14];
        WEFT_KERNEL(guard)(data);
        WeftStepReport report = rig_step(&rig, 1);
        TEST_ASSERT_EQUAL_UINT32(0, report.halvings);
        check_finite(&rig);
        rig_close(&rig);
    }
}

static void test_stretch_limit_is_respected(void)
{
    // A pin tears at a cloth whose other end is held: at 1.2 rest lengths the run must stop.
    Rig            rig;
    WeftStepReport report;
    WeftStatus     status = WEFT_OK;
    rig_open(
        &rig,
        "{'step': 0.01, 'frames_per_second': 100, 'integrator': {'method': 'implicit', "
        "'stretch_limit': 1.2, 'retries': 3}, 'gravity': [0, 0, 0], 'cloths': [{'grid': {'size': "
        "[1, 1], 'counts': [5, 1]}, 'pins': [{'indices': [0]}, {'indices': [4], 'keyframes': "
        "[{'time': 0}, {'time': 1, 'position': [1, 0, 0]}]}]}]}");
    while (status == WEFT_OK && weft_sim_time(rig.sim) < 1)
    {
        status = weft_sim_step(rig.sim, &report);
        check_finite(&rig);
        for (uint32_t i = 0; i < 4; i++)
        {
            double length =
                hypot(hypot(rig.x[3 * i + 3] - rig.x[3 * i], rig.x[3 * i + 4] - rig.x[3 * i + 1]),
                      rig.x[3 * i + 5] - rig.x[3 * i + 2]);
            TEST_ASSERT_TRUE(length / 0.25 <= 1.2 + 1e-6);
        }
    }
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, status);
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "stretch_limit"));
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.2, weft_sim_time(rig.sim));
    rig_close(&rig);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_failed_steps_are_halved_and_counted);
    RUN_TEST(test_a_start_inside_a_solid_is_suspected);
    RUN_TEST(test_giving_up_leaves_the_last_good_state);
    RUN_TEST(test_state_survives_numbers_that_are_none);
    RUN_TEST(test_springs_of_no_length_do_no_harm);
    RUN_TEST(test_stretch_limit_is_respected);
    return UNITY_END();
}
