// test_cache.c: point caches read back, and what is said of those that are not right.
#include "io/cache.h"

#include <string.h>
#include <unistd.h>

#include "frames_fixture.h"

static char path[128];

// Names a file in the folder.
static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t size)
{
    FILE *stream = fopen(in_folder(name), "wb");
    TEST_ASSERT_NOT_NULL(stream);
    TEST_ASSERT_EQUAL_size_t(size, fwrite(bytes, 1, size, stream));
    TEST_ASSERT_EQUAL_INT(0, fclose(stream));
}

static void check_frames_come_back(WeftFormat format, const char *name)
{
    sheet_positions[3 * 4 + 2] = 0.125; // as a float is
    write_rising_frames(format, 3);
    WeftCache cache;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_open(&cache, in_folder(name)));
    TEST_ASSERT_EQUAL_UINT32(5, cache.vertex_count);
    TEST_ASSERT_EQUAL_UINT32(3, cache.frame_count);

    // Any order will do.
    for (uint32_t frame = 3; frame-- > 0;)
    {
        double positions[5 * 3];
        sheet_positions[3 * 2 + 1] = 1 + 0.25 * frame;
        TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_read(&cache, frame, positions));
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(sheet_positions, positions, 5 * 3);
    }
    WeftMesh mesh;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_mesh(&cache, &mesh));
    TEST_ASSERT_EQUAL_UINT32(2, mesh.face_count);
    TEST_ASSERT_EQUAL_UINT32_ARRAY(sim.meshes[0].face_corners, mesh.face_corners, 8);
    weft_mesh_destroy(&mesh);
    weft_cache_close(&cache);
    weft_cache_close(&cache);
}

static void test_pc2_comes_back(void)
{
    check_frames_come_back(WEFT_FORMAT_PC2, "cloth.pc2");
}

static void test_mdd_comes_back(void)
{
    check_frames_come_back(WEFT_FORMAT_MDD, "cloth.mdd");
}

// Opening `name` fails, and the sentence names the file and says `text`.
static void check_refused(const char *name, const char *text)
{
    WeftCache cache;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_cache_open(&cache, in_folder(name)));
    TEST_ASSERT_EQUAL_STRING_LEN(path, weft_error_message(), strlen(path));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), text), weft_error_message());
    TEST_ASSERT_NULL(cache.path);
}

static void test_what_cannot_be_opened_is_refused(void)
{
    check_refused("none.pc2", "cannot be opened: No such file");
    check_refused("", "is not a file");
}

static void test_a_pc2_header_is_checked(void)
{
    write_frames(WEFT_FORMAT_PC2, 2);
    size_t size;
    char  *bytes = read_file("cloth.pc2", &size), changed[512];
    TEST_ASSERT_LESS_THAN_size_t(sizeof changed, size);
    static const struct
    {
        size_t      place;
        char        value;
        const char *text;
    } faults[] = {
        {0, 'Q', "does not begin with POINTCACHE2"},
        {12, 2, "is PC2 of version 2"},
        {16, 0, "says that it has 0 points"},
        {19, 'x', "points; from 1 to 50000000"},
        {28, 0, "holds no frame"},
        {28, 3, "has 152 bytes, but 3 frames of 5 points take 212; it is cut off or damaged"},
        {28, 1, "has 152 bytes, but 1 frames of 5 points take 92; it is damaged"},
        {31, 'x', "it is cut off or damaged"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
    {
        memcpy(changed, bytes, size);
        changed[faults[i].place] = faults[i].value;
        write_bytes("changed.pc2", changed, size);
        check_refused("changed.pc2", faults[i].text);
    }
    write_bytes("changed.pc2", bytes, 31);
    check_refused("changed.pc2", "ends after 31 bytes");
    write_bytes("changed.pc2", bytes, size - 1);
    check_refused("changed.pc2", "cut off");
}

static void test_an_mdd_header_is_checked(void)
{
    write_frames(WEFT_FORMAT_MDD, 2);
    size_t size;
    char  *bytes = read_file("cloth.mdd", &size);
    write_bytes("changed.mdd", bytes, 7);
    check_refused("changed.mdd", "ends after 7 bytes");
    write_bytes("changed.mdd", bytes, size - 4);
    check_refused("changed.mdd", "2 frames of 5 points");
    bytes[3] = 0;
    write_bytes("changed.mdd", bytes, size);
    check_refused("changed.mdd", "holds no frame");
}

static void test_a_coordinate_that_is_not_finite_is_refused(void)
{
    write_frames(WEFT_FORMAT_PC2, 2);
    size_t size;
    char  *bytes = read_file("cloth.pc2", &size);
    memcpy(bytes + 32 + 60 + 12 * 3 + 4, "\0\0\xc0\x7f", 4);
    write_bytes("cloth.pc2", bytes, size);
    WeftCache cache;
    double    positions[5 * 3];
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_open(&cache, in_folder("cloth.pc2")));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_read(&cache, 0, positions));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_cache_read(&cache, 1, positions));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "cloth.pc2: point 3 of frame 1 "));
    weft_cache_close(&cache);
}

static void test_a_mesh_that_does_not_belong_to_it_is_refused(void)
{
    write_frames(WEFT_FORMAT_PC2, 1);
    WeftCache cache;
    WeftMesh  mesh;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_cache_open(&cache, in_folder("cloth.pc2")));
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    write_bytes("cloth.obj", triangle, strlen(triangle));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_cache_mesh(&cache, &mesh));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "cloth.pc2: has 5 points, but "));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "cloth.obj has 3 vertices"));
    TEST_ASSERT_NULL(mesh.positions);
    TEST_ASSERT_EQUAL_INT(0, unlink(in_folder("cloth.obj")));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_cache_mesh(&cache, &mesh));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "cloth.obj: "));
    weft_cache_close(&cache);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pc2_comes_back);
    RUN_TEST(test_mdd_comes_back);
    RUN_TEST(test_what_cannot_be_opened_is_refused);
    RUN_TEST(test_a_pc2_header_is_checked);
    RUN_TEST(test_an_mdd_header_is_checked);
    RUN_TEST(test_a_coordinate_that_is_not_finite_is_refused);
    RUN_TEST(test_a_mesh_that_does_not_belong_to_it_is_refused);
    return UNITY_END();
}
