// report.c: names of the stages, from stages.def.
#include "sim/report.h"

#define WORD_SPRING "spring"
#define WORD_TRIANGLE "triangle"
#define WORD_PARTICLE "particle"
#define WORD_PAIR "pair"
#define WORD_ITEM "edge, triangle"
#define WORD_COMPONENT "component"
#define ON_GPU_ONCE true
#define ON_GPU_ITERATION true
#define ON_GPU_CPU_ONLY false
#define STAGE(name, per, repeat, tolerance, what) {#name, WORD_##per, what, ON_GPU_##repeat},

static const struct
{
    const char *name;
    const char *per;
    const char *help;
    bool        on_gpu;
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

bool weft_stage_is_cpu_only(WeftStage stage)
{
    return !stages[stage].on_gpu;
}
