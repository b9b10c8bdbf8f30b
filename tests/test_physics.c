// test_physics.c: whole simulations against closed forms, and the cloth's moduli at any resolution.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// Spring i from the top of a hanging chain bears all below it: (n - i + 1) m g / k.
static void test_hanging_chain_has_the_lengths_of_its_springs(void)
{
    const int    n = 12;
    const double mass = 0.02, stiffness = 600, width = 0.1, spacing = 0.05;
    Rig          rig;
    rig_open(&rig,
             "{'step': 0.02, 'frames_per_second': 50, 'air': {'density': 0, 'linear_drag': 3}, "
             "'integrator': {'method': 'implicit'}, 'solver': {'precision': 'double', 'tolerance': "
             "1e-10}, 'cloths': [{'grid': {'size': [%g, %.17g], 'counts': [1, %d]}, "
             "'particle_mass': %g, 'material': {'stretch_stiffness': %.17g}, 'pins': [{'indices': "
             "[%d]}]}]}",
             width, n * spacing, n + 1, mass, stiffness * spacing / width, n);
    rig_step(&rig, 3000);
    rig_read(&rig);
    double worst = 0;
    for (int i = 1; i <= n; i++)
    {
        double length = rig.x[3 * (n - i + 1) + 1] - rig.x[3 * (n - i) + 1];
        double exact = spacing + (n - i + 1) * mass * 9.81 / stiffness;
        worst = fmax(worst, fabs(length / exact - 1));
    }
    printf("hanging chain: lengths off by %.2g\n", worst);
    TEST_ASSERT_TRUE(worst < 1e-7);
    rig_close(&rig);
}

static double catenary_sag(int links)
{
    // So stiff that the weight stretches it by a millionth.
    Rig rig;
    rig_open(&rig,
             "{'step': 0.02, 'frames_per_second': 50, 'air': {'density': 0, 'linear_drag': 2}, "
             "'integrator': {'method': 'implicit', 'stretch_limit': 1000}, 'solver': {'precision': "
             "'double', 'tolerance': "
             "1e-11}, 'cloths': [{'grid': {'size': [1.2, 1], 'counts': [%d, 1]}, 'particle_mass': "
             "0.01, 'material': {'stretch_stiffness': 1e6, 'bend_stiffness': 0, 'bend_damping': 0, "
             "'stretch_damping': 0}, 'pins': [{'indices': [0], 'keyframes': [{'time': 0}, {'time': "
             "2, 'position': [0.1, 0, 0]}]}, {'indices': [%d], 'keyframes': [{'time': 0}, {'time': "
             "2, 'position': [-0.1, 0, 0]}]}]}]}",
             links + 1, links);
    rig_step(&rig, WEFT_TEST_SIZE(2000, 1000));
    rig_read(&rig);
    double sag = -rig.x[3 * (links / 2) + 1];
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, rig.x[3 * links] - rig.x[0]);
    rig_close(&rig);
    return sag;
}

static void test_inextensible_chain_hangs_as_published(void)
{
    double ten = catenary_sag(10), twenty = catenary_sag(20);
    printf("catenary: sag %.8f of 0.29386425, %.8f of 0.29272148\n", ten, twenty);
    TEST_ASSERT_DOUBLE_WITHIN(2e-6, 0.29386425, ten);
    TEST_ASSERT_DOUBLE_WITHIN(2e-6, 0.29272148, twenty);
}

// A cloth in free space with random velocities.
static void open_free(Rig *rig, const char *method, double step)
{
    rig_open(
        rig,
        "{'step': %g, 'frames_per_second': %.17g, 'gravity': [0, 0, 0], 'air': {'density': 0}, "
        "'integrator': {'method': '%s'}, 'solver': {'precision': 'double', 'tolerance': 1e-13}, "
        "'cloths': [{'grid': {'size': [1, 0.8], 'counts': [13, 11]}, 'position': [0.3, 0.2, "
        "0.1], 'material': {'stretch_stiffness': 100, 'stretch_damping': 0, 'shear_damping': 0, "
        "'bend_damping': 0}}]}",
        step, 1 / step, method);
    EngineData *data = rig_data(rig);
    random_seed(4);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (int axis = 0; axis < 3; axis++)
            data->v[axis][i] = random_between(-0.5, 0.5) + (axis == 0) - 0.7 * (axis == 2);
}

