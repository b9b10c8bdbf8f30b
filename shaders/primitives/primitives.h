// primitives.h: push constants of the general device algorithms, for C and GLSL.
#ifndef WEFT_PRIMITIVES_H
#define WEFT_PRIMITIVES_H

#include "push.h"

// Elements that a thread of a prefix sum takes.
#define SCAN_ITEMS 16

// A tile of a float reduction: REDUCE_LANES partial sums, each of every REDUCE_LANES-th element. The
// same on all devices, whatever their workgroups, so that all give the same bits.
#define REDUCE_LANES 256
#define REDUCE_ROW 16 // lanes that are added up by one thread
#define REDUCE_TILE 4096

// What a reduction multiplies its elements with before it adds them up.
#define REDUCE_SUM 0
#define REDUCE_DOT 1

// Ancestors that a vertex climbs in one round of pointer jumping.
#define LABEL_JUMPS 31

// A tile of a stable sort: RADIX_ROUNDS times a workgroup, which is as large as there are values of a digit.
#define RADIX_BITS 8
#define RADIX_DIGITS 256
#define RADIX_ROUNDS 16
#define RADIX_TILE 4096

// Where a thread has a tile for itself, tiles are so many, as long as none has more than RADIX_TILE items or less than RADIX_FEWEST.
#define RADIX_ALONE 16
#define RADIX_FEWEST 256

struct ScanPush
{
    ADDRESS(ConstUints) values; // (count)
    ADDRESS(Uints) result;      // (count), one more with the total; may be `values`
    ADDRESS(Uints) sums;        // (tile_count) sums of tiles, then what comes before each tile
    uint count;
    uint tile_count;
    uint has_sums;   // 0 if there is only one tile
    uint with_total; // whether result[count] gets the sum of all
};

struct ReducePush
{
    ADDRESS(ConstFloats) a; // (count)
    ADDRESS(ConstFloats) b; // (count), for the dot product
    ADDRESS(Floats) sums;   // (tile_count)
    uint count;
    uint tile_count;
};

struct LabelPush
{
    ADDRESS(ConstUints) edges;        // (edge_count x 2) vertices
    ADDRESS(ConstUints) edge_flags;   // (edge_count)
    ADDRESS(ConstUints) vertex_flags; // (vertex_count)
    ADDRESS(SharedUints) labels;      // (vertex_count)
    ADDRESS(SharedUints) grids;       // (rounds x 3) workgroups of each round of jumping
    uint vertex_count;
    uint edge_count;
    uint edge_mask;   // an edge counts if it has one of these flags
    uint vertex_mask; // a vertex is a dead end if it has one of these
    uint round;
    uint round_count;
    uint grid_x; // workgroups over all vertices
    uint grid_y;
};

struct RadixPush
{
    ADDRESS(ConstUints) keys; // by item
    ADDRESS(ConstUints)
    from;                  // (count) items in their present order; the first pass takes 0, 1, 2 ...
    ADDRESS(Uints) to;     // (count) in their new order
    ADDRESS(Uints) places; // the last pass: (count) place of each item
    ADDRESS(Uints)
    counts; // (RADIX_DIGITS x tile_count) items of a digit in a tile, then where they go
    uint count;
    uint tile_count;
    uint tile_items; // where a thread has a tile for itself
    uint shift;      // of the digit
    uint limit;      // a larger key counts as this
    uint is_first;
    uint is_last;
};

// Dispatches behind a gate, at most.
#define GATE_DISPATCHES 64

struct GatePush
{
    ADDRESS(ConstUints) open;  // a word: not 0 if they are to run
    ADDRESS(ConstUints) sizes; // (count x 3) workgroups of each
    ADDRESS(Uints) grids;      // (count x 3) the same, or none
    uint count;
};

#endif
