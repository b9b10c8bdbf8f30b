// check.h: every stage of the GPU engine against its CPU twin, on the same input.
//
// Before a stage runs on the device, all arrays are read into a CPU engine in double; then both run it, and what they wrote
// is compared. Stages that promise equal bits, and limit, whose many decisions part the precisions, have a twin in the device's precision. Where a result hangs on a
// small difference of large numbers, single precision has few digits left; how few, the CPU engine in single precision tells:
// an error that is of the size of its own is none.
#pragma once

#include <stdio.h>

#include "weft.h"

typedef struct WeftCheck WeftCheck;

typedef struct WeftCheckRow
{
    const char *stage;
    const char *array;     // the worst of those that the stage writes
    uint64_t    elements;  // compared, of all arrays
    double      largest;   // error, in the array's unit
    double      squared;   // error, normalised
    double      tolerance; // of that; 0 asks for equal bits
    double      usual;     // the same error of the CPU engine in the device's precision
    uint32_t
        otherwise; // particles whose contact was decided otherwise, for want of digits; they are left out
    bool     good;
    uint32_t element; // the worst: its index in the array, and both values
    double   gpu, cpu;
} WeftCheckRow;

enum
{
    WEFT_CHECK_ROWS = WEFT_STAGE_COUNT + 2
};

/// `scene` must ask for a GPU and outlive the check. Fails with WEFT_ERROR_INPUT if there is none. Free with
/// weft_check_destroy().
WEFT_CHECKED WeftStatus weft_check_create(WeftCheck **check, const WeftScene *scene);
void                    weft_check_destroy(WeftCheck *check);

/// Simulates up to a time on the CPU and takes the state over to the device.
WEFT_CHECKED WeftStatus weft_check_start_at(WeftCheck *check, double time);

/// The same for two simulations of one scene, the first of them on a GPU, the second on the CPU in the same precision.
WEFT_CHECKED WeftStatus weft_check_start_both_at(WeftSim *gpu, WeftSim *cpu, double time);

/// Takes one step on the device, stage by stage, and fills up to WEFT_CHECK_ROWS rows; the last of them may be a bad one, after
/// which it stops. A step that diverges is taken back.
WEFT_CHECKED WeftStatus weft_check_step(WeftCheck *check, WeftCheckRow *rows, int *row_count);

/// Changes the state on the device at random: positions by up to `distance` metres, velocities by up to `speed`.
WEFT_CHECKED WeftStatus weft_check_shake(WeftCheck *check, uint32_t seed, double distance,
                                         double speed);

/// Fails with WEFT_ERROR_FAILED if a stage wrote behind the end of an array. Only on a device opened with guards.
WEFT_CHECKED WeftStatus weft_check_guards(WeftCheck *check);

/// What the last step found: a FOUND_* of shaders/engine.h.
uint32_t weft_check_found(const WeftCheck *check, uint32_t place);

const char *weft_check_device(const WeftCheck *check);