static void momenta(const EngineData *data, double linear[3], double angular[3])
{
    for (int axis = 0; axis < 3; axis++)
    {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        linear[axis] = angular[axis] = 0;
        for (uint32_t i = 0; i < data->particle_count; i++)
        {
            linear[axis] += data->mass[i] * data->v[axis][i];
            angular[axis] += data->mass[i] * (data->x[next][i] * data->v[last][i] -
                                              data->x[last][i] * data->v[next][i]);
        }
    }
}

static void test_momentum_of_a_free_cloth_is_kept(void)
{
    const char *methods[] = {"explicit", "implicit", "imex", "adaptive"};
    for (int k = 0; k < 4; k++)
    {
        Rig    rig;
        double before[3], after[3], spin_before[3], spin_after[3], worst = 0, turned = 0, size = 0;
        open_free(&rig, methods[k], 0.0005);
        momenta(rig_data(&rig), before, spin_before);
        rig_step(&rig, 400);
        momenta(rig_data(&rig), after, spin_after);
        for (int axis = 0; axis < 3; axis++)
        {
            worst = fmax(worst, fabs(after[axis] - before[axis]));
            turned = fmax(turned, fabs(spin_after[axis] - spin_before[axis]));
            size = fmax(size, fabs(spin_before[axis]));
        }
        printf("%s: momentum off by %.2g kg m/s of %.2g, angular by %.2g kg m^2/s of %.2g\n",
               methods[k], worst, before[0], turned, size);
        TEST_ASSERT_TRUE(worst < 1e-12);
        // Forces are central, so the explicit step keeps it too; the implicit one only to first
        // order in the step.
        TEST_ASSERT_TRUE(turned < (k == 0 ? 1e-12 : 0.02 * size));
        rig_close(&rig);
    }
}

// The largest gain of energy in a step, over the largest kinetic energy. Bend springs are left out: they are explicit, and bounded
// in slack cloth.
static double largest_gain(Rig *rig, int steps)
{
    WeftStepReport report = rig_step(rig, 1);
    double         before = report.kinetic_energy + report.potential_energy, start = before;
    double         worst = -INFINITY, scale = report.kinetic_energy;
    for (int n = 0; n < steps; n++)
    {
        report = rig_step(rig, 1);
        double after = report.kinetic_energy + report.potential_energy;
        scale = fmax(scale, report.kinetic_energy);
        worst = fmax(worst, after - before);
        before = after;
    }
    printf("energy: largest gain in a step %.2g J, kinetic energy up to %.2g J, lost %.2g J\n",
           worst, scale, start - before);
    TEST_ASSERT_TRUE(start - before > 0);
    return worst / scale;
}

#define LIMP "'bend_stiffness': 0, 'bend_damping': 0"

static void test_implicit_step_loses_energy_while_all_springs_act(void)
{
    const double steps[] = {0.002, 0.02};
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': %g, 'frames_per_second': %.17g, 'air': {'density': 0}, 'integrator': "
                 "{'method': 'implicit'}, 'solver': {'precision': 'double', 'tolerance': 1e-12}, "
                 "'cloths': [{'grid': {'size': [1, 1], 'counts': [9, 9]}, 'material': {" LIMP
                 ", 'stretch_damping': 0, 'shear_damping': 0}, 'pins': [{'corner': 'all'}, {'box': "
                 "{'min': [-1, 0.49, -1], 'max': [1, 1, 1]}}, {'box': {'min': [-1, -1, -1], 'max': "
                 "[1, -0.49, 1]}}]}]}",
                 steps[k], 1 / steps[k]);
        // Drawn tight: every spring is a quarter longer than at rest.
        EngineData *data = rig_data(&rig);
        for (uint32_t i = SLICE; i < data->structural.storage_count; i++)
            data->structural.slack[i] = data->structural.rest[i] *= 0.8;
        random_seed(6);
        for (uint32_t i = 0; i < data->particle_count; i++)
            for (int axis = 0; axis < 3; axis++)
                data->v[axis][i] = random_between(-0.3, 0.3);
        WEFT_KERNEL(guard)(data);
        TEST_ASSERT_TRUE(largest_gain(&rig, 100) <= 1e-12);
        rig_close(&rig);
    }
}

