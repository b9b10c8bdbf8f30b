// test_render.c: pictures of small scenes, compared with stored ones.
//
// Drivers do not draw the same to the last bit, so a picture may differ a little on the whole and much in few pixels, along
// edges. WEFT_UPDATE_PICTURES=1 in the environment stores what is drawn instead; then look at tests/pictures.
#include "test_gpu.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "io/writer_formats.h"
#include "render/renderer.h"
#include "render/stretch.h"
#include "support.h"

enum
{
    WIDTH = 160,
    HEIGHT = 90
};

static const int FAR_OFF = 40; // of 255, in any colour

// How far pictures may be apart: of 255, over all pixels and colours; part of the pixels that are far off. Lines are
// about a pixel wide, and drivers differ in which ones they touch.
typedef struct Limits
{
    double mean, far;
} Limits;
static const Limits surfaces = {0.6, 0.002}, lines = {1.2, 0.015};

// A rag with two pinned corners falls over a ball and a block.
static const char rag[] =
    "{'step': 0.004, 'frames_per_second': 25, 'solver': {'device': '%s', 'precision': '%s'},"
    " 'cloths': [{'grid': {'size': [0.8, 0.8], 'counts': [25, 25]}, 'position': [0, 0.5, 0],"
    "  'rotation': [-90, 0, 0], 'pins': [{'corner': 'top_left'}, {'corner': 'bottom_left', "
    "'release': 0.1}]}],"
    " 'solids': [{'type': 'sphere', 'radius': 0.2, 'position': [0.1, 0.25, 0]},"
    "  {'type': 'box', 'size': [0.2, 0.3, 0.2], 'position': [-0.35, 0.15, 0.2]}, {'type': "
    "'plane'}]}";

// Every kind of solid, one of them on its way, a tube and a chain.
static const char solids[] =
    "{'step': 0.004, 'frames_per_second': 25, 'solver': {'device': '%s', 'precision': '%s'},"
    " 'cloths': [{'grid': {'size': [0.9, 0.3], 'counts': [30, 9], 'shape': 'tube'}, 'position': "
    "[-0.5, 0.35, 0.1]},"
    "  {'grid': {'size': [0.02, 0.6], 'counts': [1, 12]}, 'position': [0.5, 0.7, 0.3],"
    "   'pins': [{'indices': [11]}]}],"
    " 'solids': [{'type': 'cylinder', 'radius': 0.12, 'height': 0.3, 'position': [-0.6, 0.15, "
    "-0.5]},"
    "  {'type': 'capsule', 'radius': 0.08, 'height': 0.2, 'position': [0, 0.18, -0.5]},"
    "  {'type': 'cone', 'radius': 0.16, 'height': 0.35, 'position': [0.5, 0.175, -0.4]},"
    "  {'type': 'torus', 'radius': 0.15, 'tube_radius': 0.05, 'position': [0.1, 0.05, 0.4]},"
    "  {'type': 'box', 'size': [0.15, 0.15, 0.15], 'position': [0.2, 0.08, 0],"
    "   'keyframes': [{'time': 0}, {'time': 0.1, 'position': [0, 0.1, 0], 'rotation': [0, 40, "
    "0]}]},"
    "  {'type': 'sphere', 'radius': 0.1, 'position': [-0.5, 0.1, 0.1]}, {'type': 'plane'}]}";

typedef struct Studio
{
    Rig               rig;
    WeftGpu          *gpu;
    bool              owns_gpu;
    WeftRenderSpring *springs;
    uint32_t          spring_count;
    WeftRenderer      renderer;
    WeftRenderTarget  target;
    WeftSnapshot      snapshot;
    WeftShot          shot;
} Studio;

void setUp(void)
{
}

void tearDown(void)
{
    expect_no_validation_messages();
}

