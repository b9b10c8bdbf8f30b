// test_io.c: files that appear whole or not at all, and frames in files of their own or in PC2.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames_fixture.h"

static void test_obj_frame_has_vertices_quads_and_triangles(void)
{
    write_frames(WEFT_FORMAT_OBJ, 2);
    size_t size;
    char  *text = read_file("frame_0001.obj", &size);
    TEST_ASSERT_EQUAL_STRING("# weft " WEFT_VERSION "\n"
                             "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv -0.25 1 0\nv 2 0 123456.789\n"
                             "f 1 2 3 4\nf 2 5 3\n",
                             text);
    TEST_ASSERT_EQUAL_size_t(2, count_files());
}

static void test_obj_numbers_are_right_to_the_nanometre(void)
{
    static const double values[] = {0.1, -1e-9,   0.999999999, -0.9999999999,  1.0 / 3,
                                    1e8, -2.5e12, 1e-12,       -123.456789012, 5e-10};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    {
        sheet_positions[0] = values[i];
        write_frames(WEFT_FORMAT_OBJ, 1);
        size_t size;
        char  *text = read_file("frame_0000.obj", &size);
        double value = strtod(strstr(text, "\nv ") + 3, NULL);
        TEST_ASSERT_DOUBLE_WITHIN(0.51e-9 + fabs(values[i]) * 1e-8, values[i], value);
    }
}

static void test_several_cloths_get_files_of_their_own(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "../my sheet";
    write_frames(WEFT_FORMAT_OBJ, 1);
    size_t size;
    TEST_ASSERT_NOT_NULL(strstr(read_file("_._my_sheet_0000.obj", &size), "f 1 2 3 4\n"));
    char *chain = read_file("cloth_1_0000.obj", &size);
    TEST_ASSERT_NOT_NULL(strstr(chain, "v 0 -2 0\nl 1 2\nl 2 3\n"));
    TEST_ASSERT_EQUAL_size_t(2, count_files());
}

static void test_cloths_of_the_same_name_do_not_share_files(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "same";
    cloths[1].name = "same";
    write_frames(WEFT_FORMAT_PLY, 1);
    TEST_ASSERT_EQUAL_size_t(2, count_files());
}

static void test_a_name_like_that_of_a_nameless_cloth_is_its_own(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "cloth_1";
    cloths[1].name = NULL;
    write_frames(WEFT_FORMAT_PLY, 1);
    TEST_ASSERT_EQUAL_size_t(2, count_files());
}

static void test_ply_frame_is_binary_little_endian(void)
{
    write_frames(WEFT_FORMAT_PLY, 1);
    size_t      size;
    const char *bytes = read_file("frame_0000.ply", &size);
    const char *body = strstr(bytes, "end_header\n") + strlen("end_header\n");
    TEST_ASSERT_NOT_NULL(strstr(bytes, "format binary_little_endian 1.0\n"));
    TEST_ASSERT_NOT_NULL(strstr(bytes, "element vertex 5\n"));
    TEST_ASSERT_NOT_NULL(strstr(bytes, "element face 2\n"));
    TEST_ASSERT_EQUAL_size_t(5 * 12 + (1 + 16) + (1 + 12), size - (size_t)(body - bytes));
    static const uint8_t half[] = {0, 0, 0, 0x3f};
    TEST_ASSERT_EQUAL_MEMORY(half, body + 2 * 12 + 8, 4);
    static const uint8_t quad[] = {4, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0,
                                   0, 0, 3, 0, 0, 0, 3, 1, 0, 0, 0};
    TEST_ASSERT_EQUAL_MEMORY(quad, body + 5 * 12, sizeof quad);
}

static void test_ply_of_a_closed_chain_has_its_edges(void)
{
    sim.meshes[0] = sim.meshes[1];
    sim.positions[0] = chain_positions;
    sim.meshes[0].grid_closed = true;
    write_frames(WEFT_FORMAT_PLY, 1);
    size_t size;
    char  *bytes = read_file("frame_0000.ply", &size);
    TEST_ASSERT_NOT_NULL(strstr(bytes, "element edge 3\n"));
    static const uint8_t last[] = {2, 0, 0, 0, 0, 0, 0, 0};
    TEST_ASSERT_EQUAL_MEMORY(last, bytes + size - 8, 8);
}

static void test_pc2_holds_all_frames_and_the_faces(void)
{
    cloths[0].name = "sheet";
    write_frames(WEFT_FORMAT_PC2, 3);
    size_t size;
    TEST_ASSERT_NOT_NULL(strstr(read_file("sheet.obj", &size), "f 1 2 3 4\n"));
    const char *bytes = read_file("sheet.pc2", &size);
    TEST_ASSERT_EQUAL_size_t(32 + 3 * 5 * 12, size);
    static const uint8_t header[] = {'P', 'O', 'I', 'N', 'T',  'C',  'A', 'C', 'H', 'E', '2',
                                     0,   1,   0,   0,   0,    5,    0,   0,   0,   0,   0,
                                     0,   0,   0,   0,   0x80, 0x3f, 3,   0,   0,   0};
    TEST_ASSERT_EQUAL_MEMORY(header, bytes, sizeof header);
    float value;
    memcpy(&value, bytes + 32 + 2 * 5 * 12 + 2 * 12 + 8, sizeof value);
    TEST_ASSERT_EQUAL_FLOAT(0.5f, value);
    TEST_ASSERT_EQUAL_size_t(2, count_files());
}

