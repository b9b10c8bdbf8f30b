// engine.h: the CPU engine's own parts, compiled for each precision and instruction set.
#pragma once

#include "data.h"
#include "sim/backend.h"

// Part of its rest length by which a stretch or shear spring, or a thread, is laid out longer, and by which it may be shorter
// before its tension changes. Positions are rounded, and without this play cloth at rest would pull by that.
#ifdef WEFT_DOUBLE
#define PLAY 1e-10
#else
#define PLAY 1e-5
#endif

// Memory of an engine: all of it is taken at creation.
typedef struct Arena
{
    void **blocks;
    size_t count, capacity;
    bool   failed;
} Arena;

typedef struct Engine
{
    EngineData       data;
    const WeftModel *model;
    Arena            arena;
    double           start_potential; // J
    double          *mesh_work;       // (of the largest mesh) a shape on its way

    // A hand may hold one particle, by a pin of its own behind those of the scene.
    uint32_t hand_slot;           // its place in pin_start
    uint32_t held;                // particle, or WEFT_NO_PARTICLE
    int32_t  held_pin, held_slot; // that it has by itself
} Engine;

/// Zeroed memory for `count` items, aligned for vectors; NULL and arena->failed if there is none.
void *WEFT_PRECISE(weft_arena_take)(Arena *arena, size_t count, size_t item);

/// The same for what may never be used: pages that are not written to take no memory. Not aligned.
void *WEFT_PRECISE(weft_arena_reserve)(Arena *arena, size_t count, size_t item);

/// Lays the springs out in tiles, classes and slots as data.h describes; stretch and shear springs with the threads of
/// the triangles between them. The graph loses them on the way, so that not all of it is in memory twice.
void WEFT_PRECISE(weft_engine_lay_springs)(Engine *engine, WeftSpringGraph *graph);

/// Lays out the threads in the triangles of meshes; `place` is where each structural spring is stored.
void WEFT_PRECISE(weft_engine_take_weave)(Engine *engine, const WeftWeave *weave, size_t count,
                                          const uint32_t *place);

/// What large systems need to eliminate every other particle, if the springs allow it. After the springs are laid out.
void WEFT_PRECISE(weft_engine_take_halves)(Engine *engine);

/// Forgets the matrix of a failed step: blocks that are no numbers would outlive it, because they are also read times zero.
void WEFT_PRECISE(weft_engine_forget_blocks)(struct Halves *halves);

/// J; the potential of gravity against the origin, and what springs and threads store against flat cloth at rest.
void WEFT_PRECISE(weft_engine_energy)(EngineData *data, double *kinetic, double *potential);

/// Edges and triangles of the surface, as near looks at them.
void WEFT_PRECISE(weft_engine_take_items)(Engine *engine);

/// What is around each patch of them in the cloth; nothing is known of it at first.
void WEFT_PRECISE(weft_engine_take_homes)(Engine *engine);
void WEFT_PRECISE(weft_engine_fill_homes)(Engine *engine);

/// These, and room for the pairs of cloth near cloth, if the scene asks for that.
void WEFT_PRECISE(weft_engine_take_pairs)(Engine *engine);

/// The distance that particles keep from other cloth, from thickness and starting positions.
void WEFT_PRECISE(weft_engine_fill_pairs)(Engine *engine);

/// All that a step from `time` to `time + h` is given: the scene's settings, solids, pins, wind.
void WEFT_PRECISE(weft_engine_begin)(Engine *engine, double time, double h);

/// Takes the meshes of solids over from the model.
void WEFT_PRECISE(weft_engine_take_meshes)(Engine *engine);

/// Brings the mesh of solid k, if it is animated, into its shapes from `time` to `time + h`.
void WEFT_PRECISE(weft_engine_place_mesh)(Engine *engine, uint32_t k, double time, double h);

/// Solids, pins and wind for a step from `time` to `time + h`.
void WEFT_PRECISE(weft_engine_place)(Engine *engine, double time, double h);
