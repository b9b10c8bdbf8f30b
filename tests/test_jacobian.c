// test_jacobian.c: matrix and right-hand side of a step against finite differences of the forces.
// The forces are written out here a second time, spring by spring from the model's list, so that an
// error in a kernel, in its derivatives or in the layout of its springs shows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multiply.h"
#include "support.h"

#define STEP 0.01
#define NUDGE 1e-6 // m or m/s: truncation and rounding of a central difference meet near here

void setUp(void)
{
}

void tearDown(void)
{
}

// A scene with its model built a second time: the engine's own list of springs is not kept.
typedef struct Case
{
    Rig       rig;
    WeftModel model;
    uint32_t  size;         // unknowns, 3 x particles
    double   *x, *v;        // (size) the state, in the engine's order
    double   *matrix, *rhs; // (size x size), (size), from the engine
} Case;

static void open_case(Case *test, const char *cloth, const char *more)
{
    rig_open(&test->rig,
             "{'step': %g, 'frames_per_second': %g, 'solver': {'precision': 'double', 'threads': "
             "1}, %s, 'cloths': [{%s, 'material': {'stretch_stiffness': 90, 'stretch_damping': "
             "0.7, 'shear_stiffness': 30, 'shear_damping': 0.3, 'bend_stiffness': 1e-4, "
             "'bend_damping': 0.01}}]}",
             STEP, 1 / STEP, more, cloth);
    TEST_ASSERT_EQUAL_INT(WEFT_OK, weft_model_create(&test->model, &test->rig.scene));
    test->size = 3 * test->model.particle_count;
    test->x = calloc(test->size, sizeof(double));
    test->v = calloc(test->size, sizeof(double));
    test->rhs = calloc(test->size, sizeof(double));
    test->matrix = calloc((size_t)test->size * test->size, sizeof(double));

    // Crumple it: about half of the springs are then in extension.
    EngineData *data = rig_data(&test->rig);
    random_seed(5);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            test->x[3 * i + axis] = data->x[axis][i] += random_between(-0.05, 0.05);
            test->v[3 * i + axis] = data->v[axis][i] = random_between(-1, 1);
        }
}

static void close_case(Case *test)
{
    weft_model_destroy(&test->model);
    rig_close(&test->rig);
    free(test->x);
    free(test->v);
    free(test->rhs);
    free(test->matrix);
}

// Runs the engine up to its linear system and reads matrix and right-hand side out.
static void assemble(Case *test)
{
    EngineData *data = rig_data(&test->rig);
    assemble_step(data, STEP);
    for (uint32_t column = 0; column < test->size; column++)
    {
        data->u[column % 3][column / 3] = 1;
        for (uint32_t i = 0; i < data->particle_count; i++)
        {
            real out[3];
            multiply_row(data, i, data->u, out);
            for (uint32_t axis = 0; axis < 3; axis++)
                test->matrix[(size_t)(3 * i + axis) * test->size + column] = out[axis];
        }
        data->u[column % 3][column / 3] = 0;
    }
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            test->rhs[3 * i + axis] = data->rhs[axis][i];
}

// Which springs of the model are implicit: all that act, only stretch, or none.
typedef enum Part
{
    PART_ALL,
    PART_STRETCH,
    PART_NONE
} Part;

// A metre of a thread in a triangle, as a vector.
static double thread_at(const WeftWeave *weave, int thread, const double *x, double w[3])
{
    double square = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
    {
        double from = x[3 * weave->corner[0] + axis];
        w[axis] = weave->lay[thread][0] * (x[3 * weave->corner[1] + axis] - from) +
                  weave->lay[thread][1] * (x[3 * weave->corner[2] + axis] - from);
        square += w[axis] * w[axis];
    }
    return sqrt(square);
}

// Where a thread begins to pull: it bears its own push against buckling.
static double taut_from(const WeftWeave *weave, int thread)
{
    return thread < 2 ? 1 - weave->buckle / weave->stretch : 1;
}

