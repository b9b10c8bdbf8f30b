// arguments.c: reading of command lines.
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "scene_hint.h"

int weft_wrong_use(const char *command, const char *format, ...)
{
    fprintf(stderr, "weft %s: ", command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nSee 'weft help %s'.\n", command);
    return WEFT_EXIT_WRONG_USE;
}

const char *weft_nearest_word(const char *word, const char *const *words)
{
    const char *nearest = NULL;
    size_t      least = strlen(word) / 3 + 2;
    for (; *words; words++)
    {
        size_t distance = weft_word_distance(word, *words);
        if (distance < least)
        {
            least = distance;
            nearest = *words;
        }
    }
    return nearest;
}

int weft_wrong_option(const char *command, int found, char **argv, const struct option *options)
{
    const char *word = argv[optind - 1];
    if (found == ':')
        return weft_wrong_use(command, "%s needs a value", word);

    // getopt reports an option that takes no value, but was given one, by its short name.
    const char *equals = strchr(word, '=');
    for (const struct option *option = options; equals && option->name; option++)
        if (option->has_arg == no_argument && option->val == optopt)
            return weft_wrong_use(command, "--%s takes no value", option->name);

    enum
    {
        MOST_OPTIONS = 32
    };
    const char *names[MOST_OPTIONS + 1] = {NULL};
    for (int i = 0; i < MOST_OPTIONS && options[i].name; i++)
        names[i] = options[i].name;
    char        bare[64];
    const char *start = word + strspn(word, "-");
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(start, "="), start);
    const char *nearest = weft_nearest_word(bare, names);
    if (nearest)
        return weft_wrong_use(command, "unknown option '%s' (did you mean --%s?)", word, nearest);
    return weft_wrong_use(command, "unknown option '%s'", word);
}

bool weft_read_count(const char *text, unsigned long most, unsigned long *count)
{
    // strtoul by itself would take signs and spaces.
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    *count = strtoul(text, &end, 10);
    return errno == 0 && *end == '\0' && *count <= most;
}

bool weft_add_setting(char **settings, size_t *count, const char *key, const char *value)
{
    char *setting = NULL;
    if (asprintf(&setting, "%s%s%s", key ? key : "", key ? "=" : "", value) < 0)
        return false;
    settings[(*count)++] = setting;
    return true;
}

const char *weft_read_set(char **settings, size_t *count, const char *value)
{
    if (!strchr(value, '=') || value[0] == '=')
        return "PATH=VALUE";
    return weft_add_setting(settings, count, NULL, value) ? NULL : "what fits into memory";
}

const char *weft_read_device(char **settings, size_t *count, const char *value)
{
    if (!*value)
        return "what 'weft devices' lists";
    return weft_add_setting(settings, count, "solver.device", value) ? NULL
                                                                     : "what fits into memory";
}

void weft_free_settings(char **settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(settings[i]);
    free(settings);
}

int weft_read_markdown(int argc, char **argv, const char *usage, bool *markdown)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"markdown", no_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", options, NULL)) != -1;)
        switch (found)
        {
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'm':
            *markdown = true;
            break;
        default:
            return weft_wrong_option(argv[0], found, argv, options);
        }
    if (optind < argc)
        return weft_wrong_use(argv[0], "'%s' is one argument too many", argv[optind]);
    return -1;
}
