// test_bend.c: the force of a bend spring against its definition, the balance of flat cloth, and the bounds that
// keep the explicit step stable.
#include <math.h>

#include "bend_force.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// sinc(t) and cos(t) - sinc(t) as series: no cancellation near 0, and quick up to pi.
static long double sinc(long double t)
{
    long double term = 1, sum = 1;
    for (int k = 1; k < 20; k++)
    {
        term *= -t * t / (2 * k * (2 * k + 1));
        sum += term;
    }
    return sum;
}

static long double cos_minus_sinc(long double t)
{
    long double term = 1, sum = 0;
    for (int k = 1; k < 20; k++)
    {
        term *= -t * t / (2 * k * (2 * k + 1));
        sum += 2 * k * term;
    }
    return sum;
}

// The t in [0, pi] with sinc(t) = ratio: kappa L / 2.
static long double sinc_inverse(long double ratio)
{
    long double low = 0, high = 3.14159265358979323846L;
    for (int k = 0; k < 70; k++)
    {
        long double middle = (low + high) / 2;
        if (sinc(middle) > ratio)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

// f L^2 / k_b as Choi and Ko define it.
static double exact_force(double ratio)
{
    long double t = sinc_inverse(ratio);
    return t < 1e-9L ? -12 : (double)(4 * t * t / cos_minus_sinc(t));
}

static void test_force_has_the_published_values(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -12, bend_force(1));
    TEST_ASSERT_DOUBLE_WITHIN(6e-6, -12.77322, bend_force(0.9));
    TEST_ASSERT_DOUBLE_WITHIN(6e-6, -17.54725, bend_force(0.5));
    TEST_ASSERT_DOUBLE_WITHIN(6e-7, 1.573366, 2 * (double)sinc_inverse(0.9L));
    TEST_ASSERT_DOUBLE_WITHIN(6e-7, 3.790989, 2 * (double)sinc_inverse(0.5L));
}

static void test_force_is_its_definition_from_0_to_1(void)
{
    double worst = 0;
    for (int k = 0; k <= 2000; k++)
    {
        double ratio = k / 2000.0, exact = exact_force(ratio);
        worst = fmax(worst, fabs(bend_force(ratio) / exact - 1));
    }
    printf("bend_force: largest relative error %.2g\n", worst);
    TEST_ASSERT_TRUE(worst < 1e-8);
}

// Three particles in a row: one bend spring, from end to end.
static void open_beam(Rig *rig, double step, double stiffness)
{
    rig_open(rig,
             "{'step': %.17g, 'frames_per_second': %.17g, 'solver': {'precision': 'double', "
             "'threads': 1},"
             "'cloths': [{'grid': {'size': [0.2, 0.1], 'counts': [3, 1]}, 'particle_mass': 0.001,"
             "'material': {'bend_stiffness': %.17g, 'bend_damping': 0, 'stretch_stiffness': 50}}]}",
             step, 1 / step, stiffness);
    TEST_ASSERT_EQUAL_UINT32(1, rig_data(rig)->bend.spring_count);
}

// The storage index of the only bend spring.
static uint32_t only_spring(const SpringList *list)
{
    return list->runs[0].spring;
}

// The tension of the two springs below the beam, N, and whether its first end is held.
typedef struct Support
{
    double tension[2];
    bool   held;
} Support;

static const double line[3] = {0.6, 0, 0.8}; // the beam is laid along a slanted line

// The push on the ends at a distance, N.
static double push_with(Rig *rig, double length, Support support)
{
    EngineData *data = rig_data(rig);
    uint32_t    beam = only_spring(&data->bend);
    data->h = rig->scene.step;
    // The two springs are 0.1 m long.
    for (int half = 0; half < 2; half++)
        data->structural.alpha[data->bend.below[half][beam]] =
            data->h * data->h * support.tension[half] / 0.1;
    for (uint32_t i = 0; i < 3; i++)
    {
        data->light[i] = support.held && i == 0 ? 0 : 1 / data->mass[i];
        for (int axis = 0; axis < 3; axis++)
        {
            data->x[axis][i] = 0.1 + (i == 2 ? length * line[axis] : 0);
            data->rhs[axis][i] = 0;
        }
    }
    WEFT_KERNEL(bend)(data);
    double along = 0, size2 = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        double impulse = data->rhs[axis][0];
        along += impulse * line[axis];
        size2 += impulse * impulse;
        // To the last bit, so that no momentum is made.
        TEST_ASSERT_TRUE(data->rhs[axis][2] == -impulse);
    }
    // All of it acts along the chord.
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 + 1e-12 * fabs(along), fabs(along), sqrt(size2));
    return -along / data->h;
}

// The same in slack cloth.
static double push_at(Rig *rig, double length)
{
    return push_with(rig, length, (Support){{0, 0}, false});
}

