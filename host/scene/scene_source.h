// scene_source.h: where the values of a scene came from, for error messages.
#pragma once

#include "error.h"
#include "scene_lines.h"

#define WEFT_SETTING_STEPS 16

/// One step of the path of a setting: a key, an index, or "[]" for all elements.
typedef struct WeftSettingStep
{
    const char *key; // NULL: an index
    size_t      length;
    size_t      index;
    bool        all;
} WeftSettingStep;

/// A setting "path=value", cut up; points into the caller's text.
typedef struct WeftSetting
{
    const char     *text;
    const char     *value;
    size_t          step_count;
    WeftSettingStep steps[WEFT_SETTING_STEPS];
} WeftSetting;

typedef struct WeftSource
{
    const char        *label; // file name
    const char        *text;  // the JSON of the file
    const char        *folder;
    const WeftSetting *settings;
    size_t             setting_count;
} WeftSource;

/// Cuts a setting up. Fails with WEFT_ERROR_INPUT if it is not of the form path=value.
WEFT_CHECKED WeftStatus weft_setting_parse(WeftSetting *setting, const char *text);

/// Fails with "FILE:LINE: key path: message", or "--set PATH=VALUE: message" if a setting gave the
/// value at `path`.
WEFT_CHECKED WeftStatus weft_source_fail(const WeftSource *source, const WeftPath *path,
                                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The same for keys that are wrong only together: `keys` names the members of `path` that take
/// part, parted by '|'. A setting that gave one of them is named as the cause.
WEFT_CHECKED WeftStatus weft_source_fail_keys(const WeftSource *source, const WeftPath *path,
                                              const char *keys, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Fails with "--set PATH=VALUE: message".
WEFT_CHECKED WeftStatus weft_setting_fail(const WeftSetting *setting, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
