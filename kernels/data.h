// data.h: all arrays of the CPU engine, in the precision that this file is compiled for.
//
// Particles are numbered so that neighbours are near. Eight particles in a row are a slice: the
// unit of vector arithmetic. 1024 are a tile: the unit of parallel work, of sums (so that any
// number of threads gives the same bits) and of spring storage. Coordinates are stored apart (x[0],
// x[1], x[2]).
//
//   spring storage of a tile:   [class 0: owners 0..1023][class 1: owners 0..1023] ...
//
// The owner of a spring is its end with the lower index. On a grid the classes are the directions,
// so that the eight springs of a slice and the eight far ends are consecutive in memory
// ("regular"), and a CG multiply needs no indices. On an irregular mesh a class is the k-th spring
// of each owner and the far ends come from `other`.
//
// The row of a particle gathers its own springs and those that it is the far end of. Both are
// listed per slice as slots.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

#ifdef WEFT_DOUBLE
typedef double real;
#define WEFT_REAL_SQRT sqrt
#define WEFT_REAL_FABS fabs
#else
typedef float real;
#define WEFT_REAL_SQRT sqrtf
#define WEFT_REAL_FABS fabsf
#endif

// Every function of an engine carries the name of its build: precision and instruction set.
#define WEFT_JOIN_AGAIN(name, variant) name##_##variant
#define WEFT_JOIN(name, variant) WEFT_JOIN_AGAIN(name, variant)
#define WEFT_PRECISE(name) WEFT_JOIN(name, WEFT_VARIANT)
#define WEFT_KERNEL(stage) WEFT_PRECISE(weft_kernel_##stage)

// For loops with a flag that must be known at compile time to vectorise.
#define WEFT_INLINE static inline __attribute__((always_inline))

#define SLICE 8
#define TILE 1024
#define PATCH_MOST 16u // clumps of a patch
#define SLICES_PER_TILE (TILE / SLICE)

// A run of springs of one class with consecutive owners.
typedef struct SpringRun
{
    uint32_t spring; // storage index of the first
    uint32_t owner;  // its owner
    uint32_t count;
    int32_t  offset; // far end = owner + offset for the whole run, or RUN_SCATTERED: see `other`
} SpringRun;
#define RUN_SCATTERED INT32_MIN

// Eight springs of a slice's rows.
typedef struct RowSlot
{
    uint32_t
        spring; // regular: storage index of lane 0's; scattered: index into lane_spring, lane_other
    uint32_t other; // regular: lane 0's far end
} RowSlot;
#define SLOT_MIRROR 1u    // the row is the far end: the spring's impulse counts negative
#define SLOT_SCATTERED 2u // indices per lane
#define SLOT_LIVE 4u      // set each step: a lane has a block in the matrix

typedef struct SpringList
{
    uint32_t  spring_count;  // real ones
    uint32_t  storage_count; // with filling; storage 0..7 is the null spring
    uint32_t *other;         // (storage) far end
    real     *rest;          // (storage) m
    real     *stiffness;     // (storage) N/m; bend: k_b of the beam, N m^2
    real     *damping;       // (storage) N s/m
    // (storage) N/m, tension over length that is always there; bend: such a push, or of a beam the stiffness of each spring below it
    real    *base;
    uint8_t *flags; // (storage)
    // Stretch and shear only: length up to which it does not pull, and how far from there it does so until its tension at rest.
    real *slack, *reach; // (storage) m
    uint32_t
         *below[2]; // bend only: (storage) the stretch springs below a beam, else the null spring
    real *length;   // stretch and shear only: (storage) m, at the current positions
    // Stretch and shear only; the first three where a mesh has triangles, else NULL: what their threads add to a spring.
    real *tension; // (storage) N/m: force on the owner, over x_far - x_owner
    real   *
        push; // (storage) N/m: the same of the push that is against it, without a block; not positive for all of a thread
    real *weave[6];   // (storage) added to the block below: xx yy zz xy xz yz
    real *impulse[3]; // (storage) N s, on the owner: h f, and h^2 K (v_other - v_owner) if implicit
    real *alpha;      // (storage) block of A between the ends is -(alpha I + u u^T)
    real *u[3];

    uint32_t  *tile_runs; // (tile_count + 1) first run of each tile
    SpringRun *runs;

    uint32_t *slice_slots; // (slice_count + 1) first slot of each slice
    RowSlot  *slots;
    uint8_t  *slot_flags;
    uint32_t *lane_spring; // (scattered slots x 8)
    uint32_t *lane_other;
} SpringList;

