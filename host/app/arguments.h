// arguments.h: reading of command lines, with errors that say what was meant.
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/// Prints "weft COMMAND: ..." and where to find help on stderr; returns WEFT_EXIT_WRONG_USE.
int weft_wrong_use(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The same for what getopt_long() could not make sense of; `found` is what it returned (':' or
/// '?').
int weft_wrong_option(const char *command, int found, char **argv, const struct option *options);

/// The word of `words` (NULL at the end) that is nearest to `word`, or NULL if none is near.
const char *weft_nearest_word(const char *word, const char *const *words);

/// Reads a whole number from 0 to `most`; false if `text` is anything else.
bool weft_read_count(const char *text, unsigned long most, unsigned long *count);

/// Adds "key=value", or `value` as it stands if `key` is NULL, to a list with room for it; false for want of memory.
bool weft_add_setting(char **settings, size_t *count, const char *key, const char *value);

/// The value of --set and of --device, added to such a list. Return NULL, or what the option takes if `value` is something else.
const char *weft_read_set(char **settings, size_t *count, const char *value);
const char *weft_read_device(char **settings, size_t *count, const char *value);
void        weft_free_settings(char **settings, size_t count);

/// For a command whose only argument may be --markdown. Returns -1 to go on, else the exit status.
int weft_read_markdown(int argc, char **argv, const char *usage, bool *markdown);
