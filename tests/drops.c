// drops.c: see drops.h.
#include "drops.h"

#include <math.h>

#include "sim/intersections.h"

uint64_t intersections(const Rig *rig)
{
    uint64_t count;
    TEST_ASSERT_EQUAL(WEFT_OK, weft_count_intersections(rig->sim, &count));
    return count;
}

void expect_no_intersections(Rig *rig, int steps)
{
    uint32_t contacts = 0;
    TEST_ASSERT_EQUAL_UINT64(0, intersections(rig));
    for (int step = 0; step < steps; step += 5)
    {
        WeftStepReport report = rig_step(rig, 5);
        contacts = report.cloth_contact_count > contacts ? report.cloth_contact_count : contacts;
        TEST_ASSERT_EQUAL_UINT64(0, intersections(rig));
    }
    TEST_ASSERT_TRUE(contacts > 0);
}

void open_drop(Rig *rig, uint32_t seed, const char *contact, const char *solver)
{
    random_seed(seed);
    rig_open(rig,
             "{'contact': {'cloth': true%s}, 'air': {'density': 0}, 'cloths': ["
             "{'grid': {'size': [0.4, 0.4], 'counts': [21, 21]}, 'rotation': [%g, %g, 0], "
             "'position': [0, 0.3, 0], 'velocity': [0, -3, 0], 'material': {'thickness': 0.004}}, "
             "{'grid': {'size': [0.3, 0.3], 'counts': [15, 15]}, 'rotation': [%g, %g, 0], "
             "'position': [%g, 0.75, %g], 'velocity': [0, -5, 0], "
             "'material': {'preset': 'silk', 'thickness': 0.003}}], "
             "'solids': [{'type': 'plane', 'friction': %g}], %s}",
             contact, random_between(-180, 180), random_between(-180, 180),
             random_between(-180, 180), random_between(-180, 180), random_between(-0.1, 0.1),
             random_between(-0.1, 0.1), random_between(0, 1), solver);
}

// Of the first cloth.
static double lowest_place(Rig *rig)
{
    double lowest = INFINITY;
    rig_read(rig);
    for (uint32_t i = 0; i < rig->count; i++)
        lowest = fmin(lowest, rig->x[3 * i + 1]);
    return lowest;
}

void expect_good_drop(uint32_t seed, const char *solver)
{
    Rig      rig;
    uint32_t contacts = 0;
    open_drop(&rig, seed, "", solver);
    for (int step = 0; step < 150; step += 5)
    {
        WeftStepReport report = rig_step(&rig, 5);
        contacts = report.cloth_contact_count > contacts ? report.cloth_contact_count : contacts;
        TEST_ASSERT_EQUAL_UINT64(0, intersections(&rig));
        TEST_ASSERT_TRUE_MESSAGE(lowest_place(&rig) > -0.004, "cloth is held into the floor");
    }
    TEST_ASSERT_TRUE(contacts > 0);
    rig_close(&rig);
}