// The triangles of cloth that is given as a mesh. Threads run through each: warp, weft and the two directions between them.
typedef struct WeaveList
{
    uint32_t  count;
    uint32_t *corner[3]; // (count) particles
    // A metre of warp is lay[0] (x1 - x0) + lay[1] (x2 - x0) now; then weft, and the two between.
    real *lay[8];      // (count) 1/m
    real *strength[2]; // (count) J: area times modulus of warp and weft, and of the other two
    // Strain of warp and weft under the load that they bear at rest, that under which they buckle; and the length, over that
    // at rest, up to which they then do not pull.
    real *reach, *slack; // (count)
    // Tension, push, N/m, and six entries of the block, of the edges from corner 0 to 1; then 1 to 2, then 2 to 0.
    real     *edges;      // (3 x WEAVE_REALS x count)
    uint32_t *side_begin; // (storage + 1) edges of triangles that each spring is
    uint32_t *side;       // (3 count) places in `edges`, of their tension
} WeaveList;

// The triangles of a mesh solid in a binary tree: node 0 is the root, nodes 2n + 1 and 2n + 2 are below node n, the last leaf_count
// nodes are the leaves, which share the triangles evenly.
typedef struct MeshTree
{
    uint32_t        triangle_count, leaf_count;
    const uint32_t *corners; // (triangle_count x 3)
    const uint32_t *edges;   // (triangle_count x 3) from corner k to the next
    const real     *boxes;   // (2 leaf_count - 1, x 6) lowest and highest corner, over the step
} MeshTree;

// Where its points are, and what is outside at points and edges.
typedef struct MeshShape
{
    const real *points;        // (x 3) m
    const real *point_normals; // (x 3) unit
    const real *edge_normals;  // (x 3)
} MeshShape;

// All meshes, one behind the other, first those that keep their shape. The words begin with a row of MESH_WORDS for each solid.
typedef struct MeshPool
{
    uint32_t  word_count, real_count;
    uint32_t  resting_count; // reals of those that keep their shape
    uint32_t *words;
    real     *reals;
    MeshTree *trees; // (solid_count)
} MeshPool;

// A solid where it stands at the start and at the end of the step.
typedef struct SolidPose
{
    real      rotation[9];
    real      translation[3];
    MeshShape shape; // of a mesh; the same at both ends unless it is animated
} SolidPose;

typedef struct SolidData
{
    int             type; // WeftSolidType
    real            size[3];
    real            radius, tube_radius, height, friction;
    const MeshTree *mesh; // NULL where it is none
    SolidPose       before, after;
    real turn[9], shift[3]; // after - before, formed in double so that a solid at rest has none
    real low[3], high[3];   // world bounds over the step, without the cloth's thickness
} SolidData;

// A pin in this step: where its motion takes the particles, and which directions it leaves free.
typedef struct PinData
{
    bool   active;
    int    degrees; // 0, 1 or 2
    real   direction[3];
    double rotation[9], translation[3]; // motion at the end of the step
} PinData;

// One linear system: a component, or all rows with decomposition off.
typedef struct System
{
    uint32_t label;
    uint32_t row_count;
    uint32_t group_begin, group_count;
    double   gamma, gamma_before; // r.u
    double   delta;               // u.A u
    double   alpha, beta;
    double   reference; // size of the right-hand side in the norm that gamma is measured in
    uint32_t iterations;
    bool     converged;
    bool     halved; // every other particle is eliminated: see halves.h
} System;

