// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#include "parallel.h"
#include "tiles.h"

static void integrate_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    const real h = data->h;
    for (int axis = 0; axis < 3; axis++)
    {
        real *restrict x = data->x[axis], *restrict v = data->v[axis];
        const real *restrict change = data->change[axis];
        for (uint32_t i = tile_begin(tile); i < tile_end(data, tile); i++)
        {
            v[i] += change[i];
            x[i] += h * v[i];
        }
    }
}

void WEFT_KERNEL(integrate)(EngineData *data)
{
    parallel_tiles(data, data->tile_count, integrate_tile);
}
