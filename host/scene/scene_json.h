// scene_json.h: the three passes over a parsed scene: settings, decoding, checks.
#pragma once

#include <jansson.h>

#include "scene.h"
#include "scene_source.h"

/// Applies the settings of `source` to the document, in order. Objects on the way are made where
/// they are missing; the value null takes a key away.
WEFT_CHECKED WeftStatus weft_scene_apply_settings(const WeftSource *source, json_t *document);

/// Fills `scene`, which must be zeroed, from the document. On failure `scene` may be half filled.
WEFT_CHECKED WeftStatus weft_scene_decode(const WeftSource *source, json_t *document,
                                          WeftScene *scene);

/// What `value` is, in the words of a message: "the text \"abc\"", "a list of 3".
void weft_json_describe(const json_t *value, char *text, size_t size);

/// Checks what single keys cannot show: keys that go together, and values that depend on others.
WEFT_CHECKED WeftStatus weft_scene_check(const WeftSource *source, const WeftScene *scene);
