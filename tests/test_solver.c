// test_solver.c: the filtered CG against a direct solve, and runs with and without decomposition.
//
// A step leaves its linear system behind: blocks, right-hand side, filter S and prescribed z. From
// them the test builds (S A S + I - S) y = S (b - A z), x = S y + z, and lets CHOLMOD solve it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT_HAS_CHOLMOD
#include <cholmod.h>
#endif

#include "multiply.h"
#include "sim/pool.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void step_once(Rig *rig, WeftStepReport *report)
{
    memset(report, 0, sizeof(*report));
    bool good;
    TEST_ASSERT_EQUAL_INT(WEFT_OK,
                          rig->sim->backend->step(rig->sim->engine, weft_sim_time(rig->sim),
                                                  rig->sim->step_size, report, &good));
    TEST_ASSERT_TRUE(good);
}

static void read_direction(const EngineData *data, uint32_t i, real direction[3])
{
    for (int axis = 0; axis < 3; axis++)
        direction[axis] = data->direction[axis][i];
}

// S of a particle, written out.
static void filter_matrix(const EngineData *data, uint32_t i, double out[3][3])
{
    real n[3];
    read_direction(data, i, n);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
        {
            double unit = row == column, outer = n[row] * n[column];
            out[row][column] = data->degrees[i] == 3   ? unit
                               : data->degrees[i] == 2 ? unit - outer
                               : data->degrees[i] == 1 ? outer
                                                       : 0;
        }
}

static void apply_filter(const EngineData *data, const double *in, double *out)
{
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        double s[3][3], own[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
        filter_matrix(data, i, s);
        for (int row = 0; row < 3; row++)
            out[3 * i + (uint32_t)row] =
                s[row][0] * own[0] + s[row][1] * own[1] + s[row][2] * own[2];
    }
}

// A times a vector, by way of an array of the engine that the step does not need any more.
static void apply_matrix(EngineData *data, const double *in, double *out)
{
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            data->w[axis][i] = in[3 * i + axis];
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        real row[3];
        multiply_row(data, i, data->w, row);
        for (uint32_t axis = 0; axis < 3; axis++)
            out[3 * i + axis] = row[axis];
    }
}

static double *new_vector(const EngineData *data)
{
    double *vector = calloc(3 * (size_t)data->particle_count, sizeof(double));
    TEST_ASSERT_NOT_NULL(vector);
    return vector;
}

static void read_vector(const EngineData *data, real *const from[3], double *out)
{
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            out[3 * i + axis] = from[axis][i];
}

#ifdef WEFT_HAS_CHOLMOD
// The exact solution of the step's system.
static void solve_directly(EngineData *data, double *solution)
{
    size_t         size = 3 * (size_t)data->particle_count;
    cholmod_common common;
    cholmod_start(&common);
    cholmod_triplet *entries =
        cholmod_allocate_triplet(size, size, 150 * size, 1, CHOLMOD_REAL, &common);
    double *z = new_vector(data), *b = new_vector(data), *image = new_vector(data);
    double *column = new_vector(data);
    read_vector(data, data->prescribed, z);
    read_vector(data, data->rhs, b);

    // b - A z, filtered.
    apply_matrix(data, z, image);
    for (size_t k = 0; k < size; k++)
        b[k] -= image[k];
    cholmod_dense *right = cholmod_zeros(size, 1, CHOLMOD_REAL, &common);
    apply_filter(data, b, right->x);

    // Columns of S A S + I - S, upper half.
    for (size_t k = 0; k < size; k++)
    {
        memset(column, 0, size * sizeof(double));
        column[k] = 1;
        apply_filter(data, column, column);
        double kept[3];
        memcpy(kept, column + k / 3 * 3, sizeof(kept));
        apply_matrix(data, column, image);
        apply_filter(data, image, column);
        for (size_t axis = 0; axis < 3; axis++)
            column[k / 3 * 3 + axis] += (k % 3 == axis) - kept[axis];
        for (size_t row = 0; row <= k; row++)
            if (column[row] != 0)
            {
                TEST_ASSERT_TRUE(entries->nnz < entries->nzmax);
                ((int *)entries->i)[entries->nnz] = (int)row;
                ((int *)entries->j)[entries->nnz] = (int)k;
                ((double *)entries->x)[entries->nnz++] = column[row];
            }
    }
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(entries, 0, &common);
    cholmod_factor *factor = cholmod_analyze(matrix, &common);
    cholmod_factorize(matrix, factor, &common);
    // The factorisation also proves that the projected matrix is positive definite.
    TEST_ASSERT_EQUAL_INT(CHOLMOD_OK, common.status);
    cholmod_dense *result = cholmod_solve(CHOLMOD_A, factor, right, &common);
    apply_filter(data, result->x, solution);
    for (size_t k = 0; k < size; k++)
        solution[k] += z[k];

    cholmod_free_dense(&result, &common);
    cholmod_free_dense(&right, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&matrix, &common);
    cholmod_free_triplet(&entries, &common);
    cholmod_finish(&common);
    free(z);
    free(b);
    free(image);
    free(column);
}

