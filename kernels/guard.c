// guard: lengths of the stretch and shear springs, the largest stretch, and whether all positions
// are finite. Reads x. Writes spring length; largest_stretch, finite. One thread per spring.
#include <math.h>

#include "parallel.h"
#include "tiles.h"

WEFT_INLINE real measure_run(EngineData *data, const SpringRun *run, bool scattered)
{
    SpringList    *list = &data->structural;
    const uint32_t first = run->spring;
    const size_t   near = run->owner, far = scattered ? 0 : run->owner + (uint32_t)run->offset;
    const real *restrict xa0 = data->x[0] + near, *restrict xa1 = data->x[1] + near,
                         *restrict xa2 = data->x[2] + near;
    const real *restrict xb0 = data->x[0] + far, *restrict xb1 = data->x[1] + far,
                         *restrict xb2 = data->x[2] + far;
    const real *restrict rest = list->rest + first;
    const uint8_t *restrict flags = list->flags + first;
    const uint32_t *restrict other = list->other + first;
    real *restrict length = list->length + first;
    real largest = 0;
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < run->count; k++)
    {
        size_t b = scattered ? other[k] : k;
        real   d0 = xb0[b] - xa0[k], d1 = xb1[b] - xa1[k], d2 = xb2[b] - xa2[k];
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
    Tally tally = parallel_tiles(data, data->tile_count, guard_tile);
    data->largest_stretch = tally.largest;
    data->finite = tally.count[0] == 0;
}
