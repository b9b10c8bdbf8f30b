// scene_decode.c: JSON document -> WeftScene, driven by the tables of scene_table.h.
#include "scene_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "material_presets.h"
#include "scene_hint.h"
#include "scene_table.h"

void weft_json_describe(const json_t *value, char *text, size_t size)
{
    switch (json_typeof(value))
    {
    case JSON_OBJECT:
        snprintf(text, size, "an object {...}");
        break;
    case JSON_ARRAY:
        snprintf(text, size, "a list of %zu", json_array_size(value));
        break;
    case JSON_STRING:
        snprintf(text, size, "the text \"%.40s%s\"", json_string_value(value),
                 json_string_length(value) > 40 ? "..." : "");
        break;
    case JSON_INTEGER:
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(text, size, "%.10g", json_real_value(value));
        break;
    case JSON_TRUE:
        snprintf(text, size, "true");
        break;
    case JSON_FALSE:
        snprintf(text, size, "false");
        break;
    case JSON_NULL:
        snprintf(text, size, "null");
        break;
    }
}

// Fails for a value of the wrong type; `expected` completes "write ...".
static WeftStatus fail_type(const WeftSource *source, const WeftPath *path, const json_t *value,
                            const char *expected)
{
    char found[100];
    weft_json_describe(value, found, sizeof(found));
    return weft_source_fail(source, path, "is %s; write %s", found, expected);
}

// A number within the range of its field.
static WeftStatus decode_number(const WeftSource *source, const WeftPath *path, const json_t *node,
                                const WeftField *field, double *number)
{
    if (!json_is_number(node))
        return fail_type(source, path, node, "a number, without quotes");
    *number = json_number_value(node);
    if (isfinite(*number) && *number >= field->low && *number <= field->high)
        return WEFT_OK;
    char low[40], high[40];
    weft_number_format(field->low, low, sizeof(low));
    weft_number_format(field->high, high, sizeof(high));
    return weft_source_fail(source, path, "%.10g is out of range; give a number from %s to %s%s%s",
                            *number, low, high, field->unit[0] != '\0' ? " " : "", field->unit);
}

// A whole number within [low, high]; 1e3 and 81.0 are whole as well.
static WeftStatus decode_integer(const WeftSource *source, const WeftPath *path, const json_t *node,
                                 double low, double high, int *number)
{
    if (!json_is_number(node))
        return fail_type(source, path, node, "a whole number, without quotes");
    double value = json_number_value(node);
    if (!(value == floor(value)))
        return weft_source_fail(source, path, "%.10g is not a whole number; write one such as %.0f",
                                value, fmin(fmax(floor(value), low), high));
    if (!(value >= low && value <= high))
        return weft_source_fail(source, path,
                                "%.10g is out of range; give a whole number from %.0f to %.0f",
                                value, low, high);
    *number = (int)value;
    return WEFT_OK;
}

static WeftStatus decode_array(const WeftSource *source, const WeftPath *path, const json_t *node,
                               const WeftField *field, void *values)
{
    bool whole = field->kind == WEFT_FIELD_COUNTS;
    char expected[100];
    snprintf(expected, sizeof(expected), "a list of %zu %snumbers such as %s", field->length,
             whole ? "whole " : "",
             field->length == 3 ? "[0, 1, 0]"
             : whole            ? "[81, 81]"
                                : "[1, 1.5]");
    if (!json_is_array(node) || json_array_size(node) != field->length)
        return fail_type(source, path, node, expected);
    for (size_t i = 0; i < field->length; i++)
    {
        WeftPath      element = {.parent = path, .index = i};
        const json_t *item = json_array_get(node, i);
        if (whole)
            WEFT_TRY(
                decode_integer(source, &element, item, field->low, field->high, (int *)values + i));
        else
            WEFT_TRY(decode_number(source, &element, item, field, (double *)values + i));
    }
    return WEFT_OK;
}

static WeftStatus decode_choice(const WeftSource *source, const WeftPath *path, const json_t *node,
                                const WeftField *field, void *value)
{
    const char *word = json_string_value(node);
    for (int i = 0; word != NULL && weft_field_word(field, (size_t)i) != NULL; i++)
        if (strcmp(word, weft_field_word(field, (size_t)i)) == 0)
        {
            memcpy(value, &i, sizeof(i));
            return WEFT_OK;
        }
    char found[100], hint[800];
    weft_json_describe(node, found, sizeof(found));
    weft_hint_word(field, word != NULL ? word : "", hint, sizeof(hint));
    return weft_source_fail(source, path, "%s is not one of its words%s", found, hint);
}

static WeftStatus decode_text(const WeftSource *source, const WeftPath *path, const json_t *node,
                              char **text)
{
    if (!json_is_string(node))
        return fail_type(source, path, node, "a text in quotes");
    // An empty text is the same as none.
    if (json_string_length(node) == 0)
        return WEFT_OK;
    *text = strdup(json_string_value(node));
    return *text != NULL ? WEFT_OK : weft_fail(WEFT_ERROR_FAILED, "out of memory");
}

