// test_gpu_primitives.c: prefix sums, reductions, gates and connected components against plain loops, at
// the sizes where workgroups and tiles begin and end. All is exact.
#include "test_gpu.h"

#include <math.h>
#include <stdio.h>

#include "gpu/components.h"
#include "gpu/gate.h"
#include "gpu/reduce.h"
#include "gpu/scan.h"
#include "layout.h"
#include "primitives/primitives.h"

static WeftGpu          *gpu;
static WeftGpuCommands   commands;
static WeftGpuScan       scan;
static WeftGpuReduce     reduce;
static WeftGpuComponents components;

// Large arrays take minutes under validation, so they have a run of their own.
static bool is_large_run(void)
{
    const char *value = getenv("WEFT_TEST_LARGE");
    return value && strcmp(value, "1") == 0;
}

static void skip_unless_large(void)
{
    if (!is_large_run())
        TEST_IGNORE_MESSAGE("only with WEFT_TEST_LARGE=1");
}

// One device for all tests: pipelines take seconds to build where validation has added to them.
void setUp(void)
{
    if (gpu)
        return;
    uint32_t capacity = is_large_run() ? 50000000 : 100003;
    gpu = open_test_device(NULL);
    EXPECT_OK(weft_gpu_commands_create(gpu, &commands));
    EXPECT_OK(weft_gpu_scan_create(gpu, &scan, capacity));
    EXPECT_OK(weft_gpu_reduce_create(gpu, &reduce, capacity));
    EXPECT_OK(weft_gpu_components_create(gpu, &components));
}

void tearDown(void)
{
    expect_no_validation_messages();
}

static void close_device(void)
{
    if (!gpu)
        return;
    weft_gpu_components_destroy(gpu, &components);
    weft_gpu_reduce_destroy(gpu, &reduce);
    weft_gpu_scan_destroy(gpu, &scan);
    weft_gpu_commands_destroy(&commands);
    weft_gpu_close(gpu);
}

static void run_commands(uint32_t repeats)
{
    EXPECT_OK(weft_gpu_commands_end(&commands));
    EXPECT_OK(weft_gpu_commands_submit(&commands, repeats));
    EXPECT_OK(weft_gpu_commands_wait(&commands));
}

// Prefix sums.

static void check_scan(uint32_t count, bool in_place, uint32_t most)
{
    size_t    bytes = 4 * (size_t)count, total_bytes = bytes + 4;
    uint32_t *values = malloc(total_bytes), *expected = malloc(total_bytes),
             *got = malloc(total_bytes), state = count + 1, sum = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        values[i] = next_random(&state) % most;
        expected[i] = sum;
        sum += values[i];
    }
    expected[count] = sum;
    WeftGpuBuffer input, output = make_buffer(gpu, "result", NULL, total_bytes);
    if (in_place)
        EXPECT_OK(weft_gpu_upload(gpu, &output, 0, values, bytes));
    else
        input = make_buffer(gpu, "values", values, bytes);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_scan_record(&scan, &commands, in_place ? output.address : input.address,
                         output.address, count, true);
    run_commands(in_place ? 1 : 2);
    EXPECT_OK(weft_gpu_download(gpu, &output, 0, got, total_bytes));
    for (uint32_t i = 0; i <= count; i++)
        if (expected[i] != got[i])
        {
            char text[100];
            snprintf(text, sizeof(text), "count %u, element %u", count, i);
            TEST_ASSERT_EQUAL_UINT32_MESSAGE(expected[i], got[i], text);
        }
    EXPECT_OK(weft_gpu_guard_check(gpu, &output));
    EXPECT_OK(weft_gpu_guard_check(gpu, &scan.scratch));
    weft_gpu_buffer_destroy(gpu, &output);
    if (!in_place)
    {
        EXPECT_OK(weft_gpu_guard_check(gpu, &input));
        weft_gpu_buffer_destroy(gpu, &input);
    }
    free(values);
    free(expected);
    free(got);
}

