// test_gpu.h: a device for a test, or a good reason to leave it out.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu/instance.h"
#include "gpu/memory.h"
#include "unity.h"

#define EXPECT_OK(call) TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, (call), weft_error_message())

/// Opens WEFT_TEST_DEVICE, else the best device, with guards. Without one the test is ignored,
/// unless WEFT_REQUIRE_GPU=1 makes that a failure.
static inline WeftGpu *open_test_device(const WeftGpuOptions *options)
{
    const WeftGpuOptions usual = {.guards = true, .cache_folder = ""};
    const char *wanted = getenv("WEFT_TEST_DEVICE"), *required = getenv("WEFT_REQUIRE_GPU");
    WeftGpu    *gpu = NULL;
    WeftStatus  status = weft_gpu_open(&gpu, wanted ? wanted : "gpu", options ? options : &usual);
    if (status != WEFT_OK)
    {
        if (required && strcmp(required, "1") == 0)
            TEST_FAIL_MESSAGE(weft_error_message());
        TEST_IGNORE_MESSAGE(weft_error_message());
    }
    return gpu;
}

static inline void expect_no_validation_messages(void)
{
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, weft_gpu_validation_count(),
                                     "the validation layers have found something");
}

/// A device buffer that holds `size` bytes of `data`, or undefined ones if that is NULL.
static inline WeftGpuBuffer make_buffer(WeftGpu *gpu, const char *name, const void *data,
                                        uint64_t size)
{
    WeftGpuBuffer buffer;
    EXPECT_OK(weft_gpu_buffer_create(gpu, &buffer, name, size, WEFT_GPU_ON_DEVICE));
    if (data)
        EXPECT_OK(weft_gpu_upload(gpu, &buffer, 0, data, size));
    return buffer;
}

/// Numbers that are the same in every run.
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
