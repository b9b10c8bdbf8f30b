// integrate: velocities and positions.
// Reads change. Reads and writes v, x. One thread per particle.
//   v <- v + dv,  x <- x + h v   (the new v: backward Euler in x, for explicit and implicit springs
//   alike)
#include "tiles.h"

static void integrate_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    const real h = data->h;
    for (int axis = 0; axis < 3; axis++)
    {
        real *restrict x = data->x[axis], *restrict v = data->v[axis];
        const real *restrict change = data->change[axis];
        for (uint32_t i = strip_begin(strip); i < strip_end(data->particle_count, strip); i++)
        {
            v[i] += change[i];
            x[i] += h * v[i];
        }
    }
}

void WEFT_KERNEL(integrate)(EngineData *data)
{
    parallel_strips(data, data->particle_count, integrate_strip);
}
