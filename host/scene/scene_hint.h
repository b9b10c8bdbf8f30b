// scene_hint.h: "did you mean ...?", lists of words and readable numbers for messages.
#pragma once

#include <stddef.h>

#include "scene_table.h"

/// Number of letters to insert, drop, change or swap with their neighbour to make `a` into `b`;
/// words are compared up to 63 letters.
size_t weft_word_distance(const char *a, const char *b);

/// Writes a number the way one would by hand: 0.002, 2000, 1e-9, 1e6.
void weft_number_format(double number, char *text, size_t size);

/// For an unknown key of a section: "; did you mean \"x\"? Possible here: a, b, c".
void weft_hint_key(WeftSectionId section, const char *key, char *text, size_t size);

/// For an unknown word of a choice: the same with its words.
void weft_hint_word(const WeftField *field, const char *word, char *text, size_t size);