// Held in every way, moved by pins, lying on two solids of which one moves.
static void open_mixed(Rig *rig)
{
    rig_open(
        rig,
        "{'step': 0.005, 'frames_per_second': 200, 'air': {'linear_drag': 0.1},"
        "'solver': {'precision': 'double', 'threads': 2},"
        "'integrator': {'method': 'adaptive'},"
        "'cloths': [{'grid': {'size': [1, 0.8], 'counts': [13, 11]}, 'rotation': [-90, 0, 0],"
        "'position': [0, 0.31, 0], 'material': {'thickness': 0.005, 'stretch_damping': 0.5},"
        "'pins': [{'corner': 'bottom_left', 'keyframes': [{'time': 0}, {'time': 2, 'position': "
        "[0.2, 0.4, 0.1]}]},"
        "{'indices': [142, 141, 140], 'free_along': [1, 2, 0.5]},"
        "{'indices': [130, 117], 'fixed_along': [0, 0.3, 1], 'keyframes': [{'time': 0}, {'time': "
        "1, 'position': [0, 0, 0.1]}]}]}],"
        "'solids': [{'type': 'sphere', 'radius': 0.3, 'friction': 0.4},"
        "{'type': 'box', 'size': [0.4, 0.2, 0.4], 'position': [0.45, 0.15, 0], 'friction': 0.2,"
        "'keyframes': [{'time': 0}, {'time': 1, 'position': [-0.1, 0, 0], 'rotation': [0, 30, "
        "10]}]}]}");
}

static void count_degrees(const EngineData *data, int counts[4])
{
    memset(counts, 0, 4 * sizeof(int));
    for (uint32_t i = 0; i < data->particle_count; i++)
        counts[data->degrees[i]]++;
}

// Relative size of the residual in the norm that the solver measures it in.
static double true_residual(EngineData *data)
{
    double *x = new_vector(data), *z = new_vector(data), *b = new_vector(data);
    double *r = new_vector(data), *plain = new_vector(data), squares[2] = {0, 0};
    read_vector(data, data->change, x);
    read_vector(data, data->prescribed, z);
    read_vector(data, data->rhs, b);
    apply_matrix(data, x, r);
    apply_matrix(data, z, plain);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (int which = 0; which < 2; which++)
        {
            real q[6], in[3], out[3];
            for (int entry = 0; entry < 6; entry++)
                q[entry] = data->inverse[entry][i];
            for (uint32_t axis = 0; axis < 3; axis++)
                in[axis] = b[3 * i + axis] - (which ? plain : r)[3 * i + axis];
            block_multiply(q, in, out);
            squares[which] += in[0] * out[0] + in[1] * out[1] + in[2] * out[2];
        }
    free(x);
    free(z);
    free(b);
    free(r);
    free(plain);
    return sqrt(squares[0] / squares[1]);
}

