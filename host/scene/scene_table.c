// scene_table.c: expands scene_fields.def into descriptor tables, and what needs only those:
// lookup, defaults, destruction.
#include "scene_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Choices are written through a pointer to int.
#define CHOICE(name, type, value, words, help)                                                     \
    _Static_assert(sizeof(type) == sizeof(int), "an enum of a scene must have the size of an "     \
                                                "int");
#include "scene_fields.def"

// The words of every choice, in memory that can be cut into separate strings. The line in the .def
// is what makes the names unique: two sections may use the same key.
#define JOIN_EXPANDED(a, b) a##b
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define CHOICE(name, type, value, words, help) static char JOIN(words_, __LINE__)[] = words;
#include "scene_fields.def"

// One function a section: inside it `Self` is the struct, which the rows need for offsetof.
// clang-format off
#define SECTION(type, path, help)                                                                  \
    static const WeftField *fields_of_##type(size_t *count)                                        \
    {                                                                                              \
        typedef type           Self;                                                               \
        static const WeftField fields[] = {
#define END_SECTION(type)                                                                          \
        };                                                                                         \
        *count = sizeof(fields) / sizeof(fields[0]);                                               \
        return fields;                                                                             \
    }
// clang-format on
#define ROW(the_kind, the_name, the_unit, the_help)                                                \
    .kind = the_kind, .name = #the_name, .help = the_help, .unit = the_unit,                       \
    .offset = offsetof(Self, the_name)
#define NUMBER(name, number, from, to, unit, help)                                                 \
    {ROW(WEFT_FIELD_NUMBER, name, unit, help), .low = from, .high = to, .value = {number}},
#define INTEGER(name, number, from, to, unit, help)                                                \
    {ROW(WEFT_FIELD_INTEGER, name, unit, help), .low = from, .high = to, .value = {number}},
#define FLAG(name, flag, help) {ROW(WEFT_FIELD_FLAG, name, "", help), .value = {flag}},
#define VECTOR2(name, a, b, unit, help)                                                            \
    {ROW(WEFT_FIELD_VECTOR, name, unit, help), .length = 2, .low = -WEFT_VECTOR_LIMIT,             \
     .high = WEFT_VECTOR_LIMIT, .value = {a, b}},
#define VECTOR3(name, a, b, c, unit, help)                                                         \
    {ROW(WEFT_FIELD_VECTOR, name, unit, help), .length = 3, .low = -WEFT_VECTOR_LIMIT,             \
     .high = WEFT_VECTOR_LIMIT, .value = {a, b, c}},
#define COUNTS(name, a, b, from, to, help)                                                         \
    {ROW(WEFT_FIELD_COUNTS, name, "", help), .length = 2, .low = from, .high = to, .value = {a, b}},
#define TEXT(name, help) {ROW(WEFT_FIELD_TEXT, name, "", help)},
#define CHOICE(name, type, choice, the_words, help)                                                \
    {ROW(WEFT_FIELD_CHOICE, name, "", help), .words = JOIN(words_, __LINE__),                      \
     .word_bytes = sizeof(the_words), .value = {choice}},
