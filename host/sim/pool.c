// pool.c: see pool.h.
//
// What costs time in a short loop is what one core has to fetch from another, so little is shared: `loop` and the fields that go with it lie
// in one line, which only the caller writes; how far a thread's share is taken and done lies in a line of its own, which others write only
// when the thread is late. Both carry the number of their loop, so that nobody has to reset them: a share of an older loop has not
// been begun. Who comes so late that the loop is over finds its share taken, and touches nothing.
#define _GNU_SOURCE
#include "sim/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SPINS 4000 // some 50 microseconds; about what waking a sleeper costs
#define LOOKS_APART                                                                                \
    16 // pauses between looks at what another thread has left, which cost that thread time, too
#define PATIENCE 5000    // nanoseconds that another thread may always be late
#define PATIENCE_SHARE 8 // and this part of the time that the own share took

typedef struct Worker
{
    WeftPool *pool;
    pthread_t thread;
    int       number;
} Worker;

// A thread's own part of the indices: number of the loop in the upper half; how many are taken, and done, in the lower.
typedef struct Share
{
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint64_t done;
} Share;

// What a loop does.
typedef struct Loop
{
    uint32_t      number, count, grain;
    WeftPoolOrder order;
    WeftPoolTask  task;
    void         *context;
} Loop;

struct WeftPool
{
    // The loop that is going on or was the last one. `loop` is its number, odd while the others are being written.
    _Alignas(64) _Atomic uint32_t loop;
    _Atomic uint32_t     count, grain;
    _Atomic uint32_t     order;
    _Atomic WeftPoolTask task;
    void *_Atomic        context;