static double relative_error(const EngineData *data, const double *solved, const double *exact)
{
    double error = 0, size = 0;
    for (uint32_t k = 0; k < 3 * data->particle_count; k++)
    {
        error += (solved[k] - exact[k]) * (solved[k] - exact[k]);
        size += exact[k] * exact[k];
    }
    return sqrt(error / size);
}

static void test_every_solver_setting_agrees_with_a_direct_solve(void)
{
    Rig rig;
    open_mixed(&rig);
    EngineData *data = rig_data(&rig);
    double     *exact = new_vector(data), *solved = new_vector(data);
    double      worst = 0, worst_residual = 0;
    int         degrees[4], seen[4] = {0};
    for (int round = 0; round < 4; round++)
    {
        rig_step(&rig, 40);
        for (int setting = 0; setting < 16; setting++)
        {
            WeftStepReport report;
            rig.scene.solver.preconditioner = (WeftPreconditioner)(setting & 3);
            rig.scene.solver.start = (WeftStartGuess)(setting >> 2 & 1);
            rig.scene.solver.decompose = setting >> 3 & 1;
            rig.scene.solver.tolerance = 1e-12;
            step_once(&rig, &report);
            TEST_ASSERT_EQUAL_UINT32(0, report.unconverged_count);
            if (setting == 0)
            {
                solve_directly(data, exact);
                count_degrees(data, degrees);
                for (int k = 0; k < 4; k++)
                    seen[k] += degrees[k];
            }
            read_vector(data, data->change, solved);
            worst = fmax(worst, relative_error(data, solved, exact));

            // The tolerance asked for is the tolerance reached.
            rig.scene.solver.tolerance = 1e-4;
            rig.sim->backend->restore(rig.sim->engine);
            step_once(&rig, &report);
            TEST_ASSERT_EQUAL_UINT32(0, report.unconverged_count);
            worst_residual = fmax(worst_residual, true_residual(data));
            rig.sim->backend->restore(rig.sim->engine);
        }
        rig.scene.solver.tolerance = 1e-6;
    }
    printf("against CHOLMOD: relative error %.2g at tolerance 1e-12; residual %.2g at 1e-4\n",
           worst, worst_residual);
    printf("degrees of freedom seen: 0: %d, 1: %d, 2: %d, 3: %d\n", seen[0], seen[1], seen[2],
           seen[3]);
    for (int k = 0; k < 4; k++)
        TEST_ASSERT_TRUE(seen[k] > 0);
    TEST_ASSERT_TRUE(worst < 1e-9);
    TEST_ASSERT_TRUE(worst_residual <= 1.001e-4);
    free(exact);
    free(solved);
    rig_close(&rig);
}

// More than a thousand particles in a component are solved by all threads together.
static void test_large_components_agree_with_a_direct_solve(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.01, 'frames_per_second': 100, 'solver': {'precision': 'double', 'threads': "
        "2, 'tolerance': 1e-12}, 'integrator': {'method': 'implicit'},"
        "'cloths': [{'grid': {'size': [1, 1], 'counts': [44, 43]},"
        "'pins': [{'corner': 'top_left'}, {'corner': 'top_right'},"
        "{'indices': [500, 501, 502, 503, 504, 540], 'fixed_along': [1, 1, 2]},"
        "{'indices': [700, 701, 720], 'free_along': [1, -1, 2]}]}]}");
    EngineData *data = rig_data(&rig);
    double     *exact = new_vector(data), *solved = new_vector(data);
    rig_step(&rig, 10);
    for (int decompose = 0; decompose < 2; decompose++)
    {
        WeftStepReport report;
        rig.scene.solver.decompose = decompose;
        step_once(&rig, &report);
        TEST_ASSERT_EQUAL_UINT32(0, report.unconverged_count);
        TEST_ASSERT_TRUE(report.largest_component > SMALL_COMPONENT);
        if (decompose == 0)
            solve_directly(data, exact);
        read_vector(data, data->change, solved);
        const double error = relative_error(data, solved, exact);
        printf("large, decompose %d: relative error %.2g\n", decompose, error);
        TEST_ASSERT_TRUE(error < 1e-9);
        rig.sim->backend->restore(rig.sim->engine);
    }
    free(exact);
    free(solved);
    rig_close(&rig);
}

