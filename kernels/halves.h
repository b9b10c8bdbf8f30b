// halves.h: a large system in which every other particle is eliminated, so that CG takes half as many iterations.
//
// Where the shear springs of a grid are slack or explicit, implicit springs join particles as a chessboard joins its fields: black to
// white. Given the white ones, each black one can be solved for by its own 3x3 block. CG then runs on what is left for the white ones,
//   (A_ww - A_wb D_b^-1 A_bw) x_w = b_w - A_wb D_b^-1 b_b
// with the same preconditioner. Reid 1972 (The Use of Conjugate Gradients for Systems of Linear Equations Possessing "Property A") shows
// that this takes half of the iterations, each with as many products as before and half of the rest. Only the eliminated particles must not
// be coupled to each other; where the others are not either, halves_turns.h goes even shorter ways. Where some are, as at the seam of a
// tube of odd girth or by a few implicit shear springs, CG goes on as in other systems, on the matrix above.
//
// A span is two slices in a row: sixteen particles. Its halves are those with even and those with odd numbers, which on a grid are of one
// colour each. Vectors are stored half by half, first all even ones; the springs of a slice's direction then still lead to consecutive
// places. So are the springs: first all with even numbers in their storage.
//
//   particles   0  1  2  3 ... 15 | 16 17 ...        places   [0 2 ... 14][16 18 ... 30] ...   [1 3 ... 15][17 19 ... 31] ...
//
// Matrix and right-hand side are copied into this order once a step. u and x are zero between solves, and so where the particles are held
// or of another system: what leads there needs no mask.
#pragma once

#include "parallel.h"
#include "slices.h"

#define SPAN (2 * SLICE)
#define SPAN_CHUNK 16u // spans that are summed together
#define SPAN_SUMS 4u   // places for sums of such a chunk
#define FEW_CHUNKS 8u  // up to so many are quicker by one thread than threads agree on them

// Springs of a span's sixteen rows: of its even half, of its odd half.
// A regular slot is one of the springs' storage, a scattered one has indices for each lane.
typedef struct SpanSlot
{
    uint32_t
        spring; // lane 0's in the storage; scattered: index into lane_spring, lane_far, lane_other
    uint32_t other;     // regular: lane 0's far end
    uint32_t source[2]; // regular: the slots of the two slices
    uint32_t block[2];  // where the block of lane 0 is
    uint32_t
        place[2]; // of lane 0's far end; scattered: index into lane_other, with ENTRY_SCATTERED
    uint8_t
        yields[2]; // lanes that stay while this spring is implicit: both of its ends are candidates
    bool copies;   // its blocks are copied by this span
    bool filled;   // they were when they were copied last; others read them, too
} SpanSlot;

#define ENTRY_SCATTERED 0x80000000u

// Springs of a half's rows that are in the matrix.
typedef struct HalfEntry
{
    uint32_t block, place;
} HalfEntry;

typedef struct Halves
{
    // Built once.
    uint32_t  span_count;
    uint32_t  block_count; // springs of the storage and lanes of scattered slots, in pairs
    uint8_t  *candidates;  // (halves) lanes that no stretch spring joins to each other
    uint32_t *span_slots;  // (span_count + 1) first slot of each span
    SpanSlot *slots;
    uint32_t *lane_spring; // (scattered slots x 16) eight of the even half, eight of the odd one
    uint32_t *lane_other;  // the same: places
    uint32_t *lane_far;    // the same: particles

    // The system that is being solved.
    uint32_t  listed;            // spans that have rows of it
    uint32_t *span;              // (listed)
    uint16_t *lanes;             // (listed) which of the sixteen
    uint8_t  *kept, *eliminated; // (halves, and one more) lanes of it
    uint32_t  kept_count, eliminated_count;
    bool      coupled;          // implicit springs join kept rows to each other
    bool      guesses;          // y, the last step's solution, is not zero
    real      scale;            // c: the first guess is z + c y
    double    rho, black_gamma; // of the last turn, and of the last one of the eliminated rows
    uint8_t  *degrees;          // (places) of freedom
    real     *direction[3];     // (places) where one has less than three
    real     *diagonal;         // (halves x 6 x 8) of kept rows that are coupled
    real     *inverse;          // (halves x 6 x 8)
    real     *r[3], *p[3], *s[3], *w[3]; // (places) memory that the system has anyway
    real     *u
        [3]; // (places) z, the preconditioned residual; of rows eliminated from coupled ones: their answer to u
    real *x[3]; // (places) the change since the start; of eliminated rows: if all others had none
    uint8_t   *entry_count; // (halves)
    HalfEntry *entries;     // (two halves x slots)
    real      *block[4];    // (block_count) alpha, u
} Halves;

