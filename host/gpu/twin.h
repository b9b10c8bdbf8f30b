// twin.h: the CPU engine as the GPU engine sees it: its arrays in the device's form, its step's scalars, its kernels.
//
// twin.c is compiled once for each precision of the CPU engine; the device may have the other one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine.h"
#include "sim/backend.h"

#define ARRAY(name, kind, parts, pointers, length) WEFT_ARRAY_##name,
typedef enum WeftArray
{
#include "engine_arrays.def"
    WEFT_ARRAY_COUNT
} WeftArray;
#undef ARRAY

// What an item of an array is on the device, and how many there are.
typedef struct WeftArrayShape
{
    bool     is_real;
    uint32_t parts;
    uint32_t length; // items a part
} WeftArrayShape;

// Slots that most slices of a grid have in common (shaders/solve_multiply.comp): where they differ from slice to slice, they do so
// by the same rule. Differences are words that may wrap around.
typedef struct WeftPatternSlot
{
    uint32_t other;     // far end, from the first row of the slice
    uint32_t is_mirror; // the far end is the owner
    uint32_t spring;    // from the owner and, for each tile of the CPU engine before it, `gap`
} WeftPatternSlot;

typedef struct WeftSlotPattern
{
    uint32_t        count, gap;
    WeftPatternSlot slots[PATTERN_MOST];
} WeftSlotPattern;

typedef struct WeftTwin
{
    WeftPrecision precision;

    WeftArrayShape (*shape)(const void *engine, WeftArray array);

    /// Copies an array to or from the device's form, whose reals have `real_size` bytes. Those that twin.c puts together go only there.
    void (*pack)(const void *engine, WeftArray array, void *out, size_t real_size);
    void (*unpack)(void *engine, WeftArray array, const void *in, size_t real_size);

    /// What s_regular and s_odd go by, or b_regular and b_odd.
    WeftSlotPattern (*pattern)(const void *engine, bool is_bend);

    /// The counts and choices of the block.
    void (*describe)(const void *engine, EngineBlock *block);

    /// Prepares the CPU engine for a step and writes the step's scalars as VALUE_* lists them.
    void (*begin)(void *engine, double time, double h);
    void (*values)(const void *engine, void *out, size_t real_size);

    /// Runs one stage of the CPU engine: a stage of the large systems once on each of them.
    void (*run)(void *engine, WeftStage stage);

    /// Runs all stages from label to the end of the solve.
    void (*solve)(void *engine);

    /// Sets the most CG iterations until the next begin().
    void (*limit)(void *engine, uint32_t iterations);

    /// Relative residual of the worst system for the present solution, less what is lost where numbers are
    /// rounded by parts of `rounding`: the right-hand side of a system may be nothing but that.
    double (*residual)(void *engine, double rounding);

    /// What the CPU engine found out about the whole cloth.
    void (*found)(const void *engine, uint32_t *found);
} WeftTwin;

/// The twin for CPU engines of a precision.
const WeftTwin *weft_twin(WeftPrecision precision);

const char *weft_array_name(WeftArray array);
