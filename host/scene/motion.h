// motion.h: places and keyframed motion of solids and pins, as rigid transforms at a time.
#pragma once

#include "scene.h"

typedef struct WeftTransform
{
    double rotation[9];    // row-major, world = rotation * local + translation
    double translation[3]; // m
} WeftTransform;

/// The transform of rotation about x, then y, then z (degrees), followed by a shift.
WeftTransform weft_transform_place(const double position[3], const double rotation[3]);

/// Where a solid stands at `time`: its placement followed by its keyframed motion.
WeftTransform weft_solid_place(const WeftSolid *solid, double time);

/// The motion of a pin at `time`, to be applied to the starting place of each of its particles
/// (identity at rest).
WeftTransform weft_pin_motion(const WeftPin *pin, double time);

/// The wind at `time` with its gusts, m/s.
void weft_air_wind(const WeftAir *air, double time, double wind[3]);

static inline void weft_transform_apply(const WeftTransform *transform, const double point[3],
                                        double result[3])
{
    for (int row = 0; row < 3; row++)
        result[row] = transform->rotation[3 * row] * point[0] +
                      transform->rotation[3 * row + 1] * point[1] +
                      transform->rotation[3 * row + 2] * point[2] + transform->translation[row];
}
