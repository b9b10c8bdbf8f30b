// test_grab.c: a vertex in the user's hand, on the CPU and on a device.
#include <math.h>
#include <stdio.h>

#include "test_gpu.h"
#include "weft.h"

enum
{
    SIDE = 9,
    MIDDLE = SIDE * SIDE / 2,
    CORNER = SIDE * (SIDE - 1) // top left, pinned
};

static const char scene_text[] =
    "{\"step\": 0.005, \"frames_per_second\": 50, \"cloths\": [{\"grid\": {\"size\": [0.4, 0.4], "
    "\"counts\": [9, 9]}, "
    "\"pins\": [{\"corner\": \"top_left\"}, {\"corner\": \"top_right\"}]}]}";

static WeftScene scene;
static WeftSim  *sim;
static WeftGpu  *other; // says whether there is a device
static double    x[3 * SIDE * SIDE];

static void open_on(const char *device)
{
    char        setting[64];
    const char *settings[] = {setting};
    snprintf(setting, sizeof setting, "solver.device=%s", device);
    EXPECT_OK(weft_scene_parse(&scene, scene_text, "test", NULL, settings, 1));
    EXPECT_OK(weft_sim_create(&sim, &scene));
}

void setUp(void)
{
    other = open_test_device(NULL);
}

void tearDown(void)
{
    weft_sim_destroy(sim);
    sim = NULL;
    weft_gpu_close(other);
    weft_scene_destroy(&scene);
    expect_no_validation_messages();
}

static void step(int count)
{
    for (int k = 0; k < count; k++)
        EXPECT_OK(weft_sim_step(sim, NULL));
    weft_sim_positions(sim, 0, x);
}

static void expect_at(uint32_t vertex, const double place[3])
{
    for (int axis = 0; axis < 3; axis++)
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, place[axis], x[3 * vertex + (uint32_t)axis]);
}

// The held vertex is where the hand is, its neighbours come along, and let go it is like all others.
static void hold_the_middle(const char *device)
{
    open_on(device);
    step(2);
    const uint32_t neighbour = MIDDLE + 1;
    double         hand[3] = {x[3 * MIDDLE], x[3 * MIDDLE + 1], x[3 * MIDDLE + 2]};
    for (int k = 0; k < 40; k++)
    {
        hand[2] += 0.002;
        EXPECT_OK(weft_sim_grab(sim, 0, MIDDLE, hand));
        step(1);
        expect_at(MIDDLE, hand);
    }
    TEST_ASSERT_TRUE(x[3 * neighbour + 2] > 0.02);

    // Another vertex: the first is free again.
    const double place[3] = {x[0], x[1], x[2]};
    EXPECT_OK(weft_sim_grab(sim, 0, 0, place));
    step(20);
    expect_at(0, place);
    TEST_ASSERT_TRUE(x[3 * MIDDLE + 2] < hand[2] - 0.005);

    EXPECT_OK(weft_sim_release(sim));
    EXPECT_OK(weft_sim_release(sim));
    step(20);
    TEST_ASSERT_TRUE(fabs(x[1] - place[1]) + fabs(x[2] - place[2]) > 1e-3);
}

// A pin gives its vertex to the hand, and takes it back.
static void hold_a_pin(const char *device)
{
    open_on(device);
    step(1);
    const double at[3] = {x[3 * CORNER], x[3 * CORNER + 1], x[3 * CORNER + 2]};
    double       hand[3] = {at[0], at[1], at[2]};
    for (int k = 0; k < 20; k++)
    {
        hand[2] += 0.001;
        EXPECT_OK(weft_sim_grab(sim, 0, CORNER, hand));
        step(1);
    }
    expect_at(CORNER, hand);
    EXPECT_OK(weft_sim_release(sim));
    step(1);
    expect_at(CORNER, at);
}

static void test_the_hand_holds_and_lets_go_on_the_cpu(void)
{
    hold_the_middle("cpu");
}

static void test_the_hand_holds_and_lets_go_on_a_device(void)
{
    hold_the_middle("gpu");
}

static void test_a_pin_takes_its_vertex_back_on_the_cpu(void)
{
    hold_a_pin("cpu");
}

static void test_a_pin_takes_its_vertex_back_on_a_device(void)
{
    hold_a_pin("gpu");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_hand_holds_and_lets_go_on_the_cpu);
    RUN_TEST(test_the_hand_holds_and_lets_go_on_a_device);
    RUN_TEST(test_a_pin_takes_its_vertex_back_on_the_cpu);
    RUN_TEST(test_a_pin_takes_its_vertex_back_on_a_device);
    return UNITY_END();
}
