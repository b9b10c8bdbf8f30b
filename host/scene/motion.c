// motion.c: rigid transforms of solids and pins over time, and the wind.
//
// Every motion is written as "start + change", and the change is exactly zero where offset and
// rotation are: a solid that comes back to its first key stands where it stood, to the last bit.
#include "motion.h"

#include <math.h>

#define PI 3.14159265358979323846

// Sine and cosine of an angle in degrees, exact at the multiples of 90.
static void sine_cosine(double degrees, double *sine, double *cosine)
{
    double angle = remainder(degrees, 360);
    double quarter = nearbyint(angle / 90);
    double rest = (angle - 90 * quarter) * (PI / 180);
    double s = sin(rest), c = cos(rest);
    switch (((int)quarter + 4) % 4)
    {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
        break;
    }
}

// R = Rz Ry Rx
static void rotation_matrix(const double degrees[3], double matrix[9])
{
    double sx, cx, sy, cy, sz, cz;
    sine_cosine(degrees[0], &sx, &cx);
    sine_cosine(degrees[1], &sy, &cy);
    sine_cosine(degrees[2], &sz, &cz);
    const double rows[9] = {
        cz * cy,
        cz * sy * sx - sz * cx,
        cz * sy * cx + sz * sx, //
        sz * cy,
        sz * sy * sx + cz * cx,
        sz * sy * cx - cz * sx, //
        -sy,
        cy * sx,
        cy * cx,
    };
    // Adding zero turns -0 into 0, so that no sign of nothing reaches a file or a hash.
    for (int i = 0; i < 9; i++)
        matrix[i] = rows[i] + 0.0;
}

WeftTransform weft_transform_place(const double position[3], const double rotation[3])
{
    WeftTransform transform;
    rotation_matrix(rotation, transform.rotation);
    for (int k = 0; k < 3; k++)
        transform.translation[k] = position[k];
    return transform;
}

// Offset and rotation at `time`: interpolated between two keys, held before the first and after
// the last. Zero if there are no keys.
static void sample(const WeftKeyframe *keys, size_t count, WeftInterpolation interpolation,
                   double time, double offset[3], double degrees[3])
{
    // `low` becomes the last key that is not after `time`.
    size_t low = 0, high = count;
    while (high - low > 1)
    {
        size_t middle = low + (high - low) / 2;
        if (keys[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    double part = 0;
    if (low + 1 < count && time > keys[low].time)
        part = (time - keys[low].time) / (keys[low + 1].time - keys[low].time);
    if (interpolation == WEFT_INTERPOLATION_SMOOTH)
        part = part * part * (3 - 2 * part);

    for (int k = 0; k < 3; k++)
    {
        offset[k] = count > 0 ? keys[low].position[k] : 0;
        degrees[k] = count > 0 ? keys[low].rotation[k] : 0;
        if (part > 0)
        {
            offset[k] += part * (keys[low + 1].position[k] - keys[low].position[k]);
            degrees[k] += part * (keys[low + 1].rotation[k] - keys[low].rotation[k]);
        }
    }
}

// (R - I) x, exactly zero for R = I.
static void turn_change(const double rotation[9], const double x[3], double change[3])
{
    for (int row = 0; row < 3; row++)
    {
        change[row] = 0;
        for (int column = 0; column < 3; column++)
            change[row] += (rotation[3 * row + column] - (row == column)) * x[column];
    }
}

WeftTransform weft_solid_place(const WeftSolid *solid, double time)
{
    WeftTransform start = weft_transform_place(solid->position, solid->rotation);
    if (solid->keyframes_count == 0)
        return start;
    double offset[3], degrees[3], turn[9];
    sample(solid->keyframes, solid->keyframes_count, solid->interpolation, time, offset, degrees);
    rotation_matrix(degrees, turn);

    // The pivot, seen from it the solid's origin is at -arm.
    double arm[3], change[3];
    for (int row = 0; row < 3; row++)
        arm[row] = -(start.rotation[3 * row] * solid->pivot[0] +
                     start.rotation[3 * row + 1] * solid->pivot[1] +
                     start.rotation[3 * row + 2] * solid->pivot[2]);
    turn_change(turn, arm, change);

    WeftTransform place;
    for (int row = 0; row < 3; row++)
    {
        place.translation[row] = start.translation[row] + (offset[row] + change[row]);
        for (int column = 0; column < 3; column++)
        {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += turn[3 * row + k] * start.rotation[3 * k + column];
            place.rotation[3 * row + column] = sum;
        }
    }
    return place;
}

WeftTransform weft_pin_motion(const WeftPin *pin, double time)
{
    double        offset[3], degrees[3], change[3];
    WeftTransform motion;
    sample(pin->keyframes, pin->keyframes_count, pin->interpolation, time, offset, degrees);
    rotation_matrix(degrees, motion.rotation);
    // R (x - pivot) + pivot + offset = R x + (offset - (R - I) pivot)
    turn_change(motion.rotation, pin->pivot, change);
    for (int k = 0; k < 3; k++)
        motion.translation[k] = offset[k] - change[k];
    return motion;
}

void weft_air_wind(const WeftAir *air, double time, double wind[3])
{
    // Two sines whose periods stand in the golden ratio never repeat together, yet any time gives
    // the same wind on every machine and after every restart. Their sum stays within [-1, 1].
    double phase = 2 * PI * time / air->gust_period;
    double swell = 0.6 * sin(phase) + 0.4 * sin(1.618033988749895 * phase + 1);
    double factor = 1 + air->gust * swell;
    for (int k = 0; k < 3; k++)
        wind[k] = air->wind[k] * factor;
}