// A slack spring that comes to act within a step did not slow anything down in it: what it then holds
// was gained.
static void test_implicit_step_gains_little_where_springs_come_to_act(void)
{
    const double steps[] = {0.01, 0.0025, 0.01, 0.0025}, size[2] = {1, 1};
    const int    counts[2] = {12, 12};
    double       gains[4];
    for (int k = 0; k < 4; k++)
    {
        char cloth[300] = "'grid': {'size': [1, 1], 'counts': [12, 12]}";
        if (k >= 2)
            snprintf(cloth, sizeof(cloth), "'mesh': {'file': '%s'}",
                     write_sheet("threads.obj", MESH_JITTERED, counts, size, NULL));
        Rig rig;
        rig_open(&rig,
                 "{'step': %g, 'frames_per_second': %.17g, 'air': {'density': 0}, 'integrator': "
                 "{'method': 'implicit'}, 'solver': {'precision': 'double', 'tolerance': 1e-10}, "
                 "'cloths': [{%s, 'rotation': [-90, 0, 0], 'material': {" LIMP
                 "}, 'pins': [{'indices': [132, 143]}]}]}",
                 steps[k], 1 / steps[k], cloth);
        gains[k] = largest_gain(&rig, (int)(WEFT_TEST_SIZE(2, 1) / steps[k]));
        rig_close(&rig);
    }
    for (int k = 0; k < 4; k++)
    {
        printf("springs of a %s that come to act: energy gained %.3g of what was there\n",
               k < 2 ? "grid" : "mesh", gains[k]);
        TEST_ASSERT_TRUE(gains[k] < 0.003);
    }
}

// The cloth that a modulus is measured on.
typedef struct Specimen
{
    const char *name;
    bool        grid;
    MeshKind    kind;
    int         counts[2];
} Specimen;

static const Specimen specimens[] = {
    {"grid", true, 0, {9, 7}},
    {"quads", false, MESH_QUADS, {9, 7}},
    {"jittered", false, MESH_JITTERED, {13, 10}},
    {"grid", true, 0, {25, 13}},
    {"quads", false, MESH_QUADS, {25, 13}},
    {"triangles", false, MESH_TRIANGLES, {25, 19}},
    {"jittered", false, MESH_JITTERED, {25, 19}},
    {"skewed", false, MESH_SKEWED, {25, 19}},
};
#define SPECIMEN_COUNT WEFT_TEST_SIZE(8u, 3u)

// The cloth's JSON: 0.8 m along x by 0.6 m along y.
static const char *specimen_cloth(const Specimen *specimen)
{
    static char  text[400];
    const double size[2] = {0.8, 0.6};
    if (specimen->grid)
        snprintf(text, sizeof(text), "'grid': {'size': [0.8, 0.6], 'counts': [%d, %d]}",
                 specimen->counts[0], specimen->counts[1]);
    else
        snprintf(text, sizeof(text), "'mesh': {'file': '%s'}",
                 write_sheet("specimen.obj", specimen->kind, specimen->counts, size, NULL));
    return text;
}

