// numbering.h: an order of a mesh's particles in which neighbours are near each other in memory.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/spring_graph.h"

/// Fills `particle_of` (particle_count) with the reverse Cuthill-McKee order of the springs
/// (stretch and shear). Returns true if that brings the ends of springs at least twice as near as
/// they are; otherwise the order given is as good, and `particle_of` is left undefined. Returns
/// false also for want of memory: the numbering only matters for speed.
bool weft_numbering_create(uint32_t *particle_of, const WeftSpringGraph *springs,
                           uint32_t particle_count);