// Adds what the threads in triangles pull their corners with, C (q - q0) along w, of those that are taut at the state of the test.
static void add_threads(const Case *test, Part part, const double *x, double *force)
{
    for (size_t k = 0; k < test->model.springs.weave_count; k++)
        for (int thread = 0; thread < WEFT_THREADS; thread++)
        {
            const WeftWeave *weave = &test->model.springs.weave[k];
            const double *lay = weave->lay[thread], share[3] = {-lay[0] - lay[1], lay[0], lay[1]};
            double        w[3];
            if (part == PART_NONE || (part == PART_STRETCH && thread >= 2) ||
                thread_at(weave, thread, test->x, w) <= taut_from(weave, thread))
                continue;
            double length = thread_at(weave, thread, x, w), from = taut_from(weave, thread);
            double pull = (thread < 2 ? weave->stretch : weave->shear) * (length - from) / length;
            for (uint32_t corner = 0; corner < 3; corner++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    force[3 * weave->corner[corner] + axis] -= pull * share[corner] * w[axis];
        }
}

// Whether an edge of triangles acts: whether a thread that is taut pulls along it.
static bool has_taut_thread(const Case *test, uint32_t spring)
{
    for (size_t k = 0; k < test->model.springs.weave_count; k++)
        for (int edge = 0; edge < 3; edge++)
        {
            const WeftWeave *weave = &test->model.springs.weave[k];
            for (int thread = 0; weave->edge[edge] == spring && thread < WEFT_THREADS; thread++)
            {
                const double *lay = weave->lay[thread];
                const double  share[3] = {-lay[0] - lay[1], lay[0], lay[1]};
                double        w[3];
                if (thread_at(weave, thread, test->x, w) > taut_from(weave, thread) &&
                    share[edge] * share[(edge + 1) % 3] != 0)
                    return true;
            }
        }
    return false;
}

// The length up to which a spring does not pull: at rest it bears the beams over it.
static double slack_of(const WeftSpring *spring)
{
    return spring->rest - (spring->hold > 0 ? spring->hold / (double)spring->stiffness : 0);
}

// Adds the force of each stretch and shear spring that acts at the state of the test: elastic part
// at `x`, damping at `v` along the directions of the test's own state. The engine leaves out how
// damping depends on x, as Choi and Ko do.
static void add_springs(const Case *test, Part part, bool elastic, bool damping, const double *x,
                        const double *v, double *force)
{
    bool full = test->rig.scene.integrator.damping == WEFT_DAMPING_FULL;
    for (uint32_t k = 0; k < test->model.structural_count; k++)
    {
        const WeftSpring *spring = &test->model.springs.structural[k];
        if (part == PART_NONE || (part == PART_STRETCH && test->model.springs.is_shear[k]))
            continue;
        double d[3], n[3], d2 = 0, n2 = 0, rate = 0;
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            d[axis] = x[3 * spring->b + axis] - x[3 * spring->a + axis];
            n[axis] = test->x[3 * spring->b + axis] - test->x[3 * spring->a + axis];
            d2 += d[axis] * d[axis];
            n2 += n[axis] * n[axis];
        }
        double length = sqrt(d2), size = sqrt(n2), slack = slack_of(spring);
        bool   own = size > slack && spring->stiffness > 0;
        bool   damps = damping && (own || has_taut_thread(test, k));
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            n[axis] /= size;
            rate += n[axis] * (v[3 * spring->b + axis] - v[3 * spring->a + axis]);
        }
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            double difference = v[3 * spring->b + axis] - v[3 * spring->a + axis];
            double f = 0;
            if (elastic && own)
                f += (double)spring->stiffness * (length - slack) * d[axis] / length;
            if (elastic)
                f += spring->base * d[axis];
            if (damps)
                f += (double)spring->damping * (full ? difference : rate * n[axis]);
            force[3 * spring->a + axis] += f;
            force[3 * spring->b + axis] -= f;
        }
    }
    if (elastic)
        add_threads(test, part, x, force);
}

