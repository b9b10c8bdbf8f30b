// implicit.h: which springs and threads are implicit.
#pragma once

#include <math.h>

#include "data.h"

// Kappa above which one of a kind is implicit: the methods differ only in that.
static inline real implicit_above(const EngineData *data, bool is_shear)
{
    const real never = INFINITY, always = -1;
    switch (data->method)
    {
    case 0: // explicit
        return never;
    case 1: // implicit
        return always;
    case 2: // implicit stretch, explicit shear
        return is_shear ? never : always;
    default: // adaptive
        return data->threshold;
    }
}
