// run_options.h: the command line of `weft run`. Whatever has a key in scene files becomes a
// setting of that key, so that there is one way to check and apply it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WeftRunOptions
{
    const char *scene;    // file; NULL for the built-in one
    char      **settings; // "path=value", in the order of the command line
    size_t      setting_count;
    bool        has_frame_count;
    uint32_t    frame_count;
    const char *report; // file, "-" for stdout; NULL for none
    bool        quiet, count_intersections;
} WeftRunOptions;

/// Returns -1 to go on, or the exit status if all is said already (help, wrong use). In any case
/// free with weft_run_options_destroy().
int  weft_run_options_read(WeftRunOptions *options, int argc, char **argv);
void weft_run_options_destroy(WeftRunOptions *options);
