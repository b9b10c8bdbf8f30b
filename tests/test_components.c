// test_components.c: the connected components and the order of their rows against a plain search.
#include <stdlib.h>
#include <string.h>

#include "sim/pool.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// Labels by a plain search, breadth first from the lowest particle on.
static void search(const EngineData *data, uint32_t *label)
{
    const SpringList *list = &data->structural;
    uint32_t          count = data->particle_count, edges = 0;
    uint32_t *begin = calloc(count + 2, sizeof(uint32_t)), *queue = calloc(count, sizeof(uint32_t));
    uint32_t *ends = calloc(2 * (size_t)list->storage_count, sizeof(uint32_t)), *near;
    for (uint32_t r = 0; r < list->tile_runs[data->tile_count]; r++)
        for (uint32_t k = 0; k < list->runs[r].count; k++)
        {
            uint32_t spring = list->runs[r].spring + k;
            uint32_t a = list->runs[r].owner + k, b = list->other[spring];
            if (!(list->flags[spring] & SPRING_IMPLICIT) || !data->degrees[a] || !data->degrees[b])
                continue;
            ends[2 * edges] = a;
            ends[2 * edges++ + 1] = b;
            begin[a + 2]++;
            begin[b + 2]++;
        }
    near = calloc(2 * (size_t)edges + 1, sizeof(uint32_t));
    for (uint32_t i = 2; i < count + 2; i++)
        begin[i] += begin[i - 1];
    for (uint32_t k = 0; k < 2 * edges; k++)
        near[begin[ends[k] + 1]++] = ends[k ^ 1];
    for (uint32_t i = 0; i < count; i++)
        label[i] = LABEL_NONE;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t first = 0, last = 0;
        if (data->degrees[i] == 0 || label[i] != LABEL_NONE)
            continue;
        label[i] = i;
        queue[last++] = i;
        while (first < last)
        {
            uint32_t at = queue[first++];
            for (uint32_t k = begin[at]; k < begin[at + 1]; k++)
                if (label[near[k]] == LABEL_NONE)
                {
                    label[near[k]] = i;
                    queue[last++] = near[k];
                }
        }
    }
    free(begin);
    free(queue);
    free(ends);
    free(near);
}

// Every free particle is in one group, groups are of one component, systems are in order.
static void check_groups(const EngineData *data, const uint32_t *label)
{
    uint8_t *times = calloc(data->particle_count, 1);
    uint32_t components = 0, largest = 0;
    for (uint32_t s = 0; s < data->system_count; s++)
    {
        const System *system = &data->systems[s];
        uint32_t      rows = 0;
        TEST_ASSERT_TRUE(s == 0 || data->systems[s - 1].label < system->label);
        TEST_ASSERT_TRUE(system->group_begin + system->group_count <= data->single_begin);
        for (uint32_t g = system->group_begin; g < system->group_begin + system->group_count; g++)
        {
            // All lanes of a slice that belong to the system are one group.
            TEST_ASSERT_TRUE(g == system->group_begin ||
                             data->group_slice[g - 1] < data->group_slice[g]);
            for (uint32_t lane = 0; lane < SLICE; lane++)
                if (data->group_lanes[g] >> lane & 1)
                {
                    uint32_t i = data->group_slice[g] * SLICE + lane;
                    TEST_ASSERT_TRUE(i < data->particle_count);
                    TEST_ASSERT_EQUAL_UINT32(system->label, label[i]);
                    times[i]++;
                    rows++;
                }
        }
        TEST_ASSERT_EQUAL_UINT32(system->row_count, rows);
        largest = rows > largest ? rows : largest;
    }
    for (uint32_t g = data->single_begin; g < data->group_count; g++)
        for (uint32_t lane = 0; lane < SLICE; lane++)
            if (data->group_lanes[g] >> lane & 1)
            {
                uint32_t i = data->group_slice[g] * SLICE + lane;
                TEST_ASSERT_TRUE(i < data->particle_count);
                TEST_ASSERT_EQUAL_UINT32(i, label[i]);
                times[i]++;
                largest = largest == 0 ? 1 : largest;
            }
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        TEST_ASSERT_EQUAL_UINT8(label[i] != LABEL_NONE, times[i]);
        components += label[i] == i;
    }
    TEST_ASSERT_EQUAL_UINT32(components, data->component_count);
    TEST_ASSERT_EQUAL_UINT32(largest, data->largest_component);
    free(times);
}