static void studio_open_for(Studio *studio, const char *scene, const char *device,
                            const char *precision, const WeftRenderQuality *quality, uint32_t width,
                            uint32_t height, const WeftPixels *texture, VkFormat format)
{
    memset(studio, 0, sizeof *studio);
    // A device that the renderer opens for itself, or a reason to leave the test out.
    studio->gpu = open_test_device(NULL);
    studio->owns_gpu = true;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    rig_open(&studio->rig, scene, device, precision);
#pragma GCC diagnostic pop
    WeftGpu *shared = weft_render_gpu_of(studio->rig.sim);
    if (shared)
    {
        weft_gpu_close(studio->gpu);
        studio->gpu = shared;
        studio->owns_gpu = false;
    }
    EXPECT_OK(weft_render_springs_of_sim(studio->rig.sim, &studio->springs, &studio->spring_count));
    const WeftRendererWish wish = {
        .gpu = studio->gpu,
        .model = weft_render_model_of(studio->rig.sim),
        .springs = studio->springs,
        .spring_count = studio->spring_count,
        .quality = *quality,
        .texture = texture,
        .format = format,
        .final_layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
    };
    EXPECT_OK(weft_renderer_create(&studio->renderer, &wish));
    EXPECT_OK(weft_render_target_create(&studio->renderer, &studio->target, width, height,
                                        VK_NULL_HANDLE, VK_NULL_HANDLE));
    studio->shot.has_legend = true;
}

static void studio_open(Studio *studio, const char *scene, const char *device,
                        const char *precision, const WeftRenderQuality *quality, uint32_t width,
                        uint32_t height, const WeftPixels *texture)
{
    studio_open_for(studio, scene, device, precision, quality, width, height, texture,
                    VK_FORMAT_R8G8B8A8_SRGB);
}

static void studio_close(Studio *studio)
{
    weft_render_target_destroy(&studio->renderer, &studio->target);
    weft_snapshot_destroy(studio->gpu, &studio->snapshot);
    weft_renderer_destroy(&studio->renderer);
    free(studio->springs);
    if (studio->owns_gpu)
        weft_gpu_close(studio->gpu);
    rig_close(&studio->rig);
}

// The camera that places (particles x 3) ask for, and the range of their stretch.
static void studio_frame(Studio *studio, const double *places, double time)
{
    uint32_t      count = weft_sim_particle_count(studio->rig.sim);
    WeftFraming   framing = {0};
    WeftStretches stretches = {0};
    EXPECT_OK(weft_framing_add(&framing, places, count, time));
    weft_stretches_add(&stretches, studio->springs, studio->spring_count, places);
    studio->shot.camera =
        weft_camera_fit(&framing, &studio->renderer.solids, &(WeftCameraWish){0},
                        (float)studio->target.width / (float)studio->target.height);
    studio->shot.stretch_range = weft_stretches_range(&stretches);
    weft_framing_destroy(&framing);
}

// Takes the present moment of the simulation.
static void studio_look(Studio *studio)
{
    uint32_t count = weft_sim_particle_count(studio->rig.sim);
    double  *places = calloc(3 * (size_t)count, sizeof(double));
    weft_render_places_of(studio->rig.sim, places);
    studio_frame(studio, places, weft_sim_time(studio->rig.sim));
    EXPECT_OK(weft_snapshot_take(&studio->snapshot, studio->gpu, studio->rig.sim,
                                 WEFT_SNAPSHOT_LABELS | WEFT_SNAPSHOT_FLAGS));
    studio->shot.state = studio->snapshot.state;
    free(places);
}

// Poses the rag: a hill with a wave, some components and springs of every kind. What is drawn then does not depend on
// what the engine does.
static void studio_pose(Studio *studio)
{
    enum
    {
        SIDE = 25,
        COUNT = SIDE * SIDE,
        STORAGE = 8 * COUNT
    };
    static double   places[COUNT * 3];
    static uint32_t words[3 * COUNT + COUNT + STORAGE]; // places, labels, flags
    for (int i = 0; i < COUNT; i++)
    {
        double u = (i % SIDE) / (SIDE - 1.0) - 0.5, v = (i / SIDE) / (SIDE - 1.0) - 0.5;
        double hill = exp(-12 * ((u - 0.1) * (u - 0.1) + v * v));
        double place[3] = {0.75 * u, 0.22 + 0.26 * hill + 0.03 * sin(14 * u + 6 * v), -0.78 * v};
        for (int axis = 0; axis < 3; axis++)
        {
            float number = (float)place[axis];
            memcpy(&words[axis * COUNT + i], &number, sizeof number);
            places[3 * i + axis] = place[axis];
        }
        words[3 * COUNT + i] =
            hill > 0.8 ? LABEL_NONE : (uint32_t)(i % SIDE / 6 + 5 * (i / SIDE / 9));
    }
    for (uint32_t k = 0; k < STORAGE; k++)
        words[4 * COUNT + k] =
            SPRING_PRESENT | (k % 3 > 0 ? SPRING_ACTIVE : 0u) | (k % 3 > 1 ? SPRING_IMPLICIT : 0u);
    for (uint32_t k = 0; k < studio->spring_count; k++)
        TEST_ASSERT_LESS_THAN_UINT32(STORAGE, studio->springs[k].storage);
    studio->snapshot.buffer = make_buffer(studio->gpu, "pose", words, sizeof words);
    uint64_t address = studio->snapshot.buffer.address;
    studio->shot.state = (WeftRenderState){.x = address,
                                           .labels = address + 3 * COUNT * sizeof(uint32_t),
                                           .flags = address + 4 * COUNT * sizeof(uint32_t),
                                           .stride = COUNT,
                                           .time = 0.2};
    studio_frame(studio, places, 0.2);
}