// Small and large systems of two colours, held in every way, moved by pins and lying on solids that move; with and without a guess.
static void test_systems_of_two_colours_agree_with_a_direct_solve(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.002, 'frames_per_second': 500, 'air': {'linear_drag': 0.1}, 'solver': "
        "{'precision': 'double', 'threads': 2}, 'cloths': [{'grid': {'size': [0.3, 0.25], "
        "'counts': [13, 11]}, 'rotation': [-90, 0, 0], 'position': [0, 0.31, 0], 'material': "
        "{'shear_stiffness': 1, 'shear_damping': 1e-4, 'stretch_damping': 0.1}, 'pins': "
        "[{'corner': 'bottom_left', 'keyframes': [{'time': 0}, {'time': 2, 'position': [0.2, 0.4, "
        "0.1]}]}, {'indices': [142, 141, 140], 'free_along': [1, 2, 0.5]}, {'indices': [130, "
        "117], 'fixed_along': [0, 0.3, 1], 'keyframes': [{'time': 0}, {'time': 1, 'position': [0, "
        "0, 0.1]}]}]}, {'grid': {'size': [0.575, 0.55], 'counts': [24, 23]}, 'rotation': [-80, 0, "
        "0], 'position': [1, 0.36, 0], 'pins': [{'corner': 'top_left', 'keyframes': [{'time': 0}, "
        "{'time': 2, 'position': [0.1, 0.2, 0.1]}]}, {'indices': [200, 201], 'free_along': [1, 2, "
        "0.5]}], 'material': {'shear_stiffness': 1, 'shear_damping': 1e-4, 'stretch_damping': 0.1"
        "}}], 'solids': [{'type': 'sphere', 'radius': 0.3, 'friction': 0.4}, {'type': 'sphere', "
        "'radius': 0.3, 'position': [1, 0, 0], 'friction': 0.1, 'keyframes': [{'time': 0}, {'time'"
        ": 1, 'position': [0.2, 0, 0]}]}]}");
    EngineData *data = rig_data(&rig);
    double     *exact = new_vector(data), *solved = new_vector(data);
    double      worst = 0, worst_residual = 0;
    uint32_t    small = 0, large = 0;
    bool        moved = false;
    for (int round = 0; round < 6; round++)
    {
        rig.scene.solver.tolerance = 1e-6;
        rig_step(&rig, 20);
        for (int guess = 0; guess < 2; guess++)
        {
            WeftStepReport report;
            rig.scene.solver.start = (WeftStartGuess)guess;
            rig.scene.solver.tolerance = 1e-12;
            step_once(&rig, &report);
            TEST_ASSERT_EQUAL_UINT32(0, report.unconverged_count);
            for (uint32_t k = 0; k < data->system_count; k++)
                *(data->systems[k].row_count > SMALL_COMPONENT ? &large : &small) +=
                    data->systems[k].halved;
            moved = moved || data->has_prescribed;
            if (guess == 0)
                solve_directly(data, exact);
            read_vector(data, data->change, solved);
            worst = fmax(worst, relative_error(data, solved, exact));
            rig.sim->backend->restore(rig.sim->engine);
            rig.scene.solver.tolerance = 1e-4;
            step_once(&rig, &report);
            worst_residual = fmax(worst_residual, true_residual(data));
            rig.sim->backend->restore(rig.sim->engine);
        }
    }
    printf("two colours, %u small, %u large: relative error %.2g; residual %.2g at 1e-4\n", small,
           large, worst, worst_residual);
    TEST_ASSERT_TRUE(small > 0 && large > 0 && moved);
    TEST_ASSERT_TRUE(worst < 3e-10);
    TEST_ASSERT_TRUE(worst_residual <= 1.001e-4);
    free(exact);
    free(solved);
    rig_close(&rig);
}
#endif

