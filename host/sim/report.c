// report.c: names of the stages, from stages.def.
#include "sim/report.h"

#define WORD_SPRING "spring"
#define WORD_TRIANGLE "triangle"
#define WORD_PARTICLE "particle"
#define WORD_PAIR "pair"
#define WORD_ITEM "particle, edge, triangle"
#define WORD_COMPONENT "component"
#define STAGE(name, per, repeat, tolerance, what) {#name, WORD_##per, what},

static const struct
{
    const char *name;
    const char *per;
    const char *help;
} stages[WEFT_STAGE_COUNT] = {
#include "stages.def"
};

const char *weft_stage_name(WeftStage stage)
{
    return stages[stage].name;
}

const char *weft_stage_per(WeftStage stage)
{
    return stages[stage].per;
}

const char *weft_stage_help(WeftStage stage)
{
    return stages[stage].help;
}
