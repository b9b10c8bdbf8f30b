// test_contact.c: solids: their distances, that nothing gets inside them, and Coulomb's friction.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solid_distance.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// The seven solids, each somewhere else and turned.
#define SOLIDS                                                                                     \
    "'solids': [{'type': 'plane', 'rotation': [20, 0, 15], 'position': [0.1, -0.2, 0]},"           \
    "{'type': 'sphere', 'radius': 0.4, 'position': [0.1, 0, 0.2]},"                                \
    "{'type': 'box', 'size': [0.6, 0.4, 0.9], 'rotation': [10, 20, 30]},"                          \
    "{'type': 'cylinder', 'radius': 0.3, 'height': 0.8, 'rotation': [70, 0, 20]},"                 \
    "{'type': 'capsule', 'radius': 0.25, 'height': 0.7, 'rotation': [0, 30, 50]},"                 \
    "{'type': 'cone', 'radius': 0.4, 'height': 0.7, 'rotation': [25, 0, -35]},"                    \
    "{'type': 'torus', 'radius': 0.4, 'tube_radius': 0.15, 'rotation': [40, 0, 10]}]"

static const char *const names[] = {"plane",   "sphere", "box",  "cylinder",
                                    "capsule", "cone",   "torus"};

// Whether a point in the solid's own coordinates is inside, by the plainest definition.
static bool is_inside(const SolidData *solid, const double p[3])
{
    double radial = hypot(p[0], p[2]), half = solid->height / 2, y = p[1];
    switch (solid->type)
    {
    case WEFT_SOLID_PLANE:
        return y < 0;
    case WEFT_SOLID_SPHERE:
        return hypot(radial, y) < solid->radius;
    case WEFT_SOLID_BOX:
        return fabs(p[0]) < solid->size[0] / 2 && fabs(y) < solid->size[1] / 2 &&
               fabs(p[2]) < solid->size[2] / 2;
    case WEFT_SOLID_CYLINDER:
        return radial < solid->radius && fabs(y) < half;
    case WEFT_SOLID_CAPSULE:
        return hypot(radial, fmax(fabs(y) - half, 0)) < solid->radius;
    case WEFT_SOLID_CONE:
        return fabs(y) < half && radial < solid->radius * (half - y) / solid->height;
    default:
        return hypot(radial - solid->radius, y) < solid->tube_radius;
    }
}

// A point on the surface for s, t in [0, 1] and a patch 0, 1, 2 ... of it; false if there is none.
static bool surface_point(const SolidData *solid, int patch, double s, double t, double out[3])
{
    double angle = 2 * M_PI * s, half = solid->height / 2, radial = 0, y = 0;
    switch (solid->type)
    {
    case WEFT_SOLID_PLANE:
        out[0] = 6 * s - 3;
        out[1] = 0;
        out[2] = 6 * t - 3;
        return patch == 0;
    case WEFT_SOLID_BOX:
    {
        int axis = patch / 2;
        if (patch >= 6)
            return false;
        out[axis] = (patch % 2 - 0.5) * solid->size[axis];
        out[(axis + 1) % 3] = (s - 0.5) * solid->size[(axis + 1) % 3];
        out[(axis + 2) % 3] = (t - 0.5) * solid->size[(axis + 2) % 3];
        return true;
    }
    case WEFT_SOLID_SPHERE:
        radial = solid->radius * sin(M_PI * t);
        y = solid->radius * cos(M_PI * t);
        if (patch > 0)
            return false;
        break;
    case WEFT_SOLID_CYLINDER:
        radial = patch == 0 ? solid->radius : t * solid->radius;
        y = patch == 0 ? (2 * t - 1) * half : patch == 1 ? half : -half;
        if (patch > 2)
            return false;
        break;
    case WEFT_SOLID_CAPSULE:
        radial = patch == 0 ? solid->radius : solid->radius * sin(M_PI / 2 * t);
        y = patch == 0   ? (2 * t - 1) * half
            : patch == 1 ? half + solid->radius * cos(M_PI / 2 * t)
                         : -half - solid->radius * cos(M_PI / 2 * t);
        if (patch > 2)
            return false;
        break;
    case WEFT_SOLID_CONE:
        radial = t * solid->radius;
        y = patch == 0 ? half - t * solid->height : -half;
        if (patch > 1)
            return false;
        break;
    default:
        radial = solid->radius + solid->tube_radius * cos(2 * M_PI * t);
        y = solid->tube_radius * sin(2 * M_PI * t);
        if (patch > 0)
            return false;
    }
    out[0] = radial * cos(angle);
    out[1] = y;
    out[2] = radial * sin(angle);
    return true;
}

