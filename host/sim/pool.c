// pool.c: see pool.h.
//
// `gate` holds the number of the loop, whether it is open, and how many workers are inside. A worker enters by adding itself while the loop
// is open; the caller closes it and waits until nobody is inside. A loop is published only when the last one is closed and empty,
// so that its fields never change under a worker.
#define _GNU_SOURCE
#include "sim/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS 4000 // some 50 microseconds; about what waking a sleeper costs

#define INSIDE_MASK 0xFFFFFFull
#define OPEN_BIT (1ull << 24)
#define LOOP_STEP (1ull << 25)

typedef struct Worker
{
    WeftPool *pool;
    pthread_t thread;
    int       number;
} Worker;

// A thread's own part of the indices.
typedef struct Share
{
    _Alignas(64) _Atomic uint32_t next; // first index that nobody has taken
    uint32_t end;
} Share;

struct WeftPool
{
    _Alignas(64) _Atomic uint64_t gate;
    _Alignas(64) uint32_t grain;
    WeftPoolTask task;
    void        *context;

    _Atomic bool    stopping;
    _Atomic int     sleepers; // workers and caller that wait on `changed`
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    int             worker_count;
    Worker         *workers;
    Share          *shares; // of the caller and the workers
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Wakes whoever sleeps. The gate was changed before.
static void announce(WeftPool *pool)
{
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

// Waits until the gate no longer is `seen`; spins first.
static void wait_for_change(WeftPool *pool, uint64_t seen)
{
    for (int spin = 0; spin < SPINS; spin++)
    {
        if (atomic_load_explicit(&pool->gate, memory_order_acquire) != seen ||
            atomic_load(&pool->stopping))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->gate) == seen && !atomic_load(&pool->stopping))
        pthread_cond_wait(&pool->changed, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

// First of the own share, after that of those of others that are late.
static void take_portions(WeftPool *pool, int thread)
{
    const int count = pool->worker_count + 1;
    for (int k = 0; k < count; k++)
    {
        Share *share = &pool->shares[(thread + k) % count];
        while (atomic_load_explicit(&share->next, memory_order_relaxed) < share->end)
        {
            uint32_t begin =
                atomic_fetch_add_explicit(&share->next, pool->grain, memory_order_relaxed);
            if (begin >= share->end)
                break;
            uint32_t left = share->end - begin;
            pool->task(pool->context, begin, begin + (left < pool->grain ? left : pool->grain),
                       thread);
        }
    }
}

static void *work(void *argument)
{
    Worker   *worker = argument;
    WeftPool *pool = worker->pool;
    uint64_t  done = 0; // loop that this worker has been in
    while (!atomic_load(&pool->stopping))
    {
        uint64_t seen = atomic_load(&pool->gate);
        if (!(seen & OPEN_BIT) || seen / LOOP_STEP == done)
        {
            wait_for_change(pool, seen);
            continue;
        }
        if (!atomic_compare_exchange_strong(&pool->gate, &seen, seen + 1))
            continue;
        done = seen / LOOP_STEP;
        take_portions(pool, worker->number);
        atomic_fetch_sub(&pool->gate, 1);
        announce(pool);
    }
    return NULL;
}

WeftPool *weft_pool_create(int threads)
{
    WeftPool *pool = aligned_alloc(64, (sizeof(WeftPool) + 63) / 64 * 64);
    if (pool == NULL)
        return NULL;
    *pool = (WeftPool){.worker_count = 0, .grain = 1};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    const size_t most = threads > 1 ? (size_t)threads : 1;
    pool->workers = calloc(most, sizeof(Worker));
    pool->shares = aligned_alloc(64, most * sizeof(Share));
    for (int number = 1; pool->workers != NULL && pool->shares != NULL && number < threads;
         number++)
    {
        Worker *worker = &pool->workers[pool->worker_count];
        worker->pool = pool;
        worker->number = number;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
        pool->worker_count++;
    }
    return pool;
}

void weft_pool_destroy(WeftPool *pool)
{
    if (pool == NULL)
        return;
    atomic_store(&pool->stopping, true);
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->worker_count; k++)
        pthread_join(pool->workers[k].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->changed);
    free(pool->workers);
    free(pool->shares);
    free(pool);
}

// Where a thread's share begins; in rising order all is in the first.
static uint32_t share_begin(uint32_t count, uint32_t thread, uint32_t threads, WeftPoolOrder order)
{
    if (order == WEFT_POOL_RISING)
        return thread == 0 ? 0 : count;
    return (uint32_t)((uint64_t)count * thread / threads);
}

int weft_pool_threads(const WeftPool *pool)
{
    return pool->worker_count + 1;
}

void weft_pool_run(WeftPool *pool, uint32_t count, uint32_t grain, WeftPoolOrder order,
                   WeftPoolTask task, void *context)
{
    if (pool->worker_count == 0 || count <= grain)
    {
        if (count > 0)
            task(context, 0, count, 0);
        return;
    }

    // Publish: the gate is closed and empty, nobody looks at the fields.
    pool->grain = grain;
    pool->task = task;
    pool->context = context;
    const uint32_t threads = (uint32_t)pool->worker_count + 1;
    for (uint32_t k = 0; k < threads; k++)
    {
        Share *share = &pool->shares[k];
        atomic_store_explicit(&share->next, share_begin(count, k, threads, order),
                              memory_order_relaxed);
        share->end = share_begin(count, k + 1, threads, order);
    }
    uint64_t gate = atomic_load(&pool->gate);
    atomic_store(&pool->gate, gate + LOOP_STEP + OPEN_BIT);
    announce(pool);
    take_portions(pool, 0);

    // Close, and wait for those inside.
    gate = atomic_fetch_and(&pool->gate, ~OPEN_BIT) & ~OPEN_BIT;
    while (gate & INSIDE_MASK)
    {
        wait_for_change(pool, gate);
        gate = atomic_load(&pool->gate);
    }
}

int weft_pool_core_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
