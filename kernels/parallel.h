// parallel.h: a stage's loop over tiles, chunks or systems, shared among the threads.
#pragma once

#include "data.h"
#include "sim/pool.h"

// What a thread finds out on the way, from portion to portion. Whole numbers and maxima: the order of adding does not show in the result.
typedef struct Tally
{
    _Alignas(64) uint64_t count[4];
    double largest;
    int    thread;
} Tally;

typedef void (*ParallelBody)(EngineData *data, uint32_t index, Tally *tally);

#define MAX_THREADS 256

typedef struct ParallelLoop
{
    EngineData  *data;
    ParallelBody body;
    Tally        tallies[MAX_THREADS];
} ParallelLoop;

static inline void add_tally(Tally *sum, const Tally *found)
{
    for (int k = 0; k < 4; k++)
        sum->count[k] += found->count[k];
    if (found->largest > sum->largest)
        sum->largest = found->largest;
}

static inline void parallel_portion(void *context, uint32_t begin, uint32_t end, int thread)
{
    ParallelLoop *loop = context;
    for (uint32_t index = begin; index < end; index++)
        loop->body(loop->data, index, &loop->tallies[thread]);
}

// Calls body for 0..count-1, `grain` of them at a time, and adds up what the threads found.
static inline Tally parallel_loop(EngineData *data, uint32_t count, uint32_t grain,
                                  WeftPoolOrder order, ParallelBody body)
{
    ParallelLoop loop;
    int          threads = weft_pool_threads(data->pool);
    loop.data = data;
    loop.body = body;
    for (int thread = 0; thread < threads; thread++)
        loop.tallies[thread] = (Tally){.thread = thread};
    weft_pool_run(data->pool, count, grain, order, parallel_portion, &loop);
    Tally sum = {.thread = 0};
    for (int thread = 0; thread < threads; thread++)
        add_tally(&sum, &loop.tallies[thread]);
    return sum;
}

// To each thread in rising order.
static inline Tally parallel_for(EngineData *data, uint32_t count, uint32_t grain,
                                 ParallelBody body)
{
    return parallel_loop(data, count, grain, WEFT_POOL_RISING, body);
}

// By shares, `grain` at a time: nearly all of what a thread takes it takes without asking another one's caches.
static inline Tally parallel_shares(EngineData *data, uint32_t count, uint32_t grain,
                                    ParallelBody body)
{
    return parallel_loop(data, count, grain, WEFT_POOL_BY_SHARES, body);
}

// The same over tiles or chunks, in a few long portions for each thread, and the same ones in every stage: neighbouring tiles are
// neighbours in memory, short portions would cut the streams that the processor fetches ahead, and a small cloth stays in the caches.
static inline Tally parallel_tiles(EngineData *data, uint32_t count, ParallelBody body)
{
    uint32_t grain = count / (4 * (uint32_t)weft_pool_threads(data->pool));
    return parallel_shares(data, count, grain > 1 ? grain : 1, body);
}
