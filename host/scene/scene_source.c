// scene_source.c: settings cut into steps, and error messages that say where a value came from.
#include "scene_source.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Reads "[12]" or "[]" at `c`; returns what follows, or NULL.
static const char *parse_index(const char *c, WeftSettingStep *step)
{
    *step = (WeftSettingStep){0};
    c++;
    step->all = *c == ']';
    for (; *c >= '0' && *c <= '9'; c++)
    {
        if (step->index > SIZE_MAX / 10 - 1)
            return NULL;
        step->index = 10 * step->index + (size_t)(*c - '0');
    }
    return *c == ']' ? c + 1 : NULL;
}

WeftStatus weft_setting_parse(WeftSetting *setting, const char *text)
{
    *setting = (WeftSetting){.text = text, .value = ""};
    const char *c = text;
    for (;;)
    {
        // A key, then any number of indices.
        const char *start = c;
        while (is_key_character(*c))
            c++;
        if (c == start || setting->step_count == WEFT_SETTING_STEPS)
            break;
        setting->steps[setting->step_count++] =
            (WeftSettingStep){.key = start, .length = (size_t)(c - start)};
        while (c != NULL && *c == '[' && setting->step_count < WEFT_SETTING_STEPS)
            c = parse_index(c, &setting->steps[setting->step_count++]);
        if (c == NULL)
            break;
        if (*c == '=')
        {
            setting->value = c + 1;
            return WEFT_OK;
        }
        if (*c != '.')
            break;
        c++;
    }
    return weft_setting_fail(setting, "cannot be read; write it as path=value, such as "
                                      "solver.tolerance=1e-4 or cloths[0].grid.counts=[81,81]");
}

typedef enum Relation
{
    RELATION_NONE,
    RELATION_GIVES, // the setting is the path itself or encloses it
    RELATION_BELOW, // the setting is inside the path
} Relation;

static Relation relate(const WeftSetting *setting, const WeftPath *path)
{
    const WeftPath *steps[WEFT_SETTING_STEPS];
    size_t          count = 0;
    for (; path != NULL && count < WEFT_SETTING_STEPS; path = path->parent)
        steps[count++] = path;
    for (size_t i = 0; i < count && i < setting->step_count; i++)
    {
        const WeftPath        *step = steps[count - 1 - i];
        const WeftSettingStep *other = &setting->steps[i];
        bool                   same = step->key == NULL
                                          ? other->key == NULL && (other->all || other->index == step->index)
                                          : other->key != NULL && strlen(step->key) == other->length &&
                              memcmp(step->key, other->key, other->length) == 0;
        if (!same)
            return RELATION_NONE;
    }
    return setting->step_count <= count ? RELATION_GIVES : RELATION_BELOW;
}

// The last setting that stands in `relation` to `path`, or NULL.
static const WeftSetting *find_setting(const WeftSource *source, const WeftPath *path,
                                       Relation relation)
{
    for (size_t i = source->setting_count; i-- > 0;)
        if (relate(&source->settings[i], path) == relation)
            return &source->settings[i];
    return NULL;
}

static WeftStatus fail_setting(const WeftSetting *setting, const char *where, const char *message)
{
    // The value may be a whole list; its beginning is enough to recognise it.
    const size_t limit = 120;
    bool         cut = strlen(setting->text) > limit;
    bool         named = where == NULL;
    if (!named)
    {
        size_t length = strcspn(setting->text, "=");
        named = strlen(where) == length && memcmp(where, setting->text, length) == 0;
    }
    return weft_fail(WEFT_ERROR_INPUT, "--set %.*s%s: %s%s%s", (int)limit, setting->text,
                     cut ? "..." : "", named ? "" : where, named ? "" : ": ", message);
}

static WeftStatus fail_at(const WeftSource *source, const WeftPath *path,
                          const WeftSetting *setting, const char *message)
{
    char where[200];
    weft_path_format(path, where, sizeof(where));
    if (setting == NULL)
        setting = find_setting(source, path, RELATION_GIVES);
    bool exact;
    int  line = weft_path_line(path, source->text, &exact);
    // What is not in the file was made by a setting further inside.
    if (setting == NULL && !exact)
        setting = find_setting(source, path, RELATION_BELOW);
    if (setting != NULL)
        return fail_setting(setting, where, message);
    return weft_fail(WEFT_ERROR_INPUT, "%s:%d: %s: %s", source->label, line, where, message);
}

WeftStatus weft_source_fail(const WeftSource *source, const WeftPath *path, const char *format, ...)
{
    char    message[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return fail_at(source, path, NULL, message);
}

WeftStatus weft_source_fail_keys(const WeftSource *source, const WeftPath *path, const char *keys,
                                 const char *format, ...)
{
    char    message[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);

    const WeftSetting *setting = NULL;
    while (*keys != '\0' && setting == NULL)
    {
        char   key[64];
        size_t length = strcspn(keys, "|");
        snprintf(key, sizeof(key), "%.*s", (int)length, keys);
        WeftPath member = {.parent = path, .key = key};
        setting = find_setting(source, &member, RELATION_GIVES);
        if (setting == NULL)
            setting = find_setting(source, &member, RELATION_BELOW);
        keys += length + (keys[length] == '|');
    }
    return fail_at(source, path, setting, message);
}

WeftStatus weft_setting_fail(const WeftSetting *setting, const char *format, ...)
{
    char    message[1500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    return fail_setting(setting, NULL, message);
}
