// test_gpu_runs.c: runs on a device repeat bit for bit, and end in a clear error where the device fails.
#include <stdio.h>

#include "gpu/backend_vulkan.h"
#include "sim/intersections.h"
#include "sim/sim_internal.h"
#include "test_gpu.h"
#include "weft.h"

#define STEPS 6

// One large component, small ones and single particles, contacts and pins.
static const char scene_text[] =
    "{\"step\": 0.004, \"solver\": {\"device\": \"gpu\"}, \"cloths\": [{\"grid\": {\"size\": [1, "
    "1], \"counts\": "
    "[33, 29]}, \"rotation\": [-90, 0, 0], \"position\": [0.1, 0.302, 0], \"pins\": [{\"corner\": "
    "\"top_left\"}]}], \"solids\": [{\"type\": \"sphere\", \"radius\": 0.3}], \"air\": {\"wind\": "
    "[2, 0, 1]}}";

// A rag just above a sheet that is held at its corners.
static const char layers_text[] =
    "{\"step\": 0.004, \"solver\": {\"device\": \"gpu\"}, \"contact\": {\"cloth\": true}, "
    "\"cloths\": [{\"grid\": {\"size\": [0.12, 0.12], \"counts\": [11, 11]}, \"rotation\": [-90, "
    "0, "
    "0], \"material\": {\"thickness\": 0.004}, \"pins\": [{\"corner\": \"top_left\"}, {\"corner\": "
    "\"top_right\"}, {\"corner\": \"bottom_left\"}, {\"corner\": \"bottom_right\"}]}, {\"grid\": "
    "{\"size\": [0.08, 0.08], \"counts\": [7, 7]}, \"rotation\": [-90, 30, 0], \"position\": "
    "[0.01, "
    "0.0035, 0.005], \"material\": {\"thickness\": 0.004}}]}";

static WeftScene scene;
static WeftSim  *sim;
static WeftGpu  *other; // stays open, so that Vulkan's entry points stay as a test has set them

void setUp(void)
{
    EXPECT_OK(weft_scene_parse(&scene, scene_text, "test", NULL, NULL, 0));
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

// FNV-1a
static uint64_t hash_array(uint64_t hash, WeftGpuEngine *engine, WeftArray array)
{
    size_t   size = engine->arrays[array].size;
    uint8_t *bytes = malloc(size);
    EXPECT_OK(weft_gpu_download(engine->gpu, &engine->arrays[array], 0, bytes, size));
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ bytes[k]) * UINT64_C(1099511628211);
    free(bytes);
    return hash;
}

// Runs from the same start; returns the report of the last step.
static WeftStepReport expect_same_bits(int runs)
{
    EXPECT_OK(weft_sim_create(&sim, &scene));
    WeftGpuBackend *backend = sim->engine;
    WeftStepReport  last = {0};
    uint64_t        first = 0;
    for (int run = 0; run < runs; run++)
    {
        // The host's engine still has the state of the beginning.
        WeftStepReport reports[STEPS] = {0};
        uint32_t       done;
        for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
            EXPECT_OK(weft_gpu_engine_upload(&backend->engine, (WeftArray)k, backend->twin,
                                             backend->host));
        EXPECT_OK(sim->backend->advance(backend, 0, 0.004, STEPS, reports, &done));
        TEST_ASSERT_EQUAL_UINT32(STEPS, done);
        uint64_t hash = UINT64_C(14695981039346656037);
        hash = hash_array(hash, &backend->engine, WEFT_ARRAY_x);
        hash = hash_array(hash, &backend->engine, WEFT_ARRAY_v);
        first = run == 0 ? hash : first;
        TEST_ASSERT_EQUAL_HEX64(first, hash);
        last = reports[STEPS - 1];
    }
    printf("hash %016llx\n", (unsigned long long)first);
    return last;
}

