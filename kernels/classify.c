// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping; masses. Writes spring flags. One thread per
// spring. Stretch and shear springs act in extension only (Choi and Ko 2002). Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the lighter of its two ends.
//
// An implicit spring that is all but taut has no force yet, but its block is in the matrix. Without
// it a pull would spread through cloth at rest by one spring a step, each being overstretched in turn
// by a neighbour that the system lets go too far: energy out of nothing.
#include <math.h>

#include "parallel.h"

// Kappa above which a spring of a kind is implicit: the methods differ only in that.
static real limit_of(const EngineData *data, bool is_shear)
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

WEFT_INLINE void classify_run(EngineData *data, const SpringRun *run, bool scattered, Tally *tally)
{
    SpringList    *list = &data->structural;
    const uint32_t first = run->spring;
    const real     h = data->h, stretch_limit = limit_of(data, false),
               shear_limit = limit_of(data, true);
    const real *restrict mass_a = data->mass + run->owner, *restrict mass_b =
                                                               data->mass +
                                                               (scattered
                                                                    ? 0
                                                                    : run->owner +
                                                                          (uint32_t)run->offset);
    const real *restrict length = list->length + first, *restrict rest = list->rest + first;
    const real *restrict stiffness = list->stiffness + first, *restrict damping =
                                                                  list->damping + first;
    const uint32_t *restrict other = list->other + first;
    uint8_t *restrict flags = list->flags + first;
    uint32_t active_count = 0, implicit_count = 0;

#pragma omp simd reduction(+ : active_count, implicit_count)
    for (size_t k = 0; k < run->count; k++)
    {
        size_t   b = scattered ? other[k] : k;
        uint32_t kind = flags[k] & (SPRING_PRESENT | SPRING_SHEAR);
        real     mass = mass_a[k] < mass_b[b] ? mass_a[k] : mass_b[b];
        real     kappa = h / mass * (stiffness[k] * h + 2 * damping[k]);
        real     limit = (kind & SPRING_SHEAR) ? shear_limit : stretch_limit;

        uint32_t active = (kind & SPRING_PRESENT) && length[k] > rest[k] ? 1 : 0;
        uint32_t taut =
            (kind & SPRING_PRESENT) && rest[k] - length[k] < rest[k] * (real)NEARLY_TAUT ? 1 : 0;
        uint32_t implicit = kappa > limit ? taut : 0;
        flags[k] = (uint8_t)(kind | active * SPRING_ACTIVE | implicit * SPRING_IMPLICIT);
        active_count += active;
        implicit_count += implicit;
    }
    tally->count[0] += active_count;
    tally->count[1] += implicit_count;
}

static void classify_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const SpringList *list = &data->structural;
    for (uint32_t k = list->tile_runs[tile]; k < list->tile_runs[tile + 1]; k++)
    {
        const SpringRun *run = &list->runs[k];
        if (run->offset == RUN_SCATTERED)
            classify_run(data, run, true, tally);
        else
            classify_run(data, run, false, tally);
    }
}

void WEFT_KERNEL(classify)(EngineData *data)
{
    Tally tally = parallel_tiles(data, data->tile_count, classify_tile);
    data->active_count = (uint32_t)tally.count[0];
    data->implicit_count = (uint32_t)tally.count[1];
}
