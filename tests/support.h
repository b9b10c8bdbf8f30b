// support.h: what the tests of the engine share: a simulation made from a line of text, random
// numbers that are the same everywhere, meshes as files.
#pragma once

#include <stdint.h>

#include "sim/sim_internal.h"
#include "unity.h"
#include "weft.h"

// Sanitizers cost a factor of ten and more; they need the paths, not the sizes.
#ifdef WEFT_SANITIZED
#define WEFT_TEST_SIZE(full, sanitized) (sanitized)
#else
#define WEFT_TEST_SIZE(full, sanitized) (full)
#endif

typedef struct Rig
{
    WeftScene scene; // settings that are read each step may be changed between steps
    WeftSim  *sim;
    uint32_t  count; // particles of cloth 0
    double   *x, *v; // (count x 3) of cloth 0, in the order of its mesh; filled by rig_read
} Rig;

/// Makes a simulation of a scene in JSON, in which ' stands for ". Fails the test if it cannot.
/// The rig must not be moved in memory. Free with rig_close().
void rig_open(Rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rig_close(Rig *rig);

/// Steps `count` times, each of which must succeed; returns the last report.
WeftStepReport rig_step(Rig *rig, int count);

/// Fills x and v.
void rig_read(Rig *rig);

/// Sets off the random numbers; the same seed gives the same ones on every machine.
void   random_seed(uint32_t seed);
double random_between(double low, double high);

typedef enum MeshKind
{
    MESH_QUADS,
    MESH_SKEWED,    // quads with inner vertices moved by up to a quarter of a cell
    MESH_TRIANGLES, // every cell cut along one of its diagonals, by chance
    MESH_JITTERED   // the same with inner vertices moved by up to a quarter of a cell
} MeshKind;

/// Writes a sheet like that of a grid (centred, in its x-y plane) as an OBJ file whose path holds
/// until the next call. `order` (counts[0] x counts[1]) gives each grid vertex its place in the
/// file; NULL keeps the order.
const char *write_sheet(const char *name, MeshKind kind, const int counts[2], const double size[2],
                        const uint32_t *order);

/// Writes text as a file of that name; the path holds until the next call.
const char *write_text(const char *name, const char *text);

/// FNV-1a of some bytes, carried on from `hash`; start with HASH_START.
#define HASH_START 0xcbf29ce484222325ull
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#ifdef WEFT_VARIANT
#include "sim/engine.h"

// The inside of the engine, for tests that are compiled for its precision.
static inline Engine *rig_engine(const Rig *rig)
{
    return rig->sim->engine;
}

static inline EngineData *rig_data(const Rig *rig)
{
    return &rig_engine(rig)->data;
}

// Runs the stages that find the forces and the matrix of a step of `h` seconds from the present state.
static inline void assemble_step(EngineData *data, double h)
{
    data->h = (real)h;
    WEFT_KERNEL(guard)(data);
    WEFT_KERNEL(weave)(data);
    WEFT_KERNEL(classify)(data);
    WEFT_KERNEL(springs)(data);
    WEFT_KERNEL(air)(data);
    WEFT_KERNEL(gather)(data);
    WEFT_KERNEL(bend)(data);
}
#endif