// Cloth that is near other cloth, or another part of its own: pairs of a particle and a triangle, or of two edges. They are
// found at the end of a step from the way that the particles went, limit that way, and are the contact springs of the next step.
//
// A pair has four corners. Its first side is the particle or the first edge; the weights of the corners, negative on the second
// side, say which two points are the nearest: sum of weight * x = gap * normal.
typedef struct PairList
{
    bool on;
    real stiffness, damping,
        friction; // stiffness and damping in units of mass / step^2 and mass / step
    // Items are particles, edges and triangles, from item_begin[0], [1] and [2] on. CLUMP in a row are a clump, neighbours in the cloth.
    uint32_t  item_begin[4];
    uint32_t *item_corner[3]; // (items) particles, as many as it has
    uint32_t *clump_size;     // (clumps) items that are no repetition
    // A patch is a few clumps of particles or edges in a row that near looks around of at a time.
    uint32_t  patch_count;
    uint32_t *patch_begin; // (patch_count + 1) its first clump
    // For each clump of particles or edges, the clumps that it need not look at all of, and at whom there: a byte for each of its items. That
    // is who has a corner of theirs, and which edges look at them.
    uint32_t *kin_begin; // (item_begin[2] / CLUMP + 1)
    uint32_t *kin_clump;
    uint64_t *kin_lanes;
    // Around each patch in the cloth: its home, clumps that it looks into, and the clumps of particles that all these consist of. What has
    // been found of them is in calm.h.
    uint32_t *home_begin, *home;   // (patch_count + 1)
    uint32_t *mover_begin, *mover; // (patch_count + 1)
    double *
        rest; // (patch_count) m, by how much more than they need two of them are apart; negative: not known
    real     *skin, *widest_skin; // (patch_count) m, half of what rest is to be at first
    uint32_t *patience;           // (patch_count) steps before it is tried again
    real *last_spot; // (clumps of particles x 3 x CLUMP) where the particles were at the last step
    real *shift
        [4]; // (clumps of particles) m, how far they went since, and the most that one is off that
    real *way_spread;   // (clumps of particles) m, the most that the way of one is off theirs
    real *radius;       // (padded_count) m, half of the distance that two cloths keep
    real *record;       // (padded_count x 8) what the items of cells ask for of each particle
    real  longest_edge; // m, at rest
    real  drift[3];     // m, mean way of all particles in the step
    real  frame[3];     // m, mean way of those whose way is cut

    // Balls around the items (centre, radius, way, margin, side), where their corners are, and balls and boxes around the clumps.
    real *ball[9], *spot[9]; // (items)
    real *clump[7];          // (clumps)
    real *box[6];            // (clumps) lowest and highest corner

    // The clumps of edges and of triangles in a grid, which repeats itself after 2^bits cells along each axis. First the buckets of edges.
    uint32_t  bits[3], bucket_count;
    real      cell_size;
    uint32_t *clump_key;      // (grid_clumps) bucket
    uint32_t *bucket_begin;   // (2 bucket_count + 1) first place in sorted
    uint32_t *sorted;         // (grid_clumps) counted from the first clump of edges on
    real     *sorted_ball[7]; // (grid_clumps) balls in this order
    real     *sorted_box[6];  // (grid_clumps) and boxes

    // Pairs, in the order of the items that they were found from: particles, then first edges.
    uint32_t  capacity, count;
    uint32_t  lost;        // pairs that there was no room for
    uint32_t *query_begin; // (item_begin[2] + 1)
    uint32_t *found;       // (found_stride for each thread) items that near has found
    size_t   *patch_found; // (patch_count) where those of each patch begin
    uint32_t *around;      // (around_stride for each thread) clumps around a patch
    uint32_t *chosen; // (around_stride for each thread) those of them that a clump has to look into
    uint64_t *
        chosen_lanes; // (around_stride for each thread) and at whom in them, a byte for each item of the clump
    uint32_t *
        home_mark; // (around_stride for each thread) the last patch, counted from 1, whose home a clump was
    struct Crowd *crowds;    // one for each thread
    uint32_t     *corner[4]; // (capacity) particles
    real         *weight[4];
    real         *normal[3]; // unit, towards the first side
    real         *gap;       // m
    uint8_t      *flags;     // PAIR_*
    real *alpha; // block of A between corners a and b is weight_a weight_b (alpha I + beta n n^T)
    real *beta;
    real *impulse[3]; // N s, on the first side
    bool  wide;       // particles that are held may go any way between their own and the frame
    real *push;       // m, what the pair is short of in the limit stage

    // The pairs of each particle.
    uint32_t *touch_begin; // (padded_count + 1)
    uint32_t *touch;       // (4 capacity) 4 pair + corner
    uint32_t *
        implicit; // (4 capacity) those of them that are implicit springs, by gather: from touch_begin
    uint32_t *implicit_end; // (padded_count) to here
    real     *own[6];       // (padded_count) what contact springs add to the diagonal blocks of A
    real     *pull[3];      // (capacity) of implicit springs: block times a vector at the corners
    real     *wish[3];      // (padded_count) places that the particles would have reached
    uint8_t  *held;         // (padded_count) particles whose way is cut
    uint8_t  *blind;        // (padded_count) particles whose pairs there was no room for
    bool      stuck;        // holding was not enough: the step has failed
    uint32_t  active_count, implicit_count; // contact springs
    uint32_t  cut_count;
} PairList;

// Clumps of edges and triangles.
static inline uint32_t grid_clumps(const PairList *pairs)
{
    return (pairs->item_begin[3] - pairs->item_begin[1]) / CLUMP;
}

// Room for every clump.
static inline size_t around_stride(const PairList *pairs)
{
    return pairs->item_begin[3] / CLUMP;
}

// One more than a thread's list can hold, so that the place behind a full list is still known to be that thread's.
static inline size_t found_stride(const PairList *pairs)
{
    return (size_t)pairs->capacity + 1;
}

