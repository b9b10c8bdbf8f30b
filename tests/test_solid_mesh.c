// test_solid_mesh.c: solids from meshes: distances against exact solids, friction, thin and hollow parts, motion by keyframes and
// by a point cache, bad files.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "solid_distance.h"
#include "support.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// A mesh on its way to a file.
typedef struct Draft
{
    int      point_count, face_count;
    double   points[20000][3];
    unsigned faces[40000][4]; // 0 as the fourth corner: a triangle
    char     path[300];
} Draft;

static Draft draft;

static void begin(void)
{
    draft.point_count = draft.face_count = 0;
}

static unsigned add_point(double x, double y, double z)
{
    double *point = draft.points[draft.point_count++];
    point[0] = x;
    point[1] = y;
    point[2] = z;
    return (unsigned)draft.point_count;
}

static void add_face(unsigned a, unsigned b, unsigned c, unsigned d)
{
    unsigned corners[4] = {a, b, c, d};
    memcpy(draft.faces[draft.face_count++], corners, sizeof(corners));
}

static const char *write_draft(const char *name)
{
    static char text[4000000];
    size_t      at = 0;
    for (int k = 0; k < draft.point_count; k++)
        at += (size_t)sprintf(text + at, "v %.17g %.17g %.17g\n", draft.points[k][0],
                              draft.points[k][1], draft.points[k][2]);
    for (int k = 0; k < draft.face_count; k++)
    {
        const unsigned *f = draft.faces[k];
        at += (size_t)sprintf(text + at, f[3] ? "f %u %u %u %u\n" : "f %u %u %u\n", f[0], f[1],
                              f[2], f[3]);
    }
    TEST_ASSERT_TRUE(at < sizeof(text));
    snprintf(draft.path, sizeof(draft.path), "%s", write_text(name, text));
    return draft.path;
}

static const char *write_box(const char *name, double width, double height, double depth)
{
    begin();
    for (int k = 0; k < 8; k++)
        add_point((k & 1 ? 0.5 : -0.5) * width, (k & 2 ? 0.5 : -0.5) * height,
                  (k & 4 ? 0.5 : -0.5) * depth);
    add_face(1, 3, 4, 2);
    add_face(5, 6, 8, 7);
    add_face(1, 2, 6, 5);
    add_face(3, 7, 8, 4);
    add_face(1, 5, 7, 3);
    add_face(2, 4, 8, 6);
    return write_draft(name);
}

// Turns an outline (radial, y), whose last point is joined to the first where it is closed and whose ends are on the axis where it
// is not, around y.
static const char *write_turned(const char *name, const double outline[][2], int count, bool closed,
                                int around)
{
    unsigned first[200];
    begin();
    for (int k = 0; k < count; k++)
    {
        bool on_axis = outline[k][0] == 0;
        for (int s = 0; s < (on_axis ? 1 : around); s++)
        {
            double   angle = 2 * M_PI * s / around;
            unsigned point =
                add_point(outline[k][0] * cos(angle), outline[k][1], outline[k][0] * sin(angle));
            if (s == 0)
                first[k] = point;
        }
    }
    for (int k = 0; k < (closed ? count : count - 1); k++)
    {
        int next = (k + 1) % count;
        for (int s = 0; s < around; s++)
        {
            unsigned u = (unsigned)s, v = (unsigned)((s + 1) % around);
            if (outline[k][0] == 0)
                add_face(first[k], first[next] + u, first[next] + v, 0);
            else if (outline[next][0] == 0)
                add_face(first[k] + u, first[next], first[k] + v, 0);
            else
                add_face(first[k] + u, first[next] + u, first[next] + v, first[k] + v);
        }
    }
    return write_draft(name);
}

static const char *write_sphere(const char *name, double radius, int parts)
{
    double outline[200][2];
    for (int k = 0; k <= parts; k++)
    {
        double angle = M_PI * k / parts;
        outline[k][0] = k == 0 || k == parts ? 0 : radius * sin(angle);
        outline[k][1] = -radius * cos(angle);
    }
    return write_turned(name, outline, parts + 1, false, 2 * parts);
}

