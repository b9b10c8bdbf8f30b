// scene_set.c: `--set path=value` on the JSON document, before it is decoded, so that settings pass
// the same checks as the file.
#include "scene_json.h"

#include <string.h>

#include "scene_hint.h"
#include "scene_table.h"

// The value as JSON, and as plain text where that fails or a text is wanted: `name=2024` names a
// cloth 2024.
static json_t *parse_value(const char *text, const WeftField *field)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    bool    wants_text = field->kind == WEFT_FIELD_TEXT;
    if (value != NULL && (!wants_text || json_is_string(value) || json_is_null(value)))
        return value;
    json_decref(value);
    return json_string(text);
}

// The default of a vector or pair of counts, so that one of its numbers can be set.
static json_t *default_array(const WeftField *field)
{
    json_t *array = json_array();
    for (size_t i = 0; i < field->length; i++)
        json_array_append_new(array, field->kind == WEFT_FIELD_COUNTS
                                         ? json_integer((json_int_t)field->value[i])
                                         : json_real(field->value[i]));
    return array;
}

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "out of memory");
}

static WeftStatus set_in_object(const WeftSetting *setting, size_t step, WeftSectionId id,
                                json_t *object);

// Sets element `index` of the list of `field`, or something inside it.
static WeftStatus set_element(const WeftSetting *setting, size_t step, const WeftField *field,
                              json_t *array, size_t index)
{
    bool   nested = field->kind == WEFT_FIELD_LIST, last = step + 1 == setting->step_count;
    size_t count = json_array_size(array);
    bool   fixed = field->kind == WEFT_FIELD_VECTOR || field->kind == WEFT_FIELD_COUNTS;
    if (index > count || (fixed && index == count))
        return weft_setting_fail(setting, "%s has no element %zu; it has %zu, counted from 0%s",
                                 field->name, index, count,
                                 fixed ? "" : ", and one more can be added at the end");
    if (last)
    {
        json_t *value = parse_value(setting->value, field);
        int     failed = index == count ? json_array_append_new(array, value)
                                        : json_array_set_new(array, index, value);
        return failed ? out_of_memory() : WEFT_OK;
    }
    if (!nested || setting->steps[step + 1].key == NULL)
        return weft_setting_fail(setting, "the elements of %s %s", field->name,
                                 nested ? "are objects; write a key after the index, such as "
                                          "cloths[0].name"
                                        : "are numbers; the path ends at the index");
    if (index == count && json_array_append_new(array, json_object()))
        return out_of_memory();
    return set_in_object(setting, step + 1, field->section, json_array_get(array, index));
}

// Sets in the list of `field`: step `step` is the index.
static WeftStatus set_in_array(const WeftSetting *setting, size_t step, const WeftField *field,
                               json_t *array)
{
    if (!json_is_array(array))
        return weft_setting_fail(setting, "%s is not a list in the scene; correct it there first",
                                 field->name);
    if (!setting->steps[step].all)
        return set_element(setting, step, field, array, setting->steps[step].index);
    size_t count = json_array_size(array);
    if (count == 0)
        return weft_setting_fail(setting, "%s is empty; [] stands for elements that are there",
                                 field->name);
    for (size_t i = 0; i < count; i++)
        WEFT_TRY(set_element(setting, step, field, array, i));
    return WEFT_OK;
}

static bool is_list(const WeftField *field)
{
    return field->kind == WEFT_FIELD_LIST || field->kind == WEFT_FIELD_INDICES ||
           field->kind == WEFT_FIELD_VECTOR || field->kind == WEFT_FIELD_COUNTS;
}

// Sets in an object of section `id`: step `step` is a key of it.
static WeftStatus set_in_object(const WeftSetting *setting, size_t step, WeftSectionId id,
                                json_t *object)
{
    const WeftSettingStep *key = &setting->steps[step];
    const WeftField       *field = weft_section_find(id, key->key, key->length);
    if (field == NULL)
    {
        char name[64], hint[900];
        snprintf(name, sizeof(name), "%.*s", (int)key->length, key->key);
        weft_hint_key(id, name, hint, sizeof(hint));
        return weft_setting_fail(setting, "unknown key \"%s\"%s", name, hint);
    }
    if (!json_is_object(object))
        return weft_setting_fail(setting,
                                 "\"%s\" is wanted inside something that is not an object "
                                 "in the scene; correct it there first",
                                 field->name);

    // The path ends here: set the key, or take it away.
    if (step + 1 == setting->step_count)
    {
        json_t *value = parse_value(setting->value, field);
        if (json_is_null(value))
        {
            json_decref(value);
            json_object_del(object, field->name);
            return WEFT_OK;
        }
        return json_object_set_new(object, field->name, value) ? out_of_memory() : WEFT_OK;
    }

    bool indexed = setting->steps[step + 1].key == NULL;
    if (indexed && !is_list(field))
        return weft_setting_fail(setting, "%s is not a list; leave the index out", field->name);
    if (!indexed && field->kind == WEFT_FIELD_LIST)
        return weft_setting_fail(setting,
                                 "%s is a list; write %s[0] for its first element or %s[] "
                                 "for all",
                                 field->name, field->name, field->name);
    if (!indexed && field->kind != WEFT_FIELD_OBJECT)
        return weft_setting_fail(setting, "%s has no keys of its own; the path ends there",
                                 field->name);

    // Go on inside, making what is not there.
    json_t *child = json_object_get(object, field->name);
    if (child == NULL)
    {
        child = !indexed ? json_object()
                : field->kind == WEFT_FIELD_VECTOR || field->kind == WEFT_FIELD_COUNTS
                    ? default_array(field)
                    : json_array();
        if (json_object_set_new(object, field->name, child))
            return out_of_memory();
    }
    if (indexed)
        return set_in_array(setting, step + 1, field, child);
    return set_in_object(setting, step + 1, field->section, child);
}

WeftStatus weft_scene_apply_settings(const WeftSource *source, json_t *document)
{
    for (size_t i = 0; i < source->setting_count; i++)
        WEFT_TRY(set_in_object(&source->settings[i], 0, WEFT_SECTION_WeftScene, document));
    return WEFT_OK;
}
