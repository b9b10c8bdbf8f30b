// sim_internal.h: what a WeftSim is, for sim/ and for tests and benchmarks that look inside.
#pragma once

#include "sim/backend.h"
#include "weft.h"

struct WeftSim
{
    const WeftScene   *scene;
    WeftModel          model;
    const WeftBackend *backend;
    void              *engine;
    int                threads;
    uint32_t           steps_per_frame;
    double             step_size;          // s
    uint64_t           step_index;         // since start_time
    double             start_time;         // s; 0 until the step size changes
    uint32_t           start_frame;        // frames before it
    uint32_t           held;               // particle in the user's hand, or WEFT_NO_PARTICLE
    double             stiffness, damping; // of the springs, as multiples of the scene's
    WeftRunReport      run;                // means are still sums
};
