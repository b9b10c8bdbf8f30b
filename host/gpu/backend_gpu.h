// backend_gpu.h: the choice between the engines. Knows no Vulkan type.
#pragma once

#include "sim/backend.h"

/// The engine that computes `scene` as its solver.device asks: "auto" (the default), "cpu", "gpu", a name or an index.
/// Fails with WEFT_ERROR_INPUT, saying what there is, if there is no such device.
WEFT_CHECKED WeftStatus weft_backend_choose(const WeftScene *scene, const WeftBackend **backend);
