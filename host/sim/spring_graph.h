// spring_graph.h: the springs of one cloth, with the stiffness that makes it behave alike at any
// resolution. Choi and Ko 2002 on grids: 4 stretch, 4 shear and 8 bend neighbours. On meshes edges
// are springs, and the two corners across an edge are joined by a bend spring (Liu et al. 2010). A
// quad is a cell of a grid: its edges stretch, its diagonals shear. In a triangle the edges pull as
// the threads do that run through it: kernels/weave.c says how.
#pragma once

#include "error.h"
#include "scene/mesh.h"

typedef enum WeftSpringKind
{
    WEFT_SPRING_STRETCH,
    WEFT_SPRING_SHEAR,
    WEFT_SPRING_BEND
} WeftSpringKind;

typedef struct WeftSpring
{
    uint32_t a, b;      // ends, a < b
    double   rest;      // m
    float    stiffness; // N/m; bend: k_b of the buckled beam, N m^2
    float    damping;   // N s/m
    // In double, so that flat cloth is in balance as far as the engine's precision goes.
    double hold; // N, tension at rest that bears the push of the beams over it; bend: 0
    // N/m, tension over length that bears other pushes; bend: such a push, or of a beam the stiffness of each spring below it.
    double   base;
    uint32_t below[2]; // of a beam, the stretch springs from its ends to its middle
} WeftSpring;

// The threads in a triangle of a mesh: warp, weft, and the two directions between them.
#define WEFT_THREADS 4
typedef struct WeftWeave
{
    uint32_t corner[3];
    uint32_t edge[3];              // structural springs, from each corner to the next
    double   lay[WEFT_THREADS][2]; // 1/m: a metre of thread is lay[0] (x1 - x0) + lay[1] (x2 - x0)
    double   stretch, shear;       // J: area times modulus of the first two, and of the others
    double   buckle;               // J: area times the load under which the first two buckle
} WeftWeave;

typedef struct WeftSpringGraph
{
    size_t      structural_count, structural_capacity;
    WeftSpring *structural; // stretch and shear
    uint8_t    *is_shear;   // (structural_count)
    size_t      bend_count, bend_capacity;
    WeftSpring *bend;
    size_t      weave_count, weave_capacity;
    WeftWeave  *weave;
} WeftSpringGraph;

/// Builds the springs of `cloth`. Fails only for want of memory. On failure `graph` is zeroed.
/// Free with weft_spring_graph_destroy().
WEFT_CHECKED WeftStatus weft_spring_graph_create(WeftSpringGraph *graph, const WeftMesh *mesh,
                                                 const WeftCloth *cloth);
void                    weft_spring_graph_destroy(WeftSpringGraph *graph);

/// Frees the stretch and shear springs, which are then none; the others stay.
void weft_spring_graph_drop_structural(WeftSpringGraph *graph);

/// Used by the builders: adds a spring, putting its ends in order; returns false for want of memory.
bool weft_spring_graph_add(WeftSpringGraph *graph, WeftSpringKind kind, WeftSpring spring);

/// The same for the threads of a triangle.
bool weft_spring_graph_add_weave(WeftSpringGraph *graph, const WeftWeave *weave);

/// The two builders.
bool weft_spring_graph_build_grid(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth);
bool weft_spring_graph_build_mesh(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth);