static WeftStatus decode_indices(const WeftSource *source, const WeftPath *path, const json_t *node,
                                 int **indices, size_t *count)
{
    if (!json_is_array(node) || json_array_size(node) == 0)
        return fail_type(source, path, node, "a list of particle indices such as [0, 80]");
    *indices = malloc(json_array_size(node) * sizeof(int));
    if (*indices == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    *count = json_array_size(node);
    for (size_t i = 0; i < *count; i++)
    {
        WeftPath element = {.parent = path, .index = i};
        WEFT_TRY(
            decode_integer(source, &element, json_array_get(node, i), 0, 2147483647, *indices + i));
    }
    return WEFT_OK;
}

static WeftStatus decode_object(const WeftSource *source, const WeftPath *path, json_t *node,
                                WeftSectionId id, void *object);

static WeftStatus decode_list(const WeftSource *source, const WeftPath *path, json_t *node,
                              WeftSectionId id, void **elements, size_t *count)
{
    if (!json_is_array(node))
        return fail_type(source, path, node, "a list of objects, [{...}, {...}]");
    size_t size = weft_section(id).size, node_count = json_array_size(node);
    if (node_count == 0)
        return WEFT_OK;
    *elements = calloc(node_count, size);
    if (*elements == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    *count = node_count;
    for (size_t i = 0; i < node_count; i++)
    {
        WeftPath element = {.parent = path, .index = i};
        WEFT_TRY(decode_object(source, &element, json_array_get(node, i), id,
                               (char *)*elements + i * size));
    }
    return WEFT_OK;
}

static WeftStatus decode_field(const WeftSource *source, const WeftPath *parent, json_t *node,
                               const WeftField *field, void *object)
{
    WeftPath path = {.parent = parent, .key = field->name};
    void    *value = (char *)object + field->offset, *extra = (char *)object + field->extra;
    switch (field->kind)
    {
    case WEFT_FIELD_NUMBER:
        return decode_number(source, &path, node, field, value);
    case WEFT_FIELD_INTEGER:
        return decode_integer(source, &path, node, field->low, field->high, value);
    case WEFT_FIELD_FLAG:
        if (!json_is_boolean(node))
            return fail_type(source, &path, node, "true or false, without quotes");
        *(bool *)value = json_is_true(node);
        return WEFT_OK;
    case WEFT_FIELD_VECTOR:
    case WEFT_FIELD_COUNTS:
        return decode_array(source, &path, node, field, value);
    case WEFT_FIELD_TEXT:
        return decode_text(source, &path, node, value);
    case WEFT_FIELD_CHOICE:
        return decode_choice(source, &path, node, field, value);
    case WEFT_FIELD_INDICES:
        return decode_indices(source, &path, node, value, extra);
    case WEFT_FIELD_OBJECT:
        *(bool *)extra = true;
        return decode_object(source, &path, node, field->section, value);
    case WEFT_FIELD_LIST:
        return decode_list(source, &path, node, field->section, value, extra);
    }
    return WEFT_OK;
}

static WeftStatus decode_object(const WeftSource *source, const WeftPath *path, json_t *node,
                                WeftSectionId id, void *object)
{
    weft_section_default(id, object);
    if (!json_is_object(node))
        return fail_type(source, path, node, "an object, {\"key\": value, ...}");

    const char *key;
    json_t     *value;
    json_object_foreach(node, key, value)
    {
        if (weft_section_find(id, key, strlen(key)) != NULL)
            continue;
        WeftPath member = {.parent = path, .key = key};
        char     hint[900];
        weft_hint_key(id, key, hint, sizeof(hint));
        return weft_source_fail(source, &member, "unknown key%s", hint);
    }

    // A preset gives the other keys of a material their defaults, wherever it stands among them.
    if (id == WEFT_SECTION_WeftMaterial && json_object_get(node, "preset") != NULL)
    {
        WeftMaterial *material = object;
        WEFT_TRY(decode_field(source, path, json_object_get(node, "preset"),
                              weft_section_find(id, "preset", 6), material));
        *material = weft_material_preset(material->preset);
    }

    WeftSection section = weft_section(id);
    for (size_t i = 0; i < section.field_count; i++)
    {
        json_t *member = json_object_get(node, section.fields[i].name);
        if (member != NULL)
            WEFT_TRY(decode_field(source, path, member, &section.fields[i], object));
    }
    return WEFT_OK;
}

WeftStatus weft_scene_decode(const WeftSource *source, json_t *document, WeftScene *scene)
{
    return decode_object(source, NULL, document, WEFT_SECTION_WeftScene, scene);
}