// A cloth most of whose particles slide on planes and lines that are not those of the axes.
static void open_sliding(Rig *rig, const char *constraint, int side)
{
    rig_open(
        rig,
        "{'step': 0.01, 'frames_per_second': 100, 'air': {'density': 0}, 'gravity': [1, -9.81, "
        "0.5], 'solver': {'precision': 'double', 'threads': 1, 'start': 'constraints', "
        "'tolerance': 1e-4}, 'integrator': {'method': 'implicit'},"
        "'cloths': [{'grid': {'size': [1, 1], 'counts': [%d, %d]}, 'material': "
        "{'shear_stiffness': 200}, 'pins': [{'corner': 'top_left'}, {'corner': 'top_right'},"
        "{'box': {'min': [-1, -0.45, -1], 'max': [1, 0.4, 1]}, %s}]}]}",
        side, side, constraint);
}

// The paper: P needs about 30 % fewer iterations than none, C more than P.
static void check_preconditioners(const char *constraint)
{
    uint32_t iterations[4];
    for (int kind = 0; kind < 4; kind++)
    {
        Rig            rig;
        WeftStepReport report;
        open_sliding(&rig, constraint, WEFT_TEST_SIZE(40, 20));
        rig.scene.solver.preconditioner = WEFT_PRECONDITIONER_MODIFIED;
        rig_step(&rig, 30);
        rig.scene.solver.preconditioner = (WeftPreconditioner)kind;
        step_once(&rig, &report);
        TEST_ASSERT_TRUE(report.unconverged_count == 0 || kind == 1 || kind == 2);
        iterations[kind] = report.iterations;
        rig_close(&rig);
    }
    printf("%s: CG iterations: none %u, diagonal %u, block %u, modified %u\n", constraint,
           iterations[0], iterations[1], iterations[2], iterations[3]);
    TEST_ASSERT_TRUE(iterations[3] < iterations[0]);
    TEST_ASSERT_TRUE(iterations[3] < iterations[2]);
}

static void test_modified_preconditioner_needs_fewest_iterations_where_particles_slide(void)
{
    check_preconditioners("'fixed_along': [1, 2, 3]");
    check_preconditioners("'free_along': [2, 1, 1]");
}

// The lower half is held, the upper one flies off it.
static void check_multiplies(int width, int height, bool decompose, bool large)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.01, 'frames_per_second': 100, 'solver': {'precision': 'double', 'threads': "
        "2, 'decompose': %s, 'start': 'constraints'}, 'integrator': {'method': 'implicit'}, "
        "'gravity': [0, 9.81, 0],"
        "'air': {'density': 0}, 'cloths': [{'grid': {'size': [%d, %d], 'counts': [%d, %d]},"
        "'velocity': [0, 2, 0],"
        "'pins': [{'box': {'min': [-1e3, -1e3, -1], 'max': [1e3, 0.1, 1]}}]}]}",
        decompose ? "true" : "false", width - 1, height - 1, width, height);
    EngineData *data = rig_data(&rig);
    uint64_t    free_count = 0;
    rig_step(&rig, 60);
    WeftStepReport report = rig_step(&rig, 1);
    for (uint32_t i = 0; i < data->particle_count; i++)
        free_count += data->degrees[i] > 0;
    TEST_ASSERT_TRUE(free_count > 0 && free_count < data->particle_count);
    TEST_ASSERT_TRUE(report.iterations > 1);
    // A row is multiplied once for the first residual and once an iteration; a particle on its own
    // once.
    uint64_t expected = 0, rows = 0;
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        rows += data->systems[k].row_count;
        expected += data->systems[k].row_count * (uint64_t)(data->systems[k].iterations + 1);
    }
    for (uint32_t k = data->single_begin; k < data->group_count; k++)
    {
        rows += (uint64_t)__builtin_popcount(data->group_lanes[k]);
        expected += (uint64_t)__builtin_popcount(data->group_lanes[k]);
    }
    TEST_ASSERT_EQUAL_UINT64(decompose ? free_count : data->particle_count, rows);
    TEST_ASSERT_EQUAL_UINT64(expected, report.row_multiplies);
    TEST_ASSERT_EQUAL_INT(large, report.largest_component > SMALL_COMPONENT);
    rig_close(&rig);
}