static void add_drag(const Case *test, const double *v, double *force)
{
    const WeftAir *air = &test->rig.scene.air;
    for (uint32_t i = 0; i < test->model.particle_count; i++)
    {
        const double *w = v + 3 * i;
        double        speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (uint32_t axis = 0; axis < 3; axis++)
            force[3 * i + axis] -=
                test->model.masses[i] * (air->linear_drag + air->quadratic_drag * speed) * w[axis];
    }
}

// Bend springs by their definition: sinc^-1 by bisection.
static double beam_push(double ratio)
{
    double low = 0, high = 3.14159265358979;
    for (int k = 0; k < 60; k++)
    {
        double middle = (low + high) / 2;
        if (sin(middle) / middle > ratio)
            low = middle;
        else
            high = middle;
    }
    return low < 1e-3 ? 12 : -4 * low * low / (cos(low) - sin(low) / low);
}

// What A has across a spring: h^2 (tension / length). The matrix is compared with differences of the forces by itself.
static double matrix_across(const Case *test, const WeftSpring *spring)
{
    const double *x = test->x;
    double        trace = 0, along = 0, d2 = 0;
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t column = 0; column < 3; column++)
        {
            double entry =
                -test->matrix[(size_t)(3 * spring->a + row) * test->size + 3 * spring->b + column];
            double d_row = x[3 * spring->b + row] - x[3 * spring->a + row],
                   d_column = x[3 * spring->b + column] - x[3 * spring->a + column];
            trace += row == column ? entry : 0;
            d2 += row == column ? d_row * d_row : 0;
            along += d_row * entry * d_column;
        }
    return (trace - along / d2) / 2;
}

// What the velocities add to explicit forces in a step: none with the method explicit.
static double lead_of(const Case *test)
{
    return test->rig.scene.integrator.method == WEFT_INTEGRATOR_EXPLICIT ? 0 : STEP;
}

// The tension that bears bending is taken where the velocities lead in explicit springs, too: what that adds.
static void add_lead(const Case *test, Part part, double *force)
{
    for (uint32_t k = 0; k < test->model.structural_count; k++)
    {
        const WeftSpring *spring = &test->model.springs.structural[k];
        if (part == PART_ALL || (part == PART_STRETCH && !test->model.springs.is_shear[k]))
            continue;
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            double f = lead_of(test) * spring->base *
                       (test->v[3 * spring->b + axis] - test->v[3 * spring->a + axis]);
            force[3 * spring->a + axis] += f;
            force[3 * spring->b + axis] -= f;
        }
    }
}

// The push of implicit threads against buckling, as a step of STEP bounds it, where the velocities lead.
static void add_thread_pushes(const Case *test, double *force)
{
    const double *masses = test->model.masses;
    for (size_t k = 0; k < test->model.springs.weave_count; k++)
        for (int thread = 0; thread < 2; thread++)
        {
            const WeftWeave *weave = &test->model.springs.weave[k];
            const double *lay = weave->lay[thread], share[3] = {-lay[0] - lay[1], lay[0], lay[1]};
            double        w[3], toward[3], least = INFINITY, felt = 0;
            double        length = thread_at(weave, thread, test->x, w);
            thread_at(weave, thread, test->v, toward);
            for (int corner = 0; corner < 3; corner++)
            {
                least = fmin(least, masses[weave->corner[corner]]);
                felt = fmax(felt, share[corner] * share[corner]);
            }
            double even = fmax(weave->stretch * (1 - taut_from(weave, thread) / length), 0);
            double push = weave->buckle * beam_push(fmin(length, 1)) / 12 / length;
            push = fmin(push, even + 0.1 * least / (STEP * STEP * felt));
            for (uint32_t corner = 0; corner < 3; corner++)
                for (uint32_t axis = 0; axis < 3; axis++)
                    force[3 * weave->corner[corner] + axis] +=
                        push * share[corner] * (w[axis] + STEP * toward[axis]);
        }
}

