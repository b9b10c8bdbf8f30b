// scene_keys.c: the table of all keys, from the same tables that read them.
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "material_presets.h"
#include "scene_hint.h"
#include "scene_table.h"

#define COLUMNS 100    // of a terminal
#define KEY_COLUMN 2   // where a key begins,
#define TEXT_COLUMN 30 // and where its description does

// The words of a choice with `separator` between them.
static void join_words(const WeftField *field, const char *separator, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; weft_field_word(field, i) != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? separator : "",
                                 weft_field_word(field, i));
}

static void format_type(const WeftField *field, char *text, size_t size)
{
    switch (field->kind)
    {
    case WEFT_FIELD_NUMBER:
        snprintf(text, size, "number");
        break;
    case WEFT_FIELD_INTEGER:
        snprintf(text, size, "whole number");
        break;
    case WEFT_FIELD_FLAG:
        snprintf(text, size, "true or false");
        break;
    case WEFT_FIELD_VECTOR:
        snprintf(text, size, "%zu numbers", field->length);
        break;
    case WEFT_FIELD_COUNTS:
        snprintf(text, size, "%zu whole numbers", field->length);
        break;
    case WEFT_FIELD_TEXT:
        snprintf(text, size, "text");
        break;
    case WEFT_FIELD_CHOICE:
        join_words(field, ", ", text, size);
        break;
    case WEFT_FIELD_INDICES:
        snprintf(text, size, "list of whole numbers");
        break;
    case WEFT_FIELD_OBJECT:
        snprintf(text, size, "object");
        break;
    case WEFT_FIELD_LIST:
        snprintf(text, size, "list of objects");
        break;
    }
}

static void format_default(const WeftField *field, char *text, size_t size)
{
    const double *value = field->value;
    switch (field->kind)
    {
    case WEFT_FIELD_NUMBER:
    case WEFT_FIELD_INTEGER:
        weft_number_format(value[0], text, size);
        break;
    case WEFT_FIELD_FLAG:
        snprintf(text, size, "%s", value[0] != 0 ? "true" : "false");
        break;
    case WEFT_FIELD_VECTOR:
    case WEFT_FIELD_COUNTS:
        if (field->length == 2)
            snprintf(text, size, "[%g, %g]", value[0], value[1]);
        else
            snprintf(text, size, "[%g, %g, %g]", value[0], value[1], value[2]);
        break;
    case WEFT_FIELD_CHOICE:
        snprintf(text, size, "%s", weft_field_word(field, (size_t)value[0]));
        break;
    case WEFT_FIELD_TEXT:
    case WEFT_FIELD_INDICES:
    case WEFT_FIELD_OBJECT:
    case WEFT_FIELD_LIST:
        text[0] = '\0';
        break;
    }
}

static void format_range(const WeftField *field, char *text, size_t size)
{
    bool ranged = field->kind == WEFT_FIELD_NUMBER || field->kind == WEFT_FIELD_INTEGER ||
                  field->kind == WEFT_FIELD_COUNTS;
    text[0] = '\0';
    if (!ranged)
        return;
    char low[40], high[40];
    weft_number_format(field->low, low, sizeof(low));
    weft_number_format(field->high, high, sizeof(high));
    snprintf(text, size, "%s to %s", low, high);
}

// The key path: that of the section without the places where it also occurs, and the name.
static void format_key(const WeftSection *section, const WeftField *field, char *text, size_t size)
{
    int length = (int)strcspn(section->path, ",");
    snprintf(text, size, "%.*s%s%s", length, section->path, length > 0 ? "." : "", field->name);
}