// The halves of a span.
static inline uint32_t half_of(const Halves *halves, uint32_t span, uint32_t odd)
{
    return span + odd * halves->span_count;
}

static inline uint32_t place_of(const Halves *halves, uint32_t particle)
{
    return (particle & 1) * halves->span_count * SLICE + particle / 2;
}

// Where a spring of the storage has its block.
static inline uint32_t block_of(const Halves *halves, uint32_t spring)
{
    return (spring & 1) * (halves->block_count / 2) + spring / 2;
}

// Entries of a half begin here: those of the even one, then those of the odd one, with room for all slots.
static inline uint32_t first_entry(const Halves *halves, uint32_t span, uint32_t odd)
{
    uint32_t begin = halves->span_slots[span], count = halves->span_slots[span + 1] - begin;
    return 2 * begin + odd * count;
}

static inline uint32_t span_chunks(const Halves *halves)
{
    return (halves->listed + SPAN_CHUNK - 1) / SPAN_CHUNK;
}

static inline uint32_t span_chunk_end(const Halves *halves, uint32_t chunk)
{
    uint32_t end = (chunk + 1) * SPAN_CHUNK;
    return end < halves->listed ? end : halves->listed;
}

// c = y.g / y.M y: how much of the last solution y to begin with. Rounding may leave nothing of y.M y; then, and where y leads the wrong
// way, none.
static inline double part_of_guess(double along, double stiff)
{
    const double most = 2;
    if (!(along > 0 && stiff > 0))
        return 0;
    return along < most * stiff ? along / stiff : most;
}

// A sum that the chunks have found.
static inline double sum_spans(const EngineData *data, uint32_t which)
{
    double sum = 0;
    for (uint32_t chunk = 0; chunk < span_chunks(data->halves); chunk++)
        sum += data->partial[SPAN_SUMS * chunk + which];
    return sum;
}

static inline Tally parallel_spans(EngineData *data, ParallelBody body)
{
    uint32_t chunks = span_chunks(data->halves);
    uint32_t grain = chunks / (4 * (uint32_t)weft_pool_threads(data->pool)) + 1;
    return parallel_shares(data, chunks, chunks <= FEW_CHUNKS ? chunks : grain, body);
}

// Even and odd ones of sixteen, and back.
static inline void part_lanes(Lanes first, Lanes second, Lanes halves[2])
{
    halves[0] = __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
    halves[1] = __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
}

static inline void join_lanes(const Lanes halves[2], Lanes *first, Lanes *second)
{
    *first = __builtin_shufflevector(halves[0], halves[1], 0, 8, 1, 9, 2, 10, 3, 11);
    *second = __builtin_shufflevector(halves[0], halves[1], 4, 12, 5, 13, 6, 14, 7, 15);
}

WEFT_INLINE void load_half(real *const from[3], uint32_t half, Lanes value[3])
{
    for (int axis = 0; axis < 3; axis++)
        value[axis] = lanes_load(from[axis] + half * SLICE);
}

WEFT_INLINE void store_half(real *const to[3], uint32_t half, const Lanes value[3])
{
    for (int axis = 0; axis < 3; axis++)
        lanes_store(to[axis] + half * SLICE, value[axis]);
}