// The forces of the bend springs as a step of STEP bounds them, where the velocities lead.
static void add_bend(const Case *test, double *force)
{
    bool          full = test->rig.scene.integrator.damping == WEFT_DAMPING_FULL;
    const double *x = test->x, *v = test->v;
    const double  lead = lead_of(test);
    for (uint32_t k = 0; k < test->model.bend_count; k++)
    {
        const WeftSpring *spring = &test->model.springs.bend[k];
        double            d[3], d2 = 0, rate = 0, rest = (double)spring->rest;
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            d[axis] = x[3 * spring->b + axis] - x[3 * spring->a + axis];
            d2 += d[axis] * d[axis];
        }
        double       length = sqrt(d2);
        const double n[3] = {d[0] / length, d[1] / length, d[2] / length};
        for (uint32_t axis = 0; axis < 3; axis++)
            rate += (v[3 * spring->b + axis] - v[3 * spring->a + axis]) * n[axis];
        const double *masses = test->model.masses;
        double        mass = 2 / (1 / masses[spring->a] + 1 / masses[spring->b]);
        bool          is_beam = spring->stiffness > 0;
        double        base = is_beam ? 0 : spring->base, tension = 0;
        double push = (double)spring->stiffness / (rest * rest) * beam_push(fmin(length / rest, 1));
        if (is_beam)
        {
            const WeftSpring *springs = test->model.springs.structural;
            tension = fmin(matrix_across(test, &springs[spring->below[0]]),
                           matrix_across(test, &springs[spring->below[1]])) *
                      rest / (2 * STEP * STEP);
        }
        double borne = fmin(2 * tension, push);
        double most = 0.1 * mass;
        if (is_beam && !full && borne > 1e-12)
            most += 0.25 * spring->base * STEP * STEP * d2 / (rest * rest);
        double damping = length < rest ? fmin((double)spring->damping, 0.5 * most / STEP) : 0;
        push = fmin(push, 0.15 * mass * rest / (STEP * STEP) + borne) / length;
        double led = borne / length + base;
        push += base;
        for (uint32_t axis = 0; axis < 3; axis++)
        {
            double difference = v[3 * spring->b + axis] - v[3 * spring->a + axis];
            double f = -push * d[axis] - lead * led * difference +
                       damping * (full ? difference : rate * d[axis] / length);
            force[3 * spring->a + axis] += f;
            force[3 * spring->b + axis] -= f;
        }
    }
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(values[k]));
    return most;
}

// M - h df/dv - h^2 df/dx by central differences, column by column.
static void check_matrix(Case *test, Part part, bool implicit_drag, const char *what)
{
    uint32_t size = test->size;
    double  *state = malloc(size * sizeof(double)), *forces[2];
    double   scale = largest(test->matrix, (size_t)size * size), worst = 0;
    forces[0] = malloc(size * sizeof(double));
    forces[1] = malloc(size * sizeof(double));
    for (uint32_t column = 0; column < size; column++)
    {
        double *expected = calloc(size, sizeof(double));
        expected[column] = test->model.masses[column / 3];
        for (int by_velocity = 0; by_velocity < 2; by_velocity++)
        {
            for (int side = 0; side < 2; side++)
            {
                memcpy(state, by_velocity ? test->v : test->x, size * sizeof(double));
                state[column] += side ? NUDGE : -NUDGE;
                memset(forces[side], 0, size * sizeof(double));
                add_springs(test, part, !by_velocity, by_velocity, by_velocity ? test->x : state,
                            by_velocity ? state : test->v, forces[side]);
                if (by_velocity && implicit_drag)
                    add_drag(test, state, forces[side]);
            }
            for (uint32_t row = 0; row < size; row++)
                expected[row] -= (by_velocity ? STEP : STEP * STEP) *
                                 (forces[1][row] - forces[0][row]) / (2 * NUDGE);
        }
        for (uint32_t row = 0; row < size; row++)
            worst = fmax(worst,
                         fabs(expected[row] - test->matrix[(size_t)row * size + column]) / scale);
        free(expected);
    }
    printf("%s: matrix off by %.2g of its largest entry\n", what, worst);
    TEST_ASSERT_TRUE_MESSAGE(worst < 1e-8, what);
    free(state);
    free(forces[0]);
    free(forces[1]);
}

