// test_change.c: what may be changed while a simulation runs acts at once, on the CPU and on a device.
#include <math.h>
#include <stdio.h>

#include "test_gpu.h"
#include "weft.h"

enum
{
    SIDE = 9,
    COUNT = SIDE * SIDE
};

// %g: what the cloth is made of.
static const char scene_text[] =
    "{\"step\": 0.005, \"frames_per_second\": 50, \"solver\": {\"device\": \"%s\", \"tolerance\": "
    "1e-8}, \"cloths\": "
    "[{\"material\": {\"stretch_stiffness\": %g, \"shear_stiffness\": %g, \"bend_stiffness\": %g, "
    "\"stretch_damping\": "
    "%g, \"shear_damping\": %g, \"bend_damping\": %g}, \"grid\": {\"size\": [0.4, 0.4], "
    "\"counts\": [9, 9]}, "
    "\"rotation\": [-60, 0, 0], \"pins\": [{\"corner\": \"top_left\"}]}]}";

static WeftScene scene;
static WeftSim  *sim;
static WeftGpu  *other; // says whether there is a device
static double    x[3 * COUNT], before[3 * COUNT];

static void open_on(const char *device, double stiffness, double damping)
{
    char text[1024];
    snprintf(text, sizeof text, scene_text, device, 100 * stiffness, 2 * stiffness,
             1e-5 * stiffness, 0.1 * damping, 0.001 * damping, 0.0005 * damping);
    EXPECT_OK(weft_scene_parse(&scene, text, "test", NULL, NULL, 0));
    EXPECT_OK(weft_sim_create(&sim, &scene));
}

static void close_sim(void)
{
    weft_sim_destroy(sim);
    weft_scene_destroy(&scene);
    sim = NULL;
}

void setUp(void)
{
    other = open_test_device(NULL);
}

void tearDown(void)
{
    close_sim();
    weft_gpu_close(other);
    expect_no_validation_messages();
}

static void step(int count)
{
    for (int k = 0; k < count; k++)
        EXPECT_OK(weft_sim_step(sim, NULL));
    weft_sim_positions(sim, 0, x);
}

// Largest way between x and `before`.
static double difference(void)
{
    double most = 0;
    for (int k = 0; k < 3 * COUNT; k++)
        most = fmax(most, fabs(x[k] - before[k]));
    return most;
}

// Scaled springs are those of a scene with that material.
static void scale_springs(const char *device)
{
    open_on(device, 4, 3);
    step(40);
    memcpy(before, x, sizeof before);
    close_sim();
    open_on(device, 1, 1);
    step(40);
    TEST_ASSERT_TRUE(difference() > 1e-3);
    close_sim();
    open_on(device, 1, 1);
    EXPECT_OK(weft_sim_scale_springs(sim, 0.5, 2));
    EXPECT_OK(weft_sim_scale_springs(sim, 4, 3));
    step(40);
    TEST_ASSERT_TRUE(difference() < 1e-5);
}

// The clock goes on where it was, and frames are cut anew.
static void change_step(const char *device)
{
    open_on(device, 1, 1);
    step(6);
    weft_sim_set_step(sim, 0.002);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.03, weft_sim_time(sim));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.002, weft_sim_step_size(sim));
    EXPECT_OK(weft_sim_advance_frame(sim));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.05, weft_sim_time(sim));
    TEST_ASSERT_EQUAL_UINT32(16, weft_sim_report(sim).step_count);
    TEST_ASSERT_EQUAL_UINT32(2, weft_sim_report(sim).frame_count);
}

static void change_wind(const char *device)
{
    open_on(device, 1, 1);
    step(5);
    memcpy(before, x, sizeof before);
    scene.air.wind[0] = 10;
    step(20);
    double shift = 0;
    for (int k = 0; k < COUNT; k++)
        shift += (x[3 * k] - before[3 * k]) / COUNT;
    TEST_ASSERT_TRUE(shift > 1e-3);
}

static void test_springs_are_scaled_on_the_cpu(void)
{
    scale_springs("cpu");
}

static void test_springs_are_scaled_on_a_device(void)
{
    scale_springs("gpu");
}

static void test_the_step_changes_on_the_cpu(void)
{
    change_step("cpu");
}

static void test_the_step_changes_on_a_device(void)
{
    change_step("gpu");
}

static void test_the_wind_changes_on_the_cpu(void)
{
    change_wind("cpu");
}

static void test_the_wind_changes_on_a_device(void)
{
    change_wind("gpu");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_springs_are_scaled_on_the_cpu);
    RUN_TEST(test_springs_are_scaled_on_a_device);
    RUN_TEST(test_the_step_changes_on_the_cpu);
    RUN_TEST(test_the_step_changes_on_a_device);
    RUN_TEST(test_the_wind_changes_on_the_cpu);
    RUN_TEST(test_the_wind_changes_on_a_device);
    return UNITY_END();
}