static void test_scan_at_the_ends_of_groups_and_tiles(void)
{
    uint32_t group = weft_gpu_group_size(gpu, 256), tile = group * SCAN_ITEMS;
    uint32_t sizes[] = {0,           1,     2,         SCAN_ITEMS - 1, SCAN_ITEMS, SCAN_ITEMS + 1,
                        group - 1,   group, group + 1, tile,           tile - 1,   tile + 1,
                        5 * tile + 3};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
    {
        check_scan(sizes[i], false, 10);
        check_scan(sizes[i], true, 10);
    }
}

static void test_scan_wraps_around_like_unsigned_words(void)
{
    check_scan(100000, false, UINT32_MAX);
}

static void test_scan_of_three_levels(void)
{
    skip_unless_large();
    uint32_t tile = weft_gpu_group_size(gpu, 256) * SCAN_ITEMS;
    check_scan(tile * tile, false, 10);
    check_scan(tile * tile + 1, true, 10);
}

static void test_scan_of_fifty_million(void)
{
    skip_unless_large();
    check_scan(50000000, true, 100);
}

// Reductions. The reference adds in the order that reduce.comp documents.

static float reduce_reference(const float *a, const float *b, uint32_t count)
{
    uint32_t tiles = count ? (count + REDUCE_TILE - 1) / REDUCE_TILE : 1;
    float   *sums = calloc(tiles, sizeof(*sums));
    for (uint32_t tile = 0; tile < tiles; tile++)
    {
        float lanes[REDUCE_LANES] = {0};
        for (uint32_t i = tile * REDUCE_TILE; i < (tile + 1) * REDUCE_TILE && i < count; i++)
            lanes[i % REDUCE_LANES] += b ? a[i] * b[i] : a[i];
        for (uint32_t row = 0; row < REDUCE_LANES / REDUCE_ROW; row++)
        {
            float sum = 0;
            for (uint32_t k = 0; k < REDUCE_ROW; k++)
                sum += lanes[row * REDUCE_ROW + k];
            sums[tile] += sum;
        }
    }
    float result = tiles == 1 ? sums[0] : reduce_reference(sums, NULL, tiles);
    free(sums);
    return result;
}

static void check_reduce(uint32_t count)
{
    size_t   bytes = 4 * (size_t)count;
    float   *a = malloc(bytes + 4), *b = malloc(bytes + 4), got[2];
    uint32_t state = count + 7;
    double   exact = 0, size = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        a[i] = (float)((double)next_random(&state) / UINT32_MAX - 0.5);
        b[i] = (float)((double)next_random(&state) / UINT32_MAX - 0.3);
        exact += (double)a[i] * (double)b[i];
        size += fabs((double)a[i] * (double)b[i]);
    }
    WeftGpuBuffer a_buffer = make_buffer(gpu, "a", a, bytes),
                  b_buffer = make_buffer(gpu, "b", b, bytes),
                  result = make_buffer(gpu, "result", NULL, sizeof(got));
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_reduce_record(&reduce, &commands, a_buffer.address, 0, result.address, count);
    weft_gpu_reduce_record(&reduce, &commands, a_buffer.address, b_buffer.address,
                           result.address + 4, count);
    run_commands(2);
    EXPECT_OK(weft_gpu_download(gpu, &result, 0, got, sizeof(got)));
    float expected[2] = {reduce_reference(a, NULL, count), reduce_reference(a, b, count)};
    char  text[100];
    snprintf(text, sizeof(text), "count %u: %.9g %.9g, not %.9g %.9g", count, (double)got[0],
             (double)got[1], (double)expected[0], (double)expected[1]);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected, got, sizeof(got), text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6 * size + 1e-30, exact, (double)got[1], text);
    EXPECT_OK(weft_gpu_guard_check(gpu, &result));
    EXPECT_OK(weft_gpu_guard_check(gpu, &reduce.scratch));
    weft_gpu_buffer_destroy(gpu, &a_buffer);
    weft_gpu_buffer_destroy(gpu, &b_buffer);
    weft_gpu_buffer_destroy(gpu, &result);
    free(a);
    free(b);
}

// Gates.