// h (f + h K v), K v as the difference of the elastic forces along v.
static void check_rhs(Case *test, Part part, const char *what)
{
    uint32_t size = test->size;
    double  *force = calloc(size, sizeof(double)), *state = malloc(size * sizeof(double));
    double  *ahead = calloc(size, sizeof(double)), *behind = calloc(size, sizeof(double));
    for (uint32_t k = 0; k < size; k++)
        force[k] = test->model.masses[k / 3] * test->rig.scene.gravity[k % 3];
    add_springs(test, PART_ALL, true, true, test->x, test->v, force);
    add_drag(test, test->v, force);
    add_bend(test, force);
    add_lead(test, part, force);
    add_thread_pushes(test, force);
    for (int side = 0; side < 2; side++)
    {
        for (uint32_t k = 0; k < size; k++)
            state[k] = test->x[k] + (side ? NUDGE : -NUDGE) * test->v[k];
        add_springs(test, part, true, false, state, test->v, side ? ahead : behind);
    }
    double worst = 0, scale = largest(test->rhs, size);
    for (uint32_t k = 0; k < size; k++)
    {
        double expected = STEP * (force[k] + STEP * (ahead[k] - behind[k]) / (2 * NUDGE));
        worst = fmax(worst, fabs(expected - test->rhs[k]) / scale);
    }
    printf("%s: right-hand side off by %.2g of its largest entry\n", what, worst);
    TEST_ASSERT_TRUE_MESSAGE(worst < 1e-8, what);
    free(force);
    free(state);
    free(ahead);
    free(behind);
}

// The eight rows at once give what the rows give one by one.
static void check_slices(Case *test)
{
    EngineData *data = rig_data(&test->rig);
    random_seed(9);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (int axis = 0; axis < 3; axis++)
            data->u[axis][i] = random_between(-1, 1);
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        Lanes out[3];
        multiply_slice(data, slice, data->u, out);
        for (uint32_t lane = 0; lane < SLICE && slice * SLICE + lane < data->particle_count; lane++)
        {
            real row[3];
            multiply_row(data, slice * SLICE + lane, data->u, row);
            for (int axis = 0; axis < 3; axis++)
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, row[axis], out[axis][lane]);
        }
    }
    for (int axis = 0; axis < 3; axis++)
        memset(data->u[axis], 0, data->particle_count * sizeof(real));
}

#define SHEET "'grid': {'size': [0.5, 0.4], 'counts': [6, 5]}"
#define TUBE "'grid': {'size': [0.6, 0.4], 'counts': [7, 4], 'shape': 'tube'}"
#define CALM "'air': {'density': 0}"
#define DRAG "'air': {'density': 0, 'linear_drag': 0.8, 'quadratic_drag': 3}"
#define METHOD(method, damping) ", 'integrator': {'method': '" method "', 'damping': '" damping "'}"

static int scattered_slots; // of all cases so far

static void check_case(const char *cloth, const char *more, Part part, const char *what)
{
    Case test;
    open_case(&test, cloth, more);
    assemble(&test);
    const EngineData *data = rig_data(&test.rig);
    // Some springs are to act, and some not; of triangles, threads.
    size_t count = data->structural.spring_count, acting = data->active_count;
    if (test.model.springs.weave_count > 0)
    {
        count = test.model.springs.weave_count * WEFT_THREADS;
        acting = 0;
        for (size_t k = 0; k < count; k++)
        {
            double w[3];
            acting += thread_at(&test.model.springs.weave[k / WEFT_THREADS],
                                (int)(k % WEFT_THREADS), test.x, w) > 1;
        }
    }
    TEST_ASSERT_TRUE(acting > count / 5 && acting < count * 4 / 5);
    check_matrix(&test, part, test.rig.scene.integrator.method != WEFT_INTEGRATOR_EXPLICIT, what);
    check_rhs(&test, part, what);
    check_slices(&test);
    for (uint32_t k = 0; k < data->structural.slice_slots[data->slice_count]; k++)
        scattered_slots += (data->structural.slot_flags[k] & SLOT_SCATTERED) != 0;
    close_case(&test);
}

