// render_options.h: the command line of `weft render`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/renderer.h"

typedef struct WeftRenderOptions
{
    const char    *scene;    // file; NULL for the built-in one, or with files for none
    const char    *files;    // of an earlier run: folder or point cache; NULL to simulate
    char         **settings; // "path=value"
    size_t         setting_count;
    const char    *out;
    bool           is_film;
    bool           has_frames;
    uint32_t       first, last; // frames, if has_frames
    uint32_t       strip;       // pictures side by side; 0 if there is no strip
    uint32_t       width, height;
    WeftShow       show;
    WeftCameraWish camera;
    const char    *texture; // PNG file; NULL for checks
    bool           quiet;
} WeftRenderOptions;

/// Returns -1 to go on, or the exit status if all is said already (help, wrong use). In any case
/// free with weft_render_options_destroy().
int  weft_render_options_read(WeftRenderOptions *options, int argc, char **argv);
void weft_render_options_destroy(WeftRenderOptions *options);