static const char *write_torus(const char *name, double radius, double tube, int parts)
{
    double outline[200][2];
    for (int k = 0; k < parts; k++)
    {
        double angle = 2 * M_PI * k / parts;
        outline[k][0] = radius + tube * cos(angle);
        outline[k][1] = tube * sin(angle);
    }
    return write_turned(name, outline, parts, true, 2 * parts);
}

// A funnel with walls of 5 mm, as a cloth falls into it.
static const char *write_funnel(const char *name)
{
    const double outline[][2] = {{0.12, -0.3}, {0.12, -0.1},    {0.5, 0.3},
                                 {0.493, 0.3}, {0.115, -0.097}, {0.115, -0.3}};
    return write_turned(name, outline, 6, true, 24);
}

// How much of the directions from p the mesh fills, in whole turns: 1 inside, 0 outside (van Oosterom and Strackee, 1983).
static double winding(const WeftSolidMesh *mesh, const double p[3])
{
    double turns = 0;
    for (size_t k = 0; k < mesh->triangle_count; k++)
    {
        double v[3][3], size[3];
        for (int c = 0; c < 3; c++)
        {
            const double *point = mesh->points + 3 * (size_t)mesh->triangles[3 * k + (size_t)c];
            for (int axis = 0; axis < 3; axis++)
                v[c][axis] = point[axis] - p[axis];
            size[c] = sqrt(mesh_dot(v[c], v[c]));
        }
        double across[3];
        mesh_cross(v[1], v[2], across);
        turns += 2 * atan2(mesh_dot(v[0], across),
                           size[0] * size[1] * size[2] + mesh_dot(v[0], v[1]) * size[2] +
                               mesh_dot(v[1], v[2]) * size[0] + mesh_dot(v[2], v[0]) * size[1]);
    }
    return turns / (4 * M_PI);
}

#define FAR_CLOTH "'cloths': [{'grid': {'counts': [2, 2]}, 'position': [0, 9, 0]}]"

static void open_pair(Rig *rig, const char *path, const char *exact)
{
    rig_open(rig,
             "{'solver': {'precision': 'double', 'threads': 1}, " FAR_CLOTH
             ", 'solids': [{'type': 'mesh', 'file': '%s', 'position': [0.1, 0.2, -0.1], "
             "'rotation': [20, 30, "
             "40]}, {%s, 'position': [0.1, 0.2, -0.1], 'rotation': [20, 30, 40]}]}",
             path, exact);
}

// A box of twelve triangles is the box, inside and outside, at faces, edges and corners.
static void test_box_is_exact(void)
{
    Rig rig;
    open_pair(&rig, write_box("box.obj", 0.6, 0.4, 0.9), "'type': 'box', 'size': [0.6, 0.4, 0.9]");
    const SolidData *mesh = &rig_data(&rig)->solids[0], *box = mesh + 1;
    random_seed(5);
    int inside = 0, ties = 0;
    for (int n = 0; n < 5000; n++)
    {
        double x[3];
        for (int axis = 0; axis < 3; axis++)
            x[axis] = random_between(-0.7, 0.7);
        Surface found = solid_surface(mesh, &mesh->after, x),
                exact = solid_surface(box, &box->after, x);
        inside += exact.distance < 0;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, exact.distance, found.distance);
        // Inside, where two faces are as near, either will do.
        double along = mesh_dot(found.normal, exact.normal);
        ties += along < 1 - 1e-9;
    }
    TEST_ASSERT_TRUE(inside > 200 && ties == 0);
    rig_close(&rig);
}

