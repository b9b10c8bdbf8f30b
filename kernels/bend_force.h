// bend_force.h: the force of Choi and Ko's buckled beam as a function of chord over length.
#pragma once

#include <math.h>

#include "data.h"

// f L^2 / k_b for ratio = |x| / L in [0, 1]: (kappa L)^2 / (cos(kappa L/2) - sinc(kappa L/2)),
// kappa L = 2 sinc^-1(ratio). sinc^-1 has a square-root singularity at the first minimum of sinc,
// -0.2172336, so a Chebyshev series in y ~ sqrt(ratio + 0.2172336), mapped to [-1, 1], converges
// fast: relative error below 5e-10 (test_bend compares with the definition).
static inline real bend_force(real ratio)
{
    real y = (real)3.138732795966633 * WEFT_REAL_SQRT(ratio + (real)0.21723362821122166) -
             (real)2.4629108911191295;
    // By pairs, so that few of the operations have to wait for each other.
    real y2 = y * y, y4 = y2 * y2, y8 = y4 * y4;
    real low = ((real)-19.53383098803195 + (real)11.092870563220927 * y) +
               ((real)-5.104434520980879 + (real)2.193692690609642 * y) * y2;
    real next = ((real)-0.9159415297179516 + (real)0.37729755436896195 * y) +
                ((real)-0.15436033846453937 + (real)0.06275947848885609 * y) * y2;
    real third = ((real)-0.025504135992177913 + (real)0.01077406542519384 * y) +
                 ((real)-0.0044255339277879105 + (real)0.0012652022007387134 * y) * y2;
    real high = ((real)-0.0004787030737497844 + (real)0.0005492415445041843 * y) +
                (real)-0.00023305064882151783 * y2;
    return (low + next * y4) + (third + high * y4) * y8;
}