static void to_local(const SolidPose *pose, const double x[3], double local[3])
{
    for (int axis = 0; axis < 3; axis++)
        local[axis] = pose->rotation[axis] * (x[0] - pose->translation[0]) +
                      pose->rotation[3 + axis] * (x[1] - pose->translation[1]) +
                      pose->rotation[6 + axis] * (x[2] - pose->translation[2]);
}

#define SAMPLES WEFT_TEST_SIZE(120, 60)

// The distance from p to the nearest of many points on the surface.
static double nearest_sample(const SolidData *solid, const double p[3])
{
    double nearest = INFINITY, q[3];
    for (int patch = 0; patch < 6; patch++)
        for (int s = 0; s <= SAMPLES; s++)
            for (int t = 0; t <= SAMPLES; t++)
                if (surface_point(solid, patch, (double)s / SAMPLES, (double)t / SAMPLES, q))
                    nearest = fmin(nearest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
    return nearest;
}

static void test_distances_are_those_to_the_nearest_surface_point(void)
{
    Rig rig;
    rig_open(&rig,
             "{'solver': {'precision': 'double', 'threads': 1}, 'cloths': [{'grid': {'counts': "
             "[2, 2]}, 'position': [0, 5, 0]}], " SOLIDS "}");
    random_seed(21);
    for (uint32_t k = 0; k < 7; k++)
    {
        const SolidData *solid = &rig_data(&rig)->solids[k];
        double           worst_slope = 0;
        int              inside_count = 0, kinks = 0;
        for (int n = 0; n < WEFT_TEST_SIZE(300, 60); n++)
        {
            double x[3], local[3];
            for (int axis = 0; axis < 3; axis++)
                x[axis] = random_between(-0.7, 0.7);
            to_local(&solid->after, x, local);
            Surface surface = solid_surface(solid, &solid->after, x);
            bool    inside = is_inside(solid, local);
            inside_count += inside;
            TEST_ASSERT_EQUAL_INT_MESSAGE(inside, surface.distance < 0, names[k]);

            // No sample is nearer, and the nearest is not much farther.
            double sampled = nearest_sample(solid, local);
            TEST_ASSERT_TRUE_MESSAGE(sampled >= fabs(surface.distance) - 1e-9, names[k]);
            TEST_ASSERT_TRUE_MESSAGE(sampled <= fabs(surface.distance) + 4.0 / SAMPLES, names[k]);

            // The normal is a unit vector and the slope of the distance, except at kinks between
            // two nearest points.
            double size2 = 0, slope[3], off = 0;
            for (int axis = 0; axis < 3; axis++)
            {
                double step = 1e-6, ahead[3], behind[3];
                memcpy(ahead, x, sizeof(x));
                memcpy(behind, x, sizeof(x));
                ahead[axis] += step;
                behind[axis] -= step;
                slope[axis] = (solid_surface(solid, &solid->after, ahead).distance -
                               solid_surface(solid, &solid->after, behind).distance) /
                              (2 * step);
                size2 += surface.normal[axis] * surface.normal[axis];
                off = fmax(off, fabs(slope[axis] - surface.normal[axis]));
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, size2);
            if (off > 1e-4)
                kinks++;
            else
                worst_slope = fmax(worst_slope, off);

            // Along the normal lies the surface.
            double foot[3];
            for (int axis = 0; axis < 3; axis++)
                foot[axis] = x[axis] - surface.distance * surface.normal[axis];
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, solid_surface(solid, &solid->after, foot).distance);
        }
        printf("%s: normal off the slope of the distance by %.2g; %d inside, %d kinks\n", names[k],
               worst_slope, inside_count, kinks);
        TEST_ASSERT_TRUE(inside_count > 0 && kinks <= 2);
    }
    rig_close(&rig);
}

