// guard: lengths of the stretch and shear springs, the largest stretch, and whether all positions
// are finite. Reads x. Writes spring length; largest_stretch, finite. One thread per spring.
#include <math.h>

#include "parallel.h"
#include "tiles.h"

static inline real measure_run(EngineData *data, const SpringRun *run, bool scattered)
{
    SpringList    *list = &data->structural;
    const uint32_t first = run->spring, owner = run->owner, offset = (uint32_t)run->offset;
    const real *restrict x0 = data->x[0], *restrict x1 = data->x[1], *restrict x2 = data->x[2];
    const real *restrict rest = list->rest + first;
    const uint8_t *restrict flags = list->flags + first;
    const uint32_t *restrict other = list->other + first;
    real *restrict length = list->length + first;
    real largest = 0;
#pragma omp simd reduction(max : largest)
    for (uint32_t k = 0; k < run->count; k++)
    {
        uint32_t a = owner + k, b = scattered ? other[k] : a + offset;
        real     d0 = x0[b] - x0[a], d1 = x1[b] - x1[a], d2 = x2[b] - x2[a];
        length[k] = WEFT_REAL_SQRT(d0 * d0 + d1 * d1 + d2 * d2);
        real stretch = (flags[k] & SPRING_PRESENT) ? length[k] / rest[k] : 0;
        largest = stretch > largest ? stretch : largest;
    }
    return largest;
}

static bool tile_is_finite(const EngineData *data, uint32_t tile)
{
    // A number minus itself is zero only if it is finite.
    real odd = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        const real *restrict x = data->x[axis];
        for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
            odd += x[i] - x[i];
    }
    return odd == 0;
}

static void guard_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    const SpringList *list = &data->structural;
    for (uint32_t k = list->tile_runs[tile]; k < list->tile_runs[tile + 1]; k++)
    {
        const SpringRun *run = &list->runs[k];
        double stretch = (double)(run->offset == RUN_SCATTERED ? measure_run(data, run, true)
                                                               : measure_run(data, run, false));
        tally->largest = stretch > tally->largest ? stretch : tally->largest;
    }
    tally->count[0] += !tile_is_finite(data, tile);
}

void WEFT_KERNEL(guard)(EngineData *data)
{
    Tally tally = parallel_for(data, data->tile_count, 1, guard_tile);
    data->largest_stretch = tally.largest;
    data->finite = tally.count[0] == 0;
}
