// scene.h: a scene file in memory. The structs are made from scene_fields.def; a scene is const
// once loaded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "error.h"

typedef enum WeftMaterialPreset
{
    WEFT_MATERIAL_COTTON,
    WEFT_MATERIAL_SILK,
    WEFT_MATERIAL_DENIM,
    WEFT_MATERIAL_WOOL,
    WEFT_MATERIAL_LINEN,
    WEFT_MATERIAL_JERSEY,
    WEFT_MATERIAL_COUNT
} WeftMaterialPreset;

typedef enum WeftGridShape
{
    WEFT_GRID_SHEET,
    WEFT_GRID_TUBE
} WeftGridShape;

typedef enum WeftCorner
{
    WEFT_CORNER_NONE,
    WEFT_CORNER_BOTTOM_LEFT,
    WEFT_CORNER_BOTTOM_RIGHT,
    WEFT_CORNER_TOP_LEFT,
    WEFT_CORNER_TOP_RIGHT,
    WEFT_CORNER_ALL
} WeftCorner;

typedef enum WeftInterpolation
{
    WEFT_INTERPOLATION_LINEAR,
    WEFT_INTERPOLATION_SMOOTH
} WeftInterpolation;

typedef enum WeftSolidType
{
    WEFT_SOLID_PLANE,
    WEFT_SOLID_SPHERE,
    WEFT_SOLID_BOX,
    WEFT_SOLID_CYLINDER,
    WEFT_SOLID_CAPSULE,
    WEFT_SOLID_CONE,
    WEFT_SOLID_TORUS,
    WEFT_SOLID_MESH
} WeftSolidType;

typedef enum WeftIntegratorMethod
{
    WEFT_INTEGRATOR_EXPLICIT,
    WEFT_INTEGRATOR_IMPLICIT,
    WEFT_INTEGRATOR_IMEX,
    WEFT_INTEGRATOR_ADAPTIVE
} WeftIntegratorMethod;

typedef enum WeftDampingKind
{
    WEFT_DAMPING_PROJECTED,
    WEFT_DAMPING_FULL
} WeftDampingKind;

typedef enum WeftPreconditioner
{
    WEFT_PRECONDITIONER_NONE,
    WEFT_PRECONDITIONER_DIAGONAL,
    WEFT_PRECONDITIONER_BLOCK,
    WEFT_PRECONDITIONER_MODIFIED
} WeftPreconditioner;

typedef enum WeftStartGuess
{
    WEFT_START_CONSTRAINTS,
    WEFT_START_PREVIOUS
} WeftStartGuess;

typedef enum WeftPrecision
{
    WEFT_PRECISION_FLOAT,
    WEFT_PRECISION_DOUBLE
} WeftPrecision;

typedef enum WeftFormat
{
    WEFT_FORMAT_OBJ,
    WEFT_FORMAT_PLY,
    WEFT_FORMAT_PC2,
    WEFT_FORMAT_MDD,
    WEFT_FORMAT_USDA,
    WEFT_FORMAT_GLB
} WeftFormat;

#define SECTION(type, path, help)                                                                  \
    typedef struct type                                                                            \
    {
#define END_SECTION(type)                                                                          \
    }                                                                                              \
    type;
#define NUMBER(name, value, low, high, unit, help) double name;
#define INTEGER(name, value, low, high, unit, help) int name;
#define FLAG(name, value, help) bool name;
#define VECTOR2(name, a, b, unit, help) double name[2];
#define VECTOR3(name, a, b, c, unit, help) double name[3];
#define COUNTS(name, a, b, low, high, help) int name[2];
#define TEXT(name, help) char *name;
#define CHOICE(name, type, value, words, help) type name;
#define INDICES(name, help)                                                                        \
    int   *name;                                                                                   \
    size_t name##_count;
#define OBJECT(type, name, help)                                                                   \
    type name;                                                                                     \
    bool has_##name;
#define LIST(type, name, help)                                                                     \
    type  *name;                                                                                   \
    size_t name##_count;
#include "scene_fields.def"

/// Reads a scene file, applies the `settings` ("path=value", in order) and checks everything that
/// can be checked without building the cloths. A path is like "solver.tolerance",
/// "cloths[0].grid.counts" or "cloths[].material.preset" (all elements); an index may be one past
/// the end and then adds an element; a value is JSON, or else a text; null takes a key away. Paths
/// in the scene become relative to the current folder. `path` NULL loads the built-in default
/// scene. On failure `scene` is zeroed and the message names file, line and key. Free with
/// weft_scene_destroy().
WEFT_CHECKED WeftStatus weft_scene_load(WeftScene *scene, const char *path,
                                        const char *const *settings, size_t setting_count);

/// The same from JSON text; `label` stands for the file name in messages, `folder` is what file
/// names in the scene are relative to.
WEFT_CHECKED WeftStatus weft_scene_parse(WeftScene *scene, const char *text, const char *label,
                                         const char *folder, const char *const *settings,
                                         size_t setting_count);

void weft_scene_destroy(WeftScene *scene);

/// Whether two names, of which `file` may be NULL, lead to one file that is there.
bool weft_is_same_file(const char *file, const char *other);

/// Whether `path` is a file that the scene names: a mesh or an animation. Writing there would lose it.
bool weft_scene_reads(const WeftScene *scene, const char *path);

/// Number of frames after the starting one: duration x frames_per_second, rounded.
size_t weft_scene_frame_count(const WeftScene *scene);

/// The word of a choice, such as "adaptive", for messages and reports; `key` is "integrator.method"
/// etc.
const char *weft_scene_choice_word(const char *key, int value);

/// Writes the table of all keys, as plain text for a terminal or as Markdown for the README.
void weft_scene_print_keys(FILE *stream, bool markdown);
