// test_gpu_device.c: choice of a device, memory, commands, times and the pipeline cache.
#include "test_gpu.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/commands.h"
#include "gpu/pipeline_cache.h"
#include "gpu/scan.h"
#include "gpu/timer.h"

void setUp(void)
{
}

void tearDown(void)
{
    expect_no_validation_messages();
}

// The choice, on a list that needs no driver.

static WeftGpuInfo some_infos[4] = {
    {.name = "Swift Software", .kind = WEFT_GPU_SOFTWARE},
    {.name = "Alpha 500", .kind = WEFT_GPU_INTEGRATED},
    {.name = "Beta 9000", .kind = WEFT_GPU_DISCRETE},
    {.name = "Beta 9900", .kind = WEFT_GPU_DISCRETE, .problem = "Vulkan 1.1, needs 1.2"},
};

static int choice(uint32_t count, const char *wanted)
{
    WeftGpuList list = {.count = count, .infos = some_infos};
    int         index;
    EXPECT_OK(weft_gpu_choose(&list, wanted, &index));
    return index;
}

static void expect_no_choice(uint32_t count, const char *wanted, const char *words)
{
    WeftGpuList list = {.count = count, .infos = some_infos, .notice = "no loader here"};
    int         index;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_gpu_choose(&list, wanted, &index));
    TEST_ASSERT_EQUAL_INT(-1, index);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), words), weft_error_message());
}

static void test_choice_takes_the_best_device(void)
{
    TEST_ASSERT_EQUAL_INT(2, choice(4, "auto"));
    TEST_ASSERT_EQUAL_INT(1, choice(2, "auto"));
    TEST_ASSERT_EQUAL_INT(-1, choice(1, "auto"));
    TEST_ASSERT_EQUAL_INT(-1, choice(0, "auto"));
    TEST_ASSERT_EQUAL_INT(-1, choice(4, "cpu"));
    TEST_ASSERT_EQUAL_INT(2, choice(4, "gpu"));
    TEST_ASSERT_EQUAL_INT(0, choice(1, "gpu"));
}

static void test_choice_knows_indices_and_names(void)
{
    TEST_ASSERT_EQUAL_INT(1, choice(4, "1"));
    TEST_ASSERT_EQUAL_INT(0, choice(4, "swift"));
    TEST_ASSERT_EQUAL_INT(2, choice(4, "BETA 90"));
}

static void test_choice_says_what_there_is(void)
{
    expect_no_choice(4, "7", "2 'Beta 9000'");
    expect_no_choice(4, "gamma", "0 'Swift Software'");
    expect_no_choice(4, "beta", "could be several");
    expect_no_choice(4, "3", "needs 1.2");
    expect_no_choice(4, "9900", "does not exist");
    expect_no_choice(4, "Beta 9900", "needs 1.2");
    expect_no_choice(4, "", "no device is called");
    expect_no_choice(4, "99999999999999999999", "no device is called");
    expect_no_choice(0, "gpu", "no loader here");
    expect_no_choice(0, "anything", "no loader here");
}

static void test_lost_device_is_told(void)
{
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_vk_fail(VK_ERROR_DEVICE_LOST, "stepping"));
    TEST_ASSERT_EQUAL_STRING_LEN("stepping: the device was lost", weft_error_message(), 29);
}

// A real device.

static void test_list_and_device_agree(void)
{
    WeftGpu    *gpu = open_test_device(NULL);
    WeftGpuList list;
    EXPECT_OK(weft_gpu_list_create(&list));
    bool found = false;
    for (uint32_t i = 0; i < list.count; i++)
        found |= strcmp(list.infos[i].name, gpu->info.name) == 0;
    TEST_ASSERT_TRUE(found);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT32(128, gpu->info.max_push_bytes);
    weft_gpu_list_destroy(&list);
    weft_gpu_close(gpu);
}

static void test_group_size_is_a_power_of_two_within_limits(void)
{
    WeftGpu *gpu = open_test_device(NULL);
    TEST_ASSERT_EQUAL_UINT32(128, weft_gpu_group_size(gpu, 128));
    TEST_ASSERT_EQUAL_UINT32(64, weft_gpu_group_size(gpu, 127));
    TEST_ASSERT_EQUAL_UINT32(1, weft_gpu_group_size(gpu, 1));
    TEST_ASSERT_LESS_OR_EQUAL_UINT32(gpu->info.max_group_invocations,
                                     weft_gpu_group_size(gpu, 1 << 20));
    weft_gpu_close(gpu);
}

