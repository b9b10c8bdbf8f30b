// picture_words.h: what the command lines of `weft render` and `weft view` have in common.
#pragma once

#include "render/renderer.h"

/// Reads WIDTHxHEIGHT; false if `text` is anything else, or too small or large.
bool weft_read_size(const char *text, uint32_t *width, uint32_t *height);

/// Reads a colour mode; and its word.
bool        weft_read_show(const char *text, WeftShow *show);
const char *weft_show_word(WeftShow show);