// Points on axes, centres, corners and surfaces still have a finite distance and a unit normal.
static void test_normals_exist_everywhere(void)
{
    Rig rig;
    rig_open(&rig,
             "{'solver': {'precision': 'double', 'threads': 1}, 'cloths': [{'grid': {'counts': "
             "[2, 2]}, 'position': [0, 5, 0]}], 'solids': [{'type': 'plane'}, {'type': "
             "'sphere'}, {'type': 'box'}, {'type': 'cylinder'}, {'type': 'capsule'}, {'type': "
             "'cone'}, {'type': 'torus'}]}");
    const double ticks[] = {-1, -0.5, -0.1, 0, 0.1, 0.5, 0.6, 1};
    for (uint32_t k = 0; k < 7; k++)
        for (int n = 0; n < 512; n++)
        {
            const SolidData *solid = &rig_data(&rig)->solids[k];
            double           x[3] = {ticks[n % 8], ticks[n / 8 % 8], ticks[n / 64]};
            Surface          surface = solid_surface(solid, &solid->after, x);
            const real      *normal = surface.normal;
            TEST_ASSERT_TRUE(isfinite(surface.distance));
            TEST_ASSERT_DOUBLE_WITHIN(
                1e-9, 1, normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        }
    rig_close(&rig);
}

// How deep the deepest particle is within the thickness of the cloth around any solid, m.
static double deepest(Rig *rig)
{
    const EngineData *data = rig_data(rig);
    double            depth = -INFINITY;
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (uint32_t k = 0; k < data->solid_count; k++)
        {
            real x[3] = {data->x[0][i], data->x[1][i], data->x[2][i]};
            depth = fmax(depth,
                         data->thickness[i] -
                             solid_surface(&data->solids[k], &data->solids[k].after, x).distance);
        }
    return depth;
}

static void check_drop(const char *solid, const char *motion)
{
    Rig rig;
    rig_open(&rig,
             "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double'}, "
             "'cloths': [{'grid': {'size': [1, 1], 'counts': [15, 15]}, 'rotation': [-80, 10, 0], "
             "'position': [0.05, 0.75, 0.02], 'velocity': [0.3, -1, 0]}], 'solids': [{%s, "
             "'friction': 0.3, 'keyframes': [{'time': 0}, {'time': 0.8, %s}]}]}",
             solid, motion);
    double   depth = -INFINITY;
    uint32_t contacts = 0;
    for (int n = 0; n < WEFT_TEST_SIZE(250, 120); n++)
    {
        WeftStepReport report = rig_step(&rig, 1);
        contacts = report.contact_count > contacts ? report.contact_count : contacts;
        depth = fmax(depth, deepest(&rig));
    }
    printf("%s, %s: deepest %.2g m, %u contacts at most\n", solid, motion, depth, contacts);
    TEST_ASSERT_TRUE(contacts > 3);
    TEST_ASSERT_TRUE(depth < 1e-9);
    rig_close(&rig);
}

static void test_no_particle_is_ever_inside_a_solid(void)
{
    const char *solids[] = {
        "'type': 'plane', 'rotation': [10, 0, -5]",
        "'type': 'sphere', 'radius': 0.4",
        "'type': 'box', 'size': [0.6, 0.5, 0.7]",
        "'type': 'cylinder', 'radius': 0.3, 'height': 0.8",
        "'type': 'capsule', 'radius': 0.2, 'height': 0.5, 'rotation': [0, 0, 80]",
        "'type': 'cone', 'radius': 0.5, 'height': 0.8",
        "'type': 'torus', 'radius': 0.4, 'tube_radius': 0.15"};
    for (int k = 0; k < 7; k++)
    {
        check_drop(solids[k], "'position': [0, 0, 0]");
#ifndef WEFT_SANITIZED
        check_drop(solids[k], "'position': [0.2, 0.3, 0.1]");
#endif
        check_drop(solids[k], "'rotation': [30, 60, 40]");
    }
}

static void test_solids_that_overlap_both_hold(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double'}, "
        "'cloths': [{'grid': {'size': [1, 1], 'counts': [21, 21]}, 'rotation': [-90, 0, 0], "
        "'position': [0, 0.5, 0]}], 'solids': [{'type': 'plane'}, {'type': 'sphere', 'radius': "
        "0.3, 'position': [0.1, 0.1, 0]}, {'type': 'box', 'size': [0.4, 0.5, 0.4], 'position': "
        "[-0.2, 0.1, 0], 'rotation': [0, 30, 20]}]}");
    double depth = -INFINITY;
    for (int n = 0; n < WEFT_TEST_SIZE(300, 100); n++)
    {
        rig_step(&rig, 1);
        depth = fmax(depth, deepest(&rig));
    }
    printf("overlapping solids: deepest %.2g m\n", depth);
    // Pushing out of one solid may push into the next; a micrometre is not worth another round.
    TEST_ASSERT_TRUE(depth < 2e-6);
    rig_close(&rig);
}

