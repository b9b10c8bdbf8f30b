// air: drag and lift of the surface against the wind.
// Reads positions, velocities, wind. Writes the force on each corner of each triangle. One thread
// per triangle. Per-triangle aerodynamic force as in Eberhardt, Weber and Strasser 1996: with the
// wind relative to the triangle w = wind - v and the unit normal n on the side that the wind leaves
// (w.n >= 0), drag acts along w and lift across it in the plane of w and n. Both are proportional
// to the area turned to the wind, A (w.n) / |w|, and lift also to the cosine of the angle of
// attack:
//   F = rho A / 2 (w.n) [ cd w + cl ( |w| n - (w.n) w / |w| ) ].
#include <math.h>

#include "slices.h"
#include "tiles.h"

// Eight triangles from `first` on. Behind the last one there is room, with triangles of nothing.
static void air_eight(EngineData *data, uint32_t first)
{
    const uint32_t *a = data->corners[0] + first, *b = data->corners[1] + first,
                   *c = data->corners[2] + first;
    const Lanes none = {0};
    Lanes       edge1[3], edge2[3], w[3], n[3];
    for (int axis = 0; axis < 3; axis++)
    {
        const real *x = data->x[axis], *v = data->v[axis];
        Lanes       at = lanes_gather(x, a);
        edge1[axis] = lanes_gather(x, b) - at;
        edge2[axis] = lanes_gather(x, c) - at;
        w[axis] =
            data->wind[axis] -
            (lanes_gather(v, a) + lanes_gather(v, b) + lanes_gather(v, c)) * (real)(1.0 / 3.0);
    }

    // Twice the area times the normal.
    n[0] = edge1[1] * edge2[2] - edge1[2] * edge2[1];
    n[1] = edge1[2] * edge2[0] - edge1[0] * edge2[2];
    n[2] = edge1[0] * edge2[1] - edge1[1] * edge2[0];
    Lanes double_area = lanes_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    Lanes inverse = lanes_select(double_area > 0, 1 / double_area, none);
    Lanes through = (w[0] * n[0] + w[1] * n[1] + w[2] * n[2]) * inverse;
    Lanes speed = lanes_sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    inverse = lanes_select(through < 0, -inverse, inverse);
    through = lanes_select(through < 0, -through, through);

    // A third of the force on each corner.
    Lanes scale = data->air_density * double_area * (real)(0.5 * 0.5 / 3.0);
    Lanes slope = lanes_select(speed > 0, through / speed, none);
    Lanes on_wind = scale * through * (data->air_drag - data->air_lift * slope);
    Lanes on_normal = scale * through * data->air_lift * speed * inverse;
    for (int axis = 0; axis < 3; axis++)
        lanes_store(data->air_force[axis] + first, on_wind * w[axis] + on_normal * n[axis]);
}

static void air_strip(EngineData *data, uint32_t strip, Tally *tally)
{
    (void)tally;
    const uint32_t end = strip_end(data->triangle_count, strip);
    for (uint32_t first = strip_begin(strip); first < end; first += SLICE)
        air_eight(data, first);
}

void WEFT_KERNEL(air)(EngineData *data)
{
    if (data->air_density > 0)
        parallel_strips(data, data->triangle_count, air_strip);
}
