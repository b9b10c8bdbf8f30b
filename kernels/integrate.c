// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#include "tiles.h"

void WEFT_KERNEL(integrate)(EngineData *data)
{
    const real h = data->h;
#pragma omp parallel for num_threads(data->threads) schedule(static)
    for (uint32_t tile = 0; tile < data->tile_count; tile++)
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
