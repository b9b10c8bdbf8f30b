// bench.h: where a thread solves a small system: its rows side by side, with room for SMALL_COMPONENT of them.
#pragma once

#include "data.h"

typedef struct Bench
{
    uint32_t  row_count, slice_count;
    uint32_t *particle;    // of each row
    uint8_t  *degrees;     // of freedom
    uint32_t *count;       // entries of each row
    uint32_t *slice_entry; // (slices + 1) first entry of each slice
    uint32_t *other;       // (entries x 8) row that an entry couples to
    real     *alpha, *block_u[3];
    real     *weave[6]; // where a mesh has triangles
    real     *diagonal[6], *inverse[6], *direction[3];
    real     *x[3], *r[3], *u[3], *p[3], *s[3], *w[3];
} Bench;
