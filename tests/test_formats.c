// test_formats.c: files that hold all frames of a run and are put together at its end: MDD, USD and
// binary glTF, each read back by a small reader of the test's own.
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>

#include "frames_fixture.h"

// Where corner 2 of the sheet is in a frame.
static double risen(int frame)
{
    return 1 + 0.25 * frame;
}

// MDD.

static uint32_t big(const char *at)
{
    const uint8_t *bytes = (const uint8_t *)at;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static float big_float(const char *at)
{
    uint32_t bits = big(at);
    float    value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_mdd_holds_counts_times_and_positions(void)
{
    cloths[0].name = "sheet";
    write_rising_frames(WEFT_FORMAT_MDD, 3);
    TEST_ASSERT_EQUAL_size_t(2, count_files());
    size_t size;
    char  *mesh = read_file("sheet.obj", &size);
    TEST_ASSERT_NOT_NULL(strstr(mesh, "v 1 1 0.5\n"));
    TEST_ASSERT_NOT_NULL(strstr(mesh, "f 2 5 3\n# 25 frames a second\n"));
    const char *bytes = read_file("sheet.mdd", &size);
    TEST_ASSERT_EQUAL_size_t(8 + 3 * 4 + 3 * 5 * 12, size);
    TEST_ASSERT_EQUAL_UINT32(3, big(bytes));
    TEST_ASSERT_EQUAL_UINT32(5, big(bytes + 4));
    for (int frame = 0; frame < 3; frame++)
    {
        TEST_ASSERT_EQUAL_FLOAT(frame * 0.04f, big_float(bytes + 8 + 4 * frame));
        const char *points = bytes + 20 + 60 * frame;
        TEST_ASSERT_EQUAL_FLOAT(risen(frame), big_float(points + 12 * 2 + 4));
        TEST_ASSERT_EQUAL_FLOAT(-0.25f, big_float(points + 12 * 3));
        TEST_ASSERT_EQUAL_FLOAT(123456.789f, big_float(points + 12 * 4 + 8));
    }
}

// USD.

static void test_usd_says_what_it_holds(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "9-tail";
    write_rising_frames(WEFT_FORMAT_USDA, 2);
    TEST_ASSERT_EQUAL_size_t(1, count_files());
    size_t size;
    TEST_ASSERT_EQUAL_STRING("#usda 1.0\n"
                             "(\n"
                             "    doc = \"weft " WEFT_VERSION "\"\n"
                             "    defaultPrim = \"weft\"\n"
                             "    metersPerUnit = 1\n"
                             "    upAxis = \"Y\"\n"
                             "    startTimeCode = 0\n"
                             "    endTimeCode = 1\n"
                             "    timeCodesPerSecond = 25\n"
                             "    framesPerSecond = 25\n"
                             ")\n"
                             "\n"
                             "def Xform \"weft\"\n"
                             "{\n"
                             "    def Mesh \"_9_tail_0\"\n"
                             "    {\n"
                             "        uniform token subdivisionScheme = \"none\"\n"
                             "        uniform bool doubleSided = 1\n"
                             "        int[] faceVertexCounts = [4, 3]\n"
                             "        int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 2]\n"
                             "        float3[] extent.timeSamples = {\n"
                             "            0: [(-0.25, 0, 0), (2, 1, 123456.7890625)],\n"
                             "            1: [(-0.25, 0, 0), (2, 1.25, 123456.7890625)],\n"
                             "        }\n"
                             "        point3f[] points.timeSamples = {\n"
                             "            0: [(0, 0, 0), (1, 0, 0), (1, 1, 0.5), (-0.25, 1, 0), "
                             "(2, 0, 123456.7890625)],\n"
                             "            1: [(0, 0, 0), (1, 0, 0), (1, 1.25, 0.5), (-0.25, 1, 0), "
                             "(2, 0, 123456.7890625)],\n"
                             "        }\n"
                             "    }\n"
                             "    def BasisCurves \"cloth_1\"\n"
                             "    {\n"
                             "        uniform token type = \"linear\"\n"
                             "        uniform token wrap = \"nonperiodic\"\n"
                             "        int[] curveVertexCounts = [3]\n"
                             "        float[] widths = [0.5] (\n"
                             "            interpolation = \"constant\"\n"
                             "        )\n"
                             "        float3[] extent.timeSamples = {\n"
                             "            0: [(-0.25, -2.25, -0.25), (0.25, 0.25, 0.25)],\n"
                             "            1: [(-0.25, -2.25, -0.25), (0.25, 0.25, 0.25)],\n"
                             "        }\n"
                             "        point3f[] points.timeSamples = {\n"
                             "            0: [(0, 0, 0), (0, -1, 0), (0, -2, 0)],\n"
                             "            1: [(0, 0, 0), (0, -1, 0), (0, -2, 0)],\n"
                             "        }\n"
                             "    }\n"
                             "}\n",
                             read_file("scene.usda", &size));
}

static void test_usd_names_of_different_cloths_differ(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "_a_b_1";
    cloths[1].name = "a-b";
    write_frames(WEFT_FORMAT_USDA, 1);
    size_t size;
    char  *text = read_file("scene.usda", &size);
    TEST_ASSERT_NOT_NULL(strstr(text, "\"_a_b_1\""));
    TEST_ASSERT_NOT_NULL(strstr(text, "\"__a_b_1\""));
}

// A grid of three by two particles, or a tube of three around.
static uint32_t grid_corners[] = {0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
static uint32_t grid_triangles[] = {0, 1, 4, 0, 4, 3, 1, 2, 4, 2, 5, 4, 2, 0, 3, 2, 3, 5};
static double   grid_positions[6 * 3] = {0, 0, 0, 1, 0, 0, 0.5, 0, 1, 0, 1, 0, 1, 1, 0, 0.5, 1, 1};

static void make_grid(bool closed)
{
    sim.meshes[0] = (WeftMesh){.vertex_count = 6,
                               .positions = grid_positions,
                               .triangle_count = closed ? 6 : 4,
                               .triangles = grid_triangles,
                               .face_count = closed ? 3 : 2,
                               .face_corners = grid_corners,
                               .grid_counts = {3, 2},
                               .grid_closed = closed};
    sim.positions[0] = grid_positions;
}

static void test_usd_grid_has_texture_coordinates(void)
{
    make_grid(false);
    write_frames(WEFT_FORMAT_USDA, 1);
    size_t size;
    TEST_ASSERT_NOT_NULL(strstr(read_file("scene.usda", &size),
                                "        texCoord2f[] primvars:st = [(0, 0), (0.5, 0), (0.5, 1), "
                                "(0, 1), (0.5, 0), (1, 0), (1, 1), (0.5, 1)] (\n"
                                "            interpolation = \"faceVarying\"\n"
                                "        )\n"));
}

// Binary glTF: the JSON part and the start of the binary part.
typedef struct Glb
{
    json_t     *json;
    const char *binary;
    size_t      binary_size;
} Glb;

static uint32_t little(const char *at)
{
    const uint8_t *bytes = (const uint8_t *)at;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static Glb read_glb(void)
{
    Glb         glb;
    size_t      size;
    const char *bytes = read_file("scene.glb", &size);
    TEST_ASSERT_EQUAL_MEMORY("glTF\2\0\0", bytes, 8);
    TEST_ASSERT_EQUAL_UINT32(size, little(bytes + 8));
    uint32_t json_size = little(bytes + 12);
    TEST_ASSERT_EQUAL_UINT32(0, json_size % 4);
    TEST_ASSERT_EQUAL_MEMORY("JSON", bytes + 16, 4);
    glb.json = json_loadb(bytes + 20, json_size, 0, NULL);
    TEST_ASSERT_NOT_NULL(glb.json);
    const char *chunk = bytes + 20 + json_size;
    glb.binary_size = little(chunk);
    TEST_ASSERT_EQUAL_MEMORY("BIN", chunk + 4, 4);
    glb.binary = chunk + 8;
    TEST_ASSERT_EQUAL_size_t(size, (size_t)(glb.binary - bytes) + glb.binary_size);
    json_t *buffer = json_array_get(json_object_get(glb.json, "buffers"), 0);
    TEST_ASSERT_EQUAL_INT(glb.binary_size,
                          json_integer_value(json_object_get(buffer, "byteLength")));
    return glb;
}

static size_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    TEST_ASSERT_TRUE_MESSAGE(json_is_integer(value), key);
    return (size_t)json_integer_value(value);
}

static const json_t *element(const json_t *object, const char *key, size_t index)
{
    const json_t *found = json_array_get(json_object_get(object, key), index);
    TEST_ASSERT_NOT_NULL_MESSAGE(found, key);
    return found;
}

// Where an accessor's data begin; checks that they stay within their view and buffer.
static const char *data(const Glb *glb, size_t index, size_t width, size_t *count)
{
    const json_t *accessor = element(glb->json, "accessors", index);
    const json_t *view = element(glb->json, "bufferViews", number(accessor, "bufferView"));
    const json_t *given = json_object_get(accessor, "byteOffset");
    size_t        offset = given ? number(accessor, "byteOffset") : 0;
    *count = number(accessor, "count");
    TEST_ASSERT_LESS_OR_EQUAL_size_t(number(view, "byteLength"), offset + *count * width);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(glb->binary_size,
                                     number(view, "byteOffset") + number(view, "byteLength"));
    TEST_ASSERT_EQUAL_size_t(0, (number(view, "byteOffset") + offset) % 4);
    return glb->binary + number(view, "byteOffset") + offset;
}

static float float_at(const char *at)
{
    uint32_t bits = little(at);
    float    value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The sum of base and targets with the weights of a frame, as a player computes it.
static float position(const Glb *glb, size_t cloth, size_t frame, size_t vertex, size_t axis)
{
    const json_t *primitive = element(element(glb->json, "meshes", cloth), "primitives", 0);
    const json_t *animation = element(glb->json, "animations", 0);
    size_t        count, weight_count;
    const char   *weights =
        data(glb, number(element(animation, "samplers", 0), "output"), 4, &weight_count);
    const char *base =
        data(glb, number(json_object_get(primitive, "attributes"), "POSITION"), 12, &count);
    size_t target_count = json_array_size(json_object_get(primitive, "targets"));
    float  sum = float_at(base + 12 * vertex + 4 * axis);
    for (size_t i = 0; i < target_count; i++)
    {
        const char *target =
            data(glb, number(element(primitive, "targets", i), "POSITION"), 12, &count);
        sum += float_at(weights + 4 * (frame * target_count + i)) *
               float_at(target + 12 * vertex + 4 * axis);
    }
    return sum;
}

static void test_glb_plays_the_frames(void)
{
    sim.cloth_count = 2;
    cloths[0].name = "sheet";
    write_rising_frames(WEFT_FORMAT_GLB, 4);
    TEST_ASSERT_EQUAL_size_t(1, count_files());
    Glb glb = read_glb();
    TEST_ASSERT_EQUAL_STRING(
        "sheet", json_string_value(json_object_get(element(glb.json, "nodes", 0), "name")));

    // Times and weights.
    const json_t *sampler = element(element(glb.json, "animations", 0), "samplers", 0);
    size_t        count;
    const char   *times = data(&glb, number(sampler, "input"), 4, &count);
    TEST_ASSERT_EQUAL_size_t(4, count);
    for (int frame = 0; frame < 4; frame++)
        TEST_ASSERT_EQUAL_FLOAT(frame * 0.04f, float_at(times + 4 * frame));
    data(&glb, number(sampler, "output"), 4, &count);
    TEST_ASSERT_EQUAL_size_t(4 * 3, count);

    // What moves and what rests, in both cloths.
    for (size_t frame = 0; frame < 4; frame++)
    {
        TEST_ASSERT_EQUAL_FLOAT(risen((int)frame), position(&glb, 0, frame, 2, 1));
        TEST_ASSERT_EQUAL_FLOAT(0.5f, position(&glb, 0, frame, 2, 2));
        TEST_ASSERT_EQUAL_FLOAT(-0.25f, position(&glb, 0, frame, 3, 0));
        TEST_ASSERT_EQUAL_FLOAT(123456.789f, position(&glb, 0, frame, 4, 2));
        TEST_ASSERT_EQUAL_FLOAT(-2, position(&glb, 1, frame, 2, 1));
    }

    // Triangles and lines.
    const json_t *sheet = element(element(glb.json, "meshes", 0), "primitives", 0);
    const char   *indices = data(&glb, number(sheet, "indices"), 4, &count);
    TEST_ASSERT_EQUAL_size_t(4, number(sheet, "mode"));
    TEST_ASSERT_EQUAL_size_t(9, count);
    TEST_ASSERT_EQUAL_UINT32(4, little(indices + 4 * 7));
    const json_t *chain = element(element(glb.json, "meshes", 1), "primitives", 0);
    indices = data(&glb, number(chain, "indices"), 4, &count);
    TEST_ASSERT_EQUAL_size_t(1, number(chain, "mode"));
    TEST_ASSERT_EQUAL_size_t(4, count);
    TEST_ASSERT_EQUAL_UINT32(2, little(indices + 4 * 3));
    json_decref(glb.json);
}

static void test_glb_of_the_start_alone_has_no_animation(void)
{
    write_frames(WEFT_FORMAT_GLB, 1);
    Glb glb = read_glb();
    TEST_ASSERT_NULL(json_object_get(glb.json, "animations"));
    const json_t *primitive = element(element(glb.json, "meshes", 0), "primitives", 0);
    TEST_ASSERT_NULL(json_object_get(primitive, "targets"));
    TEST_ASSERT_EQUAL_size_t(9 * 4 + 5 * 12, glb.binary_size);
    json_decref(glb.json);
}

static void test_glb_tube_is_split_along_its_seam(void)
{
    make_grid(true);
    write_frames(WEFT_FORMAT_GLB, 1);
    Glb           glb = read_glb();
    const json_t *primitive = element(element(glb.json, "meshes", 0), "primitives", 0);
    const json_t *attributes = json_object_get(primitive, "attributes");
    size_t        count, index_count;
    const char   *points = data(&glb, number(attributes, "POSITION"), 12, &count);
    TEST_ASSERT_EQUAL_size_t(6 + 2, count);
    const char *texture = data(&glb, number(attributes, "TEXCOORD_0"), 8, &count);
    TEST_ASSERT_EQUAL_size_t(6 + 2, count);
    const char *indices = data(&glb, number(primitive, "indices"), 4, &index_count);
    TEST_ASSERT_EQUAL_size_t(6 * 3, index_count);

    // Every triangle has the corners that it had, and covers its own part of the texture.
    for (size_t triangle = 0; triangle < 6; triangle++)
    {
        float area = 0;
        for (size_t k = 0; k < 3; k++)
        {
            uint32_t vertex = little(indices + 4 * (3 * triangle + k));
            uint32_t next = little(indices + 4 * (3 * triangle + (k + 1) % 3));
            uint32_t particle = grid_triangles[3 * triangle + k];
            for (size_t axis = 0; axis < 3; axis++)
                TEST_ASSERT_EQUAL_FLOAT(grid_positions[3 * particle + axis],
                                        float_at(points + 12 * vertex + 4 * axis));
            area += float_at(texture + 8 * vertex) * float_at(texture + 8 * next + 4) -
                    float_at(texture + 8 * next) * float_at(texture + 8 * vertex + 4);
        }
        TEST_ASSERT_FLOAT_WITHIN(1e-6f, -1.0f / 3, area);
    }
    json_decref(glb.json);
}

// All three.

static const struct
{
    WeftFormat  format;
    const char *name;
} files[] = {
    {WEFT_FORMAT_MDD, "cloth.mdd"},
    {WEFT_FORMAT_USDA, "scene.usda"},
    {WEFT_FORMAT_GLB, "scene.glb"},
};

static void test_an_abandoned_run_leaves_no_file(void)
{
    for (size_t i = 0; i < 3; i++)
    {
        WeftWriter writer;
        char       path[128];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        TEST_ASSERT_EQUAL_INT(WEFT_OK,
                              weft_writer_open(&writer, folder, files[i].format, &scene, &sim));
        TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));
        TEST_ASSERT_NOT_EQUAL(0, access(path, F_OK));
        TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, false));
        TEST_ASSERT_NOT_EQUAL(0, access(path, F_OK));
    }
    TEST_ASSERT_EQUAL_size_t(1, count_files()); // the mesh of the point cache
}