static void test_rows_of_held_particles_are_never_multiplied(void)
{
    check_multiplies(12, 10, true, false);
    check_multiplies(70, 40, true, true);
}

static void test_full_solve_multiplies_every_row_once_an_iteration(void)
{
    check_multiplies(12, 10, false, false);
    check_multiplies(70, 40, false, true);
}

static void test_stopping_early_is_reported(void)
{
    Rig rig;
    for (int decompose = 0; decompose < 2; decompose++)
    {
        open_sliding(&rig, "'fixed_along': [1, 2, 3]", 20);
        rig.scene.solver.decompose = decompose;
        rig.scene.solver.max_iterations = 2;
        WeftStepReport report = rig_step(&rig, 3);
        TEST_ASSERT_TRUE(report.unconverged_count >= 1);
        TEST_ASSERT_EQUAL_UINT32(2, report.iterations);
        TEST_ASSERT_TRUE(report.worst_residual > rig.scene.solver.tolerance);
        TEST_ASSERT_TRUE(weft_sim_report(rig.sim).unconverged_steps >= 2);
        rig_close(&rig);
    }
}

static void check_plain_run(const char *precision, double tolerance, int step_count,
                            double expected)
{
    double *first = NULL;
    for (int decompose = 0; decompose < 2; decompose++)
    {
        Rig rig;
        rig_open(
            &rig,
            "{'step': 0.005, 'frames_per_second': 200, 'solver': {'precision': '%s', "
            "'tolerance': %g, 'decompose': %s}, 'cloths': [{'grid': {'size': [1, 1], 'counts': "
            "[21, 21]}, 'rotation': [-90, 0, 0], 'position': [0, 0.31, 0], 'pins': "
            "[{'corner': 'top_left'}]}], 'solids': [{'type': 'sphere', 'radius': 0.3}]}",
            precision, tolerance, decompose ? "true" : "false");
        rig_step(&rig, step_count);
        rig_read(&rig);
        if (decompose == 0)
        {
            first = malloc(3 * rig.count * sizeof(double));
            memcpy(first, rig.x, 3 * rig.count * sizeof(double));
        }
        double worst = 0;
        for (uint32_t k = 0; k < 3 * rig.count; k++)
            worst = fmax(worst, fabs(rig.x[k] - first[k]));
        printf("%s: decomposed and full differ by %.2g m\n", precision, worst);
        TEST_ASSERT_TRUE(worst < expected);
        rig_close(&rig);
    }
    free(first);
}

static void test_decomposed_and_full_runs_agree(void)
{
    check_plain_run("double", 1e-12, 40, 1e-7);
    // Falling flat it buckles one way or the other by rounding, so that in float only the first
    // steps can be compared.
    check_plain_run("float", 1e-6, 15, 1e-3);
}

int main(void)
{
    UNITY_BEGIN();
#ifdef WEFT_HAS_CHOLMOD
    RUN_TEST(test_every_solver_setting_agrees_with_a_direct_solve);
    RUN_TEST(test_large_components_agree_with_a_direct_solve);
    RUN_TEST(test_systems_of_two_colours_agree_with_a_direct_solve);
#endif
    RUN_TEST(test_modified_preconditioner_needs_fewest_iterations_where_particles_slide);
    RUN_TEST(test_rows_of_held_particles_are_never_multiplied);
    RUN_TEST(test_full_solve_multiplies_every_row_once_an_iteration);
    RUN_TEST(test_stopping_early_is_reported);
    RUN_TEST(test_decomposed_and_full_runs_agree);
    return UNITY_END();
}