// The particles of a slice are looked at together, but only those that are inside a solid are stopped by it.
static void test_neighbours_of_what_lands_fall_on(void)
{
    Rig rig;
    rig_open(&rig,
             "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double'}, "
             "'cloths': [{'grid': {'size': [0.7, 0.7], 'counts': [8, 8]}, 'rotation': [-90, 0, 0], "
             "'position': [0, 0.103, 0], 'velocity': [0, -1, 0], 'material': {'thickness': "
             "0.002}}], 'solids': [{'type': 'cylinder', 'radius': 0.1, 'height': 2, 'rotation': "
             "[90, 0, 0], 'position': [-0.25, 0, 0]}, {'type': 'cylinder', 'radius': 0.1, "
             "'height': 2, 'rotation': [90, 0, 0], 'position': [0.25, 0, 0]}]}");
    rig_step(&rig, 1);
    const EngineData *data = rig_data(&rig);
    int               landed[2] = {0, 0}, falling = 0, mixed = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        const bool on_top = fabs(fabs(data->x[0][i]) - 0.25) < 0.05;
        TEST_ASSERT_EQUAL_INT(on_top, data->contact[i] != CONTACT_NONE);
        TEST_ASSERT_TRUE(on_top ? fabs(data->v[1][i]) < 1e-9 : data->v[1][i] < -1);
        if (on_top)
            TEST_ASSERT_EQUAL_INT(data->x[0][i] > 0, data->contact_solid[i]);
        if (on_top)
            landed[data->contact_solid[i]]++;
        else
            falling++;
        mixed += i % SLICE > 0 && on_top != (data->contact[i - 1] != CONTACT_NONE);
    }
    TEST_ASSERT_TRUE(landed[0] == 8 && landed[1] == 8 && falling > 8 && mixed > 0);
    rig_close(&rig);
}

