// triad.c: see triad.h.
#include "triad.h"

#include <stdlib.h>

#include "clock.h"
#include "sim/pool.h"

#define COUNT (24u * 1024 * 1024)
#define BLOCK (64u * 1024) // elements a portion

typedef struct Arrays
{
    float *a, *b, *c;
    float  scale;
} Arrays;

static void triad(void *context, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Arrays *arrays = context;
    float *restrict a = arrays->a;
    const float *restrict b = arrays->b, *restrict c = arrays->c;
    for (uint32_t i = begin; i < end; i++)
        a[i] = b[i] + arrays->scale * c[i];
}

double weft_triad_bandwidth(int threads)
{
    Arrays    arrays = {malloc(COUNT * sizeof(float)), malloc(COUNT * sizeof(float)),
                        malloc(COUNT * sizeof(float)), 1};
    WeftPool *pool = weft_pool_create(threads);
    double    best = 0;
    if (arrays.a != NULL && arrays.b != NULL && arrays.c != NULL && pool != NULL)
    {
        for (uint32_t i = 0; i < COUNT; i++)
        {
            arrays.a[i] = 0;
            arrays.b[i] = 1;
            arrays.c[i] = 2;
        }
        for (int round = 0; round < 12; round++)
        {
            double start = weft_clock_seconds();
            arrays.scale += 1;
            weft_pool_run(pool, COUNT, BLOCK, WEFT_POOL_BY_SHARES, triad, &arrays);
            double rate = 3.0 * sizeof(float) * COUNT / (weft_clock_seconds() - start);
            best = rate > best ? rate : best;
        }
    }
    weft_pool_destroy(pool);
    free(arrays.a);
    free(arrays.b);
    free(arrays.c);
    return best;
}
