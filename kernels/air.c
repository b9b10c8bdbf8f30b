// air: drag and lift of the surface against the wind.
// Reads positions, velocities, wind. Writes the force on each corner of each triangle. One thread
// per triangle. Per-triangle aerodynamic force as in Eberhardt, Weber and Strasser 1996: with the
// wind relative to the triangle w = wind - v and the unit normal n on the side that the wind leaves
// (w.n >= 0), drag acts along w and lift across it in the plane of w and n. Both are proportional
// to the area turned to the wind, A (w.n) / |w|, and lift also to the cosine of the angle of
// attack:
//   F = rho A / 2 (w.n) [ cd w + cl ( |w| n - (w.n) w / |w| ) ].
#include <math.h>

#include "parallel.h"

static void air_triangle(EngineData *data, uint32_t triangle)
{
    uint32_t a = data->corners[0][triangle], b = data->corners[1][triangle],
             c = data->corners[2][triangle];
    real edge1[3], edge2[3], w[3];
    for (int axis = 0; axis < 3; axis++)
    {
        const real *x = data->x[axis], *v = data->v[axis];
        edge1[axis] = x[b] - x[a];
        edge2[axis] = x[c] - x[a];
        w[axis] = data->wind[axis] - (v[a] + v[b] + v[c]) * (real)(1.0 / 3.0);
    }

    // Twice the area times the normal.
    real n[3] = {edge1[1] * edge2[2] - edge1[2] * edge2[1],
                 edge1[2] * edge2[0] - edge1[0] * edge2[2],
                 edge1[0] * edge2[1] - edge1[1] * edge2[0]};
    real double_area = WEFT_REAL_SQRT(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    real inverse = double_area > 0 ? 1 / double_area : 0;
    real through = (w[0] * n[0] + w[1] * n[1] + w[2] * n[2]) * inverse;
    real speed = WEFT_REAL_SQRT(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (through < 0)
    {
        through = -through;
        inverse = -inverse;
    }

    // A third of the force on each corner.
    real scale = data->air_density * double_area * (real)(0.5 * 0.5 / 3.0);
    real slope = speed > 0 ? through / speed : 0;
    real on_wind = scale * through * (data->air_drag - data->air_lift * slope);
    real on_normal = scale * through * data->air_lift * speed * inverse;
    for (int axis = 0; axis < 3; axis++)
        data->air_force[axis][triangle] = on_wind * w[axis] + on_normal * n[axis];
}

static void air_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    (void)tally;
    uint32_t end =
        (tile + 1) * TILE < data->triangle_count ? (tile + 1) * TILE : data->triangle_count;
    for (uint32_t triangle = tile * TILE; triangle < end; triangle++)
        air_triangle(data, triangle);
}

void WEFT_KERNEL(air)(EngineData *data)
{
    if (data->air_density <= 0)
        return;
    parallel_tiles(data, (data->triangle_count + TILE - 1) / TILE, air_tile);
}