// The potential energy of a specimen under a uniform strain, J: exact for what the springs are made
// for.
static double strain_energy(const Specimen *specimen, double stretch, double shear, double xx,
                            double xy, double yx, double yy)
{
    Rig rig;
    rig_open(
        &rig,
        "{'gravity': [0, 0, 0], 'solver': {'precision': 'double'}, 'cloths': [{%s, 'material': "
        "{'stretch_stiffness': %g, 'shear_stiffness': %g}}]}",
        specimen_cloth(specimen), stretch, shear);
    EngineData *data = rig_data(&rig);
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        double x = data->x[0][i], y = data->x[1][i];
        data->x[0][i] += xx * x + xy * y;
        data->x[1][i] += yx * x + yy * y;
    }
    WEFT_KERNEL(guard)(data);
    double kinetic, potential;
    rig.sim->backend->energy(rig.sim->engine, &kinetic, &potential);
    rig_close(&rig);
    return potential;
}

static void test_energy_of_uniform_strain_is_that_of_the_material(void)
{
    const double strain = 1e-3, area = 0.8 * 0.6;
    for (size_t k = 0; k < SPECIMEN_COUNT; k++)
    {
        const Specimen *specimen = &specimens[k];
        double          unit = strain * strain / 2 * area;
        double          warp = strain_energy(specimen, 500, 0, strain, 0, 0, 0) / (500 * unit);
        double          weft = strain_energy(specimen, 500, 0, 0, 0, 0, strain) / (500 * unit);
        double forward = strain_energy(specimen, 0, 80, 0, strain / 2, strain / 2, 0) / (80 * unit);
        double back = strain_energy(specimen, 0, 80, 0, -strain / 2, -strain / 2, 0) / (80 * unit);
        printf("%s %d x %d: warp %.4f, weft %.4f, shear %.4f and %.4f of the modulus\n",
               specimen->name, specimen->counts[0], specimen->counts[1], warp, weft, forward, back);
        TEST_ASSERT_DOUBLE_WITHIN(0.003, 1, warp);
        TEST_ASSERT_DOUBLE_WITHIN(0.003, 1, weft);
        TEST_ASSERT_DOUBLE_WITHIN(0.003, 1, forward);
        TEST_ASSERT_DOUBLE_WITHIN(0.003, 1, back);
    }
}

// Tension of a strip one metre wide at a strain, over the strain, N/m: both ends are held along x
// only, the right one is drawn out.
static double pulled_modulus(const Specimen *specimen, double stretch, double shear, double strain)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.02, 'frames_per_second': 50, 'gravity': [0, 0, 0], 'air': {'density': 0, "
        "'linear_drag': 5}, 'integrator': {'method': 'implicit'}, 'solver': {'precision': "
        "'double', 'tolerance': 1e-9}, 'cloths': [{%s, 'material': {'stretch_stiffness': %g, "
        "'shear_stiffness': %g, " LIMP
        "}, 'pins': [{'box': {'min': [-0.41, -1, -1], 'max': [-0.399, 1, "
        "1]}, 'fixed_along': [1, 0, 0]}, {'box': {'min': [0.399, -1, -1], 'max': [0.41, 1, 1]}, "
        "'fixed_along': [1, 0, 0], 'keyframes': [{'time': 0}, {'time': 1, 'position': [%g, 0, "
        "0]}]}]}]}",
        specimen_cloth(specimen), stretch, shear, 0.8 * strain);
    rig_step(&rig, 300);
    // At rest the right-hand side is the impulse of the springs in a step.
    EngineData *data = rig_data(&rig);
    double      force = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
        if (data->x[0][i] > 0.4 * (1 + strain))
            force -= data->rhs[0][i] / data->h;
    rig_close(&rig);
    return force / 0.6 / strain;
}

static void test_pulled_cloth_resists_by_its_modulus(void)
{
    // Cloth narrows as it is pulled, which keeps its diagonals idle: E alone is left. Bend springs are left out: they
    // would keep it from narrowing a little.
    const double strains[] = {0.002, 0.02, 0.1};
    for (size_t k = 0; k < SPECIMEN_COUNT; k++)
        for (size_t n = 0; n < WEFT_TEST_SIZE(3u, 1u); n++)
        {
            const Specimen *specimen = &specimens[k];
            double          found = pulled_modulus(specimen, 500, 5, strains[n]) / 500;
            printf("%s %d x %d: pulled by %g %%, %.4f of the modulus\n", specimen->name,
                   specimen->counts[0], specimen->counts[1], 100 * strains[n], found);
            TEST_ASSERT_DOUBLE_WITHIN(0.002, 1, found);
        }
}

