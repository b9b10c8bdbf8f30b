// test_integrators.c: how the integrators step, against closed forms, and which springs they take
// implicitly.
//
// Springs act in extension only, so the oscillators are particles between springs that are shortened
// in the engine until they pull from both sides.
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

#define MASS 0.5
#define STIFFNESS 40.0 // N/m of each spring

// A chain of `inner` particles between two held ones, 1 m apart, every spring pulled to 1 / 0.6 of
// its rest length. A strip of 1 m width has k = E / 1 m.
static void open_chain(Rig *rig, int inner, const char *method, double step)
{
    rig_open(rig,
             "{'step': %.17g, 'frames_per_second': %.17g, 'gravity': [0, 0, 0], 'air': {'density': "
             "0}, 'integrator': {'method': '%s', 'stretch_limit': 100, 'retries': 0}, 'solver': "
             "{'precision': 'double', 'threads': 1, 'tolerance': 1e-14},"
             "'cloths': [{'grid': {'size': [%d, 1], 'counts': [%d, 1]}, 'particle_mass': %g,"
             "'material': {'stretch_stiffness': %g, 'stretch_damping': 0, 'bend_stiffness': 0,"
             "'bend_damping': 0}, 'pins': [{'indices': [0, %d]}]}]}",
             step, 1 / step, method, inner + 1, inner + 2, MASS, STIFFNESS, inner + 1);
    SpringList *list = &rig_data(rig)->structural;
    for (uint32_t k = SLICE; k < list->storage_count; k++)
        list->slack[k] = list->rest[k] *= 0.6;
}

static void test_implicit_euler_damps_an_oscillation_by_its_closed_form(void)
{
    const double steps[] = {0.001, 0.02, 0.3};
    for (int k = 0; k < 3; k++)
    {
        double h = steps[k], w2 = 2 * STIFFNESS / MASS, factor = 1 / sqrt(1 + w2 * h * h);
        Rig    rig;
        open_chain(&rig, 1, "implicit", h);
        double *x = &rig_data(&rig)->x[0][1], *v = &rig_data(&rig)->v[0][1], middle = *x;
        *x += 0.1;
        *v = 0.3;
        WEFT_KERNEL(guard)(rig_data(&rig));
        for (int n = 0; n < 5; n++)
        {
            double before = sqrt(w2 * (*x - middle) * (*x - middle) + *v * *v);
            rig_step(&rig, 1);
            double after = sqrt(w2 * (*x - middle) * (*x - middle) + *v * *v);
            TEST_ASSERT_DOUBLE_WITHIN(1e-7, factor, after / before);
        }
        rig_close(&rig);
    }
}

// Across the line it is the tension that pulls back: w^2 = 2 T / (m l) for small swings.
static void test_implicit_euler_damps_a_swing_across_the_line_alike(void)
{
    double h = 0.05, w2 = 2 * STIFFNESS * 0.4 / MASS, factor = 1 / sqrt(1 + w2 * h * h);
    Rig    rig;
    open_chain(&rig, 1, "implicit", h);
    double *y = &rig_data(&rig)->x[1][1], *v = &rig_data(&rig)->v[1][1];
    *y = 1e-4;
    WEFT_KERNEL(guard)(rig_data(&rig));
    for (int n = 0; n < 10; n++)
    {
        double before = sqrt(w2 * *y * *y + *v * *v);
        rig_step(&rig, 1);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, factor, sqrt(w2 * *y * *y + *v * *v) / before);
    }
    rig_close(&rig);
}

// Forward-backward Euler neither damps nor grows below wh = 2: w^2 x^2 + v^2 - h w^2 x v is kept.
static void test_explicit_step_keeps_its_invariant_below_the_limit(void)
{
    const double wh[] = {0.1, 1, 1.9, 1.99};
    for (int k = 0; k < 4; k++)
    {
        double w2 = 2 * STIFFNESS / MASS, h = wh[k] / sqrt(w2);
        Rig    rig;
        open_chain(&rig, 1, "explicit", h);
        double *x = &rig_data(&rig)->x[0][1], *v = &rig_data(&rig)->v[0][1], middle = *x;
        *x += 0.01;
        WEFT_KERNEL(guard)(rig_data(&rig));
        double start = w2 * 1e-4, worst = 0;
        for (int n = 0; n < 2000; n++)
        {
            rig_step(&rig, 1);
            double at = *x - middle, kept = w2 * at * at + *v * *v - h * w2 * at * *v;
            worst = fmax(worst, fabs(kept / start - 1));
        }
        TEST_ASSERT_TRUE(worst < 1e-6);
        rig_close(&rig);
    }
}