static const uint8_t *studio_draw(Studio *studio, WeftShow show)
{
    studio->shot.show = show;
    EXPECT_OK(weft_renderer_draw(&studio->renderer, &studio->target, &studio->shot));
    return studio->target.pixels.memory;
}

// How far two pictures are apart.
static void measure(const uint8_t *a, const uint8_t *b, double *mean, double *far)
{
    double sum = 0, count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
        int most = 0;
        for (int k = 0; k < 3; k++)
        {
            int apart = abs(a[4 * i + k] - b[4 * i + k]);
            sum += apart;
            most = apart > most ? apart : most;
        }
        count += most > FAR_OFF;
    }
    *mean = sum / (3.0 * WIDTH * HEIGHT);
    *far = count / (WIDTH * HEIGHT);
}

static void expect_alike(const char *name, Limits limits, const uint8_t *drawn,
                         const uint8_t *wanted)
{
    double mean, far;
    char   text[200];
    measure(drawn, wanted, &mean, &far);
    snprintf(text, sizeof text,
             "%s: mean difference %.3f (limit %.3g), far off %.3f %% (limit %.3g %%)", name, mean,
             limits.mean, 100 * far, 100 * limits.far);
    TEST_ASSERT_TRUE_MESSAGE(mean <= limits.mean && far <= limits.far, text);
}

static void expect_picture(const char *name, Limits limits, const uint8_t *drawn)
{
    char       path[512];
    WeftPixels wanted;
    snprintf(path, sizeof path, "%s/tests/pictures/%s.png", WEFT_SOURCE_FOLDER, name);
    if (getenv("WEFT_UPDATE_PICTURES"))
    {
        WeftFile         file;
        const WeftPixels pixels = {WIDTH, HEIGHT, (uint8_t *)drawn};
        EXPECT_OK(weft_file_begin(&file, path));
        EXPECT_OK(weft_png_write(&pixels, &file));
        return;
    }
    EXPECT_OK(weft_png_read(&wanted, path));
    TEST_ASSERT_EQUAL_UINT32(WIDTH, wanted.width);
    TEST_ASSERT_EQUAL_UINT32(HEIGHT, wanted.height);
    expect_alike(name, limits, drawn, wanted.bytes);
    weft_pixels_destroy(&wanted);
}

static const char *const names[] = {"rag_fabric", "rag_components", "rag_stretch", "rag_wireframe"};

static void test_pictures_of_a_rag_in_all_colours(void)
{
    Studio studio;
    studio_open(&studio, rag, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, NULL);
    studio_pose(&studio);
    for (int show = 0; show < WEFT_SHOW_COUNT; show++)
        expect_picture(names[show], show == WEFT_SHOW_WIREFRAME ? lines : surfaces,
                       studio_draw(&studio, (WeftShow)show));
    studio_close(&studio);
}