static void test_a_run_without_a_frame_leaves_no_file(void)
{
    for (size_t i = 0; i < 3; i++)
        write_frames(files[i].format, 0);
    TEST_ASSERT_EQUAL_size_t(1, count_files());
}

static void test_a_frame_that_fails_leaves_those_before_it(void)
{
    WeftWriter writer;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          weft_writer_open(&writer, folder, WEFT_FORMAT_MDD, &scene, &sim));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));
    sheet_positions[0] = 1e300; // no float holds this
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_FAILED, weft_writer_frame(&writer, &sim));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, true));
    size_t size;
    TEST_ASSERT_EQUAL_UINT32(2, big(read_file("cloth.mdd", &size)));
    TEST_ASSERT_EQUAL_size_t(8 + 2 * 4 + 2 * 60, size);
}

static void test_a_folder_in_the_place_of_a_file_is_refused_at_once(void)
{
    for (size_t i = 0; i < 3; i++)
    {
        char path[128];
        snprintf(path, sizeof path, "%s/%s/inside", folder, files[i].name);
        TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_folder_create(path));
        WeftWriter writer;
        TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT,
                              weft_writer_open(&writer, folder, files[i].format, &scene, &sim));
        TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), files[i].name));
    }
}

// A bound on the size of files stands in for the full disk. Frames as they wait are smaller than in
// the file, so it is met early only if room was reserved, which not every file system can do.
static void test_a_full_disk_leaves_the_frames_before_it(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/probe", folder);
    int  probe = open(path, O_RDWR | O_CREAT, 0600);
    bool can_reserve = fallocate(probe, 0, 0, 4096) == 0;
    close(probe);
    unlink(path);
    if (!can_reserve)
        TEST_IGNORE_MESSAGE("this file system cannot reserve room");

    struct rlimit normal;
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_FSIZE, &normal));
    for (size_t i = 0; i < 3; i++)
    {
        WeftWriter    writer;
        struct rlimit small = {20000, normal.rlim_max};
        signal(SIGXFSZ, SIG_IGN);
        TEST_ASSERT_EQUAL_INT(WEFT_OK,
                              weft_writer_open(&writer, folder, files[i].format, &scene, &sim));
        TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &small));
        WeftStatus status = WEFT_OK;
        uint32_t   count = 0;
        while (status == WEFT_OK && count < 1000)
        {
            status = weft_writer_frame(&writer, &sim);
            count += status == WEFT_OK;
        }
        char said[256];
        snprintf(said, sizeof said, "%s", weft_error_message());
        WeftStatus closed = weft_writer_close(&writer, true);
        setrlimit(RLIMIT_FSIZE, &normal);
        signal(SIGXFSZ, SIG_DFL);
        TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, status);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "File too large"), said);
        TEST_ASSERT_EQUAL_INT_MESSAGE(WEFT_OK, closed, weft_error_message());

        // The file holds just the frames that were written.
        size_t size;
        char  *bytes = read_file(files[i].name, &size), last[64];
        TEST_ASSERT_LESS_THAN_size_t(20000, size);
        TEST_ASSERT_GREATER_THAN_UINT32(10, count);
        snprintf(last, sizeof last, "    endTimeCode = %u\n", count - 1);
        if (files[i].format == WEFT_FORMAT_MDD)
            TEST_ASSERT_EQUAL_UINT32(count, big(bytes));
        else if (files[i].format == WEFT_FORMAT_USDA)
            TEST_ASSERT_NOT_NULL(strstr(bytes, last));
        else
            json_decref(read_glb().json);
    }
}