// The chords of a fine mesh lie within a round solid by no more than their sagitta.
static void check_round(const char *path, const char *exact, double sagitta)
{
    Rig rig;
    open_pair(&rig, path, exact);
    const SolidData     *mesh = &rig_data(&rig)->solids[0], *solid = mesh + 1;
    const WeftSolidMesh *shape = &rig.sim->model.solid_meshes[0];
    double               worst = 0, worst_normal = 0;
    random_seed(6);
    for (int n = 0; n < WEFT_TEST_SIZE(2000, 300); n++)
    {
        double x[3];
        Lanes  places[3], locals[3];
        for (int axis = 0; axis < 3; axis++)
            x[axis] = random_between(-0.7, 0.7);
        Surface found = solid_surface(mesh, &mesh->after, x),
                near = solid_surface(solid, &solid->after, x);
        worst = fmax(worst, fabs(found.distance - near.distance));
        if (fabs(near.distance) < 0.05)
            worst_normal = fmax(worst_normal, 1 - mesh_dot(found.normal, near.normal));
        lanes_of_place(x, places);
        to_solid(&mesh->after, places, locals);
        const double local[3] = {locals[0][0], locals[1][0], locals[2][0]};
        if (n % 8 == 0)
            TEST_ASSERT_EQUAL_INT(winding(shape, local) > 0.5, found.distance < 0);
    }
    printf("%s: %u triangles, distance off by %.2g m, normal by %.2g degrees\n", exact,
           shape->triangle_count, worst, acos(1 - worst_normal) * 180 / M_PI);
    TEST_ASSERT_TRUE(worst < sagitta * 1.01 && worst > 0.1 * sagitta);
    TEST_ASSERT_TRUE(worst_normal < 0.01);
    rig_close(&rig);
}

static void test_fine_meshes_come_near_round_solids(void)
{
    double turn = M_PI / 40; // of half a chord of 40 parts
    check_round(write_sphere("sphere.obj", 0.5, 40), "'type': 'sphere', 'radius': 0.5",
                0.5 * (1 - cos(turn / 2) * cos(turn / 2)));
    check_round(write_torus("torus.obj", 0.4, 0.15, 40),
                "'type': 'torus', 'radius': 0.4, 'tube_radius': 0.15",
                0.15 * (1 - cos(turn)) + 0.55 * (1 - cos(turn / 2)));
}

// A wedge of two degrees and a funnel with thin walls: inside and outside are known right up to the sharpest edge, however the
// faces are wound.
static void test_thin_and_hollow_parts_have_an_inside(void)
{
    for (int k = 0; k < 3; k++)
    {
        Rig rig;
        begin();
        const double wedge[6][3] = {{0, 0, 0},      {0, 0, 1},       {0.5, 0.01, 0},
                                    {0.5, 0.01, 1}, {0.5, -0.01, 0}, {0.5, -0.01, 1}};
        for (int p = 0; p < 6; p++)
            add_point(wedge[p][0], wedge[p][1], wedge[p][2] - 0.5);
        const unsigned faces[5][4] = {
            {1, 2, 4, 3}, {1, 5, 6, 2}, {3, 4, 6, 5}, {1, 3, 5, 0}, {2, 6, 4, 0}};
        for (int f = 0; f < 5; f++)
        {
            const unsigned *c = faces[f];
            if (k == 0)
                add_face(c[0], c[1], c[2], c[3]);
            else if (c[3])
                add_face(c[3], c[2], c[1], c[0]);
            else
                add_face(c[2], c[1], c[0], 0);
        }
        rig_open(&rig,
                 "{'solver': {'precision': 'double'}, " FAR_CLOTH
                 ", 'solids': [{'type': 'mesh', 'file': '%s'}]}",
                 k < 2 ? write_draft("wedge.obj") : write_funnel("funnel.obj"));
        const SolidData *solid = &rig_data(&rig)->solids[0];
        int              inside = 0, count = WEFT_TEST_SIZE(4000, 500);
        random_seed(7);
        for (int n = 0; n < count; n++)
        {
            // Near the surface, from any of its points.
            double x[3] = {random_between(-0.05, 0.55), random_between(-0.015, 0.015),
                           random_between(-0.55, 0.55)};
            double angle = random_between(0, 2 * M_PI), part = random_between(0, 1);
            if (k == 2)
            {
                x[0] = (0.115 + 0.38 * part + random_between(-0.01, 0.01)) * cos(angle);
                x[1] = -0.1 + 0.4 * part;
                x[2] = x[0] * tan(angle);
            }
            Surface found = solid_surface(solid, &solid->after, x);
            bool    is_inside = winding(&rig.sim->model.solid_meshes[0], x) > 0.5;
            inside += is_inside;
            TEST_ASSERT_EQUAL_INT(is_inside, found.distance < 0);
        }
        TEST_ASSERT_TRUE(inside > count / 20 && inside < count);
        rig_close(&rig);
    }
}

