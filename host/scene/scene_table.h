// scene_table.h: scene_fields.def as tables that can be walked at run time.
// Reader, `--set`, defaults, destruction and key help all walk these; none knows a key by hand.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "scene.h"

typedef enum WeftFieldKind
{
    WEFT_FIELD_NUMBER,  // double
    WEFT_FIELD_INTEGER, // int
    WEFT_FIELD_FLAG,    // bool
    WEFT_FIELD_VECTOR,  // double[length]
    WEFT_FIELD_COUNTS,  // int[length]
    WEFT_FIELD_TEXT,    // char *
    WEFT_FIELD_CHOICE,  // an enum, the size of an int
    WEFT_FIELD_INDICES, // int * and a count
    WEFT_FIELD_OBJECT,  // a struct and a flag
    WEFT_FIELD_LIST,    // an array of structs and a count
} WeftFieldKind;

typedef enum WeftSectionId
{
#define SECTION(type, path, help) WEFT_SECTION_##type,
#include "scene_fields.def"
    WEFT_SECTION_COUNT
} WeftSectionId;

typedef struct WeftField
{
    WeftFieldKind kind;
    const char   *name;
    const char   *help;
    const char   *unit;       // "" if it has none
    const char   *words;      // CHOICE: the words, each ended by a 0 (see weft_field_word)
    size_t        word_bytes; // CHOICE: length of `words` with all its zeros
    size_t        offset;     // of the value in its struct
    size_t        extra;      // offset of the count (INDICES, LIST) or of has_ (OBJECT)
    size_t        length;     // numbers of a VECTOR or COUNTS
    WeftSectionId section;    // OBJECT, LIST: what it holds
    double        low, high;  // allowed range of every number
    double        value[3];   // default
} WeftField;

typedef struct WeftSection
{
    const char      *path; // as in messages, "[]" for an index; several are parted by ", "
    const char      *help;
    size_t           size; // of the struct
    const WeftField *fields;
    size_t           field_count;
} WeftSection;

/// No coordinate, direction or velocity of a scene may be larger than this: beyond it the sums and
/// squares of a step would lose all digits.
#define WEFT_VECTOR_LIMIT 1e9

WeftSection weft_section(WeftSectionId id);

/// The field called `name` (of `length` characters), or NULL.
const WeftField *weft_section_find(WeftSectionId id, const char *name, size_t length);

/// The field of a key path such as "cloths[].pins[].release" (indices are ignored), or NULL.
const WeftField *weft_field_find(const char *path);

/// Word `index` of a CHOICE, or NULL past the end.
const char *weft_field_word(const WeftField *field, size_t index);

/// Fills a struct with its defaults; lists and texts are empty.
void weft_section_default(WeftSectionId id, void *object);

/// Frees what a struct owns, at all depths, and empties it. Accepts half-filled structs.
void weft_section_release(WeftSectionId id, void *object);
