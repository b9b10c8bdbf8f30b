// study_cases.c: what is compared with what.
#include "study.h"

// The four scenes of the paper. At their own size, and at half of it, they run to their end; twice as fine, for as long as
// there is time. Steps are then a third, so that the shear springs stay explicit: their damping over the particles' mass grows with
// the square of the scale.
// The solver that the paper compares with.
#define WHOLE "solver.decompose=false", "solver.eliminate=false"

#define SCENES_AT(scale, pace, tablecloth, center_pin, sphere_drape, arm_bend)                     \
    {"scenes/tablecloth.json", NULL, NULL, scale, pace, tablecloth},                               \
        {"scenes/center_pin.json", NULL, NULL, scale, pace, center_pin},                           \
        {"scenes/sphere_drape.json", NULL, NULL, scale, pace, sphere_drape},                       \
    {                                                                                              \
        "scenes/arm_bend.json", NULL, NULL, scale, pace, arm_bend                                  \
    }
#define HALF(...) SCENES_AT(0.5, 0.5, __VA_ARGS__)
#define FULL(...) SCENES_AT(1, 1, __VA_ARGS__)
#define TWICE(...) SCENES_AT(2, 3, __VA_ARGS__)
#define END_OF_CASES                                                                               \
    {                                                                                              \
        NULL, NULL, NULL, 0, 0, 0                                                                  \
    }

static const WeftStudyCase integrated[] = {HALF(0, 0, 0, 0), FULL(0, 0, 0, 0),
                                           TWICE(0.4, 0.4, 0.4, 0.5), END_OF_CASES};
static const WeftStudyCase decomposed[] = {HALF(0, 0, 0, 0), FULL(0, 0, 0, 0),
                                           TWICE(1.2, 0.6, 1.2, 1.6), END_OF_CASES};
static const WeftStudyCase threaded[] = {FULL(1, 0.6, 1, 1), TWICE(0.1, 0.1, 0.1, 0.1),
                                         END_OF_CASES};
static const WeftStudyCase on_devices[] = {HALF(0.4, 0.4, 0.4, 0.2), FULL(0.08, 0.08, 0.08, 0.08),
                                           END_OF_CASES};

// A sheet that hangs from one edge and is blown at. What its lower part may still do is `pins`.
#define SHEET(pins)                                                                                \
    "{\"step\": 0.002, \"duration\": 10, \"air\": {\"wind\": [0, 0, 4]}, \"cloths\": [{\"grid\": " \
    "{\"size\": [1, 1]}, \"pins\": [{\"box\": {\"min\": [-1, 0.499, -1], \"max\": [1, 1, "         \
    "1]}}" pins "]}]}"
#define LOWER(freedom)                                                                             \
    ", {\"box\": {\"min\": [-1, -1, -1], \"max\": [1, 0.25, 1]}, \"" freedom "\": [1, 0.2, 0.3]}"
#define SIZE(name, pins, counts, seconds)                                                          \
    {                                                                                              \
        name, SHEET(pins), "cloths[0].grid.counts=[" counts "]", 1, 1, seconds                     \
    }
#define SIZES(name, pins)                                                                          \
    SIZE(name, pins, "20, 20", 0.4), SIZE(name, pins, "40, 40", 0.4),                              \
        SIZE(name, pins, "80, 80", 0.3), SIZE(name, pins, "160, 160", 0.1)

static const WeftStudyCase constrained[] = {
    SIZES("free", ""), SIZES("2 degrees of freedom", LOWER("fixed_along")),
    SIZES("1 degree of freedom", LOWER("free_along")), END_OF_CASES};