// The largest motion of a chain of 6 in `count` explicit steps of wh = w_max h, from its fastest
// mode at 1e-6 m.
static double largest_motion(double wh, int count)
{
    const int    inner = 6;
    const double angle = inner * M_PI / (2 * (inner + 1));
    const double fastest = 2 * sqrt(STIFFNESS / MASS) * sin(angle);
    Rig          rig;
    open_chain(&rig, inner, "explicit", wh / fastest);
    EngineData *data = rig_data(&rig);
    double      places[8], most = 0;
    for (int i = 0; i <= inner + 1; i++)
        places[i] = data->x[0][i];
    for (int i = 1; i <= inner; i++)
        data->x[0][i] += 1e-6 * sin(i * inner * M_PI / (inner + 1));
    WEFT_KERNEL(guard)(data);
    for (int n = 0; n < count; n++)
    {
        rig_step(&rig, 1);
        for (int i = 1; i <= inner; i++)
            most = fmax(most, fabs(data->x[0][i] - places[i]));
    }
    rig_close(&rig);
    return most;
}

static void test_explicit_chain_is_stable_up_to_wh_2(void)
{
    TEST_ASSERT_TRUE(largest_motion(1.98, 1000) < 1e-4);
    TEST_ASSERT_TRUE(largest_motion(2.02, 60) > 1e-3);
}

static void test_free_fall_is_that_of_backward_positions(void)
{
    const char *methods[] = {"explicit", "implicit", "imex", "adaptive"};
    const char *precisions[] = {"float", "double"};
    for (int k = 0; k < 8; k++)
    {
        const double h = 0.01, n = 50, fall = -9.81 * h * h * n * (n + 1) / 2;
        Rig          rig;
        rig_open(&rig,
                 "{'step': 0.01, 'frames_per_second': 100, 'air': {'density': 0}, 'integrator': "
                 "{'method': '%s'}, 'solver': {'precision': '%s', 'tolerance': %g},"
                 "'cloths': [{'grid': {'counts': [3, 3]}}]}",
                 methods[k % 4], precisions[k / 4], k < 4 ? 1e-6 : 1e-14);
        double *start = malloc(3 * rig.count * sizeof(double));
        memcpy(start, rig.x, 3 * rig.count * sizeof(double));
        rig_step(&rig, (int)n);
        rig_read(&rig);
        for (uint32_t i = 0; i < rig.count; i++)
        {
            TEST_ASSERT_DOUBLE_WITHIN(k < 4 ? 2e-5 : 1e-12, start[3 * i + 1] + fall,
                                      rig.x[3 * i + 1]);
            TEST_ASSERT_DOUBLE_WITHIN(k < 4 ? 2e-5 : 1e-12, start[3 * i], rig.x[3 * i]);
        }
        free(start);
        rig_close(&rig);
    }
}

// Rest lengths and positions are rounded; that must not count as stretch. (Where cloth bends, springs bear beams at rest.)
static void test_springs_of_a_cloth_at_rest_do_not_act(void)
{
    const char *precisions[] = {"float", "double"};
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.01, 'frames_per_second': 100, 'air': {'density': 0}, 'integrator': "
                 "{'method': 'implicit'}, 'solver': {'precision': '%s'}, 'cloths': [{'grid': "
                 "{'size': [0.7, 1.1], 'counts': [12, 14]}, 'rotation': [31, 47, 11], 'material': "
                 "{'bend_stiffness': 0}}]}",
                 precisions[k]);
        WeftStepReport report = rig_step(&rig, 1);
        TEST_ASSERT_EQUAL_UINT32(0, report.active_springs);
        // They are in the matrix, though: the least pull makes them act.
        TEST_ASSERT_EQUAL_UINT32(1, report.component_count);
        rig_close(&rig);
    }
}