static void check_labels(EngineData *data)
{
    uint32_t *expected = calloc(data->particle_count, sizeof(uint32_t));
    search(data, expected);
    const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; k++)
    {
        weft_pool_destroy(data->pool);
        data->pool = weft_pool_create(threads[k]);
        TEST_ASSERT_NOT_NULL(data->pool);
        memset(data->label, 0x5A, data->particle_count * sizeof(uint32_t));
        WEFT_KERNEL(label)(data);
        TEST_ASSERT_EQUAL_UINT32_ARRAY(expected, data->label, data->particle_count);
        WEFT_KERNEL(order)(data);
        check_groups(data, expected);
    }
    free(expected);
}

static void open_sheet(Rig *rig, int width, int height)
{
    rig_open(
        rig,
        "{'solver': {'precision': 'double', 'threads': 1}, 'cloths': [{'grid': {'size': [1, 1],"
        "'counts': [%d, %d]}}]}",
        width, height);
}

// Makes each spring implicit and holds each particle by chance.
static void throw_dice(EngineData *data, double implicit, double held)
{
    for (uint32_t k = SLICE; k < data->structural.storage_count; k++)
    {
        uint8_t *flags = &data->structural.flags[k];
        *flags &= SPRING_PRESENT | SPRING_SHEAR;
        if ((*flags & SPRING_PRESENT) && random_between(0, 1) < implicit)
            *flags |= SPRING_ACTIVE | SPRING_IMPLICIT;
    }
    for (uint32_t i = 0; i < data->particle_count; i++)
        data->degrees[i] = random_between(0, 1) < held ? 0 : (uint8_t)random_between(1, 3.99);
}

static void test_labels_of_random_springs_are_those_of_a_search(void)
{
    const double implicit[] = {0, 0.05, 0.15, 0.25, 0.3, 0.5, 1}, held[] = {0, 0.1, 0.6, 1};
    const int    sizes[][2] = {{1, 1}, {3, 5}, {9, 1}, {32, 32}, {37, 29}, {60, 75}, {150, 120}};
    random_seed(3);
    for (int s = 0; s < WEFT_TEST_SIZE(7, 5); s++)
    {
        Rig rig;
        open_sheet(&rig, sizes[s][0], sizes[s][1]);
        for (int i = 0; i < 7; i++)
            for (int k = 0; k < 4; k++)
            {
                throw_dice(rig_data(&rig), implicit[i], held[k]);
                check_labels(rig_data(&rig));
            }
        rig_close(&rig);
    }
}

static void test_thousands_of_tiny_components_are_found(void)
{
    Rig rig;
    open_sheet(&rig, 90, 80);
    EngineData *data = rig_data(&rig);
    throw_dice(data, 0, 0);
    // Pairs: every spring to the right of an even column.
    for (uint32_t r = 0; r < data->structural.tile_runs[data->tile_count]; r++)
    {
        const SpringRun *run = &data->structural.runs[r];
        for (uint32_t k = 0; k < run->count && run->offset == 1; k++)
            if ((run->owner + k) % 2 == 0 && (data->structural.flags[run->spring + k] & 1))
                data->structural.flags[run->spring + k] |= SPRING_IMPLICIT;
    }
    check_labels(data);
    TEST_ASSERT_EQUAL_UINT32(90 * 80 / 2, data->component_count);
    TEST_ASSERT_EQUAL_UINT32(2, data->largest_component);
    rig_close(&rig);
}