// How deep the deepest particle is within the thickness of the cloth around the first solid, m.
static double deepest(Rig *rig)
{
    const EngineData *data = rig_data(rig);
    double            depth = -INFINITY;
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        real x[3] = {data->x[0][i], data->x[1][i], data->x[2][i]};
        depth = fmax(depth, data->thickness[i] -
                                solid_surface(data->solids, &data->solids[0].after, x).distance);
    }
    return depth;
}

static void check_drop(const char *path, const char *motion, double limit)
{
    Rig rig;
    rig_open(&rig,
             "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double'}, "
             "'cloths': [{'grid': {'size': [1, 1], 'counts': [15, 15]}, 'rotation': [-80, 10, 0], "
             "'position': [0.05, 0.75, 0.02], 'velocity': [0.3, -1, 0]}], 'solids': [{'type': "
             "'mesh', 'file': "
             "'%s', 'friction': 0.3, 'keyframes': [{'time': 0}, {'time': 0.8, %s}]}]}",
             path, motion);
    double   depth = -INFINITY;
    uint32_t contacts = 0;
    for (int n = 0; n < WEFT_TEST_SIZE(250, 120); n++)
    {
        WeftStepReport report = rig_step(&rig, 1);
        contacts = report.contact_count > contacts ? report.contact_count : contacts;
        depth = fmax(depth, deepest(&rig));
    }
    printf("%s, %s: deepest %.2g m, %u contacts at most\n", strrchr(path, '/') + 1, motion, depth,
           contacts);
    TEST_ASSERT_TRUE(contacts > 3);
    TEST_ASSERT_TRUE(depth < limit);
    rig_close(&rig);
}

static void test_no_particle_is_ever_inside_a_mesh(void)
{
    const char *motions[] = {"'position': [0, 0, 0]", "'position': [0.2, 0.3, 0.1]",
                             "'rotation': [30, 60, 40]"};
    for (int k = 0; k < 3; k++)
    {
        check_drop(write_box("box.obj", 0.6, 0.5, 0.7), motions[k], 1e-9);
        check_drop(write_torus("torus.obj", 0.4, 0.15, 16), motions[k], 2e-6);
        check_drop(write_funnel("funnel.obj"), motions[k], 2e-6);
    }
}

// A plate of a millimetre, hit at 20 m/s: 8 cm in a step.
static void test_a_thin_plate_stops_fast_cloth(void)
{
    for (int moving = 0; moving < 2; moving++)
    {
        Rig rig;
        rig_open(
            &rig,
            "{'step': 0.004, 'frames_per_second': 250, 'gravity': [0, 0, 0], 'air': {'density': "
            "0}, "
            "'cloths': [{'grid': {'size': [0.5, 0.5], 'counts': [8, 8]}, 'rotation': [-90, 0, 0], "
            "'position': [0.01, 0.3, 0.02], 'velocity': [0, %d, 0]}], 'solver': {'precision': "
            "'double'}, "
            "'solids': [{'type': 'mesh', 'file': '%s', 'keyframes': [{'time': 0}, {'time': 0.1, "
            "'position': [0, %d, 0]}]}]}",
            moving ? 0 : -20, write_box("plate.obj", 1, 0.001, 1), moving ? 2 : 0);
        rig_step(&rig, 24);
        rig_read(&rig);
        double plate = moving ? 2 * 24 * 0.004 / 0.1 : 0;
        for (uint32_t i = 0; i < rig.count; i++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, plate + 0.0005 + 0.002, rig.x[3 * i + 1]);
        rig_close(&rig);
    }
}

