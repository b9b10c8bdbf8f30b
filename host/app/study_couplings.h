// study_couplings.h: what couples the particles of a cloth, and what cuts it into components.
#pragma once

#include "study.h"

typedef struct WeftRenderSpring WeftRenderSpring;

// The springs of a simulation, which do not change, and room for counting.
typedef struct WeftSpringCensus
{
    WeftRenderSpring *springs;
    uint32_t          spring_count;
    uint32_t         *flags;  // of all springs in the engine's storage
    uint32_t         *parent; // (particle_count) forest of joined particles
    uint32_t         *sizes;  // (particle_count) particles of the component, at its root
} WeftSpringCensus;

/// Fails with WEFT_ERROR_FAILED for want of memory. Free with weft_spring_census_destroy().
WEFT_CHECKED WeftStatus weft_spring_census_create(WeftSpringCensus *census, const WeftSim *sim);
void                    weft_spring_census_destroy(WeftSpringCensus *census);

/// Counts the springs of the last step. Fails with WEFT_ERROR_FAILED if the device does.
WEFT_CHECKED WeftStatus weft_spring_census_take(WeftSpringCensus *census, const WeftSim *sim,
                                                WeftCouplings *couplings);