// The engine's own arrays give the same picture as a copy of them, to the last bit.
static void expect_same_without_copy(Studio *studio)
{
    static uint8_t copied[WIDTH * HEIGHT * 4];
    for (int show = 0; show < WEFT_SHOW_COUNT; show++)
    {
        studio->shot.state = studio->snapshot.state;
        memcpy(copied, studio_draw(studio, (WeftShow)show), sizeof copied);
        TEST_ASSERT_TRUE(weft_render_state_of(&studio->shot.state, studio->rig.sim));
        TEST_ASSERT_NOT_EQUAL_UINT64(studio->snapshot.state.x, studio->shot.state.x);
        TEST_ASSERT_EQUAL_MEMORY(copied, studio_draw(studio, (WeftShow)show), sizeof copied);
    }
}

// Which springs act is for rounding to say where cloth is slack, so components are compared with what the engine itself
// tells of them.
static void expect_labels(Studio *studio)
{
    uint32_t count = studio->rig.count;
    uint32_t told[25 * 25], drawn[25 * 25];
    TEST_ASSERT_EQUAL_UINT32(25 * 25, count);
    weft_sim_components(studio->rig.sim, 0, told);
    uint64_t offset = studio->snapshot.state.labels - studio->snapshot.buffer.address;
    EXPECT_OK(
        weft_gpu_download(studio->gpu, &studio->snapshot.buffer, offset, drawn, sizeof drawn));
    TEST_ASSERT_EQUAL_UINT32_ARRAY(told, drawn, count);
}

// The state is then read where it is, on the device, in both precisions.
static void test_gpu_engine_is_drawn_like_the_cpu_engine(void)
{
    for (int is_double = 0; is_double < 2; is_double++)
    {
        Studio host, device;
        studio_open(&host, rag, "cpu", is_double ? "double" : "float", &weft_quality_fine, WIDTH,
                    HEIGHT, NULL);
        if (is_double && !host.gpu->info.has_float64)
        {
            studio_close(&host);
            continue;
        }
        studio_open(&device, rag, "gpu", is_double ? "double" : "float", &weft_quality_fine, WIDTH,
                    HEIGHT, NULL);
        rig_step(&host.rig, 12);
        rig_step(&device.rig, 12);
        studio_look(&host);
        studio_look(&device);
        TEST_ASSERT_EQUAL_INT(is_double, device.shot.state.is_double);
        TEST_ASSERT_FALSE(weft_render_state_of(&(WeftRenderState){0}, host.rig.sim));
        expect_alike("fabric on both engines", surfaces, studio_draw(&device, WEFT_SHOW_FABRIC),
                     studio_draw(&host, WEFT_SHOW_FABRIC));
        expect_alike("stretch on both engines", surfaces, studio_draw(&device, WEFT_SHOW_STRETCH),
                     studio_draw(&host, WEFT_SHOW_STRETCH));
        expect_labels(&host);
        expect_labels(&device);
        expect_same_without_copy(&device);
        studio_close(&device);
        studio_close(&host);
    }
}

static void test_picture_of_every_kind_of_solid(void)
{
    Studio studio;
    studio_open(&studio, solids, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, NULL);
    studio_look(&studio);
    studio.shot.state.time = 0.08; // one solid is then on its way
    expect_picture("solids", surfaces, studio_draw(&studio, WEFT_SHOW_FABRIC));
    studio_close(&studio);
}

// The corners of a block of 0.3 x 0.4 x 0.3 m, moved.
static void block_corners(double points[24], double dx, double dy)
{
    for (int k = 0; k < 8; k++)
    {
        points[3 * k] = (k & 1 ? 0.15 : -0.15) + dx;
        points[3 * k + 1] = (k & 2 ? 0.2 : -0.2) + dy;
        points[3 * k + 2] = k & 4 ? 0.15 : -0.15;
    }
}