// Cloth that is short of its rest length by a little more than NEARLY_TAUT falls apart into its
// particles, by a little less it is one component.
static void test_slack_springs_are_in_no_matrix(void)
{
    const double parts[] = {1.01, 0.99};
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'solver': {'precision': 'double'}, 'cloths': [{'grid': {'size': [0.7, 1.1], "
                 "'counts': [12, 14]}, 'material': {'bend_stiffness': 0}}]}");
        EngineData *data = rig_data(&rig);
        for (uint32_t i = 0; i < data->particle_count; i++)
            for (int axis = 0; axis < 3; axis++)
                data->x[axis][i] *= 1 - parts[k] * NEARLY_TAUT;
        WEFT_KERNEL(guard)(data);
        data->h = 0.01;
        WEFT_KERNEL(weave)(data);
        WEFT_KERNEL(classify)(data);
        TEST_ASSERT_EQUAL_UINT32(0, data->active_count);
        TEST_ASSERT_EQUAL_UINT32(k == 0 ? 0 : data->structural.spring_count, data->implicit_count);
        rig_close(&rig);
    }
}

#define CRUMPLED                                                                                   \
    "'cloths': [{'grid': {'size': [1, 0.7], 'counts': [12, 9]}, 'material': "                      \
    "{'stretch_stiffness': 60, 'shear_stiffness': 25, 'stretch_damping': 0.01, "                   \
    "'shear_damping': 0.02, 'bend_stiffness': %g}, 'pins': [{'corner': 'top_left'}, {'corner': "   \
    "'top_right'}]}]"

static void open_crumpled(Rig *rig, const char *method, double threshold, double bending)
{
    rig_open(rig,
             "{'step': 0.01, 'frames_per_second': 100, 'integrator': {'method': '%s', 'threshold': "
             "%.17g, 'stretch_limit': 100}, 'solver': {'precision': 'double', 'threads': 1}, "
             "'air': {'density': 0}, " CRUMPLED "}",
             method, threshold, bending);
    EngineData *data = rig_data(rig);
    random_seed(11);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (int axis = 0; axis < 3; axis++)
            data->x[axis][i] += random_between(-0.03, 0.03);
    WEFT_KERNEL(guard)(data);
    data->h = 0.01;
}

// What each spring of the model should be, against the flags in the engine's storage.
static void check_flags(const char *method, double threshold)
{
    Rig       rig;
    WeftModel model;
    open_crumpled(&rig, method, threshold, 1e-4);
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_model_create(&model, &rig.scene));
    EngineData *data = rig_data(&rig);
    SpringList *list = &data->structural;
    WEFT_KERNEL(weave)(data);
    WEFT_KERNEL(classify)(data);
    uint32_t active_count = 0, implicit_count = 0, found = 0;
    for (uint32_t k = 0; k < model.structural_count; k++)
    {
        const WeftSpring *spring = &model.springs.structural[k];
        double            d2 = 0;
        for (int axis = 0; axis < 3; axis++)
        {
            double d = data->x[axis][spring->b] - data->x[axis][spring->a];
            d2 += d * d;
        }
        double  mass = fmin(model.shares[spring->a], model.shares[spring->b]);
        double  slack = spring->rest - spring->hold / (double)spring->stiffness;
        bool    active = sqrt(d2) > slack, shear = model.springs.is_shear[k];
        bool    taut = sqrt(d2) > slack * (1 - NEARLY_TAUT), based = spring->base > 0;
        double  stiffness = (taut ? (double)spring->stiffness : 0) + spring->base;
        double  kappa = 0.01 / mass * (stiffness * 0.01 + 2 * (taut ? (double)spring->damping : 0));
        bool    implicit = (taut || based) && (strcmp(method, "implicit") == 0 ||
                                            (strcmp(method, "imex") == 0 && !shear) ||
                                            (strcmp(method, "adaptive") == 0 && kappa > threshold));
        uint8_t expected =
            (uint8_t)(SPRING_PRESENT | (shear ? SPRING_SHEAR : 0) | (active ? SPRING_ACTIVE : 0) |
                      (implicit ? SPRING_IMPLICIT : 0));
        active_count += active;
        implicit_count += implicit;

        // Its place in the storage, by owner and far end.
        for (uint32_t r = 0; r < list->tile_runs[data->tile_count]; r++)
        {
            const SpringRun *run = &list->runs[r];
            if (spring->a < run->owner || spring->a >= run->owner + run->count)
                continue;
            uint32_t at = run->spring + spring->a - run->owner;
            if (list->other[at] != spring->b || !(list->flags[at] & SPRING_PRESENT) ||
                ((list->flags[at] & SPRING_SHEAR) != 0) != shear)
                continue;
            TEST_ASSERT_EQUAL_UINT8(expected, list->flags[at]);
            found++;
        }
    }
    TEST_ASSERT_EQUAL_UINT32(model.structural_count, found);
    TEST_ASSERT_EQUAL_UINT32(active_count, data->active_count);
    TEST_ASSERT_EQUAL_UINT32(implicit_count, data->implicit_count);
    if (strcmp(method, "adaptive") == 0)
        TEST_ASSERT_TRUE(implicit_count > 0 && implicit_count < active_count);
    weft_model_destroy(&model);
    rig_close(&rig);
}