// Two prefix sums of ones, each behind a gate; those whose gate is closed leave their array alone.
static void test_gates_let_through_what_is_open(void)
{
    enum
    {
        COUNT = 20000
    };
    uint32_t     *words = malloc(4 * COUNT);
    WeftGpuBuffer open = make_buffer(gpu, "open", NULL, 8), arrays[2];
    WeftGpuGate   gate;
    EXPECT_OK(weft_gpu_gate_create(gpu, &gate, 2));
    for (uint32_t k = 0; k < 2; k++)
        arrays[k] = make_buffer(gpu, "array", NULL, 4 * COUNT);
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    for (uint32_t k = 0; k < 2; k++)
    {
        weft_gpu_gate_begin(&gate, &commands, k, open.address + 4 * k);
        weft_gpu_scan_record(&scan, &commands, arrays[k].address, arrays[k].address, COUNT, false);
        weft_gpu_gate_end(&commands);
    }
    EXPECT_OK(weft_gpu_commands_end(&commands));
    for (uint32_t mask = 0; mask < 4; mask++)
    {
        const uint32_t opened[] = {mask & 1, mask & 2};
        EXPECT_OK(weft_gpu_upload(gpu, &open, 0, opened, sizeof(opened)));
        for (uint32_t k = 0; k < 2; k++)
            EXPECT_OK(weft_gpu_fill(gpu, &arrays[k], 1));
        EXPECT_OK(weft_gpu_commands_submit(&commands, 1));
        EXPECT_OK(weft_gpu_commands_wait(&commands));
        for (uint32_t k = 0; k < 2; k++)
        {
            EXPECT_OK(weft_gpu_download(gpu, &arrays[k], 0, words, 4 * COUNT));
            for (uint32_t i = 0; i < COUNT; i++)
                if (words[i] != (opened[k] ? i : 1))
                    TEST_ASSERT_EQUAL_UINT32(opened[k] ? i : 1, words[i]);
        }
    }
    EXPECT_OK(weft_gpu_guard_check(gpu, &gate.grids));
    for (uint32_t k = 0; k < 2; k++)
        weft_gpu_buffer_destroy(gpu, &arrays[k]);
    weft_gpu_buffer_destroy(gpu, &open);
    weft_gpu_gate_destroy(gpu, &gate);
    free(words);
}

static void test_reduce_gives_the_bits_of_the_fixed_order(void)
{
    static const uint32_t sizes[] = {0,
                                     1,
                                     2,
                                     REDUCE_LANES - 1,
                                     REDUCE_LANES,
                                     REDUCE_LANES + 1,
                                     REDUCE_TILE - 1,
                                     REDUCE_TILE,
                                     REDUCE_TILE + 1,
                                     10 * REDUCE_TILE + 5,
                                     100003};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check_reduce(sizes[i]);
}

static void test_reduce_of_more_than_a_tile_of_tiles(void)
{
    skip_unless_large();
    check_reduce(REDUCE_TILE * REDUCE_TILE + 17);
}

// Connected components.

enum
{
    EDGE_COUNTS = 4,
    EDGE_OTHER = 1,
    VERTEX_HELD = 2,
};

typedef struct Graph
{
    uint32_t  vertex_count, edge_count;
    uint32_t *edges, *edge_flags, *vertex_flags;
} Graph;

static Graph make_graph(uint32_t vertex_count, uint32_t edge_count)
{
    Graph graph = {vertex_count, edge_count, NULL, NULL, NULL};
    graph.edges = calloc(2 * (size_t)edge_count + 1, 4);
    graph.edge_flags = calloc((size_t)edge_count + 1, 4);
    graph.vertex_flags = calloc((size_t)vertex_count + 1, 4);
    for (uint32_t i = 0; i < edge_count; i++)
        graph.edge_flags[i] = EDGE_COUNTS;
    return graph;
}

static void set_edge(Graph *graph, uint32_t edge, uint32_t a, uint32_t b)
{
    graph->edges[2 * edge] = a;
    graph->edges[2 * edge + 1] = b;
}

static uint32_t plain_root(const uint32_t *parents, uint32_t i)
{
    while (parents[i] != i)
        i = parents[i];
    return i;
}

