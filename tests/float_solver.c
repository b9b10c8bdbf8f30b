// float_solver.c: see float_solver.h. Compiled for floats.
#include "float_solver.h"

#include "sim/engine.h"

void float_solver_set_prescribed(void *engine, bool has_prescribed)
{
    ((Engine *)engine)->data.has_prescribed = has_prescribed;
}

uint32_t float_solver_iterations(const void *engine, uint32_t system)
{
    return ((const Engine *)engine)->data.systems[system].iterations;
}
