// study_cases.c: what is compared with what.
#include "study.h"

static const WeftStudyCase shipped[] = {{"scenes/tablecloth.json", NULL},
                                        {"scenes/center_pin.json", NULL},
                                        {"scenes/sphere_drape.json", NULL},
                                        {"scenes/arm_bend.json", NULL},
                                        {NULL, NULL}};

// A sheet that hangs from one edge and is blown at. What its lower edge may still do is `pins`.
#define SHEET(counts, pins)                                                                        \
    "{\"step\": 0.002, \"duration\": 10, \"air\": {\"wind\": [0, 0, 4]}, \"cloths\": [{\"grid\": " \
    "{\"size\": [1, 1], \"counts\": [" counts "]}, \"pins\": [{\"box\": {\"min\": [-1, 0.499, "    \
    "-1], \"max\": [1, 1, 1]}}" pins "]}]}"
#define LOWER(freedom)                                                                             \
    ", {\"box\": {\"min\": [-1, -1, -1], \"max\": [1, 0.25, 1]}, \"" freedom "\": [1, 0.2, 0.3]}"
#define SIZES(name, pins)                                                                          \
    {name " 20 x 20", SHEET("20, 20", pins)}, {name " 40 x 40", SHEET("40, 40", pins)},            \
    {                                                                                              \
        name " 80 x 80", SHEET("80, 80", pins)                                                     \
    }

static const WeftStudyCase constrained[] = {SIZES("free", ""),
                                            SIZES("2 degrees of freedom", LOWER("fixed_along")),
                                            SIZES("1 degree of freedom", LOWER("free_along")),
                                            {NULL, NULL}};

#define FALLING(counts)                                                                            \
    "{\"step\": 0.001, \"duration\": 10, \"cloths\": [{\"grid\": {\"size\": [1, 1], \"counts\": "  \
    "[" counts                                                                                     \
    "]}, \"position\": [0, 0.6, 0], \"rotation\": [-90, 0, 0], \"pins\": [{\"corner\": "           \
    "\"bottom_left\"}, {\"corner\": \"bottom_right\"}, {\"corner\": \"top_left\"}]}], "            \
    "\"solids\": "                                                                                 \
    "[{\"type\": \"plane\"}]}"
static const WeftStudyCase sizes[] = {{"sheet 32 x 32", FALLING("32, 32")},
                                      {"sheet 100 x 100", FALLING("100, 100")},
                                      {"sheet 316 x 316", FALLING("316, 316")},
                                      {"sheet 1000 x 1000", FALLING("1000, 1000")},
                                      {NULL, NULL}};

const WeftStudy weft_studies[] = {
    {"imex",
     "all springs implicit against adaptive implicit-explicit steps",
     "17 to 29 % less time",
     {{"implicit", {"integrator.method=implicit"}}, {"adaptive", {"integrator.method=adaptive"}}},
     shipped},
    {"preconditioner",
     "CG iterations with each preconditioner",
     "modified (P) about 30 % fewer iterations than none, block (C) more than none, where "
     "particles "
     "have 1 or 2 degrees of freedom",
     {{"none", {"solver.preconditioner=none"}},
      {"diagonal", {"solver.preconditioner=diagonal"}},
      {"block", {"solver.preconditioner=block"}},
      {"modified", {"solver.preconditioner=modified"}}},
     constrained},
    {"decomposition",
     "one system against a system for every connected component",
     "0 to 80 % fewer row-vector multiplies (arm bend 35 to 50 %, sphere 20 %), labelling about 2 "
     "%",
     {{"whole", {"solver.decompose=false"}}, {"decomposed", {"solver.decompose=true"}}},
     shipped},
    {"threads",
     "one thread against two",
     "18 % less time by decomposition, 30 % by threads besides",
     {{"whole, 1 thread", {"solver.decompose=false", "solver.threads=1"}},
      {"decomposed, 1 thread", {"solver.threads=1"}},
      {"decomposed, 2 threads", {"solver.threads=2"}}},
     shipped},
    {"scaling", "cost against size", "", {{"adaptive, decomposed", {NULL}}}, sizes},
    {0},
};