// On a slope the mesh of a box acts like the box, and like Coulomb: slips above 16.699 degrees, accelerates by gravity less
// friction.
static void test_friction_on_a_slope_is_coulombs(void)
{
    const char  *precisions[] = {"double", "float"};
    const double slopes[] = {15.699, 17.699, 30};
    char         path[300];
    snprintf(path, sizeof(path), "%s", write_box("slope.obj", 20, 2, 20));
    for (int k = 0; k < 6; k++)
    {
        double degrees = slopes[k % 3], angle = degrees * M_PI / 180, lift = 1.002, speeds[2];
        Rig    rig;
        rig_open(&rig,
                 "{'step': 0.002, 'frames_per_second': 500, 'air': {'density': 0}, 'solver': "
                 "{'precision': '%s', "
                 "'tolerance': 1e-5}, 'cloths': [{'grid': {'size': [0.2, 0.2], 'counts': [6, 6]}, "
                 "'rotation': "
                 "[-90, 0, %.17g], 'position': [%.17g, %.17g, 0.3]}], 'solids': [{'type': 'mesh', "
                 "'file': '%s', "
                 "'friction': 0.3, 'rotation': [0, 0, %.17g]}]}",
                 precisions[k / 3], degrees, -sin(angle) * lift, cos(angle) * lift, path, degrees);
        WeftStepReport report = {0};
        double         start = rig.x[0];
        for (int part = 0; part < 2; part++)
        {
            report = rig_step(&rig, 250);
            rig_read(&rig);
            speeds[part] = -rig.v[0] * cos(angle) - rig.v[1] * sin(angle);
        }
        double exact = 9.81 * (sin(angle) - 0.3 * cos(angle)),
               found = (speeds[1] - speeds[0]) / 0.5;
        printf("%s, %.1f degrees: %.4f m/s^2, exact %.4f, %u of %u stick\n", precisions[k / 3],
               degrees, found, exact, report.stick_count, rig.count);
        TEST_ASSERT_EQUAL_UINT32(rig.count, report.contact_count);
        TEST_ASSERT_EQUAL_UINT32(k % 3 == 0 ? rig.count : 0, report.stick_count);
        if (k % 3 == 0)
            TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, rig.x[0] - start);
        else if (k % 3 == 1)
            TEST_ASSERT_TRUE(rig.x[0] - start < -0.02);
        else
            TEST_ASSERT_DOUBLE_WITHIN(0.02 * exact, exact, found);
        rig_close(&rig);
    }
}

// In a groove between two faces of a mesh a particle stays at its distance from both, and slides along it by gravity alone.
static void test_a_groove_guides_a_particle(void)
{
    const double   profile[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {0, 0}, {-1, 1}};
    const unsigned caps[3][3] = {{1, 2, 4}, {2, 3, 4}, {5, 1, 4}};
    const double   tilt = 20 * M_PI / 180, above = 0.002 * sqrt(2);
    begin();
    for (int k = 0; k < 10; k++)
        add_point(profile[k % 5][0], profile[k % 5][1], k < 5 ? 2 : -2);
    for (unsigned k = 0; k < 5; k++)
        add_face(k + 1, k + 6, (k + 1) % 5 + 6, (k + 1) % 5 + 1);
    for (int k = 0; k < 3; k++)
    {
        add_face(caps[k][0], caps[k][1], caps[k][2], 0);
        add_face(caps[k][2] + 5, caps[k][1] + 5, caps[k][0] + 5, 0);
    }
    Rig rig;
    rig_open(&rig,
             "{'step': 0.002, 'frames_per_second': 500, 'air': {'density': 0}, 'solver': "
             "{'precision': 'double'}, "
             "'cloths': [{'grid': {'counts': [1, 1]}, 'position': [0, %.17g, %.17g]}], 'solids': "
             "[{'type': 'mesh', "
             "'file': '%s', 'friction': 0, 'rotation': [20, 0, 0]}]}",
             above * cos(tilt), above * sin(tilt), write_draft("groove.obj"));
    rig_step(&rig, 20);
    rig_read(&rig);
    double speed = hypot(rig.v[1], rig.v[2]);
    rig_step(&rig, 200);
    rig_read(&rig);
    double gained = hypot(rig.v[1], rig.v[2]) - speed, exact = 9.81 * sin(tilt) * 0.4;
    printf("in a groove: %.6f m/s gained, exact %.6f, %.2g m aside\n", gained, exact, rig.x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, exact, gained);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, rig.x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, above, rig.x[1] * cos(tilt) + rig.x[2] * sin(tilt));
    rig_close(&rig);
}

