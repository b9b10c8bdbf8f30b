// float_solver.h: the inside of a CPU engine in float, for tests that are compiled for doubles.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Tells the engine whether some of the changes that it was given are prescribed: what no array holds.
void float_solver_set_prescribed(void *engine, bool has_prescribed);

/// CG iterations that the engine took for a system.
uint32_t float_solver_iterations(const void *engine, uint32_t system);