// What goes up comes down, also in parts and across the size of the staging buffer.
static void test_transfers_keep_the_data(void)
{
    WeftGpu  *gpu = open_test_device(NULL);
    uint32_t  count = 2 * WEFT_GPU_STAGING_BYTES / 4 + 77, state = 1;
    uint32_t *sent = malloc(4 * (size_t)count), *got = calloc(count, 4);
    for (uint32_t i = 0; i < count; i++)
        sent[i] = next_random(&state);
    WeftGpuBuffer buffer = make_buffer(gpu, "data", sent, 4 * (uint64_t)count);
    EXPECT_OK(weft_gpu_download(gpu, &buffer, 0, got, 4 * (uint64_t)count));
    TEST_ASSERT_EQUAL_MEMORY(sent, got, 4 * (size_t)count);
    EXPECT_OK(weft_gpu_download(gpu, &buffer, 4000, got, 40));
    TEST_ASSERT_EQUAL_MEMORY(sent + 1000, got, 40);
    EXPECT_OK(weft_gpu_fill(gpu, &buffer, 0xABCDu));
    EXPECT_OK(weft_gpu_upload(gpu, &buffer, 8, sent, 4));
    EXPECT_OK(weft_gpu_download(gpu, &buffer, 0, got, 16));
    const uint32_t expected[4] = {0xABCDu, 0xABCDu, sent[0], 0xABCDu};
    TEST_ASSERT_EQUAL_UINT32_ARRAY(expected, got, 4);
    EXPECT_OK(weft_gpu_guard_check(gpu, &buffer));
    weft_gpu_buffer_destroy(gpu, &buffer);
    weft_gpu_buffer_destroy(gpu, &buffer);
    weft_gpu_close(gpu);
    free(sent);
    free(got);
}

static void test_guard_notices_a_write_behind_the_end(void)
{
    WeftGpu       *gpu = open_test_device(NULL);
    WeftGpuBuffer  buffer = make_buffer(gpu, "rope", NULL, 12);
    const uint32_t word = 7;
    EXPECT_OK(weft_gpu_guard_check(gpu, &buffer));
    EXPECT_OK(weft_gpu_upload(gpu, &buffer, 16, &word, 4));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_gpu_guard_check(gpu, &buffer));
    TEST_ASSERT_EQUAL_STRING("rope: word 1 behind its end was overwritten with 0x7",
                             weft_error_message());
    weft_gpu_buffer_destroy(gpu, &buffer);
    weft_gpu_close(gpu);
}

static void test_too_large_a_buffer_is_refused_in_words(void)
{
    WeftGpu      *gpu = open_test_device(NULL);
    WeftGpuBuffer buffer;
    TEST_ASSERT_EQUAL_INT(
        WEFT_ERROR_FAILED,
        weft_gpu_buffer_create(gpu, &buffer, "everything", UINT64_C(1) << 50, WEFT_GPU_ON_DEVICE));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "everything takes 1073741824 MiB"));
    TEST_ASSERT_NULL(buffer.handle);
    TEST_ASSERT_GREATER_THAN_UINT64(0, weft_gpu_memory_free(gpu));
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(gpu->info.memory, weft_gpu_memory_free(gpu));
    weft_gpu_close(gpu);
}

static void test_unknown_shader_is_refused(void)
{
    WeftGpu        *gpu = open_test_device(NULL);
    WeftGpuPipeline pipeline;
    const uint32_t  size = 64;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED,
                          weft_gpu_pipeline_create(gpu, &pipeline, "nonsense", &size, 1));
    TEST_ASSERT_NULL(pipeline.handle);
    weft_gpu_close(gpu);
}

