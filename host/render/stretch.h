// stretch.h: how far the springs of a run are stretched, for the range of colours that shows it.
#pragma once

#include "render/surface.h"

enum
{
    WEFT_STRETCH_BINS = 4096
};

typedef struct WeftStretches
{
    uint64_t bins
        [WEFT_STRETCH_BINS]; // of 1/WEFT_STRETCH_BINS each; more than twice the length counts as that
    uint64_t count;
} WeftStretches;

/// Takes in a moment: places (particle_count x 3) in the engine's numbering.
void weft_stretches_add(WeftStretches *stretches, const WeftRenderSpring *springs,
                        uint32_t spring_count, const double *places);

/// A round number that only a few springs in a thousand are stretched beyond.
float weft_stretches_range(const WeftStretches *stretches);
