// study_clock.h: what a step takes, on a machine that others use, too.
//
// Of the steps of a frame, which cost much the same, the lower quartile stands for all: steps during which the system did something else
// do not count for more than any other. Where there are few steps their mean does.
#pragma once

#include "weft.h"

enum
{
    WEFT_CLOCK_COLUMNS = 1 + WEFT_STAGE_COUNT // the whole step, and each stage
};

typedef struct WeftStudyClock
{
    double  *samples; // (capacity x WEFT_CLOCK_COLUMNS) s a step, since the frame began
    double  *sorted;  // (capacity)
    size_t   count, capacity;
    uint32_t sample_steps;             // that the samples stand for
    double   last[WEFT_CLOCK_COLUMNS]; // what the simulation had counted at the last sample
    uint32_t last_step;
    double   total[WEFT_CLOCK_COLUMNS]; // s of the frames before
    uint32_t total_steps;
} WeftStudyClock;

/// Takes a sample of what the simulation has stepped since the last. Fails with WEFT_ERROR_FAILED for want of memory.
WEFT_CHECKED WeftStatus weft_study_clock_note(WeftStudyClock *clock, const WeftSim *sim);

/// Ends a frame.
void weft_study_clock_close(WeftStudyClock *clock);

/// Drops all samples so far.
void weft_study_clock_forget(WeftStudyClock *clock);

/// Milliseconds of a step, and of each of its stages.
void weft_study_clock_read(WeftStudyClock *clock, double *step_ms, double *stage_ms);

/// Accepts a zeroed clock, which is one that has not been used.
void weft_study_clock_destroy(WeftStudyClock *clock);