// A cloth or particle laid on a slope of some angle about z; its origin is at `thickness` above the
// slope, and it moves down at `speed`. The solid is a plane, or a box whose upper face it is.
static void open_slope(Rig *rig, const char *precision, const char *solid, int side, double degrees,
                       double speed)
{
    double angle = degrees * M_PI / 180, lift = 0.002, box = strcmp(solid, "box") == 0 ? 1 : 0;
    rig_open(
        rig,
        "{'step': 0.002, 'frames_per_second': 500, 'air': {'density': 0}, 'solver': "
        "{'precision': '%s', 'tolerance': 1e-5}, 'cloths': [{'grid': {'size': [0.2, 0.2], "
        "'counts': [%d, %d]}, "
        "'rotation': [-90, 0, %.17g], 'position': [%.17g, %.17g, 0], 'material': {'thickness': "
        "%g}, 'velocity': [%.17g, %.17g, 0]}], 'solids': [{'type': '%s', 'size': [20, 2, 20], "
        "'friction': 0.3, 'rotation': [0, "
        "0, %.17g], 'position': [%.17g, %.17g, 0]}]}",
        precision, side, side, degrees, -sin(angle) * lift, cos(angle) * lift, lift,
        -speed * cos(angle), -speed * sin(angle), solid, degrees, sin(angle) * box,
        -cos(angle) * box);
}

// How far down the slope the first particle has come, m.
static double slid(Rig *rig, const double *start, double degrees)
{
    double angle = degrees * M_PI / 180;
    rig_read(rig);
    return -(rig->x[0] - start[0]) * cos(angle) - (rig->x[1] - start[1]) * sin(angle);
}

static void check_slope(const char *precision, const char *solid, int side)
{
    // tan(16.699 degrees) = 0.3
    for (int slips = 0; slips < 2; slips++)
    {
        double degrees = 16.699 + (slips ? 1 : -1), start[3];
        Rig    rig;
        open_slope(&rig, precision, solid, side, degrees, 0);
        memcpy(start, rig.x, sizeof(start));
        WeftStepReport report = rig_step(&rig, 500);
        double         distance = slid(&rig, start, degrees);
        printf("%s, %s, %d x %d, %.1f degrees: %.3g m in 1 s, %u of %u stick\n", precision, solid,
               side, side, degrees, distance, report.stick_count, report.contact_count);
        TEST_ASSERT_EQUAL_UINT32(rig.count, report.contact_count);
        if (slips)
        {
            TEST_ASSERT_TRUE(distance > 0.02);
            TEST_ASSERT_EQUAL_UINT32(0, report.stick_count);
        }
        else
        {
            TEST_ASSERT_TRUE(fabs(distance) < 1e-4);
            TEST_ASSERT_EQUAL_UINT32(rig.count, report.stick_count);
        }
        rig_close(&rig);
    }
}

static void test_particle_slips_just_when_the_slope_exceeds_friction(void)
{
    check_slope("double", "plane", 1);
    check_slope("double", "box", 1);
    check_slope("float", "plane", 1);
}

static void test_cloth_slips_just_when_the_slope_exceeds_friction(void)
{
    check_slope("double", "plane", 8);
    check_slope("double", "box", 8);
    check_slope("float", "box", 8);
}

// Springs under tension jolt the particles; that must not hold up a cloth that is too steep to stay.
static void test_cloth_under_tension_slips_too(void)
{
    const double degrees = 17.699, angle = degrees * M_PI / 180;
    Rig          rig;
    open_slope(&rig, "double", "plane", 8, degrees, 0);
    EngineData *data = rig_data(&rig);
    random_seed(2);
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        double along = random_between(-2e-3, 2e-3);
        data->x[0][i] += along * cos(angle);
        data->x[1][i] += along * sin(angle);
        data->x[2][i] += random_between(-2e-3, 2e-3);
    }
    WEFT_KERNEL(guard)(data);
    rig_step(&rig, 500);
    rig_read(&rig);
    double mean = 0;
    for (uint32_t i = 0; i < rig.count; i++)
        mean -= (rig.x[3 * i] * cos(angle) + rig.x[3 * i + 1] * sin(angle)) / rig.count;
    printf("under tension, %.1f degrees: %.3g m in 1 s\n", degrees, mean);
    TEST_ASSERT_TRUE(mean > 0.02);
    rig_close(&rig);
}

