// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping; masses. Writes spring flags. One thread per
// spring. Stretch and shear springs act in extension only (Choi and Ko 2002). Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the lighter of its two ends.
#include "parallel.h"

static uint8_t implicit_by_method(const EngineData *data, uint8_t kind, real kappa)
{
    switch (data->method)
    {
    case 0: // explicit
        return 0;
    case 1: // implicit
        return SPRING_IMPLICIT;
    case 2: // implicit stretch, explicit shear
        return (kind & SPRING_SHEAR) ? 0 : SPRING_IMPLICIT;
    default: // adaptive
        return kappa > data->threshold ? SPRING_IMPLICIT : 0;
    }
}

static void classify_run(EngineData *data, const SpringRun *run, uint32_t *active_count,
                         uint32_t *implicit_count)
{
    SpringList *list = &data->structural;
    const real  h = data->h;
    for (uint32_t k = 0; k < run->count; k++)
    {
        uint32_t spring = run->spring + k, a = run->owner + k, b = list->other[spring];
        uint8_t  flags = list->flags[spring] & (SPRING_PRESENT | SPRING_SHEAR);
        // The slack keeps springs at rest from being coupled by the rounding of the positions.
        if ((flags & SPRING_PRESENT) &&
            list->length[spring] > list->rest[spring] * (1 + (real)WEFT_SLACK))
        {
            real mass = data->mass[a] < data->mass[b] ? data->mass[a] : data->mass[b];
            real kappa = h / mass * (list->stiffness[spring] * h + 2 * list->damping[spring]);
            flags |= SPRING_ACTIVE | implicit_by_method(data, flags, kappa);
            *active_count += 1;
            *implicit_count += (flags & SPRING_IMPLICIT) != 0;
        }
        list->flags[spring] = flags;
    }
}

static void classify_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const SpringList *list = &data->structural;
    uint32_t          active_count = 0, implicit_count = 0;
    for (uint32_t run = list->tile_runs[tile]; run < list->tile_runs[tile + 1]; run++)
        classify_run(data, &list->runs[run], &active_count, &implicit_count);
    tally->count[0] += active_count;
    tally->count[1] += implicit_count;
}

void WEFT_KERNEL(classify)(EngineData *data)
{
    Tally tally = parallel_for(data, data->tile_count, 1, classify_tile);
    data->active_count = (uint32_t)tally.count[0];
    data->implicit_count = (uint32_t)tally.count[1];
}