static void test_a_hundred_runs_give_the_same_bits(void)
{
    WeftStepReport last = expect_same_bits(100);
    TEST_ASSERT_TRUE(last.largest_component > SMALL_COMPONENT);
    TEST_ASSERT_TRUE(last.contact_count > 0);
}

static void use_layers(void)
{
    weft_scene_destroy(&scene);
    EXPECT_OK(weft_scene_parse(&scene, layers_text, "test", NULL, NULL, 0));
}

static void test_runs_with_contact_of_cloth_give_the_same_bits(void)
{
    use_layers();
    TEST_ASSERT_TRUE(expect_same_bits(5).cloth_contact_count > 0);
}

static void test_cloth_does_not_pass_through_cloth(void)
{
    WeftStepReport report;
    uint64_t       cuts;
    uint32_t       contacts = 0;
    use_layers();
    EXPECT_OK(weft_sim_create(&sim, &scene));
    for (int step = 0; step < 40; step++)
    {
        EXPECT_OK(weft_sim_step(sim, &report));
        contacts = report.cloth_contact_count > contacts ? report.cloth_contact_count : contacts;
        EXPECT_OK(weft_count_intersections(sim, &cuts));
        TEST_ASSERT_EQUAL_UINT64(0, cuts);
    }
    TEST_ASSERT_TRUE(contacts > 30);
}

// Stands in for a driver that gives up.
static PFN_vkWaitForFences true_wait;

static VKAPI_ATTR VkResult VKAPI_CALL wait_in_vain(VkDevice device, uint32_t count,
                                                   const VkFence *fences, VkBool32 all,
                                                   uint64_t timeout)
{
    (void)true_wait(device, count, fences, all, timeout);
    return VK_ERROR_DEVICE_LOST;
}

static void test_a_lost_device_is_told(void)
{
    EXPECT_OK(weft_sim_create(&sim, &scene));
    EXPECT_OK(weft_sim_step(sim, NULL));
    true_wait = vkWaitForFences;
    vkWaitForFences = wait_in_vain;
    WeftStatus  status = weft_sim_step(sim, NULL);
    const char *message = weft_error_message();
    vkWaitForFences = true_wait;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "the device was lost"), message);
}

// Stands in for a device whose memory is full after a number of buffers.
static PFN_vkGetDeviceProcAddr true_address;
static PFN_vkCreateBuffer      true_create;
static int                     buffers_left;

static VKAPI_ATTR VkResult VKAPI_CALL create_some(VkDevice device, const VkBufferCreateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkBuffer                    *buffer)
{
    if (buffers_left-- <= 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return true_create(device, info, callbacks, buffer);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL address_of(VkDevice device, const char *name)
{
    PFN_vkVoidFunction found = true_address(device, name);
    if (strcmp(name, "vkCreateBuffer") != 0)
        return found;
    true_create = (PFN_vkCreateBuffer)found;
    return (PFN_vkVoidFunction)create_some;
}

static void test_too_little_memory_is_told(void)
{
    // For the staging buffer, the first array, one in the middle, one of contact, one of the solver's.
    const int left[] = {0, 1, 30, WEFT_ARRAY_COUNT + 10, WEFT_ARRAY_COUNT + 14};
    true_address = vkGetDeviceProcAddr;
    for (size_t k = 0; k < sizeof(left) / sizeof(left[0]); k++)
    {
        vkGetDeviceProcAddr = address_of;
        buffers_left = left[k];
        WeftStatus  status = weft_sim_create(&sim, &scene);
        const char *message = weft_error_message();
        vkGetDeviceProcAddr = true_address;
        TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_ERROR_FAILED, status, "with room for some buffers");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, "the device has no memory left"), message);
        TEST_ASSERT_NULL(sim);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_hundred_runs_give_the_same_bits);
    RUN_TEST(test_runs_with_contact_of_cloth_give_the_same_bits);
    RUN_TEST(test_cloth_does_not_pass_through_cloth);
    RUN_TEST(test_a_lost_device_is_told);
    RUN_TEST(test_too_little_memory_is_told);
    return UNITY_END();
}
