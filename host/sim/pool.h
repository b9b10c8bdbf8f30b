// pool.h: threads that share the indices of a loop.
//
// A barrier costs most when a thread is not running: on a machine that does other work too, a team that waits for its last member waits for
// the scheduler. Here nobody waits long for a thread that has not begun: the others take its part, too, and the loop is over when all is
// done, whoever did it. Waiting threads spin briefly, then sleep.
#pragma once

#include <stdint.h>

typedef struct WeftPool WeftPool;

/// Called with portions begin..end-1 of the indices, from several threads at once. `thread` counts from 0, the caller's.
typedef void (*WeftPoolTask)(void *context, uint32_t begin, uint32_t end, int thread);

/// A pool of `threads` threads in all, the caller included. Gives fewer if the system has no more. NULL for want of memory.
WeftPool *weft_pool_create(int threads);
void      weft_pool_destroy(WeftPool *pool);
int       weft_pool_threads(const WeftPool *pool);

/// How indices are handed out. Rising: a thread never gets one below those that it had. By shares: each thread first gets portions of a
/// share of its own, the same in every loop of as many indices, so that it finds what it needs in its cache; then what is left of those
/// that are late, in any order.
typedef enum WeftPoolOrder
{
    WEFT_POOL_RISING,
    WEFT_POOL_BY_SHARES
} WeftPoolOrder;

/// Runs `task` over 0..count-1 in portions of `grain` and returns when all are done. One caller at a time.
void weft_pool_run(WeftPool *pool, uint32_t count, uint32_t grain, WeftPoolOrder order,
                   WeftPoolTask task, void *context);

/// Number of cores that this process may use.
int weft_pool_core_count(void);
