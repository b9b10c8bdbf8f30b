// solve.h: the linear systems of a step on the device: label, order, precondition and the solve stages.
//
//   WEFT_TRY(weft_gpu_solve_create(&solve, &engine, &contact));   // sets its addresses in the engine's block and uploads that
//   ...
//   weft_gpu_solve_record(&solve, &commands, 64, NULL, 0, 0);
//
// Large systems are given a recorded number of CG iterations. Those that need more are counted in FOUND_UNFINISHED: the
// step is then to be taken back and recorded anew with more. Passes over systems that are solved already run
// no workgroup, so that a generous number costs little.
#pragma once

#include "components.h"
#include "contact.h"
#include "timer.h"

// One mark after each, if a timer is given; all iterations together are one.
typedef enum WeftGpuSolveMark
{
    WEFT_GPU_MARK_LABEL,
    WEFT_GPU_MARK_ORDER,
    WEFT_GPU_MARK_PRECONDITION,
    WEFT_GPU_MARK_SOLVE_SINGLE,
    WEFT_GPU_MARK_SOLVE_SMALL,
    WEFT_GPU_MARK_SOLVE_START,
    WEFT_GPU_MARK_ITERATIONS,
    WEFT_GPU_MARK_COUNT
} WeftGpuSolveMark;

enum
{
    // The first iterations have a mark behind each of their two passes. All others are like them, and a mark may cost as
    // much as a pass: a software driver starts its rasterizer for it.
    WEFT_GPU_MARKED_ITERATIONS = 2
};

typedef struct WeftGpuSolve
{
    WeftGpuEngine        *engine;
    const WeftGpuContact *contact;
    WeftGpuComponents     components;
    WeftGpuSort           sort;
    WeftGpuPipeline label_alone, order_alone; // all passes in one; none unless the device is wide
    WeftGpuPipeline label, label_pairs, order, precondition, single, few, small, start, multiply,
        update, shorten, end, pack;
    WeftGpuBuffer systems, tiles, scratch, partial, position, scalars, small_list, live, grids,
        packed;
    uint64_t bytes; // of its buffers
} WeftGpuSolve;

/// Takes all memory and builds all pipelines. `engine` and `contact` must outlive it. Fails with WEFT_ERROR_INPUT if
/// the device's workgroups are too small, with WEFT_ERROR_FAILED if there is no room. On failure `solve` is zeroed.
WEFT_CHECKED WeftStatus weft_gpu_solve_create(WeftGpuSolve *solve, WeftGpuEngine *engine,
                                              const WeftGpuContact *contact);
void                    weft_gpu_solve_destroy(WeftGpuSolve *solve);

/// Records all stages of a step's solve, with `iterations` of CG at most (never more than the engine's
/// max_iterations) and, if `timer` is not NULL, marks from `first_mark` on; behind both passes of the marked iterations, marks
/// from `pass_mark` on. Needs a barrier before it, ends with one.
void weft_gpu_solve_record(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                           uint32_t iterations, const WeftGpuTimer *timer, uint32_t first_mark,
                           uint32_t pass_mark);

/// Single stages, for checks. Each ends with a barrier. Iterations are numbered from 0; weft_gpu_solve_record_end()
/// with the number of those that were recorded completes the large systems.
void weft_gpu_solve_record_label(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_order(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_precondition(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_single(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_small(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_start(const WeftGpuSolve *solve, WeftGpuCommands *commands);
void weft_gpu_solve_record_iteration(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                                     uint32_t iteration);
void weft_gpu_solve_record_end(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                               uint32_t iterations);

/// Fails with WEFT_ERROR_FAILED if something wrote behind the end of one of its buffers.
WEFT_CHECKED WeftStatus weft_gpu_solve_guard_check(const WeftGpuSolve *solve);
