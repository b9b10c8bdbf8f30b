// pulled.h: how far a stretch or shear spring, or a thread, is drawn out.
#pragma once

#include "data.h"

// Its tension over its stiffness. At rest one that bears beams is drawn out by `reach`, which does not change within its play.
static inline real pulled(real length, real rest, real slack, real reach)
{
    real beyond = length > rest ? length - rest : 0, below = length > slack ? length - slack : 0;
    return beyond + (below < reach ? below : reach);
}