// Union by lower index with full path compression.
static void label_reference(const Graph *graph, uint32_t *labels)
{
    for (uint32_t i = 0; i < graph->vertex_count; i++)
        labels[i] = i;
    for (uint32_t e = 0; e < graph->edge_count; e++)
    {
        uint32_t a = graph->edges[2 * e], b = graph->edges[2 * e + 1];
        if (!(graph->edge_flags[e] & EDGE_COUNTS) || graph->vertex_flags[a] & VERTEX_HELD ||
            graph->vertex_flags[b] & VERTEX_HELD)
            continue;
        uint32_t root_a = plain_root(labels, a), root_b = plain_root(labels, b);
        uint32_t root = root_a < root_b ? root_a : root_b;
        labels[root_a] = labels[root_b] = root;
        for (uint32_t i = a, next; i != root; i = next)
            next = labels[i], labels[i] = root;
        for (uint32_t i = b, next; i != root; i = next)
            next = labels[i], labels[i] = root;
    }
    for (uint32_t i = 0; i < graph->vertex_count; i++)
        labels[i] = labels[labels[i]];
    for (uint32_t i = 0; i < graph->vertex_count; i++)
        if (graph->vertex_flags[i] & VERTEX_HELD)
            labels[i] = LABEL_NONE;
}

static void check_labels(Graph *graph, const char *what)
{
    size_t vertex_bytes = 4 * (size_t)graph->vertex_count,
           edge_bytes = 4 * (size_t)graph->edge_count;
    uint32_t *expected = malloc(vertex_bytes), *got = malloc(vertex_bytes);
    label_reference(graph, expected);
    WeftGpuBuffer edges = make_buffer(gpu, "edges", graph->edges, 2 * edge_bytes),
                  edge_flags = make_buffer(gpu, "edge flags", graph->edge_flags, edge_bytes),
                  vertex_flags =
                      make_buffer(gpu, "vertex flags", graph->vertex_flags, vertex_bytes),
                  labels = make_buffer(gpu, "labels", NULL, vertex_bytes);
    const WeftGpuGraph there = {
        .edges = edges.address,
        .edge_flags = edge_flags.address,
        .vertex_flags = vertex_flags.address,
        .labels = labels.address,
        .vertex_count = graph->vertex_count,
        .edge_count = graph->edge_count,
        .edge_mask = EDGE_COUNTS,
        .vertex_mask = VERTEX_HELD,
    };
    EXPECT_OK(weft_gpu_commands_begin(&commands));
    weft_gpu_components_record(&components, &commands, &there);
    run_commands(2);
    EXPECT_OK(weft_gpu_download(gpu, &labels, 0, got, vertex_bytes));
    for (uint32_t i = 0; i < graph->vertex_count; i++)
        if (expected[i] != got[i])
        {
            char text[100];
            snprintf(text, sizeof(text), "%s of %u, vertex %u", what, graph->vertex_count, i);
            TEST_ASSERT_EQUAL_UINT32_MESSAGE(expected[i], got[i], text);
        }
    const WeftGpuBuffer *all[] = {&edges, &edge_flags, &vertex_flags, &labels, &components.grids};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        EXPECT_OK(weft_gpu_guard_check(gpu, all[i]));
    weft_gpu_buffer_destroy(gpu, &edges);
    weft_gpu_buffer_destroy(gpu, &edge_flags);
    weft_gpu_buffer_destroy(gpu, &vertex_flags);
    weft_gpu_buffer_destroy(gpu, &labels);
    free(expected);
    free(got);
    free(graph->edges);
    free(graph->edge_flags);
    free(graph->vertex_flags);
}