// Slow enough for friction to take all its momentum, and slowed down in the last step: it would stay
// if nothing pulled at it.
static void test_jolt_does_not_stop_a_particle_that_is_pulled(void)
{
    Rig rig;
    open_slope(&rig, "double", "plane", 1, 17.699, 0);
    rig_step(&rig, 6);
    EngineData *data = rig_data(&rig);
    TEST_ASSERT_EQUAL_UINT8(CONTACT_SLIDE, data->contact[0]);
    TEST_ASSERT_TRUE(data->v[0][0] < -1e-4 && data->v[0][0] > -1e-3);
    for (int axis = 0; axis < 3; axis++)
        data->change[axis][0] = -1e-3 * data->v[axis][0];
    TEST_ASSERT_EQUAL_UINT32(0, rig_step(&rig, 1).stick_count);
    rig_close(&rig);
}

static void test_sliding_accelerates_by_gravity_less_friction(void)
{
    const double angles[] = {20, 30, 50};
    for (int k = 0; k < 6; k++)
    {
        int    side = k < 3 ? 1 : 6;
        double degrees = angles[k % 3], angle = degrees * M_PI / 180, start[3], speeds[2];
        double exact = 9.81 * (sin(angle) - 0.3 * cos(angle));
        Rig    rig;
        open_slope(&rig, "double", "plane", side, degrees, 0);
        memcpy(start, rig.x, sizeof(start));
        for (int part = 0; part < 2; part++)
        {
            // Starting from rest takes some steps to get going, so it is measured later.
            rig_step(&rig, 250);
            rig_read(&rig);
            speeds[part] = -rig.v[0] * cos(angle) - rig.v[1] * sin(angle);
        }
        double found = (speeds[1] - speeds[0]) / 0.5;
        printf("%.0f degrees, %d x %d: slides at %.4f m/s^2, exact %.4f\n", degrees, side, side,
               found, exact);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * exact, exact, found);
        rig_close(&rig);
    }
}

static void test_sliding_comes_to_rest_after_its_way(void)
{
    const double degrees = 5, angle = degrees * M_PI / 180, speed = 0.5;
    const double way = speed * speed / (2 * 9.81 * (0.3 * cos(angle) - sin(angle)));
    for (int k = 0; k < 4; k++)
    {
        Rig    rig;
        double start[3];
        open_slope(&rig, k % 2 ? "float" : "double", "plane", k < 2 ? 1 : 8, degrees, speed);
        memcpy(start, rig.x, sizeof(start));
        WeftStepReport report = rig_step(&rig, 400);
        printf("came to rest after %.5f m, exact %.5f; %u of %u stick\n",
               slid(&rig, start, degrees), way, report.stick_count, rig.count);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * way, way, slid(&rig, start, degrees));
        TEST_ASSERT_EQUAL_UINT32(rig.count, report.stick_count);
        TEST_ASSERT_TRUE(report.kinetic_energy < 1e-9);
        rig_close(&rig);
    }
}

static void test_contact_bears_the_weight(void)
{
    const double degrees = 12, angle = degrees * M_PI / 180;
    for (int side = 1; side < 9; side += 7)
    {
        Rig rig;
        open_slope(&rig, "double", "plane", side, degrees, 0);
        rig_step(&rig, 200);
        EngineData *data = rig_data(&rig);
        double      load = 0, weight = 0;
        for (uint32_t i = 0; i < data->particle_count; i++)
        {
            load += data->contact_load[i] / data->h;
            weight += data->mass[i] * 9.81;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * weight, weight * cos(angle), load);
        rig_close(&rig);
    }
}

