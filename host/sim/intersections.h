// intersections.h: how often the triangles of all cloths cut each other.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "weft.h"

/// Counts the pairs of triangles, of one cloth or of two, that cut each other as the cloths lie now. Triangles that share a
/// corner count where an edge of one passes through the other. Touching is not cutting. Fails for want of memory.
WEFT_CHECKED WeftStatus weft_count_intersections(const WeftSim *sim, uint64_t *count);