// Drops a cloth onto a box that turns, and tells where it is.
static void drop_on(Rig *rig, const char *solid)
{
    rig_open(rig,
             "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double', "
             "'tolerance': 1e-10}, "
             "'cloths': [{'grid': {'size': [0.8, 0.8], 'counts': [15, 15]}, 'rotation': [-80, 10, "
             "0], 'position': "
             "[0.03, 0.5, 0.02]}], 'solids': [{%s, 'friction': 0.4, 'keyframes': [{'time': 0}, "
             "{'time': 2, "
             "'rotation': [10, 40, 0], 'position': [0.1, 0.1, 0]}]}]}",
             solid);
    rig_step(rig, WEFT_TEST_SIZE(150, 120));
    rig_read(rig);
}

static void test_cloth_falls_on_the_mesh_of_a_box_as_on_the_box(void)
{
    Rig  mesh, box;
    char solid[400];
    snprintf(solid, sizeof(solid), "'type': 'mesh', 'file': '%s'",
             write_box("block.obj", 0.5, 0.4, 0.5));
    drop_on(&mesh, solid);
    drop_on(&box, "'type': 'box', 'size': [0.5, 0.4, 0.5]");
    double worst = 0;
    for (uint32_t k = 0; k < 3 * mesh.count; k++)
        worst = fmax(worst, fabs(mesh.x[k] - box.x[k]));
    printf("cloth on the mesh of a box and on the box: %.2g m apart\n", worst);
    TEST_ASSERT_TRUE(worst < 1e-6);
    rig_close(&mesh);
    rig_close(&box);
}

// A point cache of the draft's points, moved by `move` times the frame's place from 0 to 1 and turned about y by `degrees`.
static const char *write_cache(const char *name, int frames, int points, const double move[3],
                               double degrees)
{
    static uint8_t bytes[400000];
    static char    path[300];
    size_t         at = 32;
    memset(bytes, 0, 32);
    memcpy(bytes, "POINTCACHE2", 12);
    weft_bytes_little(bytes + 12, 1);
    weft_bytes_little(bytes + 16, (uint32_t)points);
    weft_bytes_little(bytes + 24, weft_float_bits(1));
    weft_bytes_little(bytes + 28, (uint32_t)frames);
    for (int frame = 0; frame < frames; frame++)
        for (int k = 0; k < points; k++)
        {
            double        part = (double)frame / (frames - 1), angle = part * degrees * M_PI / 180;
            const double *p = draft.points[k];
            const double  turned[3] = {cos(angle) * p[0] + sin(angle) * p[2], p[1],
                                       cos(angle) * p[2] - sin(angle) * p[0]};
            for (int axis = 0; axis < 3; axis++, at += 4)
                weft_bytes_little(bytes + at,
                                  weft_float_bits((float)(turned[axis] + part * move[axis])));
        }
    TEST_ASSERT_TRUE(at < sizeof(bytes));
    snprintf(path, sizeof(path), "%s", write_text(name, ""));
    FILE *file = fopen(path, "wb");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_size_t(at, fwrite(bytes, 1, at, file));
    fclose(file);
    return path;
}