static void shuffle(uint32_t *order, uint32_t count, uint32_t *state)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--)
    {
        uint32_t j = next_random(state) % i, kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

// One path through all vertices: along the indices, against them, and criss-cross.
static void check_snakes(uint32_t count)
{
    Graph forward = make_graph(count, count - 1), backward = make_graph(count, count - 1),
          crossed = make_graph(count, count - 1);
    uint32_t *order = malloc(4 * (size_t)count), state = 99;
    shuffle(order, count, &state);
    for (uint32_t i = 0; i + 1 < count; i++)
    {
        set_edge(&forward, i, i, i + 1);
        set_edge(&backward, i, count - 1 - i, count - 2 - i);
        set_edge(&crossed, i, order[i], order[i + 1]);
    }
    free(order);
    check_labels(&forward, "forward snake");
    check_labels(&backward, "backward snake");
    check_labels(&crossed, "crossed snake");
}

static void test_label_snakes_at_the_ends_of_groups(void)
{
    uint32_t       group = weft_gpu_group_size(gpu, 256);
    const uint32_t sizes[] = {1, 2, group - 1, group, group + 1, 7 * group + 3};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check_snakes(sizes[i]);
}

static void test_label_long_snakes(void)
{
    check_snakes(30000);
}

static void test_label_huge_snakes(void)
{
    skip_unless_large();
    check_snakes(2000000);
}

static void test_label_thousands_of_tiny_components(void)
{
    Graph    graph = make_graph(30000, 20000);
    uint32_t state = 5;
    for (uint32_t i = 0; i < 10000; i++)
    {
        uint32_t a = i, b = 10000 + i, c = 20000 + (i * 7) % 10000;
        set_edge(&graph, 2 * i, next_random(&state) % 2 ? a : c, b);
        set_edge(&graph, 2 * i + 1, a, c);
    }
    check_labels(&graph, "tiny components");
}

static void test_label_stops_at_dead_ends_and_ignored_edges(void)
{
    // A grid whose every tenth column is held and whose every seventh edge does not count.
    enum
    {
        WIDTH = 173,
        HEIGHT = 91
    };
    Graph    graph = make_graph(WIDTH * HEIGHT, 2 * WIDTH * HEIGHT);
    uint32_t edge = 0;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
        {
            uint32_t i = y * WIDTH + x;
            set_edge(&graph, edge++, i, x + 1 < WIDTH ? i + 1 : i);
            set_edge(&graph, edge++, i, y + 1 < HEIGHT ? i + WIDTH : i);
            graph.vertex_flags[i] = (x % 10 == 3 ? VERTEX_HELD : 0) | 8;
        }
    for (uint32_t i = 0; i < graph.edge_count; i += 7)
        graph.edge_flags[i] = EDGE_OTHER;
    check_labels(&graph, "grid");
}

static void test_label_without_edges_and_with_all_held(void)
{
    Graph lonely = make_graph(1000, 0), held = make_graph(1000, 999);
    for (uint32_t i = 0; i < 1000; i++)
        held.vertex_flags[i] = VERTEX_HELD;
    for (uint32_t i = 0; i < 999; i++)
        set_edge(&held, i, i, i + 1);
    check_labels(&lonely, "lonely vertices");
    check_labels(&held, "held vertices");
}

static void test_label_random_graphs(void)
{
    for (uint32_t round = 0; round < 10; round++)
    {
        uint32_t state = 1000 + round, vertices = 1 + next_random(&state) % 20000;
        Graph    graph = make_graph(vertices, vertices * (round + 1) / 5);
        for (uint32_t e = 0; e < graph.edge_count; e++)
            set_edge(&graph, e, next_random(&state) % vertices, next_random(&state) % vertices);
        for (uint32_t i = 0; i < vertices; i++)
            graph.vertex_flags[i] = next_random(&state) % 50 == 0 ? VERTEX_HELD : 0;
        check_labels(&graph, "random graph");
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_scan_at_the_ends_of_groups_and_tiles);
    RUN_TEST(test_scan_wraps_around_like_unsigned_words);
    RUN_TEST(test_scan_of_three_levels);
    RUN_TEST(test_scan_of_fifty_million);
    RUN_TEST(test_gates_let_through_what_is_open);
    RUN_TEST(test_reduce_gives_the_bits_of_the_fixed_order);
    RUN_TEST(test_reduce_of_more_than_a_tile_of_tiles);
    RUN_TEST(test_label_snakes_at_the_ends_of_groups);
    RUN_TEST(test_label_long_snakes);
    RUN_TEST(test_label_huge_snakes);
    RUN_TEST(test_label_thousands_of_tiny_components);
    RUN_TEST(test_label_stops_at_dead_ends_and_ignored_edges);
    RUN_TEST(test_label_without_edges_and_with_all_held);
    RUN_TEST(test_label_random_graphs);
    close_device();
    return UNITY_END() || weft_gpu_validation_count() > 0;
}