// A block that moves by keyframes, its mesh that does so, and its mesh that is moved by a point cache.
static void test_meshes_are_drawn_like_the_solids_that_they_are(void)
{
    char     mesh_path[300], cache_path[300], text[4000];
    double   points[24];
    WeftFile cache;
    block_corners(points, 0, 0);
    int length = 0;
    for (int k = 0; k < 8; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "v %g %g %g\n",
                           points[3 * k], points[3 * k + 1], points[3 * k + 2]);
    snprintf(text + length, sizeof text - (size_t)length,
             "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    snprintf(mesh_path, sizeof mesh_path, "%s", write_text("block.obj", text));
    snprintf(cache_path, sizeof cache_path, "%s", write_text("block.pc2", ""));
    EXPECT_OK(weft_pc2_begin(&cache, cache_path, 8));
    EXPECT_OK(weft_pc2_frame(&cache, 8, 0, points));
    block_corners(points, 0.2, 0.1);
    EXPECT_OK(weft_pc2_frame(&cache, 8, 1, points));
    EXPECT_OK(weft_file_commit(&cache));

    const char *motion = "'keyframes': [{'time': 0}, {'time': 1, 'position': [0.2, 0.1, 0]}]";
    const char *kinds[] = {"box", "mesh", "animated mesh"};
    char        forms[3][700];
    snprintf(forms[0], sizeof forms[0], "'type': 'box', 'size': [0.3, 0.4, 0.3], %s", motion);
    snprintf(forms[1], sizeof forms[1], "'type': 'mesh', 'file': '%s', %s", mesh_path, motion);
    snprintf(forms[2], sizeof forms[2],
             "'type': 'mesh', 'file': '%s', 'animation': '%s', 'animation_rate': 1", mesh_path,
             cache_path);
    static uint8_t wanted[WIDTH * HEIGHT * 4], before[WIDTH * HEIGHT * 4];
    for (int k = 0; k < 3; k++)
    {
        Studio studio;
        double mean, far;
        snprintf(text, sizeof text,
                 "{'solver': {'device': '%%s', 'precision': '%%s'}, 'cloths': [{'grid': {'size': "
                 "[0.8, 0.8], "
                 "'counts': [25, 25]}, 'position': [0, 0.5, -0.5]}], 'solids': [{'position': [0, "
                 "0.2, 0], %s}, "
                 "{'type': 'plane'}]}",
                 forms[k]);
        studio_open(&studio, text, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, NULL);
        studio_look(&studio);
        memcpy(before, studio_draw(&studio, WEFT_SHOW_FABRIC), sizeof before);
        studio.shot.state.time = 0.7;
        const uint8_t *drawn = studio_draw(&studio, WEFT_SHOW_FABRIC);
        measure(before, drawn, &mean, &far);
        TEST_ASSERT_TRUE(far > 0.02);
        if (k == 0)
            memcpy(wanted, drawn, sizeof wanted);
        expect_alike(kinds[k], surfaces, drawn, wanted);
        studio_close(&studio);
    }
}

static void test_picture_with_an_image_on_the_cloth(void)
{
    // Four quarters of different colours; red is at the upper left.
    uint8_t    bytes[16 * 16 * 4];
    WeftPixels texture = {16, 16, bytes};
    for (int i = 0; i < 256; i++)
    {
        const uint8_t color[4] = {i % 16 < 8 ? 230 : 20, i / 16 < 8 ? 30 : 200, 60, 255};
        memcpy(bytes + 4 * i, color, 4);
    }
    Studio studio;
    studio_open(&studio, rag, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, &texture);
    studio_look(&studio);
    expect_picture("texture", surfaces, studio_draw(&studio, WEFT_SHOW_FABRIC));
    studio_close(&studio);
}

// The window's settings draw the same scene: not as softly, but not something else.
static void test_quick_picture_shows_the_same(void)
{
    Studio fine, quick;
    double mean, far;
    studio_open(&fine, rag, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, NULL);
    studio_open(&quick, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    studio_look(&fine);
    studio_look(&quick);
    measure(studio_draw(&fine, WEFT_SHOW_FABRIC), studio_draw(&quick, WEFT_SHOW_FABRIC), &mean,
            &far);
    TEST_ASSERT_TRUE(mean < 12);
    TEST_ASSERT_TRUE(mean > 0.2);
    studio_close(&quick);
    studio_close(&fine);
}

// Colours that the shaders encode are those that the device would have stored.
static void test_shaders_encode_as_the_device_does(void)
{
    Studio device, shader;
    double mean, far;
    studio_open(&device, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    studio_open_for(&shader, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL,
                    VK_FORMAT_R8G8B8A8_UNORM);
    studio_look(&device);
    studio_look(&shader);
    for (int show = 0; show < WEFT_SHOW_COUNT; show++)
    {
        measure(studio_draw(&device, (WeftShow)show), studio_draw(&shader, (WeftShow)show), &mean,
                &far);
        TEST_ASSERT_TRUE(mean < 2);
        TEST_ASSERT_TRUE(far < 0.001);
    }
    studio_close(&shader);
    studio_close(&device);
}

// Fills the upper half of the picture, before everything.
static void draw_curtain(void *user, VkCommandBuffer buffer)
{
    const VkClearAttachment curtain[] = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 0, 1}}}},
        {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {0, 0}}},
    };
    const VkClearRect upper = {{{0, 0}, {WIDTH, HEIGHT / 2}}, 0, 1};
    vkCmdClearAttachments(buffer, 2, curtain, 1, &upper);
    ++*(int *)user;
}