static void test_conveyor_carries_what_sticks_to_it(void)
{
    const char *solids[] = {"'type': 'plane'",
                            "'type': 'box', 'size': [9, 2, 9], 'position': [0, -1, "
                            "0]"};
    for (int k = 0; k < 4; k++)
    {
        int side = k < 2 ? 1 : 5;
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.004, 'frames_per_second': 250, 'air': {'density': 0}, 'solver': "
                 "{'precision': 'double'}, 'cloths': [{'grid': {'size': [0.2, 0.2], 'counts': [%d, "
                 "%d]}, 'rotation': [-90, 0, 0], 'position': [0, 0.002, 0]}], 'solids': [{%s, "
                 "'friction': 0.5, 'keyframes': [{'time': 0}, {'time': 10, 'position': [3, 0.5, "
                 "-1]}]}]}",
                 side, side, solids[k % 2]);
        // Friction brings it to the belt's 0.316 m/s within 0.07 s.
        rig_step(&rig, 50);
        rig_read(&rig);
        double before[3];
        memcpy(before, rig.x, sizeof(before));
        WeftStepReport report = rig_step(&rig, 250);
        rig_read(&rig);
        const double belt[3] = {0.3, 0.05, -0.1};
        TEST_ASSERT_EQUAL_UINT32(rig.count, report.stick_count);
        for (uint32_t i = 0; i < rig.count; i++)
            for (uint32_t axis = 0; axis < 3; axis++)
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, belt[axis], rig.v[3 * i + axis]);
        for (uint32_t axis = 0; axis < 3; axis++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, before[axis] + belt[axis], rig.x[axis]);
        rig_close(&rig);
    }
}

static void test_turntable_carries_what_sticks_to_it(void)
{
    // 30 degrees a second at 0.5 m: 0.14 m/s^2 inwards, far below friction.
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.004, 'frames_per_second': 250, 'air': {'density': 0}, 'solver': "
        "{'precision': 'double'}, 'cloths': [{'grid': {'counts': [1, 1]}, 'position': [0.5, "
        "0.002, 0]}], 'solids': [{'type': 'cylinder', 'radius': 1, 'height': 0.2, 'position': "
        "[0, -0.1, 0], 'friction': 0.5, 'keyframes': [{'time': 0}, {'time': 6, 'rotation': [0, "
        "180, 0]}]}]}");
    rig_step(&rig, 125);
    rig_read(&rig);
    double angle = atan2(-rig.x[2], rig.x[0]), radius = hypot(rig.x[0], rig.x[2]);
    rig_step(&rig, 500);
    rig_read(&rig);
    printf("turntable: %.6f degrees in 2 s, radius %.2g m off\n",
           (atan2(-rig.x[2], rig.x[0]) - angle) * 180 / M_PI, hypot(rig.x[0], rig.x[2]) - radius);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 60, (atan2(-rig.x[2], rig.x[0]) - angle) * 180 / M_PI);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, radius, hypot(rig.x[0], rig.x[2]));
    rig_close(&rig);
}

static void test_contact_lets_go_when_pulled(void)
{
    for (int side = 1; side < 6; side += 4)
    {
        Rig rig;
        open_slope(&rig, "double", "plane", side, 5, 0);
        TEST_ASSERT_EQUAL_UINT32(rig.count, rig_step(&rig, 100).contact_count);
        double height = rig.x[1];
        rig.scene.gravity[1] = 9.81;
        rig_step(&rig, 2);
        TEST_ASSERT_EQUAL_UINT32(0, rig_step(&rig, 1).contact_count);
        rig_step(&rig, 100);
        rig_read(&rig);
        TEST_ASSERT_DOUBLE_WITHIN(0.01, height + 9.81 / 2 * 0.204 * 0.204, rig.x[1]);
        rig_close(&rig);
    }
}