static int compare_springs(const void *left, const void *right)
{
    const WeftSpring *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void build_graph(const char *cloth, WeftScene *scene, WeftSpringGraph *graph)
{
    char text[800];
    snprintf(text, sizeof(text), "{'cloths': [{%s}]}", cloth);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    WeftMesh mesh;
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_scene_parse(scene, text, "test", NULL, NULL, 0));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_mesh_create(&mesh, scene, 0));
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_spring_graph_create(graph, &mesh, &scene->cloths[0]));
    weft_mesh_destroy(&mesh);
    qsort(graph->structural, graph->structural_count, sizeof(WeftSpring), compare_springs);
    qsort(graph->bend, graph->bend_count, sizeof(WeftSpring), compare_springs);
}

static void compare_lists(const WeftSpring *expected, const WeftSpring *found, size_t count)
{
    for (size_t k = 0; k < count; k++)
    {
        TEST_ASSERT_EQUAL_UINT32(expected[k].a, found[k].a);
        TEST_ASSERT_EQUAL_UINT32(expected[k].b, found[k].b);
        TEST_ASSERT_FLOAT_WITHIN(1e-6f * expected[k].rest, expected[k].rest, found[k].rest);
        TEST_ASSERT_FLOAT_WITHIN(1e-5f * expected[k].stiffness, expected[k].stiffness,
                                 found[k].stiffness);
        TEST_ASSERT_FLOAT_WITHIN(1e-5f * expected[k].damping, expected[k].damping,
                                 found[k].damping);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * expected[k].hold, expected[k].hold, found[k].hold);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * expected[k].base, expected[k].base, found[k].base);
    }
}

// The springs of a sheet that comes as a file of quads are those of the same sheet as a grid.
static void test_quads_have_the_springs_of_a_grid(void)
{
    const int    counts[][2] = {{9, 9}, {9, 7}};
    const double sizes[][2] = {{0.8, 0.8}, {0.8, 0.9}};
    for (int k = 0; k < 2; k++)
    {
        WeftScene       scenes[2];
        WeftSpringGraph graphs[2];
        char            cloth[400];
        snprintf(cloth, sizeof(cloth), "'grid': {'size': [%g, %g], 'counts': [%d, %d]}",
                 sizes[k][0], sizes[k][1], counts[k][0], counts[k][1]);
        build_graph(cloth, &scenes[0], &graphs[0]);
        snprintf(cloth, sizeof(cloth), "'mesh': {'file': '%s'}",
                 write_sheet("quads.obj", MESH_QUADS, counts[k], sizes[k], NULL));
        build_graph(cloth, &scenes[1], &graphs[1]);
        TEST_ASSERT_EQUAL_size_t(graphs[0].structural_count, graphs[1].structural_count);
        TEST_ASSERT_EQUAL_size_t(graphs[0].bend_count, graphs[1].bend_count);
        compare_lists(graphs[0].structural, graphs[1].structural, graphs[0].structural_count);
        compare_lists(graphs[0].bend, graphs[1].bend, graphs[0].bend_count);
        for (int g = 0; g < 2; g++)
        {
            weft_spring_graph_destroy(&graphs[g]);
            weft_scene_destroy(&scenes[g]);
        }
    }
}