#define INDICES(name, help)                                                                        \
    {ROW(WEFT_FIELD_INDICES, name, "", help), .extra = offsetof(Self, name##_count)},
#define OBJECT(type, name, help)                                                                   \
    {ROW(WEFT_FIELD_OBJECT, name, "", help), .extra = offsetof(Self, has_##name),                  \
     .section = WEFT_SECTION_##type},
#define LIST(type, name, help)                                                                     \
    {ROW(WEFT_FIELD_LIST, name, "", help), .extra = offsetof(Self, name##_count),                  \
     .section = WEFT_SECTION_##type},
#include "scene_fields.def"

static WeftSection    sections[WEFT_SECTION_COUNT];
static pthread_once_t sections_once = PTHREAD_ONCE_INIT;

// Collects the sections and cuts the words apart.
static void prepare(void)
{
#define SECTION(type, the_path, the_help)                                                          \
    sections[WEFT_SECTION_##type] =                                                                \
        (WeftSection){.path = the_path, .help = the_help, .size = sizeof(type)};                   \
    sections[WEFT_SECTION_##type].fields =                                                         \
        fields_of_##type(&sections[WEFT_SECTION_##type].field_count);
#include "scene_fields.def"

#define CHOICE(name, type, value, words, help)                                                     \
    for (char *c = JOIN(words_, __LINE__); *c != '\0'; c++)                                        \
        if (*c == '|')                                                                             \
            *c = '\0';
#include "scene_fields.def"
}

WeftSection weft_section(WeftSectionId id)
{
    pthread_once(&sections_once, prepare);
    return sections[id];
}

const WeftField *weft_section_find(WeftSectionId id, const char *name, size_t length)
{
    WeftSection section = weft_section(id);
    for (size_t i = 0; i < section.field_count; i++)
        if (strncmp(section.fields[i].name, name, length) == 0 &&
            section.fields[i].name[length] == '\0')
            return &section.fields[i];
    return NULL;
}

const WeftField *weft_field_find(const char *path)
{
    WeftSectionId id = WEFT_SECTION_WeftScene;
    for (;;)
    {
        size_t           length = strcspn(path, ".[");
        const WeftField *field = weft_section_find(id, path, length);
        path += length;
        // Any index, or none between the brackets.
        if (*path == '[')
            path += strcspn(path, ".");
        if (field == NULL || *path == '\0')
            return field;
        if (field->kind != WEFT_FIELD_OBJECT && field->kind != WEFT_FIELD_LIST)
            return NULL;
        id = field->section;
        path++;
    }
}

const char *weft_field_word(const WeftField *field, size_t index)
{
    const char *word = field->words, *end = field->words + field->word_bytes;
    while (index-- > 0 && word < end)
        word += strlen(word) + 1;
    return word < end ? word : NULL;
}

void weft_section_default(WeftSectionId id, void *object)
{
    WeftSection section = weft_section(id);
    memset(object, 0, section.size);
    for (size_t i = 0; i < section.field_count; i++)
    {
        const WeftField *field = &section.fields[i];
        void            *value = (char *)object + field->offset;
        switch (field->kind)
        {
        case WEFT_FIELD_NUMBER:
            *(double *)value = field->value[0];
            break;
        case WEFT_FIELD_INTEGER:
            *(int *)value = (int)field->value[0];
            break;
        case WEFT_FIELD_FLAG:
            *(bool *)value = field->value[0] != 0;
            break;
        case WEFT_FIELD_VECTOR:
            memcpy(value, field->value, field->length * sizeof(double));
            break;
        case WEFT_FIELD_COUNTS:
            for (size_t k = 0; k < field->length; k++)
                ((int *)value)[k] = (int)field->value[k];
            break;
        case WEFT_FIELD_CHOICE:
        {
            // The static assertion above makes the sizes equal; the enum's signedness is unknown.
            int choice = (int)field->value[0];
            memcpy(value, &choice, sizeof(choice));
            break;
        }
        case WEFT_FIELD_OBJECT:
            weft_section_default(field->section, value);
            break;
        case WEFT_FIELD_TEXT:
        case WEFT_FIELD_INDICES:
        case WEFT_FIELD_LIST:
            break;
        }
    }
}

void weft_section_release(WeftSectionId id, void *object)
{
    WeftSection section = weft_section(id);
    for (size_t i = 0; i < section.field_count; i++)
    {
        const WeftField *field = &section.fields[i];
        void            *value = (char *)object + field->offset;
        if (field->kind == WEFT_FIELD_OBJECT)
            weft_section_release(field->section, value);
        if (field->kind == WEFT_FIELD_LIST)
        {
            size_t count = *(size_t *)((char *)object + field->extra);
            size_t size = weft_section(field->section).size;
            char  *elements = *(char **)value;
            for (size_t k = 0; k < count; k++)
                weft_section_release(field->section, elements + k * size);
        }
        if (field->kind == WEFT_FIELD_LIST || field->kind == WEFT_FIELD_TEXT ||
            field->kind == WEFT_FIELD_INDICES)
            free(*(void **)value);
    }
    memset(object, 0, section.size);
}