// A square metre that is held at three corners and let go.
#define FALLING(counts, seconds)                                                                   \
    {                                                                                              \
        "sheet",                                                                                   \
            "{\"step\": 0.001, \"duration\": 10, \"cloths\": [{\"grid\": {\"size\": [1, 1]}, "     \
            "\"position\": [0, 0.6, 0], \"rotation\": [-90, 0, 0], \"pins\": [{\"corner\": "       \
            "\"bottom_left\"}, {\"corner\": \"bottom_right\"}, {\"corner\": \"top_left\"}]}], "    \
            "\"solids\": [{\"type\": \"plane\"}]}",                                                \
            "cloths[0].grid.counts=[" counts "]", 1, 1, seconds                                    \
    }
static const WeftStudyCase sizes[] = {FALLING("32, 32", 0.01),     FALLING("56, 56", 0.01),
                                      FALLING("100, 100", 0.01),   FALLING("178, 178", 0.01),
                                      FALLING("316, 316", 0.01),   FALLING("562, 562", 0.01),
                                      FALLING("1000, 1000", 0.01), END_OF_CASES};

// A cloth of 150 x 150 that folds up, and how the cost grows while it falls. Steps get shorter as springs do, so that a particle
// goes as far for the distance of its neighbours.
#define FOLDING(scale, seconds)                                                                    \
    {                                                                                              \
        "scenes/folds.json", NULL, "cloths[0].grid.counts=[150, 150]", scale, scale, seconds       \
    }
static const WeftStudyCase layered[] = {FOLDING(0.667, 0.02), FOLDING(1.333, 0.02),
                                        FOLDING(2.667, 0.02), FOLDING(1, 0.4), END_OF_CASES};

// Scaling is the first, while this process is small: its cases begin with a copy of it.
const WeftStudy weft_studies[] = {
    {.name = "scaling",
     .what = "cost against size",
     .paper = "CG on one system costs n^1.5",
     .variants = {{"adaptive, decomposed", {NULL}}},
     .cases = sizes,
     .is_apart = true},
    {.name = "imex",
     .what = "all springs implicit against adaptive implicit-explicit steps",
     .paper = "17 to 29 % less time",
     .variants = {{"implicit", {"integrator.method=implicit"}},
                  {"adaptive", {"integrator.method=adaptive"}}},
     .cases = integrated},
    {.name = "preconditioner",
     .what = "CG iterations with each preconditioner",
     .paper = "modified (P) about 30 % fewer iterations than none, block (C) more than none, where "
              "particles have 1 or 2 degrees of freedom",
     .variants = {{"none", {"solver.preconditioner=none"}},
                  {"diagonal", {"solver.preconditioner=diagonal"}},
                  {"block", {"solver.preconditioner=block"}},
                  {"modified", {"solver.preconditioner=modified", "solver.eliminate=false"}}},
     .cases = constrained},
    {.name = "decomposition",
     .what =
         "one system against a system for every connected component, and those with every other "
         "particle eliminated",
     .paper = "0 to 80 % fewer row-vector multiplies (arm bend 35 to 50 %, sphere 20 %), labelling "
              "about 2 %",
     .variants = {{"whole", {WHOLE}},
                  {"decomposed", {"solver.eliminate=false"}},
                  {"eliminated", {NULL}}},
     .cases = decomposed},
    {.name = "threads",
     .what = "one thread against two",
     .paper = "18 % less time by decomposition, 30 % with two threads besides",
     .variants = {{"whole, 1 thread", {WHOLE, "solver.threads=1"}},
                  {"decomposed, 1 thread", {"solver.threads=1"}},
                  {"decomposed, 2 threads", {"solver.threads=2"}}},
     .cases = threaded,
     .is_of_cpu = true},
    {.name = "devices",
     .what = "the CPU engine against a Vulkan device",
     .paper = "",
     .variants = {{"CPU", {NULL}}, {"GPU", {NULL}}},
     .cases = on_devices,
     .needs_device = true},
    {.name = "contact",
     .what = "what keeping cloth from cloth costs",
     .paper = "",
     .variants = {{"with contact", {NULL}}},
     .cases = layered,
     .is_of_contact = true},
    {.name = NULL},
};