// The place of the tip of a strip of 0.1 m that is clamped at one end and hangs under its own weight, over its length: how far
// out, and how far down. rho g L^3 / D is 10. The strip is one particle wide, and then has two thirds of the bending stiffness D
// of a sheet, see spring_grid.c, or it is a mesh of nine rows.
static void hang_strip(const Specimen *specimen, double stretch, double step, double tip[2])
{
    const int    cells = specimen->counts[0] - 2, rows = specimen->counts[1];
    const double length = 0.1 * (cells + 1) / cells, width = 0.1 * fmax(rows - 1, 1) / cells;
    char         cloth[400], pins[200] = "";
    if (specimen->grid)
        snprintf(cloth, sizeof(cloth), "'grid': {'size': [%.17g, %.17g], 'counts': [%d, %d]}",
                 length, width, cells + 2, rows);
    else
        snprintf(cloth, sizeof(cloth), "'mesh': {'file': '%s'}",
                 write_sheet("strip.obj", specimen->kind, specimen->counts,
                             (const double[2]){length, width}, NULL));
    // Two columns are clamped, so that the strip starts level.
    for (int row = 0; row < rows; row++)
        snprintf(pins + strlen(pins), sizeof(pins) - strlen(pins), "%s%d, %d", row ? ", " : "",
                 row * (cells + 2), row * (cells + 2) + 1);
    Rig rig;
    rig_open(&rig,
             "{'step': %g, 'frames_per_second': 100, 'air': {'density': 0, 'linear_drag': 20}, "
             "'solver': {'precision': 'double', 'tolerance': 1e-6, 'threads': 1}, 'cloths': [{%s, "
             "'rotation': [-90, 0, 0], 'material': {'density': 0.15, 'stretch_stiffness': %g, "
             "'shear_stiffness': 4, 'bend_stiffness': %.17g}, 'pins': [{'indices': [%s]}]}]}",
             step, cloth, stretch, 0.15 * 9.81 * 1e-3 / 10 * (rows > 1 ? 1 : 1.5), pins);
    rig_read(&rig);
    const uint32_t first = (uint32_t)(rows / 2 * (cells + 2));
    const double   start = rig.x[3 * (first + 1)];
    uint32_t       halvings = 0;
    while (weft_sim_time(rig.sim) < 2)
        halvings += rig_step(&rig, 1).halvings;
    TEST_ASSERT_EQUAL_UINT32(0, halvings);
    rig_read(&rig);
    const double *end = rig.x + 3 * (first + (uint32_t)cells + 1);
    tip[0] = (end[0] - start) / 0.1;
    tip[1] = -end[1] / 0.1;
    printf("%s strip of %d cells, %g N/m: tip at %.4f, %.4f of its length\n", specimen->name, cells,
           stretch, tip[0], tip[1]);
    rig_close(&rig);
}

static void check_tip(const double expected[2], const double found[2], double within)
{
    for (int k = 0; k < 2; k++)
        TEST_ASSERT_DOUBLE_WITHIN(within, expected[k], found[k]);
}

static void test_bending_does_not_depend_on_step_or_stretch(void)
{
    const Specimen coarse = {"grid", true, 0, {8, 1}}, fine = {"grid", true, 0, {14, 1}};
    double         tips[5][2];
    hang_strip(&coarse, 800, 2e-3, tips[0]);
    hang_strip(&coarse, 800, 2.5e-4, tips[1]);
    hang_strip(&fine, 800, 2e-3, tips[2]);
    hang_strip(&fine, 800, 2.5e-4, tips[3]);
    hang_strip(&fine, 4e4, 2.5e-4, tips[4]);
    check_tip(tips[0], tips[1], 1e-3);
    check_tip(tips[2], tips[3], 1e-3);
    check_tip(tips[3], tips[4], 2e-3);
}

// The continuum has (0.656354, 0.700200). The error halves with the spacing: the clamp reaches half a cell into the strip.
static void test_strips_of_any_mesh_and_resolution_hang_as_the_continuum(void)
{
    static const Specimen strips[] = {
        {"grid", true, 0, {8, 1}},
        {"grid", true, 0, {14, 1}},
        {"grid", true, 0, {26, 1}},
        {"grid", true, 0, {14, 9}},
        {"quads", false, MESH_QUADS, {14, 9}},
        {"skewed", false, MESH_SKEWED, {14, 9}},
        {"triangles", false, MESH_TRIANGLES, {14, 9}},
        {"jittered", false, MESH_JITTERED, {14, 9}},
    };
    const double exact[2] = {0.656354, 0.700200};
    for (size_t k = 0; k < WEFT_TEST_SIZE(8u, 2u); k++)
    {
        double tip[2];
        hang_strip(&strips[k], 800, 2e-3, tip);
        check_tip(exact, tip, 0.78 / (strips[k].counts[0] - 2) + (strips[k].counts[1] > 1) * 0.02);
    }
}

