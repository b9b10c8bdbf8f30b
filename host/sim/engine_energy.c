// engine_energy.c: kinetic and potential energy.
//
// Springs and threads store what their forces tell when they are integrated from the state at rest. There tension and push cancel,
// so flat cloth stores nothing, and bent cloth what the bending costs. With bounds on the push (kernels/bend.c, kernels/weave.c) less
// comes back than is stored here.
#include <math.h>

#include "parallel.h"
#include "sim/engine.h"
#include "tiles.h"

// (kappa L / 2)^2 of a beam whose chord is `ratio` of its length: t^2 with sin t / t = ratio, by Newton's method.
static double half_turn_squared(double ratio)
{
    double short_by = ratio < 1 ? 1 - ratio : 0;
    double square = 6 * short_by * (1 + short_by * (0.3 + 0.345 * short_by));
    // From here on the series alone is as exact as the difference of 1 and the ratio.
    if (short_by < 1e-4)
        return square;
    double t = sqrt(square);
    for (int k = 0; k < 4; k++)
    {
        double sinc = sin(t) / t;
        t -= (sinc - ratio) * t / (cos(t) - sinc);
    }
    return t * t;
}

// What a beam of length 1 stores against its push of 1 at rest: the push is the slope of 2 t^2 / 12 by the chord.
static double beam_energy(double ratio)
{
    return ratio < 1 ? half_turn_squared(ratio) / 6 : 1 - ratio;
}

// What a spring of stiffness 1 stores that pulls as pulled.h says.
static double pulled_energy(double length, double rest, double slack, double reach)
{
    double beyond = fmax(length - rest, 0), below = fmax(length - slack, 0),
           held = fmin(below, reach);
    return beyond * beyond / 2 + held * held / 2 + reach * (below - held);
}

static double stretch_energy(const SpringList *list, uint32_t k)
{
    double rest = (double)list->rest[k], slack = (double)list->slack[k],
           reach = (double)list->reach[k];
    double length = (double)list->length[k], start = rest / (1 + PLAY);
    return (double)list->stiffness[k] * (pulled_energy(length, rest, slack, reach) -
                                         pulled_energy(start, rest, slack, reach)) +
           (double)list->base[k] / 2 * (length * length - start * start);
}

static double bend_energy(const EngineData *data, uint32_t k, uint32_t owner)
{
    const SpringList *list = &data->bend;
    double            rest = (double)list->rest[k], stiffness = (double)list->stiffness[k], d2 = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        double d = (double)data->x[axis][list->other[k]] - (double)data->x[axis][owner];
        d2 += d * d;
    }
    if (stiffness > 0)
        return 12 * stiffness / rest * beam_energy(sqrt(d2) / rest);
    return (double)list->base[k] / 2 * (rest * rest - d2);
}

static double triangle_energy(const EngineData *data, uint32_t k)
{
    const WeaveList *list = &data->weave;
    double           square[WEFT_THREADS] = {0}, energy = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        const real *x = data->x[axis];
        double      from = (double)x[list->corner[0][k]];
        double      e1 = (double)x[list->corner[1][k]] - from;
        double      e2 = (double)x[list->corner[2][k]] - from;
        for (int thread = 0; thread < WEFT_THREADS; thread++)
        {
            double w =
                (double)list->lay[2 * thread][k] * e1 + (double)list->lay[2 * thread + 1][k] * e2;
            square[thread] += w * w;
        }
    }
    for (int thread = 0; thread < WEFT_THREADS; thread++)
    {
        double length = sqrt(square[thread]), start = 1 / (1 + PLAY);
        double reach = thread < 2 ? (double)list->reach[k] : 0,
               slack = thread < 2 ? (double)list->slack[k] : 1;
        energy += (double)list->strength[thread / 2][k] *
                  (pulled_energy(length, 1, slack, reach) - pulled_energy(start, 1, slack, reach) +
                   reach * (beam_energy(length) - beam_energy(start)));
    }
    return energy;
}

// Sums of a tile: kinetic and gravity in partial, springs in tension.
static void tile_energy(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    const SpringList *list = &data->structural, *bend = &data->bend;
    double            motion = 0, height = 0, stored = 0;
    for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
        for (int axis = 0; axis < 3; axis++)
        {
            double v = (double)data->v[axis][i], mass = (double)data->mass[i];
            motion += mass * v * v / 2;
            height -= mass * (double)data->gravity[axis] * (double)data->x[axis][i];
        }
    for (uint32_t r = list->tile_runs[tile]; r < list->tile_runs[tile + 1]; r++)
        for (uint32_t k = list->runs[r].spring; k < list->runs[r].spring + list->runs[r].count; k++)
            stored += (list->flags[k] & SPRING_PRESENT) ? stretch_energy(list, k) : 0;
    for (uint32_t r = bend->tile_runs[tile]; r < bend->tile_runs[tile + 1]; r++)
        for (uint32_t k = 0; k < bend->runs[r].count; k++)
            if (bend->flags[bend->runs[r].spring + k] & SPRING_PRESENT)
                stored += bend_energy(data, bend->runs[r].spring + k, bend->runs[r].owner + k);
    data->partial[2 * tile] = motion;
    data->partial[2 * tile + 1] = height;
    data->tension[tile] = stored;
}

void WEFT_PRECISE(weft_engine_energy)(EngineData *data, double *kinetic, double *potential)
{
    *kinetic = *potential = 0;
    parallel_tiles(data, data->tile_count, tile_energy);
    for (uint32_t tile = 0; tile < data->tile_count; tile++)
    {
        *kinetic += data->partial[2 * tile];
        *potential += data->partial[2 * tile + 1] + data->tension[tile];
    }
    for (uint32_t k = 0; k < data->weave.count; k++)
        *potential += triangle_energy(data, k);
}