static void test_matrix_and_rhs_of_a_sheet_are_the_derivatives_of_its_forces(void)
{
    check_case(SHEET, CALM METHOD("implicit", "projected"), PART_ALL, "projected damping");
    check_case(SHEET, CALM METHOD("implicit", "full"), PART_ALL, "full damping");
}

static void test_matrix_and_rhs_hold_drag(void)
{
    check_case(SHEET, DRAG METHOD("implicit", "projected"), PART_ALL, "drag");
}

static void test_explicit_springs_are_not_in_the_matrix(void)
{
    check_case(SHEET, DRAG METHOD("imex", "projected"), PART_STRETCH, "imex");
    check_case(SHEET, DRAG METHOD("explicit", "full"), PART_NONE, "explicit");
}

static void test_matrix_and_rhs_of_other_layouts_are_the_derivatives_too(void)
{
    check_case(TUBE, CALM METHOD("implicit", "projected"), PART_ALL, "tube");
    const int    counts[2] = {6, 5};
    const double size[2] = {0.5, 0.4};
    uint32_t     order[30];
    for (uint32_t k = 0; k < 30; k++)
        order[k] = (7 * k + 11) % 30;
    for (int kind = MESH_QUADS; kind <= MESH_JITTERED; kind++)
    {
        // The jittered one is numbered by chance, so that its springs need indices.
        char cloth[400];
        snprintf(cloth, sizeof(cloth), "'mesh': {'file': '%s'}",
                 write_sheet("cloth.obj", (MeshKind)kind, counts, size,
                             kind == MESH_JITTERED ? order : NULL));
        check_case(cloth, CALM METHOD("implicit", "projected"), PART_ALL,
                   kind == MESH_QUADS       ? "quads"
                   : kind == MESH_SKEWED    ? "skewed"
                   : kind == MESH_TRIANGLES ? "triangles"
                                            : "jittered");
    }
    TEST_ASSERT_TRUE(scattered_slots > 0);
}

// One spring on its own, so that a failure above can be traced.
static void check_one_spring(const char *damping)
{
    char more[200];
    snprintf(more, sizeof(more), CALM ", 'integrator': {'method': 'implicit', 'damping': '%s'}",
             damping);
    Case test;
    open_case(&test, "'grid': {'size': [0.1, 0.1], 'counts': [2, 1]}", more);
    EngineData *data = rig_data(&test.rig);
    for (uint32_t axis = 0; axis < 3; axis++)
        test.x[3 + axis] = data->x[axis][1] = data->x[axis][0] + 0.03 * (axis + 2);
    assemble(&test);
    SpringList *list = &data->structural;
    uint32_t    spring = list->runs[0].spring;
    TEST_ASSERT_EQUAL_UINT8(SPRING_PRESENT | SPRING_ACTIVE | SPRING_IMPLICIT, list->flags[spring]);
    for (uint32_t column = 0; column < 3; column++)
    {
        double forces[2][2][6] = {0};
        for (int side = 0; side < 2; side++)
        {
            double x[6], v[6], nudge = side ? NUDGE : -NUDGE;
            memcpy(x, test.x, sizeof(x));
            memcpy(v, test.v, sizeof(v));
            x[3 + column] += nudge;
            v[3 + column] += nudge;
            add_springs(&test, PART_ALL, true, false, x, test.v, forces[0][side]);
            add_springs(&test, PART_ALL, false, true, test.x, v, forces[1][side]);
        }
        for (uint32_t row = 0; row < 3; row++)
        {
            double by_x = (forces[0][1][row] - forces[0][0][row]) / (2 * NUDGE);
            double by_v = (forces[1][1][row] - forces[1][0][row]) / (2 * NUDGE);
            double block = (row == column) * list->alpha[spring] +
                           list->u[row][spring] * list->u[column][spring];
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, STEP * STEP * by_x + STEP * by_v, block);
        }
    }
    close_case(&test);
}

static void test_block_of_one_spring_is_its_derivative(void)
{
    check_one_spring("projected");
    check_one_spring("full");
}