// What sticks to a mesh goes where it goes: by keyframes, by a point cache, by both.
static void test_moving_meshes_carry_the_cloth(void)
{
    const double move[3] = {3, 0.5, -1}, none[3] = {0, 0, 0};
    char         path[300];
    snprintf(path, sizeof(path), "%s", write_box("belt.obj", 9, 2, 9));
    for (int k = 0; k < 3; k++)
    {
        Rig rig;
        rig_open(&rig,
                 "{'step': 0.004, 'frames_per_second': 250, 'air': {'density': 0}, 'solver': "
                 "{'precision': "
                 "'double'}, 'cloths': [{'grid': {'size': [0.2, 0.2], 'counts': [5, 5]}, "
                 "'rotation': [-90, 0, 0], "
                 "'position': [0.3, 0.002, 0.2]}], 'solids': [{'type': 'mesh', 'file': '%s', "
                 "'position': [0, -1, "
                 "0], 'friction': 0.5, 'animation': '%s', 'animation_rate': 0.4, 'keyframes': "
                 "[{'time': 0}, "
                 "{'time': 10, 'position': [%g, %g, %g]}]}]}",
                 path, k == 0 ? "" : write_cache("belt.pc2", 5, 8, k == 1 ? move : none, 0),
                 k == 1 ? 0 : move[0], k == 1 ? 0 : move[1], k == 1 ? 0 : move[2]);
        rig_step(&rig, 50);
        rig_read(&rig);
        double before[3];
        memcpy(before, rig.x, sizeof(before));
        WeftStepReport report = rig_step(&rig, 250);
        rig_read(&rig);
        TEST_ASSERT_EQUAL_UINT32(rig.count, report.stick_count);
        for (uint32_t i = 0; i < 3 * rig.count; i++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, move[i % 3] / 10, rig.v[i]);
        for (uint32_t axis = 0; axis < 3; axis++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, before[axis] + move[axis] / 10, rig.x[axis]);
        rig_close(&rig);
    }
}

static void test_a_mesh_that_turns_by_its_cache_is_a_turntable(void)
{
    const double none[3] = {0, 0, 0};
    char         path[300];
    Rig          rig;
    snprintf(path, sizeof(path), "%s", write_box("table.obj", 3, 0.2, 3));
    rig_open(&rig,
             "{'step': 0.004, 'frames_per_second': 250, 'air': {'density': 0}, 'solver': "
             "{'precision': 'double'}, "
             "'cloths': [{'grid': {'counts': [1, 1]}, 'position': [0.5, 0.002, 0]}], 'solids': "
             "[{'type': 'mesh', "
             "'file': '%s', 'animation': '%s', 'animation_rate': 30, 'position': [0, -0.1, 0], "
             "'friction': 0.5}]}",
             path, write_cache("table.pc2", 181, 8, none, 180));
    rig_step(&rig, 125);
    rig_read(&rig);
    double angle = atan2(-rig.x[2], rig.x[0]), radius = hypot(rig.x[0], rig.x[2]);
    rig_step(&rig, 500);
    rig_read(&rig);
    double turned = (atan2(-rig.x[2], rig.x[0]) - angle) * 180 / M_PI;
    printf("turntable: %.6f degrees in 2 s, radius %.2g m off\n", turned,
           hypot(rig.x[0], rig.x[2]) - radius);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 60, turned);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, radius, hypot(rig.x[0], rig.x[2]));
    rig_close(&rig);
}

// A ball that swells to twice its size under a cloth lifts it and does not go into it.
static void test_a_mesh_that_changes_its_shape_lifts_the_cloth(void)
{
    Rig    rig;
    double outward[3] = {0, 0, 0};
    char   path[300], cache[300];
    snprintf(path, sizeof(path), "%s", write_sphere("ball.obj", 0.2, 12));
    snprintf(cache, sizeof(cache), "%s", write_cache("ball.pc2", 2, draft.point_count, outward, 0));
    // The second frame is the first times two.
    FILE *file = fopen(cache, "r+b");
    TEST_ASSERT_NOT_NULL(file);
    fseek(file, 32 + 12L * draft.point_count, SEEK_SET);
    for (int k = 0; k < 3 * draft.point_count; k++)
    {
        uint8_t bytes[4];
        weft_bytes_little(bytes, weft_float_bits((float)(2 * draft.points[k / 3][k % 3])));
        fwrite(bytes, 1, 4, file);
    }
    fclose(file);
    rig_open(&rig,
             "{'step': 0.004, 'frames_per_second': 250, 'solver': {'precision': 'double'}, "
             "'cloths': [{'grid': "
             "{'size': [0.6, 0.6], 'counts': [15, 15]}, 'rotation': [-90, 0, 0], 'position': [0, "
             "0.21, 0]}], "
             "'solids': [{'type': 'mesh', 'file': '%s', 'animation': '%s', 'animation_rate': 1}]}",
             path, cache);
    double depth = -INFINITY;
    for (int n = 0; n < 250; n++)
    {
        rig_step(&rig, 1);
        depth = fmax(depth, deepest(&rig));
    }
    rig_read(&rig);
    printf("swelling ball: cloth at %.4f m, deepest %.2g m\n", rig.x[3 * 112 + 1], depth);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.402, rig.x[3 * 112 + 1]);
    TEST_ASSERT_TRUE(depth < 2e-6);
    rig_close(&rig);
}