static void test_spring_pushes_with_the_force_of_the_buckled_beam(void)
{
    Rig rig;
    open_beam(&rig, 1e-4, 1e-5);
    const SpringList *list = &rig_data(&rig)->bend;
    double            rest = list->rest[only_spring(list)];
    double            scale = list->stiffness[only_spring(list)] / (rest * rest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.2, rest);
    // 2/3 for three directions of bending, 2/3 for an arc over three particles: see spring_grid.c.
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.0 / 9 * 1e-5 * 0.1, list->stiffness[only_spring(list)]);
    for (double ratio = 0.05; ratio < 0.95; ratio += 0.05)
        TEST_ASSERT_DOUBLE_WITHIN(2e-9 * scale * 20, -scale * exact_force(ratio),
                                  push_at(&rig, ratio * rest));
    TEST_ASSERT_EQUAL_UINT32(0, rig_data(&rig)->softened_count);
    rig_close(&rig);
}

static void test_straight_beam_pushes_on_with_the_force_at_its_length(void)
{
    Rig rig;
    open_beam(&rig, 1e-4, 1e-5);
    const SpringList *list = &rig_data(&rig)->bend;
    double            rest = list->rest[only_spring(list)];
    double            full = 12 * list->stiffness[only_spring(list)] / (rest * rest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * full, full, push_at(&rig, rest));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * full, full, push_at(&rig, 1.3 * rest));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * full, full, push_at(&rig, 0.9999 * rest));

    // The two springs below bear it: half as long, they are slack where they would be shorter by full / k.
    const SpringList *springs = &rig_data(&rig)->structural;
    uint32_t          below = springs->runs[0].spring;
    double            stiffness = springs->stiffness[below];
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50, stiffness); // 50 N/m x 0.1 m wide / 0.1 m long
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, springs->rest[below] - full / stiffness,
                              springs->slack[below]);

    // Ends at the same place have no direction to push in.
    TEST_ASSERT_EQUAL_DOUBLE(0, push_at(&rig, 0));
    rig_close(&rig);
}

static void test_force_beyond_the_stable_step_is_bounded_and_counted(void)
{
    // In slack cloth not stronger than 0.15 m L / h^2, however stiff the beam.
    const double step = 0.01, mass = 0.001, most = 0.15 * mass * 0.2 / (step * step);
    Rig          rig;
    open_beam(&rig, step, 0.1);
    for (double length = 0.01; length < 0.3; length += 0.01)
    {
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, most, push_at(&rig, length));
        TEST_ASSERT_EQUAL_UINT32(1, rig_data(&rig)->softened_count);
    }

    // The report of a step says it. The ends lie 0.05 m apart from here on.
    push_at(&rig, 0.05);
    rig.scene.integrator.stretch_limit = 100;
    WEFT_KERNEL(guard)(rig_data(&rig));
    TEST_ASSERT_EQUAL_UINT32(1, rig_step(&rig, 1).softened_bend_springs);
    rig_close(&rig);

    // A thousandth of the stiffness fits the step.
    open_beam(&rig, step, 1e-4);
    push_at(&rig, 0.05);
    TEST_ASSERT_EQUAL_UINT32(0, rig_data(&rig)->softened_count);
    rig_close(&rig);
}

static void test_taut_cloth_carries_a_stronger_push(void)
{
    // The full force is far above all bounds.
    const double step = 0.01, mass = 0.001, most = 0.15 * mass * 0.2 / (step * step), length = 0.19;
    Rig          rig;
    open_beam(&rig, step, 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, most, push_at(&rig, length));

    // Twice the smaller tension below is borne.
    const SpringList *list = &rig_data(&rig)->bend;
    double            rest = list->rest[only_spring(list)];
    double full = -list->stiffness[only_spring(list)] / (rest * rest) * exact_force(0.95);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * full, most + full / 2,
                              push_with(&rig, length, (Support){{full / 4, full}, false}));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * full, most + full / 2,
                              push_with(&rig, length, (Support){{full, full / 4}, false}));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, most, push_with(&rig, length, (Support){{full, 0}, false}));
    // A held end gives nothing: the other one alone counts, and half as much gives.
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * most, push_with(&rig, length, (Support){{0, 0}, true}));

    // Well held, it has its full force.
    TEST_ASSERT_DOUBLE_WITHIN(1e-7 * full, full,
                              push_with(&rig, length, (Support){{full, full}, false}));
    TEST_ASSERT_EQUAL_UINT32(0, rig_data(&rig)->softened_count);
    rig_close(&rig);
}

// The sheets that bend: along x 0.8 m, along y 0.6 m.
typedef struct Sheet
{
    const char *name;
    bool        grid;
    MeshKind    kind;
} Sheet;

static const Sheet sheets[] = {{"grid", true, 0},
                               {"quads", false, MESH_QUADS},
                               {"skewed", false, MESH_SKEWED},
                               {"triangles", false, MESH_TRIANGLES},
                               {"jittered", false, MESH_JITTERED}};
#define SHEET_COUNT (sizeof(sheets) / sizeof(*sheets))