// What is drawn over all is drawn again only when it changes or the ground does, and not into pictures that are without it.
static void test_what_is_over_all_is_kept(void)
{
    // Of each picture: its number, and how often it was drawn by then.
    static const int pictures[][2] = {{1, 1}, {1, 2}, {1, 2}, {1, 2}, {2, 3}, {2, 3}};
    Studio           studio;
    int              drawn = 0;
    size_t           below = 4 * (size_t)WIDTH * (HEIGHT / 2);
    uint8_t          bare[WIDTH * HEIGHT * 4];
    studio_open(&studio, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    studio_look(&studio);
    studio_draw(&studio, WEFT_SHOW_FABRIC);
    memcpy(bare, studio_draw(&studio, WEFT_SHOW_FABRIC), sizeof bare);
    studio.shot.camera.eye.x += 1e-6f;
    studio.shot.draw_user = &drawn;
    for (size_t k = 0; k < sizeof pictures / sizeof *pictures; k++)
    {
        double mean, far;
        studio.shot.draw_over = draw_curtain;
        studio.shot.over_number = (uint64_t)pictures[k][0];
        const uint8_t *pixels = studio_draw(&studio, WEFT_SHOW_FABRIC);
        TEST_ASSERT_EQUAL_INT(pictures[k][1], drawn);
        for (size_t i = 0; i < below; i += 4)
            TEST_ASSERT_TRUE(pixels[i] == 255 && pixels[i + 1] == 0 && pixels[i + 2] == 0);
        TEST_ASSERT_TRUE(memcmp(pixels + below, bare + below, 4) == 0);
        if (k == 0)
            continue;
        studio.shot.draw_over = NULL;
        measure(bare, studio_draw(&studio, WEFT_SHOW_FABRIC), &mean, &far);
        TEST_ASSERT_TRUE(mean < 0.1);
    }
    studio_close(&studio);
}

// A second picture from the same place keeps the ground of the first, with the shadow where it belongs: also when the cloth
// has moved, and after the eye has.
static void test_ground_is_kept_from_picture_to_picture(void)
{
    Studio  studio, fresh;
    uint8_t anew[WIDTH * HEIGHT * 4];
    double  mean, far;
    studio_open(&studio, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    studio_open(&fresh, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    studio_look(&studio);
    WeftCamera camera = studio.shot.camera;
    for (int round = 0; round < 4; round++)
    {
        rig_step(&studio.rig, 5);
        rig_step(&fresh.rig, 5);
        studio_look(&studio);
        studio_look(&fresh);
        camera.eye.x += round == 2 ? 0.1f : 0;
        studio.shot.camera = fresh.shot.camera = camera;
        memset(&fresh.renderer.ground.view, 0, sizeof fresh.renderer.ground.view);
        memcpy(anew, studio_draw(&fresh, WEFT_SHOW_FABRIC), sizeof anew);
        TEST_ASSERT_FALSE(fresh.renderer.ground.is_drawn);
        measure(anew, studio_draw(&studio, WEFT_SHOW_FABRIC), &mean, &far);
        TEST_ASSERT_EQUAL_INT(round % 2 == 1, studio.renderer.ground.is_drawn);
        TEST_ASSERT_TRUE(mean < 0.05);
        TEST_ASSERT_TRUE(far < 0.001);
    }
    studio_close(&fresh);
    studio_close(&studio);
}

// Neither is a picture of one colour, nor do the four colourings look the same.
static void test_pictures_are_not_blank(void)
{
    Studio  studio;
    uint8_t before[WIDTH * HEIGHT * 4];
    double  mean, far;
    studio_open(&studio, rag, "cpu", "float", &weft_quality_fine, WIDTH, HEIGHT, NULL);
    rig_step(&studio.rig, 10);
    studio_look(&studio);
    for (int show = 0; show < WEFT_SHOW_COUNT; show++)
    {
        const uint8_t *pixels = studio_draw(&studio, (WeftShow)show);
        double         sum = 0, squares = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
        {
            sum += pixels[4 * i + 1];
            squares += (double)pixels[4 * i + 1] * pixels[4 * i + 1];
            TEST_ASSERT_EQUAL_UINT8(255, pixels[4 * i + 3]);
        }
        double middle = sum / (WIDTH * HEIGHT);
        TEST_ASSERT_TRUE(sqrt(squares / (WIDTH * HEIGHT) - middle * middle) > 15);
        if (show > 0)
        {
            measure(before, pixels, &mean, &far);
            TEST_ASSERT_TRUE(far > 0.05);
        }
        memcpy(before, pixels, sizeof before);
    }
    studio_close(&studio);
}

static void test_too_large_a_picture_is_refused(void)
{
    Studio           studio;
    WeftRenderTarget target;
    studio_open(&studio, rag, "cpu", "float", &weft_quality_quick, WIDTH, HEIGHT, NULL);
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT,
                          weft_render_target_create(&studio.renderer, &target, 1u << 20, 90,
                                                    VK_NULL_HANDLE, VK_NULL_HANDLE));
    TEST_ASSERT_NOT_NULL(strstr(weft_error_message(), "too large"));
    studio_close(&studio);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Figures, not a test: what a picture of a cloth of 60 x 60 costs at 960 x 540.
static void print_times(void)
{
    static const char *const words[] = {"fabric", "components", "stretch", "wireframe"};
    for (int is_fine = 0; is_fine < 2; is_fine++)
    {
        Studio studio;
        studio_open(&studio,
                    "{'step': 0.004, 'solver': {'device': '%s', 'precision': '%s'},"
                    " 'cloths': [{'grid': {'size': [1.2, 1.2], 'counts': [60, 60]}, 'position': "
                    "[0, 0.7, 0],"
                    "  'rotation': [-90, 0, 0]}],"
                    " 'solids': [{'type': 'sphere', 'radius': 0.3, 'position': [0, 0.3, 0]}, "
                    "{'type': 'plane'}]}",
                    "cpu", "float", is_fine ? &weft_quality_fine : &weft_quality_quick, 960, 540,
                    NULL);
        rig_step(&studio.rig, 100);
        studio_look(&studio);
        for (int show = 0; show < WEFT_SHOW_COUNT; show++)
        {
            double best = INFINITY, least = INFINITY;
            for (int k = 0; k < (is_fine ? 5 : 20); k++)
            {
                double start = weft_clock_seconds(), used = processor_seconds();
                studio_draw(&studio, (WeftShow)show);
                best = fmin(best, weft_clock_seconds() - start);
                least = fmin(least, processor_seconds() - used);
            }
            printf("%s %s: %.2f ms a picture, %.2f ms of processor time\n",
                   is_fine ? "fine" : "quick", words[show], 1e3 * best, 1e3 * least);
        }
        studio_close(&studio);
    }
}

int main(void)
{
    UNITY_BEGIN();
    if (getenv("WEFT_TEST_SPEED"))
    {
        RUN_TEST(print_times);
        return UNITY_END();
    }
    RUN_TEST(test_pictures_of_a_rag_in_all_colours);
    RUN_TEST(test_gpu_engine_is_drawn_like_the_cpu_engine);
    RUN_TEST(test_picture_of_every_kind_of_solid);
    RUN_TEST(test_meshes_are_drawn_like_the_solids_that_they_are);
    RUN_TEST(test_picture_with_an_image_on_the_cloth);
    RUN_TEST(test_quick_picture_shows_the_same);
    RUN_TEST(test_shaders_encode_as_the_device_does);
    RUN_TEST(test_what_is_over_all_is_kept);
    RUN_TEST(test_ground_is_kept_from_picture_to_picture);
    RUN_TEST(test_pictures_are_not_blank);
    RUN_TEST(test_too_large_a_picture_is_refused);
    return UNITY_END();
}