    _Alignas(64) _Atomic int sleepers; // workers and caller that wait on `changed`
    _Atomic bool    stopping;
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

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Wakes whoever sleeps. What they wait for was changed before.
static void announce(WeftPool *pool)
{
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

// Where a thread's share begins; in rising order all is in the first.
static uint32_t share_begin(const WeftPool *pool, const Loop *loop, uint32_t thread)
{
    if (loop->order == WEFT_POOL_RISING)
        return thread == 0 ? 0 : loop->count;
    return (uint32_t)((uint64_t)loop->count * thread / ((uint32_t)pool->worker_count + 1));
}

static uint32_t share_size(const WeftPool *pool, const Loop *loop, uint32_t thread)
{
    return share_begin(pool, loop, thread + 1) - share_begin(pool, loop, thread);
}

// The count in a word of a share: 0 if it is of an older loop, `size` if of a later one.
static uint32_t count_of(uint64_t word, const Loop *loop, uint32_t size)
{
    int32_t later = (int32_t)((uint32_t)(word >> 32) - loop->number);
    if (later != 0)
        return later < 0 ? 0 : size;
    return (uint32_t)word;
}

static uint64_t word_of(const Loop *loop, uint32_t count)
{
    return (uint64_t)loop->number << 32 | count;
}

// Takes the next portion of a share, and says how many indices that are.
static uint32_t take_portion(Share *share, const Loop *loop, uint32_t size, uint32_t *begin)
{
    uint64_t seen = atomic_load(&share->taken);
    for (;;)
    {
        *begin = count_of(seen, loop, size);
        uint32_t left = size - *begin, portion = left < loop->grain ? left : loop->grain;
        if (portion == 0 ||
            atomic_compare_exchange_weak(&share->taken, &seen, word_of(loop, *begin + portion)))
            return portion;
    }
}

static void take_from(WeftPool *pool, const Loop *loop, uint32_t owner, int thread)
{
    Share         *share = &pool->shares[owner];
    const uint32_t first = share_begin(pool, loop, owner), size = share_size(pool, loop, owner);
    uint32_t       begin, portion, finished = 0;
    while ((portion = take_portion(share, loop, size, &begin)) > 0)
    {
        loop->task(loop->context, first + begin, first + begin + portion, thread);
        finished += portion;
    }
    if (finished == 0)
        return;
    uint64_t seen = atomic_load(&share->done);
    while (!atomic_compare_exchange_weak(&share->done, &seen,
                                         word_of(loop, count_of(seen, loop, size) + finished)))
        ;
    announce(pool);
}

// Whether another thread is so late that its share is better taken than left to it. What is taken has to come from that thread's caches,
// which takes longer than the work does.
static bool is_late(WeftPool *pool, const Loop *loop, uint32_t owner, uint64_t began)
{
    const Share   *share = &pool->shares[owner];
    const uint32_t size = share_size(pool, loop, owner);
    uint64_t       now = nanoseconds(), patience = now + PATIENCE + (now - began) / PATIENCE_SHARE;
    while (count_of(atomic_load(&share->taken), loop, size) < size)
    {
        for (int pause = 0; pause < LOOKS_APART; pause++)
            pause_briefly();
        if (nanoseconds() > patience)
            return true;
    }
    return false;
}

// First the own share, after that those of others that are late.
static void take_part(WeftPool *pool, const Loop *loop, int thread)
{
    const uint32_t count = (uint32_t)pool->worker_count + 1;
    const uint64_t began = nanoseconds();
    take_from(pool, loop, (uint32_t)thread, thread);
    for (uint32_t k = 1; k < count; k++)
    {
        uint32_t owner = ((uint32_t)thread + k) % count;
        if (loop->order == WEFT_POOL_RISING || is_late(pool, loop, owner, began))
            take_from(pool, loop, owner, thread);
    }
}

// Waits until the loop is no longer number `seen`; spins first.
static void wait_for_loop(WeftPool *pool, uint32_t seen)
{
    for (int spin = 0; spin < SPINS; spin++)
    {
        if (atomic_load_explicit(&pool->loop, memory_order_acquire) != seen)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->loop) == seen)
        pthread_cond_wait(&pool->changed, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static bool is_done(WeftPool *pool, const Loop *loop, uint32_t owner)
{
    const uint32_t size = share_size(pool, loop, owner);
    return count_of(atomic_load(&pool->shares[owner].done), loop, size) == size;
}

static void wait_for_share(WeftPool *pool, const Loop *loop, uint32_t owner)
{
    for (int spin = 0; spin < SPINS; spin++)
    {
        if (is_done(pool, loop, owner))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!is_done(pool, loop, owner))
        pthread_cond_wait(&pool->changed, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

// The loop with this number, unless the caller is at the next one by now.
static bool read_loop(WeftPool *pool, uint32_t number, Loop *loop)
{
    *loop = (Loop){
        .number = number,
        .count = atomic_load_explicit(&pool->count, memory_order_acquire),
        .grain = atomic_load_explicit(&pool->grain, memory_order_acquire),
        .order = (WeftPoolOrder)atomic_load_explicit(&pool->order, memory_order_acquire),
        .task = atomic_load_explicit(&pool->task, memory_order_acquire),
        .context = atomic_load_explicit(&pool->context, memory_order_acquire),
    };
    return number % 2 == 0 && atomic_load_explicit(&pool->loop, memory_order_relaxed) == number;
}

static void publish(WeftPool *pool, const Loop *loop)
{
    atomic_store_explicit(&pool->loop, loop->number - 1, memory_order_relaxed);
    atomic_store_explicit(&pool->count, loop->count, memory_order_release);
    atomic_store_explicit(&pool->grain, loop->grain, memory_order_release);
    atomic_store_explicit(&pool->order, (uint32_t)loop->order, memory_order_release);
    atomic_store_explicit(&pool->task, loop->task, memory_order_release);
    atomic_store_explicit(&pool->context, loop->context, memory_order_release);
    atomic_store(&pool->loop, loop->number);
    announce(pool);
}

static void *work(void *argument)
{
    Worker   *worker = argument;
    WeftPool *pool = worker->pool;
    uint32_t  seen = 0;
    for (;;)
    {
        Loop loop;
        wait_for_loop(pool, seen);
        if (atomic_load(&pool->stopping))
            return NULL;
        seen = atomic_load_explicit(&pool->loop, memory_order_acquire);
        if (read_loop(pool, seen, &loop))
            take_part(pool, &loop, worker->number);
    }
}

WeftPool *weft_pool_create(int threads)
{
    WeftPool *pool = aligned_alloc(64, (sizeof(WeftPool) + 63) / 64 * 64);
    if (pool == NULL)
        return NULL;
    *pool = (WeftPool){.worker_count = 0};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    const size_t most = threads > 1 ? (size_t)threads : 1;
    pool->workers = calloc(most, sizeof(Worker));
    pool->shares = aligned_alloc(64, most * sizeof(Share));
    for (size_t k = 0; pool->shares != NULL && k < most; k++)
        pool->shares[k] = (Share){0};
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
    atomic_fetch_add(&pool->loop, 2);
    announce(pool);
    for (int k = 0; k < pool->worker_count; k++)
        pthread_join(pool->workers[k].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->changed);
    free(pool->workers);
    free(pool->shares);
    free(pool);
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
    const Loop loop = {atomic_load_explicit(&pool->loop, memory_order_relaxed) + 2,
                       count,
                       grain,
                       order,
                       task,
                       context};
    publish(pool, &loop);
    take_part(pool, &loop, 0);
    for (uint32_t owner = 0; owner <= (uint32_t)pool->worker_count; owner++)
        wait_for_share(pool, &loop, owner);
}

int weft_pool_core_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