static void test_pc2_has_no_name_before_its_end_but_a_right_count(void)
{
    WeftWriter writer;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          weft_writer_open(&writer, folder, WEFT_FORMAT_PC2, &scene, &sim));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));
    size_t      size;
    const char *bytes = read_file("cloth.pc2.part", &size);
    TEST_ASSERT_EQUAL_INT(1, bytes[28]);
    TEST_ASSERT_EQUAL_size_t(32 + 5 * 12, size);
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, false));
    TEST_ASSERT_EQUAL_size_t(1, count_files());
}

static void test_frames_of_an_earlier_run_are_removed(void)
{
    write_frames(WEFT_FORMAT_OBJ, 5);
    write_frames(WEFT_FORMAT_PLY, 1);
    TEST_ASSERT_EQUAL_size_t(6, count_files());
    write_frames(WEFT_FORMAT_OBJ, 2);
    TEST_ASSERT_EQUAL_size_t(3, count_files());
}

static void test_a_coordinate_that_is_not_finite_is_refused(void)
{
    WeftWriter writer;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          weft_writer_open(&writer, folder, WEFT_FORMAT_OBJ, &scene, &sim));
    sheet_positions[7] = NAN;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_writer_frame(&writer, &sim));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "vertex 2"));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, true));
    TEST_ASSERT_EQUAL_size_t(0, count_files());
}

static void test_a_folder_is_made_with_those_above_it(void)
{
    char deep[128];
    snprintf(deep, sizeof deep, "%s/a//b/c/", folder);
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_folder_create(deep));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_folder_create(deep));
    struct stat info;
    TEST_ASSERT_EQUAL_INT(0, stat(deep, &info));
}

static void test_a_folder_that_is_a_file_is_refused(void)
{
    WeftWriter writer;
    WeftStatus status = weft_writer_open(&writer, "/dev/null", WEFT_FORMAT_OBJ, &scene, &sim);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, status);
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "/dev/null: "));
    status = weft_writer_open(&writer, "/dev/null/below", WEFT_FORMAT_OBJ, &scene, &sim);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, status);
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, true));
}

static void test_a_full_disk_is_reported_with_its_reason(void)
{
    if (access("/dev/full", W_OK) != 0)
        TEST_IGNORE_MESSAGE("this system has no /dev/full");
    WeftFile file;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_begin(&file, "/dev/full"));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_put(&file, "x", 1));
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_file_commit(&file));
    TEST_ASSERT_EQUAL_STRING("/dev/full: cannot be written: No space left on device",
                             weft_error_message());
    TEST_ASSERT_EQUAL_INT(0, access("/dev/full", W_OK));
}

static void test_an_abandoned_file_leaves_the_old_one(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/report.json", folder);
    WeftFile file;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_begin(&file, path));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_put(&file, "old", 3));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_commit(&file));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_begin(&file, path));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_file_put(&file, "new", 3));
    weft_file_abandon(&file);
    weft_file_abandon(&file);
    size_t size;
    TEST_ASSERT_EQUAL_STRING("old", read_file("report.json", &size));
    TEST_ASSERT_EQUAL_size_t(1, count_files());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_obj_frame_has_vertices_quads_and_triangles);
    RUN_TEST(test_obj_numbers_are_right_to_the_nanometre);
    RUN_TEST(test_several_cloths_get_files_of_their_own);
    RUN_TEST(test_cloths_of_the_same_name_do_not_share_files);
    RUN_TEST(test_a_name_like_that_of_a_nameless_cloth_is_its_own);
    RUN_TEST(test_ply_frame_is_binary_little_endian);
    RUN_TEST(test_ply_of_a_closed_chain_has_its_edges);
    RUN_TEST(test_pc2_holds_all_frames_and_the_faces);
    RUN_TEST(test_pc2_has_no_name_before_its_end_but_a_right_count);
    RUN_TEST(test_frames_of_an_earlier_run_are_removed);
    RUN_TEST(test_a_coordinate_that_is_not_finite_is_refused);
    RUN_TEST(test_a_folder_is_made_with_those_above_it);
    RUN_TEST(test_a_folder_that_is_a_file_is_refused);
    RUN_TEST(test_a_full_disk_is_reported_with_its_reason);
    RUN_TEST(test_an_abandoned_file_leaves_the_old_one);
    return UNITY_END();
}