// Those of some lanes; the others have a use of their own, or are being read by another thread.
static inline void store_some(real *const to[3], uint32_t half, const Lanes value[3],
                              uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        for (int axis = 0, lane = __builtin_ctz(lanes); axis < 3; axis++)
            to[axis][half * SLICE + (uint32_t)lane] = value[axis][lane];
}

// Those of `lanes`, and with them what is in lanes of no use unless `others` have one.
WEFT_INLINE void store_rows(real *const to[3], uint32_t half, const Lanes value[3], uint32_t lanes,
                            uint32_t others)
{
    if (others == 0)
        store_half(to, half, value);
    else
        store_some(to, half, value, lanes);
}

// Six entries of a symmetric block a lane times a vector.
WEFT_INLINE void multiply_lanes(const Lanes b[6], const Lanes v[3], Lanes out[3])
{
    out[0] = b[0] * v[0] + b[3] * v[1] + b[4] * v[2];
    out[1] = b[3] * v[0] + b[1] * v[1] + b[5] * v[2];
    out[2] = b[4] * v[0] + b[5] * v[1] + b[2] * v[2];
}

WEFT_INLINE void multiply_blocks(const real *blocks, uint32_t half, const Lanes v[3], Lanes out[3])
{
    const real *from = blocks + (size_t)half * 6 * SLICE;
    Lanes       b[6];
    for (int entry = 0; entry < 6; entry++)
        b[entry] = lanes_load(from + entry * SLICE);
    multiply_lanes(b, v, out);
}

// sum += (alpha v + u (u.v)) over the entries of a half.
WEFT_INLINE void add_entries(const Halves *halves, uint32_t span, uint32_t odd, real *const from[3],
                             Lanes sum[3])
{
    const HalfEntry *entry = halves->entries + first_entry(halves, span, odd);
    const HalfEntry *end = entry + halves->entry_count[half_of(halves, span, odd)];
    Lanes            sum0 = sum[0], sum1 = sum[1], sum2 = sum[2];
    for (; entry < end; entry++)
    {
        Lanes v0, v1, v2;
        if (entry->place & ENTRY_SCATTERED)
        {
            const uint32_t *others = halves->lane_other + (entry->place & ~ENTRY_SCATTERED);
            v0 = lanes_gather(from[0], others);
            v1 = lanes_gather(from[1], others);
            v2 = lanes_gather(from[2], others);
        }
        else
        {
            v0 = lanes_load(from[0] + entry->place);
            v1 = lanes_load(from[1] + entry->place);
            v2 = lanes_load(from[2] + entry->place);
        }
        Lanes alpha = lanes_load(halves->block[0] + entry->block);
        Lanes u0 = lanes_load(halves->block[1] + entry->block);
        Lanes u1 = lanes_load(halves->block[2] + entry->block);
        Lanes u2 = lanes_load(halves->block[3] + entry->block);
        Lanes along = u0 * v0 + u1 * v1 + u2 * v2;
        sum0 += alpha * v0 + u0 * along;
        sum1 += alpha * v1 + u1 * along;
        sum2 += alpha * v2 + u2 * along;
    }
    sum[0] = sum0;
    sum[1] = sum1;
    sum[2] = sum2;
}

// Zero for what is not in the matrix any more.
static inline void clear_blocks(const Halves *halves, const SpanSlot *slot)
{
    for (int part = 0; part < 4; part++)
        for (int odd = 0; odd < 2; odd++)
            lanes_store(halves->block[part] + slot->block[odd], (Lanes){0});
}

// Zero in the other lanes.
WEFT_INLINE void keep_lanes(uint32_t lanes, Lanes value[3])
{
    if (lanes == 0xFF)
        return;
    for (int axis = 0; axis < 3; axis++)
        value[axis] = lanes_select(lanes_mask(lanes), value[axis], (Lanes){0});
}

WEFT_INLINE Lanes dot(const Lanes a[3], const Lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// r <- S r
WEFT_INLINE void filter_half(const Halves *halves, uint32_t half, Lanes r[3])
{
    filter_lanes(halves->degrees, halves->direction, half * SLICE, r);
}