static void open_sheet(Rig *rig, const Sheet *sheet, double stretch)
{
    const double size[2] = {0.8, 0.6};
    const int    counts[2] = {25, 19};
    char         cloth[400] = "'grid': {'size': [0.8, 0.6], 'counts': [25, 19]}";
    if (!sheet->grid)
        snprintf(cloth, sizeof(cloth), "'mesh': {'file': '%s'}",
                 write_sheet("bent.obj", sheet->kind, counts, size, NULL));
    rig_open(rig,
             "{'gravity': [0, 0, 0], 'air': {'density': 0}, 'solver': {'precision': 'double'}, "
             "'cloths': [{%s, 'material': {'stretch_stiffness': %g, 'shear_stiffness': 0, "
             "'bend_stiffness': 1e-4, 'stretch_damping': 0, 'shear_damping': 0, 'bend_damping': "
             "0}}]}",
             cloth, stretch);
}

static void test_flat_cloth_is_in_balance(void)
{
    for (size_t k = 0; k < SHEET_COUNT; k++)
    {
        // A beam of the sheet pushes with 12 k_b / L^2, about D / s.
        Rig rig;
        open_sheet(&rig, &sheets[k], 800);
        EngineData  *data = rig_data(&rig);
        const double push = 1e-4 / (0.8 / 24);
        double       worst = 0;
        assemble_step(data, 0.001);
        for (uint32_t i = 0; i < data->particle_count; i++)
            for (int axis = 0; axis < 3; axis++)
                worst = fmax(worst, fabs(data->rhs[axis][i]) / data->h / push);
        printf("%s: forces of %.2g of a beam's push in flat cloth\n", sheets[k].name, worst);
        TEST_ASSERT_TRUE(worst < 1e-8);
        rig_close(&rig);
    }
}

// A sheet that is bent gently about an axis at any angle stores D/2 kappa^2 a square metre, less what only borders would tell.
static void test_bending_costs_the_same_about_any_axis_of_any_mesh(void)
{
    for (size_t k = 0; k < SHEET_COUNT; k++)
    {
        double most = 0, least = INFINITY;
        for (int angle = 0; angle < 180; angle += 15)
        {
            Rig rig;
            open_sheet(&rig, &sheets[k], 800);
            EngineData  *data = rig_data(&rig);
            const double curvature = 1e-4, across = cos(angle * M_PI / 180),
                         along = sin(angle * M_PI / 180);
            double energy = 0;
            for (uint32_t i = 0; i < data->particle_count; i++)
            {
                double place = across * data->x[0][i] + along * data->x[1][i];
                data->x[2][i] = curvature * place * place / 2;
            }
            assemble_step(data, 0.001);
            // Forces are linear in so small a bend: the work is half of force times way.
            for (uint32_t i = 0; i < data->particle_count; i++)
                energy -= data->rhs[2][i] / data->h * data->x[2][i] / 2;
            double kinetic, stored;
            rig.sim->backend->energy(rig.sim->engine, &kinetic, &stored);
            // The forces that rounding leaves in flat cloth do some 1e-3 of this work.
            TEST_ASSERT_DOUBLE_WITHIN(1e-3 * energy, energy, stored);
            double part = energy / (1e-4 / 2 * curvature * curvature * 0.8 * 0.6);
            most = fmax(most, part);
            least = fmin(least, part);
            rig_close(&rig);
        }
        printf("%s: bending costs %.3f to %.3f of the material's\n", sheets[k].name, least, most);
        TEST_ASSERT_TRUE(least > 0.92 && most < 0.98);
    }
}

// Fine, stiff cloth falls onto the floor upright and crumples. Beams over slack springs must not throw it apart: at the floor
// it comes down with 0.7 m/s, and the fall by itself stretches springs by a tenth.
static void test_fine_cloth_crumples_without_being_thrown_apart(void)
{
    Rig    rig;
    double largest = 0;
    rig_open(
        &rig,
        "{'solver': {'precision': 'double'}, 'solids': [{'type': 'plane', 'friction': 0.5}], "
        "'cloths': [{'grid': {'size': [0.08, 0.5], 'counts': [21, 120]}, 'position': [0, 0.27, "
        "0], 'rotation': [-8, 0, 0], 'material': {'preset': 'cotton', 'thickness': 0.004}}]}");
    for (int step = 0; step < 200; step++)
    {
        WeftStepReport report = rig_step(&rig, 1);
        TEST_ASSERT_EQUAL_UINT32(0, report.halvings);
        largest = fmax(largest, report.largest_stretch);
    }
    printf("largest stretch of fine cloth that crumples: %.3f\n", largest);
    TEST_ASSERT_TRUE(largest < 1.5);
    rig_close(&rig);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_force_has_the_published_values);
    RUN_TEST(test_force_is_its_definition_from_0_to_1);
    RUN_TEST(test_spring_pushes_with_the_force_of_the_buckled_beam);
    RUN_TEST(test_straight_beam_pushes_on_with_the_force_at_its_length);
    RUN_TEST(test_force_beyond_the_stable_step_is_bounded_and_counted);
    RUN_TEST(test_taut_cloth_carries_a_stronger_push);
    RUN_TEST(test_flat_cloth_is_in_balance);
    RUN_TEST(test_bending_costs_the_same_about_any_axis_of_any_mesh);
    RUN_TEST(test_fine_cloth_crumples_without_being_thrown_apart);
    return UNITY_END();
}
