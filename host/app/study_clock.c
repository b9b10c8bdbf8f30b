// study_clock.c: samples of steps, and what they usually take.
#include "study_clock.h"

#include <stdlib.h>
#include <string.h>

#include "sim/sim_internal.h"

enum
{
    FEW = 12 // samples: fewer say nothing about what is usual
};

WeftStatus weft_study_clock_note(WeftStudyClock *clock, const WeftSim *sim)
{
    const WeftRunReport *run = &sim->run;
    uint32_t             steps = run->step_count - clock->last_step;
    if (steps == 0)
        return WEFT_OK;
    if (clock->count == clock->capacity)
    {
        size_t  larger = 2 * clock->capacity + 64;
        double *samples = realloc(clock->samples, larger * WEFT_CLOCK_COLUMNS * sizeof(double));
        clock->samples = samples != NULL ? samples : clock->samples;
        double *sorted = realloc(clock->sorted, larger * sizeof(double));
        clock->sorted = sorted != NULL ? sorted : clock->sorted;
        if (samples == NULL || sorted == NULL)
            return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the study's clock");
        clock->capacity = larger;
    }
    double *sample = clock->samples + clock->count++ * WEFT_CLOCK_COLUMNS;
    for (int column = 0; column < WEFT_CLOCK_COLUMNS; column++)
    {
        double now = column == 0 ? run->wall_seconds : run->stage_seconds[column - 1];
        sample[column] = (now - clock->last[column]) / steps;
        clock->last[column] = now;
    }
    clock->last_step = run->step_count;
    clock->sample_steps += steps;
    return WEFT_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A column's lower quartile, or mean.
static double typical(WeftStudyClock *clock, int column)
{
    double sum = 0;
    for (size_t k = 0; k < clock->count; k++)
    {
        clock->sorted[k] = clock->samples[k * WEFT_CLOCK_COLUMNS + (size_t)column];
        sum += clock->sorted[k];
    }
    if (clock->count < FEW)
        return sum / (double)clock->count;
    qsort(clock->sorted, clock->count, sizeof(double), compare);
    return clock->sorted[clock->count / 4];
}

void weft_study_clock_close(WeftStudyClock *clock)
{
    for (int column = 0; column < WEFT_CLOCK_COLUMNS && clock->count > 0; column++)
        clock->total[column] += clock->sample_steps * typical(clock, column);
    clock->total_steps += clock->sample_steps;
    clock->count = clock->sample_steps = 0;
}

void weft_study_clock_forget(WeftStudyClock *clock)
{
    clock->count = clock->sample_steps = clock->total_steps = 0;
    memset(clock->total, 0, sizeof(clock->total));
}

void weft_study_clock_read(WeftStudyClock *clock, double *step_ms, double *stage_ms)
{
    weft_study_clock_close(clock);
    double ms = clock->total_steps > 0 ? 1e3 / clock->total_steps : 0;
    *step_ms = ms * clock->total[0];
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        stage_ms[stage] = ms * clock->total[1 + stage];
}

void weft_study_clock_destroy(WeftStudyClock *clock)
{
    free(clock->samples);
    free(clock->sorted);
    memset(clock, 0, sizeof(*clock));
}