// Bad files are refused when the simulation is made, with the key and what would be right.
static void expect_refusal(const char *file, const char *more, const char *key, const char *hint)
{
    char      text[2000];
    WeftScene scene;
    WeftSim  *sim = NULL;
    snprintf(text, sizeof(text),
             "{" FAR_CLOTH ", 'solids': [{'type': 'plane'}, {'type': 'mesh'%s%s%s%s}]}",
             file != NULL ? ", 'file': '" : "", file != NULL ? file : "", file != NULL ? "'" : "",
             more);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    WeftStatus status = weft_scene_parse(&scene, text, "test", NULL, NULL, 0);
    if (status == WEFT_OK)
    {
        status = weft_sim_create(&sim, &scene);
        weft_sim_destroy(sim);
        weft_scene_destroy(&scene);
    }
    TEST_ASSERT_EQUAL_INT(WEFT_ERROR_INPUT, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), key), weft_error_message());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(weft_error_message(), hint), weft_error_message());
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static void test_bad_meshes_are_refused(void)
{
    char path[300], more[700];
    expect_refusal(NULL, "", "solids[1]", "name one");
    expect_refusal("nowhere.obj", "", "solids[1].file", "cannot be read");
    expect_refusal(write_text("empty.obj", ""), "", "solids[1].file", "no face");
    expect_refusal(write_text("words.obj", CORNERS "f 1 2 x\n"), "", "solids[1].file", ":5:");
    expect_refusal(write_text("open.obj", CORNERS "f 1 3 2\nf 1 2 4\nf 1 4 3\n"), "",
                   "solids[1].file", "close it");
    expect_refusal(write_text("three.obj",
                              CORNERS "v 1 1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 2 5\nf "
                                      "2 1 5\n"),
                   "", "solids[1].file", "two may");
    expect_refusal(write_text("turned.obj", CORNERS "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 4 3\n"), "",
                   "solids[1].file", "counter-clockwise");
    expect_refusal(write_text("flat.obj", CORNERS "f 1 2 3\nf 3 2 1\n"), "", "solids[1].file",
                   "thickness");

    snprintf(path, sizeof(path), "%s",
             write_text("good.obj", CORNERS "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
    begin();
    for (int k = 0; k < 5; k++)
        add_point(k, 0, 0);
    const double none[3] = {0, 0, 0};
    snprintf(more, sizeof(more), ", 'animation': '%s'", write_cache("five.pc2", 2, 5, none, 0));
    expect_refusal(path, more, "solids[1].animation", "5 points but");
    snprintf(more, sizeof(more), ", 'animation': '%s'", write_text("bad.pc2", "POINTCACHE"));
    expect_refusal(path, more, "solids[1].animation", "ends after");
    expect_refusal(path, ", 'animation': 'nowhere.pc2'", "solids[1].animation", "cannot be read");
    expect_refusal(path, "}, {'type': 'box', 'file': 'x.obj'", "solids[2]", "leave them out");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_box_is_exact);
    RUN_TEST(test_fine_meshes_come_near_round_solids);
    RUN_TEST(test_thin_and_hollow_parts_have_an_inside);
    RUN_TEST(test_no_particle_is_ever_inside_a_mesh);
    RUN_TEST(test_a_thin_plate_stops_fast_cloth);
    RUN_TEST(test_friction_on_a_slope_is_coulombs);
    RUN_TEST(test_a_groove_guides_a_particle);
    RUN_TEST(test_cloth_falls_on_the_mesh_of_a_box_as_on_the_box);
    RUN_TEST(test_moving_meshes_carry_the_cloth);
    RUN_TEST(test_a_mesh_that_turns_by_its_cache_is_a_turntable);
    RUN_TEST(test_a_mesh_that_changes_its_shape_lifts_the_cloth);
    RUN_TEST(test_bad_meshes_are_refused);
    return UNITY_END();
}
