// backend.h: what an engine is to the rest of weft: a table of functions over an opaque object.
#pragma once

#include "sim/model.h"
#include "sim/report.h"

typedef enum WeftQuantity
{
    WEFT_QUANTITY_POSITION,
    WEFT_QUANTITY_VELOCITY
} WeftQuantity;

#define WEFT_NO_PARTICLE UINT32_MAX

// What a step costs besides time, on engines that record it.
typedef struct WeftEngineCosts
{
    uint32_t dispatches, barriers; // a step
    uint64_t device_bytes;         // of all arrays on the device
    double   step_bytes;           // that the first step of the last queue moved
} WeftEngineCosts;

typedef struct WeftBackend
{
    const char *name;

    /// Takes what it needs from `model`, which must outlive the engine, and frees its springs as soon as they are laid out.
    WeftStatus (*create)(void **engine, WeftModel *model, int threads);
    void (*destroy)(void *engine);

    /// Tries one step of `h` seconds from `time`. *good is false if the result is not finite or a
    /// spring is stretched beyond the scene's limit; the state is then unusable until restore().
    /// Adds to `report` (stage times, counts). Fails only if the engine itself does.
    WeftStatus (*step)(void *engine, double time, double h, WeftStepReport *report, bool *good);

    /// Takes up to `count` steps at once, each with its report; *done of them were good, the one behind them, if there
    /// is one, has been taken back. NULL on an engine that gains nothing by it.
    WeftStatus (*advance)(void *engine, double time, double h, uint32_t count,
                          WeftStepReport *reports, uint32_t *done);

    /// Takes the last step back.
    void (*restore)(void *engine);

    void (*energy)(void *engine, double *kinetic, double *potential);

    /// Copies a quantity of `count` particles to out (count x 3): those listed in `particles`, or
    /// from `first` on if that is NULL.
    void (*read)(void *engine, WeftQuantity quantity, const uint32_t *particles, uint32_t first,
                 uint32_t count, double *out);
    const uint32_t *(*labels)(void *engine);

    /// Holds a particle at `place` in all directions, like a pin, until it is told to hold another or WEFT_NO_PARTICLE;
    /// and moves the place.
    WeftStatus (*hold)(void *engine, uint32_t particle, const double place[3]);
    void (*move_hand)(void *engine, const double place[3]);

    /// Multiplies stiffness and damping of all springs.
    WeftStatus (*scale_springs)(void *engine, double stiffness, double damping);

    /// Bytes that one CG iteration over all particles moves, counted once an array: the matrix, and
    /// everything.
    void (*iteration_bytes)(const void *engine, double *matrix, double *all);

    /// The device's name, and what a step costs on it; NULL on the CPU.
    const char *(*device)(const void *engine);
    void (*costs)(const void *engine, WeftEngineCosts *costs);
} WeftBackend;

/// The CPU engine in the precision asked for, built for the best instruction set that this machine
/// has.
const WeftBackend *weft_backend_cpu(WeftPrecision precision);
