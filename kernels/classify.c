// classify: which springs act in this step, and which of them are implicit.
// Reads spring length, rest, stiffness, damping, what weave adds; shares. Writes spring flags. One
// thread per spring. Stretch and shear springs act in extension only (Choi and Ko 2002); an edge of
// triangles acts while a thread in them does, and is implicit where weave gave it a block. Adaptive IMEX
// (Boxerman and Ascher 2004, section 3.5): a spring is implicit where kappa = (h / m) (k h + 2 d)
// exceeds the threshold, m the smaller share of its two ends (data.h).
//
// An implicit spring that is all but taut has no force yet, but its block is in the matrix. Without
// it a pull would spread through cloth at rest by one spring a step, each being overstretched in turn
// by a neighbour that the system lets go too far: energy out of nothing.
#include "implicit.h"
#include "parallel.h"

WEFT_INLINE void classify_run(EngineData *data, const SpringRun *run, bool scattered, bool woven,
                              Tally *tally)
{
    SpringList    *list = &data->structural;
    const uint32_t first = run->spring;
    const real     h = data->h, stretch_limit = implicit_above(data, false),
               shear_limit = implicit_above(data, true);
    const real *restrict share_a = data->share + run->owner, *restrict share_b =
                                                                 data->share +
                                                                 (scattered
                                                                      ? 0
                                                                      : run->owner +
                                                                            (uint32_t)run->offset);
    const real *restrict length = list->length + first, *restrict slack = list->slack + first;
    const real *restrict stiffness = list->stiffness + first,
                         *restrict damping = list->damping + first,
                         *restrict base = list->base + first;
    const real *restrict tension = woven ? list->tension + first : NULL;
    const real *restrict woven0 = woven ? list->weave[0] + first : NULL,
                         *restrict woven1 = woven ? list->weave[1] + first : NULL,
                         *restrict woven2 = woven ? list->weave[2] + first : NULL;
    const uint32_t *restrict other = list->other + first;
    uint8_t *restrict flags = list->flags + first;
    uint32_t active_count = 0, implicit_count = 0;

#pragma omp simd reduction(+ : active_count, implicit_count)
    for (size_t k = 0; k < run->count; k++)
    {
        size_t   b = scattered ? other[k] : k;
        uint32_t kind = flags[k] & (SPRING_PRESENT | SPRING_SHEAR | SPRING_WOVEN);
        real     mass = share_a[k] < share_b[b] ? share_a[k] : share_b[b];
        real     limit = (kind & SPRING_SHEAR) ? shear_limit : stretch_limit;

        uint32_t own = (kind & (SPRING_PRESENT | SPRING_WOVEN)) == SPRING_PRESENT ? 1 : 0;
        uint32_t active = length[k] > slack[k] ? own : 0;
        uint32_t taut = slack[k] - length[k] < slack[k] * (real)NEARLY_TAUT ? own : 0;
        uint32_t based = base[k] > 0 ? 1 : 0;
        if (woven)
        {
            active = tension[k] != 0 ? 1 : active;
            taut = active > taut ? active : taut;
        }
        real     stiff = (taut ? stiffness[k] : 0) + (based ? base[k] : 0);
        real     kappa = h / mass * (stiff * h + 2 * (taut ? damping[k] : 0));
        uint32_t implicit = kappa > limit ? taut | based : 0;
        if (woven)
            implicit = woven0[k] != 0 || woven1[k] != 0 || woven2[k] != 0 ? 1 : implicit;
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
        if (data->weave.count > 0)
            classify_run(data, run, run->offset == RUN_SCATTERED, true, tally);
        else if (run->offset == RUN_SCATTERED)
            classify_run(data, run, true, false, tally);
        else
            classify_run(data, run, false, false, tally);
    }
}

void WEFT_KERNEL(classify)(EngineData *data)
{
    Tally tally = parallel_tiles(data, data->tile_count, classify_tile);
    data->active_count = (uint32_t)tally.count[0];
    data->implicit_count = (uint32_t)tally.count[1];
}
