// keep: the state at the beginning of the step, so that a step that fails can be taken back.
// Reads x, v, change, contact, contact_solid, contact_load. Writes the kept copies. One thread per particle.
#include <string.h>

#include "tiles.h"

static void keep_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    size_t first = strip_begin(strip), count = strip_end(data->particle_count, strip) - first;
    for (int axis = 0; axis < 3; axis++)
    {
        memcpy(data->kept_x[axis] + first, data->x[axis] + first, count * sizeof(real));
        memcpy(data->kept_v[axis] + first, data->v[axis] + first, count * sizeof(real));
        memcpy(data->kept_change[axis] + first, data->change[axis] + first, count * sizeof(real));
    }
    memcpy(data->kept_load + first, data->contact_load + first, count * sizeof(real));
    memcpy(data->kept_contact + first, data->contact + first, count);
    memcpy(data->kept_solid + first, data->contact_solid + first, count * sizeof(int16_t));
}

void WEFT_KERNEL(keep)(EngineData *data)
{
    parallel_strips(data, data->particle_count, keep_strip);
}
