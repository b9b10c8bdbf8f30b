// material_presets.h: the named fabrics that `material.preset` starts from.
#pragma once

#include "scene.h"

/// All values of a named fabric; `preset` of the result is set.
WeftMaterial weft_material_preset(WeftMaterialPreset preset);