// A spring that is nearly taut does not pull yet, but has the block of one at its rest length.
static void test_nearly_taut_spring_has_a_block_and_no_force(void)
{
    Case test;
    open_case(&test, "'grid': {'size': [0.1, 0.1], 'counts': [2, 1]}",
              "'gravity': [0, 0, 0], " CALM METHOD("implicit", "projected"));
    EngineData  *data = rig_data(&test.rig);
    SpringList  *list = &data->structural;
    uint32_t     spring = list->runs[0].spring;
    const double line[3] = {0.6, 0, 0.8}, length = list->slack[spring] * (1 - NEARLY_TAUT / 2);
    double       rate = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        data->x[axis][1] = data->x[axis][0] + length * line[axis];
        rate += line[axis] * (data->v[axis][1] - data->v[axis][0]);
    }
    assemble(&test);
    TEST_ASSERT_EQUAL_UINT8(SPRING_PRESENT | SPRING_IMPLICIT, list->flags[spring]);
    double even = STEP * STEP * list->stiffness[spring];
    for (int row = 0; row < 3; row++)
    {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, even * rate * line[row], data->rhs[row][0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, -even * rate * line[row], data->rhs[row][1]);
        for (int column = 0; column < 3; column++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, -even * line[row] * line[column],
                                      test.matrix[(size_t)row * test.size + 3 + (size_t)column]);
    }
    close_case(&test);
}

// The energy that a bend spring stores between its rest length and `length`, by Simpson's rule over
// the force, J.
static double beam_energy(double stiffness, double rest, double length)
{
    const int count = 400;
    double    sum = 0, width = (rest - length) / count;
    for (int k = 0; k <= count; k++)
    {
        double ratio = (length + k * width) / rest;
        sum += (k == 0 || k == count ? 1 : k % 2 ? 4 : 2) * beam_push(ratio);
    }
    return stiffness / (rest * rest) * sum * width / 3;
}

static void test_bend_force_is_the_slope_of_its_energy(void)
{
    Case test;
    open_case(&test, "'grid': {'size': [0.2, 0.1], 'counts': [3, 1]}, 'particle_mass': 10", CALM);
    EngineData  *data = rig_data(&test.rig);
    const double ends[2][3] = {{0.01, 0.02, 0.03}, {0.08, -0.06, 0.07}};
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
        {
            data->x[axis][2 * end] = ends[end][axis];
            data->v[axis][2 * end] = 0;
        }
    assemble(&test);
    SpringList *list = &data->bend;
    uint32_t    spring = list->runs[0].spring;
    for (int axis = 0; axis < 3; axis++)
    {
        // The force on the owner, particle 0.
        double energy[2];
        for (int side = 0; side < 2; side++)
        {
            double length2 = 0;
            for (int k = 0; k < 3; k++)
            {
                double d = ends[1][k] - ends[0][k] - (k == axis ? (side ? 1e-5 : -1e-5) : 0);
                length2 += d * d;
            }
            energy[side] = beam_energy(list->stiffness[spring], list->rest[spring], sqrt(length2));
        }
        double force = -(energy[1] - energy[0]) / 2e-5;
        // Nothing else pushes along x or z, and along y there is the weight.
        double weight = data->gravity[axis] / data->light[0];
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * fabs(force), force, data->rhs[axis][0] / STEP - weight);
    }
    TEST_ASSERT_EQUAL_UINT32(0, data->softened_count);
    close_case(&test);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_block_of_one_spring_is_its_derivative);
    RUN_TEST(test_matrix_and_rhs_of_a_sheet_are_the_derivatives_of_its_forces);
    RUN_TEST(test_matrix_and_rhs_hold_drag);
    RUN_TEST(test_explicit_springs_are_not_in_the_matrix);
    RUN_TEST(test_matrix_and_rhs_of_other_layouts_are_the_derivatives_too);
    RUN_TEST(test_nearly_taut_spring_has_a_block_and_no_force);
    RUN_TEST(test_bend_force_is_the_slope_of_its_energy);
    return UNITY_END();
}
