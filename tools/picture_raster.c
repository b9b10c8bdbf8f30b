// picture_raster.c: fills triangles row by row.
//
// Both uses have a depth that is linear over the grid and grows towards the viewer: 1/z for the
// camera, height along the light for a depth map. Spans are closed at both ends and a shared edge
// gives both its triangles the same crossing, bit for bit, so no crack opens between them.
#include "picture.h"

void weft_picture_raster_triangle(PictureRaster *raster, const float corners[3][3], uint32_t id)
{
    // Most calls are for a triangle of other rows.
    float low = fminf(corners[0][1], fminf(corners[1][1], corners[2][1]));
    float high = fmaxf(corners[0][1], fmaxf(corners[1][1], corners[2][1]));
    if (!(high > (float)raster->top && low < (float)raster->bottom))
        return;

    // In double, as the products of sample coordinates fill more than a float.
    double points[3][3];
    for (int k = 0; k < 9; k++)
        points[k / 3][k % 3] = corners[k / 3][k % 3];
    const double *a = points[0], *b = points[1], *c = points[2];
    double        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(fabs(area) > 1e-12))
        return;
    if (area < 0)
    {
        const double *swapped = b;
        b = c, c = swapped, area = -area;
    }

    // Rows and depth range that the triangle covers.
    float depth_low = (float)fmin(a[2], fmin(b[2], c[2]));
    float depth_high = (float)fmax(a[2], fmax(b[2], c[2]));
    int   first = (int)fmax(raster->top, ceil(low - 0.5));
    int   last = (int)fmin(raster->bottom - 1, floor(high - 0.5));

    // Edge k is inside where ex x + ey y + e0 >= 0.
    const double *from[3] = {a, b, c}, *to[3] = {b, c, a};
    double        ex[3], ey[3], e0[3];
    for (int k = 0; k < 3; k++)
    {
        ex[k] = from[k][1] - to[k][1];
        ey[k] = to[k][0] - from[k][0];
        e0[k] = from[k][0] * to[k][1] - to[k][0] * from[k][1];
    }
    double slope_x = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / area;
    double slope_y = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / area;

    for (int y = first; y <= last; y++)
    {
        double line = y + 0.5, begin = 0.5, end = raster->width - 0.5;
        for (int k = 0; k < 3; k++)
        {
            double rest = ey[k] * line + e0[k];
            if (ex[k] > 0)
                begin = fmax(begin, -rest / ex[k]);
            else if (ex[k] < 0)
                end = fmin(end, -rest / ex[k]);
            else if (rest < 0)
                end = -1;
        }
        if (end < begin)
            continue;
        int    left = (int)ceil(begin - 0.5), right = (int)floor(end - 0.5);
        double start = a[2] + slope_x * (left + 0.5 - a[0]) + slope_y * (line - a[1]);
        size_t row = (size_t)(y - raster->top) * (size_t)raster->width;
        float *depth = raster->depth + row;
        float  value = (float)start, step = (float)slope_x;

        // A sliver's slope is steep enough to overshoot, hence the clamp.
        for (int x = left; x <= right; x++)
        {
            float here = clampf(value + step * (float)(x - left), depth_low, depth_high);
            if (here > depth[x])
            {
                depth[x] = here;
                if (raster->ids)
                    raster->ids[row + (size_t)x] = id;
            }
        }
    }
}