typedef struct EngineData
{
    uint32_t particle_count, slice_count, tile_count;
    uint32_t
        padded_count; // particles with filling behind, which is at rest, free and without springs
    struct WeftPool *pool;

    // The step.
    real     h;
    real     gravity[3], wind[3];
    int      method, damping_kind, preconditioner, start_guess;
    bool     decompose, eliminate;
    real     threshold;
    double   tolerance;
    uint32_t max_iterations;
    real     contact_margin;
    real
        on_surface; // m; a particle this near to its place on a solid is there: correcting less than the
                    // rounding of positions would make it creep
    real air_density, air_drag, air_lift, linear_drag, quadratic_drag;

    // Particles.
    real *x[3], *v[3], *mass, *thickness;
    real *
        share; // mass for every four shear springs: all of it inside of a grid, twice of it at a border
    real    *rhs[3];        // b, N s
    real    *light;         // 1 / mass; 0 while a pin holds the particle in all directions
    real    *diagonal[6];   // blocks of A: xx yy zz xy xz yz
    real    *inverse[6];    // Q, the preconditioner's inverse within the filter
    uint8_t *degrees;       // of freedom in this step
    real    *direction[3];  // normal (2 degrees) or line (1 degree)
    real    *prescribed[3]; // z
    real    *change[3];     // the solution, v_new - v; before the solve the last step's
    real    *r[3], *u[3], *p[3], *s[3], *w[3];

    // Springs.
    SpringList structural, bend;
    WeaveList  weave;
    uint32_t   softened_count;

    // Surface.
    uint32_t  triangle_count;
    uint32_t *corners[3];   // (triangle_count)
    real     *air_force[3]; // (triangle_count) N, on each corner
    uint32_t *fan_begin;    // (particle_count + 1) triangles around each particle
    uint32_t *fan;

    // Cloth near cloth.
    PairList pairs;

    // Constraints.
    uint32_t   pin_count;
    PinData   *pins;
    int32_t   *pin_of;    // (particle_count) pin, or -1
    double    *pin_start; // (pinned x 3) starting place, found through pin_slot
    int32_t   *pin_slot;  // (particle_count)
    uint32_t   solid_count;
    SolidData *solids;
    MeshPool   meshes;
    uint8_t   *contact;        // CONTACT_*
    int16_t   *contact_solid;  // which solid
    real      *contact_load;   // N s, normal impulse of the last step; negative: not known yet
    bool       has_prescribed; // some z is not zero
    uint8_t   *moved;          // (slices, and two more) whether some z of the slice is not zero

    // Components. A group is the lanes of one slice that belong to one system. Components of a
    // single particle make no system: they are listed as groups of their own and solved directly.
    uint32_t *label;
    // Of label, a bit for each particle: that is free, joined to any other, to the one before it, the first of a chain; chains before
    // each 64.
    uint64_t *free_bits, *joined_bits, *chained_bits, *begin_bits;
    uint32_t *chains_before;
    uint32_t *chain_parent, *chain_label; // (chains) a place for each particle, and one before them
    // For order: segments are particles in a row of one component, counted from 1 on.
    uint32_t *segment_begin, *segment_last; // (segments)
    uint32_t *segment_next;                 // (segments) of the same component; 0: none
    uint32_t *latest_segment;               // (particle_count) at each root
    uint32_t *system_first;                 // (systems) segment
    uint32_t *rows_to, *groups_to;          // (systems) up to the end of each
    uint32_t
        *row_of; // (particle_count) its row on the bench of the thread that solves its component
    struct Bench  *benches; // one for each thread
    uint32_t       component_count;
    uint32_t       largest_component;
    uint32_t       system_count;
    System        *systems; // in order of their labels
    uint32_t       group_count;
    uint32_t       single_begin; // groups from here on are of single particles
    uint32_t      *group_slice;
    uint8_t       *group_lanes;
    System        *current; // the system that the stages of large systems work on
    struct Halves *halves;  // for systems of two colours; NULL where the springs do not allow it
    double        *partial; // (chunks x 2), (chunks of spans x 4) sums
    double        *way_sum; // (tile_count x 3) sums of the ways that the particles went
    double        *tension; // (tile_count) sums for the energy of the springs

    // The state at the beginning of the step.
    real    *kept_x[3], *kept_v[3], *kept_change[3], *kept_load;
    uint8_t *kept_contact;
    int16_t *kept_solid;

    // Findings.
    double   largest_stretch;
    bool     finite;
    uint64_t row_multiplies;
    uint32_t contact_count, stick_count, active_count, implicit_count;
} EngineData;

#define STAGE(name, per, repeat, tolerance, what) void WEFT_KERNEL(name)(EngineData * data);
#include "stages.def"
#undef STAGE
