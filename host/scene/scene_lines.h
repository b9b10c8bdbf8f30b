// scene_lines.h: key paths, and where in the JSON text the value of a path stands.
// The JSON library gives lines for syntax errors only; a wrong value deserves one as well.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// A place in a scene, as a chain from the innermost step outwards; NULL is the scene itself. The
/// chain lives on the stack of the functions that descend.
typedef struct WeftPath
{
    const struct WeftPath *parent;
    const char            *key;   // NULL: the step is an index
    size_t                 index; // of a list element
} WeftPath;

/// Writes "cloths[0].pins[1].release"; "scene" for the scene itself. Strange characters of unknown
/// keys become '?', and long paths are cut.
void weft_path_format(const WeftPath *path, char *text, size_t size);

/// The line (from 1) on which `path` stands in `text`; if it is not there, that of the nearest
/// enclosing value, and `*exact` is false. `text` must be JSON that has been parsed without error.
int weft_path_line(const WeftPath *path, const char *text, bool *exact);
