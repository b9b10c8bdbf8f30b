// picture_words.h: what the command lines of `weft render` and `weft view` have in common.
#pragma once

#include "render/renderer.h"

/// The values of --size and --color. Return NULL, or what the option takes if `text` is something else.
const char *weft_read_size(const char *text, uint32_t *width, uint32_t *height);
const char *weft_read_show(const char *text, WeftShow *show);

/// The word for a colour mode.
const char *weft_show_word(WeftShow show);