static void test_springs_are_implicit_as_the_method_says(void)
{
    check_flags("explicit", 0.2);
    check_flags("implicit", 0.2);
    check_flags("imex", 0.2);
}

// Shear springs, stretch springs along an edge, which are half as stiff, and those inside: a threshold between their kappas parts them.
// Corners and edges have less mass, but as much of it for each spring.
static void test_adaptive_takes_springs_above_the_threshold_implicitly(void)
{
    check_flags("adaptive", 2.6);
    check_flags("adaptive", 4);
    check_flags("adaptive", 5.2);
}

static void check_equal_runs(const char *method, double threshold, double bending)
{
    Rig adaptive, plain;
    open_crumpled(&adaptive, "adaptive", threshold, bending);
    open_crumpled(&plain, method, 0.2, bending);
    // Small steps, so that the explicit run is stable.
    adaptive.sim->step_size = plain.sim->step_size = 0.001;
    rig_step(&adaptive, 50);
    rig_step(&plain, 50);
    rig_read(&adaptive);
    rig_read(&plain);
    TEST_ASSERT_EQUAL_MEMORY(plain.x, adaptive.x, 3 * plain.count * sizeof(double));
    TEST_ASSERT_EQUAL_MEMORY(plain.v, adaptive.v, 3 * plain.count * sizeof(double));
    rig_close(&adaptive);
    rig_close(&plain);
}

static void test_adaptive_is_implicit_at_threshold_0_and_explicit_at_a_huge_one(void)
{
    check_equal_runs("implicit", 0, 6e-6);
    // Bending is taken where the velocities lead, but not by the explicit method.
    check_equal_runs("explicit", 1e9, 0);
}

// Halving the step of the implicit method halves its error: first order.
static void test_implicit_step_is_of_first_order(void)
{
    double errors[2];
    for (int k = 0; k < 2; k++)
    {
        const double h = k ? 0.0005 : 0.001, w = sqrt(2 * STIFFNESS / MASS), end = 0.2;
        Rig          rig;
        open_chain(&rig, 1, "implicit", h);
        double *x = &rig_data(&rig)->x[0][1], middle = *x;
        *x += 0.1;
        WEFT_KERNEL(guard)(rig_data(&rig));
        rig_step(&rig, (int)(end / h + 0.5));
        errors[k] = fabs(*x - middle - 0.1 * cos(w * end));
        rig_close(&rig);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 2, errors[0] / errors[1]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_implicit_euler_damps_an_oscillation_by_its_closed_form);
    RUN_TEST(test_implicit_euler_damps_a_swing_across_the_line_alike);
    RUN_TEST(test_explicit_step_keeps_its_invariant_below_the_limit);
    RUN_TEST(test_explicit_chain_is_stable_up_to_wh_2);
    RUN_TEST(test_free_fall_is_that_of_backward_positions);
    RUN_TEST(test_springs_of_a_cloth_at_rest_do_not_act);
    RUN_TEST(test_slack_springs_are_in_no_matrix);
    RUN_TEST(test_springs_are_implicit_as_the_method_says);
    RUN_TEST(test_adaptive_takes_springs_above_the_threshold_implicitly);
    RUN_TEST(test_adaptive_is_implicit_at_threshold_0_and_explicit_at_a_huge_one);
    RUN_TEST(test_implicit_step_is_of_first_order);
    return UNITY_END();
}
