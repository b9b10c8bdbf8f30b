// stretch.c: a histogram of stretches.
#include "render/stretch.h"

void weft_stretches_add(WeftStretches *stretches, const WeftRenderSpring *springs,
                        uint32_t spring_count, const double *places)
{
    for (uint32_t k = 0; k < spring_count; k++)
    {
        double square = 0;
        for (size_t axis = 0; axis < 3; axis++)
        {
            double part =
                places[3 * (size_t)springs[k].a + axis] - places[3 * (size_t)springs[k].b + axis];
            square += part * part;
        }
        double stretch = fmax(sqrt(square) / (double)springs[k].rest - 1, 0);
        stretches->bins[(size_t)fmin(stretch * WEFT_STRETCH_BINS, WEFT_STRETCH_BINS - 1)]++;
        stretches->count++;
    }
}

float weft_stretches_range(const WeftStretches *stretches)
{
    static const float round_numbers[] = {0.002f, 0.005f, 0.01f, 0.02f, 0.05f, 0.1f, 0.2f, 0.5f};
    uint64_t           beyond = 0;
    size_t             bin = WEFT_STRETCH_BINS;
    while (bin > 0 && beyond + stretches->bins[bin - 1] <= stretches->count / 500)
        beyond += stretches->bins[--bin];
    float stretch = (float)bin / WEFT_STRETCH_BINS;
    for (size_t k = 0; k < sizeof round_numbers / sizeof *round_numbers; k++)
        if (stretch <= round_numbers[k])
            return round_numbers[k];
    return 1;
}
