// progress.h: how far a run is: a bar on a terminal, a line every few seconds elsewhere. On stderr.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct WeftProgress
{
    bool        quiet;
    bool        bar;         // stderr is a terminal
    const char *item;        // what is counted: "frame"
    const char *unit;        // what a time is told of besides: "step", or NULL
    bool        bar_visible; // a bar stands on the cursor's line
    uint32_t    frame_count;
    uint64_t    step_count; // of the whole run
    double      start;      // s on the monotonic clock
    double      last;       // when something was shown last
} WeftProgress;

WeftProgress weft_progress_start(bool quiet, uint32_t frame_count, uint64_t step_count);

/// To be called after every step; shows something at most ten times a second.
void weft_progress_update(WeftProgress *progress, uint32_t frame, uint64_t step);

/// Shows the last state and ends the bar's line.
void weft_progress_finish(WeftProgress *progress, uint32_t frame, uint64_t step);

/// Takes the bar off its line, so that something else can be printed.
void weft_progress_clear(WeftProgress *progress);

/// Prints "weft: warning: ..." on a line of its own. Not silenced by quiet.
void weft_progress_warn(WeftProgress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
