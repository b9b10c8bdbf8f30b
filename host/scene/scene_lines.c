// scene_lines.c: a walker over JSON text that finds the line of a key path.
// It runs only to write an error message and only on text that the JSON library has accepted, so
// it checks no syntax; it must merely never run past the end.
#include "scene_lines.h"

#include <stdio.h>
#include <string.h>

// Scenes are less than ten levels deep; unknown keys are refused at the level where they stand.
#define DEPTH_LIMIT 16

static void append(char *text, size_t size, size_t *used, const char *piece)
{
    for (; *piece != '\0' && *used + 1 < size; piece++)
        text[(*used)++] = (unsigned char)*piece < ' ' || *piece == 127 ? '?' : *piece;
}

void weft_path_format(const WeftPath *path, char *text, size_t size)
{
    const WeftPath *steps[DEPTH_LIMIT];
    size_t          count = 0, used = 0;
    for (; path != NULL && count < DEPTH_LIMIT; path = path->parent)
        steps[count++] = path;
    if (count == 0)
        append(text, size, &used, "scene");
    while (count-- > 0)
    {
        char index[32];
        if (steps[count]->key == NULL)
        {
            snprintf(index, sizeof(index), "[%zu]", steps[count]->index);
            append(text, size, &used, index);
            continue;
        }
        if (used > 0)
            append(text, size, &used, ".");
        append(text, size, &used, steps[count]->key);
    }
    text[used] = '\0';
}

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

// Past a string that starts at `c` with its quote.
static const char *skip_string(const char *c)
{
    for (c++; *c != '\0' && *c != '"'; c++)
        if (*c == '\\' && c[1] != '\0')
            c++;
    return *c == '"' ? c + 1 : c;
}

// Past any value: to the comma or bracket that ends it.
static const char *skip_value(const char *c)
{
    size_t depth = 0;
    while (*c != '\0')
    {
        if (*c == '"')
        {
            c = skip_string(c);
            continue;
        }
        if (*c == '{' || *c == '[')
            depth++;
        if (*c == '}' || *c == ']' || *c == ',')
        {
            if (depth == 0)
                return c;
            if (*c != ',')
                depth--;
        }
        c++;
    }
    return c;
}

// The member `key` of the object at `c`: where its key stands (`*place`) and its value, or NULL.
// Keys written with escapes are not recognised: no key of a scene needs them.
static const char *find_member(const char *c, const char *key, const char **place)
{
    size_t length = strlen(key);
    if (*c != '{')
        return NULL;
    c = skip_space(c + 1);
    while (*c == '"')
    {
        const char *start = c, *end = skip_string(c);
        c = skip_space(end);
        if (*c == ':')
            c = skip_space(c + 1);
        if ((size_t)(end - start) == length + 2 && memcmp(start + 1, key, length) == 0)
        {
            *place = start;
            return c;
        }
        c = skip_value(c);
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return NULL;
}

static const char *find_element(const char *c, size_t index, const char **place)
{
    if (*c != '[')
        return NULL;
    c = skip_space(c + 1);
    for (; *c != '\0' && *c != ']'; index--)
    {
        if (index == 0)
        {
            *place = c;
            return c;
        }
        c = skip_value(c);
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return NULL;
}

int weft_path_line(const WeftPath *path, const char *text, bool *exact)
{
    const WeftPath *steps[DEPTH_LIMIT];
    size_t          count = 0;
    for (; path != NULL && count < DEPTH_LIMIT; path = path->parent)
        steps[count++] = path;

    // Descend as far as the text goes along with the path.
    const char *value = skip_space(text), *place = value;
    while (count > 0)
    {
        const WeftPath *step = steps[count - 1];
        value = step->key != NULL ? find_member(value, step->key, &place)
                                  : find_element(value, step->index, &place);
        if (value == NULL)
            break;
        count--;
    }
    *exact = count == 0;

    int line = 1;
    for (const char *c = text; c < place; c++)
        line += *c == '\n';
    return line;
}