static void test_glb_refuses_a_frame_beyond_4_gib(void)
{
    WeftWriter writer;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          weft_writer_open(&writer, folder, WEFT_FORMAT_GLB, &scene, &sim));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_frame(&writer, &sim));

    // 40000 squared weights of four bytes are more than 4 GiB.
    writer.frame_count = 40000;
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, weft_writer_frame(&writer, &sim));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "scene.glb: frame 40000 does not fit"));
    writer.frame_count = 1;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_writer_close(&writer, true));
    json_decref(read_glb().json);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_mdd_holds_counts_times_and_positions);
    RUN_TEST(test_usd_says_what_it_holds);
    RUN_TEST(test_usd_names_of_different_cloths_differ);
    RUN_TEST(test_usd_grid_has_texture_coordinates);
    RUN_TEST(test_glb_plays_the_frames);
    RUN_TEST(test_glb_of_the_start_alone_has_no_animation);
    RUN_TEST(test_glb_tube_is_split_along_its_seam);
    RUN_TEST(test_an_abandoned_run_leaves_no_file);
    RUN_TEST(test_a_run_without_a_frame_leaves_no_file);
    RUN_TEST(test_a_frame_that_fails_leaves_those_before_it);
    RUN_TEST(test_a_folder_in_the_place_of_a_file_is_refused_at_once);
    RUN_TEST(test_a_full_disk_leaves_the_frames_before_it);
    RUN_TEST(test_glb_refuses_a_frame_beyond_4_gib);
    return UNITY_END();
}