// Friction never pulls a particle off its pin; the belt is slow enough for it to stick.
static void test_pins_hold_against_a_conveyor(void)
{
    const char *pins[] = {"'fixed_along': [1, 0, 0]", "'free_along': [0, 1, 0]",
                          "'free_along': [0, 1, 1]"};
    for (int k = 0; k < 3; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.004, 'frames_per_second': 250, 'air': {'density': 0}, 'solver': "
                 "{'precision': 'double'}, 'cloths': [{'grid': {'counts': [1, 1]}, 'position': [0, "
                 "0.01, 0], 'pins': [{'indices': [0], %s}]}], 'solids': [{'type': 'plane', "
                 "'friction': 0.5, 'keyframes': [{'time': 0}, {'time': 10, 'position': [0.1, 0, "
                 "0]}]}]}",
                 pins[k]);
        double worst = 0;
        for (int n = 0; n < 250; n++)
        {
            rig_step(&rig, 1);
            rig_read(&rig);
            worst = fmax(worst, fabs(rig.x[0]));
            TEST_ASSERT_TRUE(deepest(&rig) < 1e-9);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, worst);
        rig_close(&rig);
    }
}

// Where pins overlap, the order of the list decides, also once the first has let go.
static void test_first_of_several_pins_holds(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.01, 'frames_per_second': 100, 'air': {'density': 0}, 'solver': "
        "{'precision': 'double'}, 'cloths': [{'grid': {'counts': [1, 1]}, 'pins': [{'indices': "
        "[0], "
        "'release': 0.5, 'keyframes': [{'time': 0}, {'time': 1, 'position': [1, 0, 0]}]}, "
        "{'corner': 'all', 'keyframes': [{'time': 0}, {'time': 1, 'position': [0, 0, 1]}]}]}]}");
    rig_step(&rig, 50);
    rig_read(&rig);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5, rig.x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, rig.x[1]);
    rig_step(&rig, 50);
    rig_read(&rig);
    TEST_ASSERT_TRUE(rig.x[1] < -1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, rig.x[2]);
    rig_close(&rig);
}

// Impact takes the approach, and friction at most mu times that from the motion along the surface.
static void test_impact_takes_the_approach_and_its_friction(void)
{
    Rig rig;
    rig_open(
        &rig,
        "{'step': 0.004, 'frames_per_second': 250, 'gravity': [0, 0, 0], 'air': {'density': 0}, "
        "'solver': {'precision': 'double'}, 'cloths': [{'grid': {'counts': [1, 1]}, 'velocity': "
        "[3, -1, 0], 'position': [0, 0.05, 0]}], 'solids': [{'type': 'plane', 'friction': "
        "0.4}]}");
    rig_step(&rig, 50);
    rig_read(&rig);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3 - 0.4, rig.v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, rig.v[1]);
    rig_close(&rig);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_distances_are_those_to_the_nearest_surface_point);
    RUN_TEST(test_normals_exist_everywhere);
    RUN_TEST(test_no_particle_is_ever_inside_a_solid);
    RUN_TEST(test_solids_that_overlap_both_hold);
    RUN_TEST(test_particle_slips_just_when_the_slope_exceeds_friction);
    RUN_TEST(test_cloth_slips_just_when_the_slope_exceeds_friction);
    RUN_TEST(test_cloth_under_tension_slips_too);
    RUN_TEST(test_jolt_does_not_stop_a_particle_that_is_pulled);
    RUN_TEST(test_sliding_accelerates_by_gravity_less_friction);
    RUN_TEST(test_sliding_comes_to_rest_after_its_way);
    RUN_TEST(test_contact_bears_the_weight);
    RUN_TEST(test_conveyor_carries_what_sticks_to_it);
    RUN_TEST(test_turntable_carries_what_sticks_to_it);
    RUN_TEST(test_contact_lets_go_when_pulled);
    RUN_TEST(test_neighbours_of_what_lands_fall_on);
    RUN_TEST(test_pins_hold_against_a_conveyor);
    RUN_TEST(test_first_of_several_pins_holds);
    RUN_TEST(test_impact_takes_the_approach_and_its_friction);
    return UNITY_END();
}
