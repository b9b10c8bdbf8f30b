// test_gpu_drops.c: cloth that falls on cloth at random, on a device: nothing passes through.
#include "drops.h"
#include "test_gpu.h"

void setUp(void)
{
}

void tearDown(void)
{
    expect_no_validation_messages();
}

// As many as WEFT_TEST_DROPS says, or one.
static void test_random_drops_do_not_intersect(void)
{
    const char *drops = getenv("WEFT_TEST_DROPS");
    WeftGpu    *gpu = open_test_device(NULL); // or the test is left out
    weft_gpu_close(gpu);
    for (uint32_t seed = 1; seed <= strtoul(drops ? drops : "1", NULL, 10); seed++)
        expect_good_drop(seed, "'solver': {'device': 'gpu'}");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_drops_do_not_intersect);
    return UNITY_END();
}
