// bench.h: where a thread solves a small system: its rows side by side.
#pragma once

#include "data.h"

#define BENCH_ROWS (SMALL_COMPONENT + SLICE) // with a filling for each colour

typedef struct Bench
{
    uint32_t  row_end, slice_count;
    uint32_t  white_begin; // where rows are sorted by colour: first row of the second one; else 0
    uint32_t  black_count; // rows before that
    bool      coupled;     // a spring joins rows of one colour
    uint32_t *particle;    // of each row; none where the last slice of a colour is filled up
    uint8_t  *degrees;     // of freedom
    uint32_t *count;       // entries of each row
    uint32_t  entry_room;  // entries that a slice has room for
    uint32_t *entry_end;   // (slices) behind the last entry
    uint32_t *other;       // (entries x 8) row that an entry couples to
    real     *alpha, *block_u[3];
    real     *weave[6]; // where a mesh has triangles
    real     *diagonal[6], *inverse[6], *direction[3];
    real     *b[3], *y[3]; // what is to be solved for, and the first guess
    real     *x[3], *r[3], *u[3], *p[3], *s[3], *w[3];
} Bench;