// A recording replayed: each repetition starts from the result of the one before.
static void test_recording_is_replayed_in_order(void)
{
    WeftGpu        *gpu = open_test_device(NULL);
    const uint32_t  start[4] = {1, 0, 0, 0};
    uint32_t        got[4];
    WeftGpuBuffer   buffer = make_buffer(gpu, "counts", start, sizeof(start));
    WeftGpuScan     scan;
    WeftGpuCommands commands;
    WeftGpuTimer    timer;
    EXPECT_OK(weft_gpu_scan_create(gpu, &scan, 4));
    EXPECT_OK(weft_gpu_commands_create(gpu, &commands));
    EXPECT_OK(weft_gpu_timer_create(gpu, &timer, 3));
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_timer_reset(&timer, &commands);
    weft_gpu_timer_mark(&timer, &commands, 0);
    weft_gpu_scan_record(&scan, &commands, buffer.address, buffer.address, 4, false);
    weft_gpu_timer_mark(&timer, &commands, 1);
    weft_gpu_timer_mark(&timer, &commands, 2);
    EXPECT_OK(weft_gpu_commands_end(&commands));
    TEST_ASSERT_EQUAL_UINT32(1, commands.dispatch_count);

    // 1000 -> 0111 -> 0012 -> 0001 -> 0000
    EXPECT_OK(weft_gpu_commands_submit(&commands, 1));
    EXPECT_OK(weft_gpu_commands_submit(&commands, 2));
    EXPECT_OK(weft_gpu_commands_wait(&commands));
    EXPECT_OK(weft_gpu_commands_wait(&commands));
    EXPECT_OK(weft_gpu_download(gpu, &buffer, 0, got, sizeof(got)));
    const uint32_t expected[4] = {0, 0, 0, 1};
    TEST_ASSERT_EQUAL_UINT32_ARRAY(expected, got, 4);
    EXPECT_OK(weft_gpu_commands_submit(&commands, 130));
    EXPECT_OK(weft_gpu_commands_wait(&commands));
    EXPECT_OK(weft_gpu_download(gpu, &buffer, 0, got, sizeof(got)));
    TEST_ASSERT_EQUAL_UINT32(0, got[3]);

    double seconds[3];
    EXPECT_OK(weft_gpu_timer_read(gpu, &timer, seconds));
    TEST_ASSERT_TRUE(seconds[0] == 0 && seconds[1] >= 0 && seconds[2] >= seconds[1]);
    TEST_ASSERT_TRUE(seconds[2] < 10);

    weft_gpu_timer_destroy(gpu, &timer);
    weft_gpu_commands_destroy(&commands);
    weft_gpu_scan_destroy(gpu, &scan);
    weft_gpu_buffer_destroy(gpu, &buffer);
    weft_gpu_close(gpu);
}

// The pipeline cache.

static void build_with_cache(const char *folder)
{
    const WeftGpuOptions options = {.cache_folder = folder};
    WeftGpu             *gpu = open_test_device(&options);
    WeftGpuScan          scan;
    EXPECT_OK(weft_gpu_scan_create(gpu, &scan, 100));
    weft_gpu_scan_destroy(gpu, &scan);
    weft_gpu_close(gpu);
}

static void test_pipeline_cache_survives_anything(void)
{
    char                 folder[] = "/tmp/weft_test_cache_XXXXXX", deep[100], path[4096];
    const WeftGpuOptions options = {.cache_folder = deep};
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(deep, sizeof(deep), "%s/a/b", folder);
    WeftGpu *gpu = open_test_device(&options);
    TEST_ASSERT_TRUE(weft_gpu_cache_path(gpu, path, sizeof(path)));
    weft_gpu_close(gpu);

    // Written once, not again by the same pipelines.
    build_with_cache(deep);
    struct stat first, second;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, stat(path, &first), path);
    build_with_cache(deep);
    TEST_ASSERT_EQUAL_INT(0, stat(path, &second));
    TEST_ASSERT_TRUE(second.st_size >= first.st_size);

    // Cut short, then with a byte changed, then empty.
    TEST_ASSERT_EQUAL_INT(0, truncate(path, first.st_size / 2));
    build_with_cache(deep);
    FILE *file = fopen(path, "r+b");
    fseek(file, 30, SEEK_SET);
    fputc(0x55, file);
    fputc(0xAA, file);
    fclose(file);
    build_with_cache(deep);
    TEST_ASSERT_EQUAL_INT(0, truncate(path, 0));
    build_with_cache(deep);
    TEST_ASSERT_EQUAL_INT(0, stat(path, &second));
    TEST_ASSERT_TRUE(second.st_size > 0);

    // No folder at all, and one that cannot be made.
    build_with_cache("");
    build_with_cache("/dev/null/weft");

    remove(path);
    rmdir(deep);
    snprintf(deep, sizeof(deep), "%s/a", folder);
    rmdir(deep);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, rmdir(folder), "files are left in the cache's folder");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_choice_takes_the_best_device);
    RUN_TEST(test_choice_knows_indices_and_names);
    RUN_TEST(test_choice_says_what_there_is);
    RUN_TEST(test_lost_device_is_told);
    RUN_TEST(test_list_and_device_agree);
    RUN_TEST(test_group_size_is_a_power_of_two_within_limits);
    RUN_TEST(test_transfers_keep_the_data);
    RUN_TEST(test_guard_notices_a_write_behind_the_end);
    RUN_TEST(test_too_large_a_buffer_is_refused_in_words);
    RUN_TEST(test_unknown_shader_is_refused);
    RUN_TEST(test_recording_is_replayed_in_order);
    RUN_TEST(test_pipeline_cache_survives_anything);
    return UNITY_END();
}