// A flat sheet that is held at three corners starts to fall. Its springs become taut one after another;
// none of that may make energy, whatever the tolerance.
static void test_cloth_that_is_pulled_taut_gains_no_energy(void)
{
    const double tolerances[] = {1e-2, 1e-4};
    const int    side = WEFT_TEST_SIZE(120, 40);
    for (int k = 0; k < 2; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.001, 'frames_per_second': 100, 'air': {'density': 0}, 'solver': "
                 "{'tolerance': %g}, 'cloths': [{'grid': {'size': [1, 1], 'counts': [%d, %d]}, "
                 "'rotation': [-90, 0, 0], 'material': {'stretch_stiffness': 4000, "
                 "'stretch_damping': 1, 'shear_stiffness': 20, 'shear_damping': 0.004}, 'pins': "
                 "[{'indices': [0]}, {'indices': [%d]}, {'indices': [%d]}]}]}",
                 tolerances[k], side, side, side - 1, side * (side - 1));
        double         most = -1;
        WeftStepReport report = {0};
        for (int step = 0; step < 40; step++)
        {
            report = rig_step(&rig, 1);
            TEST_ASSERT_EQUAL_UINT32(0, report.halvings);
            most = fmax(most, report.kinetic_energy + report.potential_energy);
        }
        printf("three corners, tolerance %g: energy grows by %.2g J of %.2g J\n", tolerances[k],
               most, report.kinetic_energy);
        TEST_ASSERT_TRUE(most < 1e-5);
        rig_close(&rig);
    }
}