static void test_a_snake_is_one_component(void)
{
    // Rows are joined in turn at their right and left ends: the longest way that labels can go.
    const uint32_t width = 60, height = 75;
    Rig            rig;
    open_sheet(&rig, (int)width, (int)height);
    EngineData *data = rig_data(&rig);
    throw_dice(data, 0, 0);
    for (uint32_t r = 0; r < data->structural.tile_runs[data->tile_count]; r++)
    {
        const SpringRun *run = &data->structural.runs[r];
        for (uint32_t k = 0; k < run->count; k++)
        {
            uint32_t owner = run->owner + k, column = owner % width, row = owner / width;
            bool     turn = run->offset == (int32_t)width && column == (row % 2 ? 0 : width - 1);
            if ((data->structural.flags[run->spring + k] & SPRING_PRESENT) &&
                (run->offset == 1 || turn))
                data->structural.flags[run->spring + k] |= SPRING_IMPLICIT;
        }
    }
    check_labels(data);
    TEST_ASSERT_EQUAL_UINT32(1, data->component_count);
    TEST_ASSERT_EQUAL_UINT32(width * height, data->largest_component);

    // A held particle is a dead end: it cuts the snake in two.
    data->degrees[width * 40 + 30] = 0;
    check_labels(data);
    TEST_ASSERT_EQUAL_UINT32(2, data->component_count);
    rig_close(&rig);
}

static void test_labels_of_an_irregular_mesh_are_those_of_a_search(void)
{
    const int    counts[2] = {45, 40};
    const double size[2] = {1, 1};
    uint32_t     order[45 * 40];
    for (uint32_t k = 0; k < 1800; k++)
        order[k] = (7 * k + 100) % 1800;
    Rig rig;
    rig_open(&rig,
             "{'solver': {'precision': 'double', 'threads': 1}, 'cloths': [{'mesh': {'file': "
             "'%s'}}]}",
             write_sheet("mesh.obj", MESH_JITTERED, counts, size, order));
    random_seed(8);
    for (int k = 0; k < 10; k++)
    {
        throw_dice(rig_data(&rig), k / 20.0, k % 3 / 6.0);
        check_labels(rig_data(&rig));
    }
    rig_close(&rig);
}

// Two cloths are never one component; a cloth that is held everywhere has none.
static void test_components_of_a_run_are_reported(void)
{
    Rig rig;
    rig_open(&rig,
             "{'step': 0.01, 'frames_per_second': 100, 'integrator': {'method': 'implicit'},"
             "'cloths': [{'grid': {'counts': [6, 6]}, 'pins': [{'corner': 'top_left'}, {'corner': "
             "'top_right'}]}, {'grid': {'counts': [5, 5]}, 'position': [3, 0, 0], 'pins': [{'box': "
             "{'min': [0, -9, -9], 'max': [9, 9, 9]}}]}, {'grid': {'counts': [1, 1]}}]}");
    rig_step(&rig, 20);
    WeftStepReport report = rig_step(&rig, 1);
    uint32_t       hanging[36], held[25], alone[1];
    weft_sim_components(rig.sim, 0, hanging);
    weft_sim_components(rig.sim, 1, held);
    weft_sim_components(rig.sim, 2, alone);
    TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, hanging[30]);
    TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, hanging[35]);
    for (int k = 0; k < 25; k++)
        TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, held[k]);
    TEST_ASSERT_EQUAL_UINT32(61, alone[0]);
    uint32_t roots = 1;
    for (uint32_t k = 0; k < 36; k++)
        roots += hanging[k] == k;
    TEST_ASSERT_EQUAL_UINT32(roots, report.component_count);
    rig_close(&rig);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_labels_of_random_springs_are_those_of_a_search);
    RUN_TEST(test_thousands_of_tiny_components_are_found);
    RUN_TEST(test_a_snake_is_one_component);
    RUN_TEST(test_labels_of_an_irregular_mesh_are_those_of_a_search);
    RUN_TEST(test_components_of_a_run_are_reported);
    return UNITY_END();
}
