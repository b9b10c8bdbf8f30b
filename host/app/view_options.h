// view_options.h: the command line of `weft view`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/renderer.h"

typedef struct WeftViewOptions
{
    const char *scene;    // file; NULL for the built-in one
    char      **settings; // "path=value"
    size_t      setting_count;
    uint32_t    width, height;
    WeftShow    show;
    bool        paused;
    const char *report; // file; NULL for none
} WeftViewOptions;

/// What keys and mouse do, for help and window.
extern const char weft_view_keys[];

/// Returns -1 to go on, or the exit status if all is said already (help, wrong use). In any case free with
/// weft_view_options_destroy().
int  weft_view_options_read(WeftViewOptions *options, int argc, char **argv);
void weft_view_options_destroy(WeftViewOptions *options);