// Prints text from column `column` on, breaking lines at spaces so that they fit the terminal.
// `at` is the column that the cursor is in.
static void print_wrapped(FILE *stream, const char *text, int at, int column)
{
    bool first = true;
    while (*text != '\0')
    {
        int length = (int)strcspn(text, " ");
        if (!first && at + 1 + length > COLUMNS)
        {
            fputc('\n', stream);
            at = 0;
            first = true;
        }
        if (first)
            at += fprintf(stream, "%*s", at < column ? column - at : 0, "");
        else
            at += fprintf(stream, " ");
        at += fprintf(stream, "%.*s", length, text);
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_field_plain(FILE *stream, const WeftSection *section, const WeftField *field)
{
    char key[100], type[300], value[100], range[100], line[600];
    format_key(section, field, key, sizeof(key));
    format_type(field, type, sizeof(type));
    format_default(field, value, sizeof(value));
    format_range(field, range, sizeof(range));

    int at = fprintf(stream, "%*s%s", KEY_COLUMN, "", key);
    if (at + 1 > TEXT_COLUMN)
    {
        fputc('\n', stream);
        at = 0;
    }
    snprintf(line, sizeof(line), "%s%s%s%s%s%s%s", type, range[0] != '\0' ? ", " : "", range,
             value[0] != '\0' ? "; default " : "", value,
             field->unit[0] != '\0' ? (value[0] != '\0' ? " " : ", ") : "", field->unit);
    print_wrapped(stream, line, at, TEXT_COLUMN);
    print_wrapped(stream, field->help, 0, TEXT_COLUMN);
}

static void print_field_markdown(FILE *stream, const WeftSection *section, const WeftField *field)
{
    char key[100], type[300], value[100], range[100];
    format_key(section, field, key, sizeof(key));
    format_type(field, type, sizeof(type));
    format_default(field, value, sizeof(value));
    format_range(field, range, sizeof(range));
    fprintf(stream, "| `%s` | %s | %s | %s | %s | %s |\n", key, type, value, range, field->unit,
            field->help);
}

static void print_section(FILE *stream, WeftSectionId id, bool markdown,
                          bool printed[WEFT_SECTION_COUNT])
{
    WeftSection section = weft_section(id);
    printed[id] = true;
    const char *path = section.path[0] != '\0' ? section.path : "scene";
    if (markdown)
        fprintf(stream,
                "### %s: `%s`\n\n| key | value | default | range | unit | meaning |\n"
                "| --- | --- | --- | --- | --- | --- |\n",
                section.help, path);
    else
    {
        char title[300];
        snprintf(title, sizeof(title), "%s: %s", path, section.help);
        print_wrapped(stream, title, 0, 0);
    }
    for (size_t i = 0; i < section.field_count; i++)
    {
        if (markdown)
            print_field_markdown(stream, &section, &section.fields[i]);
        else
            print_field_plain(stream, &section, &section.fields[i]);
    }
    fputc('\n', stream);

    // What it contains comes after it, each section once.
    for (size_t i = 0; i < section.field_count; i++)
    {
        const WeftField *field = &section.fields[i];
        if ((field->kind == WEFT_FIELD_OBJECT || field->kind == WEFT_FIELD_LIST) &&
            !printed[field->section])
            print_section(stream, field->section, markdown, printed);
    }
}

// A row a key of the material, as scene_fields.def lists them, and a column a fabric.
static void print_presets(FILE *stream, bool markdown)
{
    WeftSection      section = weft_section(WEFT_SECTION_WeftMaterial);
    const WeftField *preset = weft_section_find(WEFT_SECTION_WeftMaterial, "preset", 6);
    if (markdown)
        fprintf(stream, "### Fabrics: values of `cloths[].material.preset`\n\n| key |");
    else
        fprintf(stream, "Fabrics: values of cloths[].material.preset\n  %-26s", "");
    for (size_t k = 0; k < WEFT_MATERIAL_COUNT; k++)
        fprintf(stream, markdown ? " %s |" : "%10s", weft_field_word(preset, k));
    if (markdown)
    {
        fprintf(stream, "\n| --- |");
        for (size_t k = 0; k < WEFT_MATERIAL_COUNT; k++)
            fprintf(stream, " --- |");
    }
    fputc('\n', stream);

    for (size_t i = 0; i < section.field_count; i++)
    {
        const WeftField *field = &section.fields[i];
        if (field->kind != WEFT_FIELD_NUMBER)
            continue;
        char label[100];
        snprintf(label, sizeof(label), "%s, %s", field->name, field->unit);
        fprintf(stream, markdown ? "| %s |" : "  %-26s", label);
        for (int k = 0; k < WEFT_MATERIAL_COUNT; k++)
        {
            WeftMaterial material = weft_material_preset((WeftMaterialPreset)k);
            double       number;
            char         text[40];
            memcpy(&number, (const char *)&material + field->offset, sizeof(number));
            // Three digits are enough: bend damping is a fraction of the density.
            snprintf(text, sizeof(text), "%.3g", number);
            weft_number_format(strtod(text, NULL), text, sizeof(text));
            fprintf(stream, markdown ? " %s |" : "%10s", text);
        }
        fputc('\n', stream);
    }
}

void weft_scene_print_keys(FILE *stream, bool markdown)
{
    bool printed[WEFT_SECTION_COUNT] = {false};
    print_section(stream, WEFT_SECTION_WeftScene, markdown, printed);
    print_presets(stream, markdown);
}