// Edges that are drawn apart at 0.1 m/s stretch the sheet as a whole, not the row next to them. Steps
// of 0.1 ms to 2 ms agree on 1.054 to 1.058, at the corners.
static void test_pull_at_the_edges_reaches_the_middle(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.001, 'frames_per_second': 100, 'cloths': [{'grid': {'size': [1, 1], "
        "'counts': [%d, %d]}, 'pins': [{'box': {'min': [-1, -1, -1], 'max': [-0.4999, 1, 1]}, "
        "'keyframes': [{'time': 0}, {'time': 0.1, 'position': [-0.01, 0, 0]}]}, {'box': {'min': "
        "[0.4999, -1, -1], 'max': [1, 1, 1]}, 'keyframes': [{'time': 0}, {'time': 0.1, "
        "'position': [0.01, 0, 0]}]}]}]}",
        128, 128);
    double stretch = 0;
    for (int step = 0; step < WEFT_TEST_SIZE(100, 12); step++)
    {
        WeftStepReport report = rig_step(&rig, 1);
        TEST_ASSERT_EQUAL_UINT32(0, report.halvings);
        stretch = fmax(stretch, report.largest_stretch);
    }
    printf("drawn apart by 2 %%: a spring is stretched by %.3f at most\n", stretch);
    TEST_ASSERT_TRUE(stretch < 1.06);
    rig_close(&rig);
}

static void test_falling_sheet_reaches_its_terminal_velocity(void)
{
    // Drag rho cd v^2 / 2 a square metre against its weight: v = vt tanh(g t / vt). Triangles share
    // force and mass alike among their corners, so that the sheet stays flat.
    const double terminal = sqrt(2 * 0.15 * 9.81 / (1.2 * 0.8));
    const int    counts[2] = {8, 7};
    const double size[2] = {0.5, 0.4};
    Rig          rig;
    rig_open(&rig,
             "{'step': 0.001, 'frames_per_second': 1000, 'air': {'drag': 0.8, 'lift': 0.5}, "
             "'solver': {'precision': 'double'}, 'cloths': [{'mesh': {'file': '%s'}, 'rotation': "
             "[-90, 0, 0]}]}",
             write_sheet("falling.obj", MESH_JITTERED, counts, size, NULL));
    for (int part = 1; part <= 4; part++)
    {
        rig_step(&rig, part < 4 ? 100 : 2000);
        rig_read(&rig);
        double exact = terminal * tanh(9.81 * weft_sim_time(rig.sim) / terminal), worst = 0;
        for (uint32_t i = 0; i < rig.count; i++)
            worst = fmax(worst, fabs(-rig.v[3 * i + 1] / exact - 1));
        printf("falling sheet at %.1f s: velocity off by %.2g\n", weft_sim_time(rig.sim), worst);
        TEST_ASSERT_TRUE(worst < (part < 4 ? 5e-3 : 1e-4));
    }
    rig_close(&rig);
}

static void test_lift_is_across_the_wind_and_drag_along_it(void)
{
    const double wind[3] = {3, -1, 2}, speed2 = 14;
    for (int lift = 0; lift < 2; lift++)
        for (int turn = 0; turn < 360; turn += 30)
        {
            Rig rig;
            rig_open(
                &rig,
                "{'air': {'wind': [3, -1, 2], 'drag': %d, 'lift': %d}, 'solver': {'precision': "
                "'double'}, 'cloths': [{'mesh': {'file': '%s'}, 'rotation': [%d, 40, 10]}]}",
                !lift, lift, write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0.2 0.9 0\nf 1 2 3\n"),
                turn);
            EngineData *data = rig_data(&rig);
            rig_step(&rig, 1);
            memset(data->v[0], 0, 3 * sizeof(real));
            memset(data->v[1], 0, 3 * sizeof(real));
            memset(data->v[2], 0, 3 * sizeof(real));
            WEFT_KERNEL(air)(data);
            double force[3], along = 0, size2 = 0, a[3], b[3], n[3], out = 0, area = 0;
            for (int axis = 0; axis < 3; axis++)
            {
                force[axis] = 3 * data->air_force[axis][0];
                along += force[axis] * wind[axis] / sqrt(speed2);
                size2 += force[axis] * force[axis];
                a[axis] = data->x[axis][1] - data->x[axis][0];
                b[axis] = data->x[axis][2] - data->x[axis][0];
            }
            for (int axis = 0; axis < 3; axis++)
            {
                n[axis] =
                    a[(axis + 1) % 3] * b[(axis + 2) % 3] - a[(axis + 2) % 3] * b[(axis + 1) % 3];
                area += n[axis] * n[axis] / 4;
                out += n[axis] * wind[axis];
            }
            area = sqrt(area);
            // Sine of the angle between wind and surface.
            double sine = fabs(out) / (2 * area * sqrt(speed2)), cosine = sqrt(1 - sine * sine);
            double expected = 1.2 / 2 * area * speed2 * sine * (lift ? cosine : 1);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, sqrt(size2));
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, lift ? 0 : expected, along);
            rig_close(&rig);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_hanging_chain_has_the_lengths_of_its_springs);
    RUN_TEST(test_inextensible_chain_hangs_as_published);
    RUN_TEST(test_momentum_of_a_free_cloth_is_kept);
    RUN_TEST(test_implicit_step_loses_energy_while_all_springs_act);
    RUN_TEST(test_implicit_step_gains_little_where_springs_come_to_act);
    RUN_TEST(test_energy_of_uniform_strain_is_that_of_the_material);
    RUN_TEST(test_pulled_cloth_resists_by_its_modulus);
    RUN_TEST(test_quads_have_the_springs_of_a_grid);
    RUN_TEST(test_cloth_that_is_pulled_taut_gains_no_energy);
    RUN_TEST(test_pull_at_the_edges_reaches_the_middle);
    RUN_TEST(test_bending_does_not_depend_on_step_or_stretch);
    RUN_TEST(test_strips_of_any_mesh_and_resolution_hang_as_the_continuum);
    RUN_TEST(test_falling_sheet_reaches_its_terminal_velocity);
    RUN_TEST(test_lift_is_across_the_wind_and_drag_along_it);
    return UNITY_END();
}
