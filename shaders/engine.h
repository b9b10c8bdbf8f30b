// engine.h: the arrays of the GPU engine by address, in one block that every stage is given the address of.
//
// Arrays are those of EngineData in kernels/data.h, in the same order and numbering: particles are padded to whole slices,
// vectors are stored axis by axis (axis * padded_count + i), symmetric blocks entry by entry, springs lie in the CPU engine's
// storage order with its slots. Small whole numbers (flags, degrees, contacts) are words here. Reals are floats, or
// doubles where a shader is compiled with WEFT_DOUBLE.
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include "layout.h"
#include "push.h"

// Places in `values`, the scalars of a step, as reals.
#define VALUE_H 0
#define VALUE_GRAVITY 1 // three
#define VALUE_WIND 4    // three
#define VALUE_THRESHOLD 7
#define VALUE_TOLERANCE 8
#define VALUE_CONTACT_MARGIN 9
#define VALUE_AIR_DENSITY 10
#define VALUE_AIR_DRAG 11
#define VALUE_AIR_LIFT 12
#define VALUE_LINEAR_DRAG 13
#define VALUE_QUADRATIC_DRAG 14
#define VALUE_STRETCH_LIMIT 15
#define VALUE_PAIR_STIFFNESS 16
#define VALUE_PAIR_DAMPING 17
#define VALUE_PAIR_FRICTION 18
#define VALUE_LONGEST_EDGE 19
#define VALUE_SOLIDS                                                                               \
    20 // then solid_count times SOLID_REALS, then pin_count times PIN_REALS, then the animated meshes

// A solid among the values: type, friction, sizes, then where it stands at the end of the step, how that differs from
// the beginning, where it stood, and its bounds.
#define SOLID_TYPE 0
#define SOLID_FRICTION 1
#define SOLID_SIZE 2 // three
#define SOLID_RADIUS 5
#define SOLID_TUBE_RADIUS 6
#define SOLID_HEIGHT 7
#define SOLID_BEFORE_ROTATION 8     // nine
#define SOLID_BEFORE_TRANSLATION 17 // three
#define SOLID_AFTER_ROTATION 20     // nine
#define SOLID_AFTER_TRANSLATION 29  // three
#define SOLID_TURN 32               // nine
#define SOLID_SHIFT 41              // three
#define SOLID_LOW 44                // three
#define SOLID_HIGH 47               // three
#define SOLID_REALS 50

// A pin among the values.
#define PIN_ACTIVE 0
#define PIN_DEGREES 1
#define PIN_DIRECTION 2    // three
#define PIN_TURN 5         // nine: rotation minus the identity, so that a pin at rest has none
#define PIN_TRANSLATION 14 // three
#define PIN_REALS 17

// Places in `findings`, the words that a step reports; all are set to 0 before it.
#define FOUND_ACTIVE 0
#define FOUND_IMPLICIT 1
#define FOUND_SOFTENED 2
#define FOUND_CONTACTS 3
#define FOUND_STICKS 4
#define FOUND_PRESCRIBED 5
#define FOUND_COMPONENTS 6
#define FOUND_LARGEST 7
#define FOUND_SYSTEMS 8     // of more than one particle
#define FOUND_SMALL 9       // of them at most a workgroup
#define FOUND_TILES 10      // of the large ones
#define FOUND_ITERATIONS 11 // of the system that needed most
#define FOUND_UNCONVERGED 12
#define FOUND_UNFINISHED 13 // large systems that the recorded iterations were not enough for
#define FOUND_ROWS_LOW 14   // row-vector multiplies, 64 bits
#define FOUND_ROWS_HIGH 15
#define FOUND_STRETCH 16 // bits of a float: largest stretch
#define FOUND_NOT_FINITE 17
#define FOUND_RESIDUAL 18 // bits of a float: worst squared relative residual
#define FOUND_FAILED 19   // the step is to be taken back; those behind it in the queue do nothing
#define FOUND_TOUCHING 20 // contact springs between cloths that act
#define FOUND_LOST 21     // pairs that there was no room for
#define FOUND_CUT 22      // particles whose way was cut
#define FOUND_STUCK 23    // no way was found on which cloth does not meet cloth
#define FOUND_PAIRS 24    // of cloth that is near cloth
#define FOUND_JOINING 25  // contact springs between cloths that are in the matrix
#define FOUND_COUNT 32

struct EngineBlock
{
    uint particle_count;
    uint padded_count;
    uint slice_count;
    uint structural_count; // storage
    uint bend_count;       // storage
    uint triangle_count;
    uint pin_count;
    uint solid_count;
    uint method;
    uint damping_kind;
    uint preconditioner;
    uint start_guess;
    uint decompose;
    uint max_iterations;
    uint value_count; // reals of a step in `values`
    uint ring_count;  // steps that may be in flight; `inputs` and `results` have one place for each
    uint structural_slots;
    uint tile_rows;    // particles of a tile
    uint tile_units;   // tiles that a workgroup takes
    uint mesh_resting; // reals of the meshes that keep their shape; the others follow in `values`
    uint mesh_values;  // from this place on
    uint item_begin[4];
    uint pair_capacity; // 0: cloth may pass through cloth
    uint bucket_bits[3];
    uint weave_count; // triangles of meshes

    ADDRESS(Uints)
    clock; // [0] number of the step in the queue: its place is clock % ring_count; [1] FAILED of any
    ADDRESS(Reals) inputs;   // (ring_count x value_count) in the host's memory
    ADDRESS(Reals) values;   // (value_count) of the present step: keep fetches them
    ADDRESS(Uints) findings; // (FOUND_COUNT) of the present step: keep clears them
    ADDRESS(Uints)
    results; // (ring_count x FOUND_COUNT) in the host's memory: guard leaves the findings there

    // Particles. Vectors (3 x padded_count), blocks (6 x padded_count).
    ADDRESS(Reals) x;
    ADDRESS(Reals) v;
    ADDRESS(Reals) mass;
    ADDRESS(Reals) share; // as kernels/data.h says
    ADDRESS(Reals) thickness;
    ADDRESS(Reals) rhs;
    ADDRESS(Reals) light; // 1 / mass; 0 while a pin holds the particle in all directions
    ADDRESS(Reals) diagonal;
    ADDRESS(Reals) inverse;
    ADDRESS(Uints) degrees; // of freedom; DEAD_END is set too where they are 0
    ADDRESS(Reals) direction;
    ADDRESS(Reals) prescribed;
    ADDRESS(Reals) change;
    ADDRESS(Reals) r;
    ADDRESS(Reals) u;
    ADDRESS(Reals) p;
    ADDRESS(Reals) s;
    ADDRESS(Reals) w;
    ADDRESS(Uints) pin_of; // pin, or NO_PIN
    ADDRESS(Reals)
    pin_start; // (6 x padded_count) starting place of pinned particles, then what rounding left of it
    ADDRESS(Uints) contact;
    ADDRESS(Uints) contact_solid;
    ADDRESS(Reals) contact_load;
    ADDRESS(Reals) kept_x;
    ADDRESS(Reals) kept_v;
    ADDRESS(Reals) kept_change;
    ADDRESS(Reals) kept_load;
    ADDRESS(Uints) kept_contact;
    ADDRESS(Uints) kept_solid;

    // Stretch and shear springs, in storage order; `s_` stands for structural, `b_` for bend.
    ADDRESS(Uints) s_ends; // (2 x storage) owner and far end, pair by pair
    ADDRESS(Reals) s_rest;
    ADDRESS(Reals) s_stiffness;
    ADDRESS(Reals) s_damping;
    ADDRESS(Reals) s_base;
    ADDRESS(Reals) s_slack;
    ADDRESS(Reals) s_reach;
    ADDRESS(Uints) s_flags;
    ADDRESS(Reals) s_length;
    // What the threads of triangles add, where a mesh has any: tension and push (storage) and block (6 x storage).
    ADDRESS(Reals) s_tension;
    ADDRESS(Reals) s_push;
    ADDRESS(Reals) s_weave;
    ADDRESS(Reals) s_impulse; // (3 x storage) axis by axis
    ADDRESS(Reals) s_block;   // (4 x storage) alpha, then u axis by axis
    ADDRESS(Uints) s_slice_slots;
    ADDRESS(Uints) s_slots; // (2 x slots) spring, other
    ADDRESS(Uints) s_slot_flags;
    ADDRESS(Uints) s_lane_spring;
    ADDRESS(Uints) s_lane_other;
    ADDRESS(Uints) s_regular;   // (slice_count x slots of the pattern) slot, or NO_SLOT
    ADDRESS(Uints) s_odd_begin; // (slice_count + 1) first of each slice's slots that are not there
    ADDRESS(Uints) s_odd;       // (2 x odd) slice, slot
    ADDRESS(Reals) b_rest;
    ADDRESS(Reals) b_stiffness;
    ADDRESS(Reals) b_damping;
    ADDRESS(Reals) b_base;
    ADDRESS(Uints) b_below; // (2 x storage)
    ADDRESS(Uints) b_slice_slots;
    ADDRESS(Uints) b_slots;
    ADDRESS(Uints) b_slot_flags;
    ADDRESS(Uints) b_lane_spring;
    ADDRESS(Uints) b_lane_other;
    ADDRESS(Uints) b_regular;
    ADDRESS(Uints) b_odd_begin;
    ADDRESS(Uints) b_odd;

    // Surface.
    ADDRESS(Uints) corners;   // (3 x triangle_count) corner by corner
    ADDRESS(Reals) air_force; // (3 x triangle_count) axis by axis
    ADDRESS(Uints) fan_begin; // (particle_count + 1)
    ADDRESS(Uints) fan;

    // Threads in the triangles of meshes: WeaveList of kernels/data.h.
    ADDRESS(Uints) weave_corner;   // (3 x weave_count) corner by corner
    ADDRESS(Reals) weave_lay;      // (8 x weave_count)
    ADDRESS(Reals) weave_strength; // (2 x weave_count)
    ADDRESS(Reals) weave_reach;    // (weave_count)
    ADDRESS(Reals) weave_slack;
    ADDRESS(Reals) weave_edges; // (3 x WEAVE_REALS x weave_count) edge by edge
    ADDRESS(Uints) weave_begin; // (storage + 1)
    ADDRESS(Uints) weave_side;  // (3 x weave_count)

    // Mesh solids: MeshPool of kernels/data.h.
    ADDRESS(Uints) mesh_words;
    ADDRESS(Reals) mesh_reals; // (mesh_resting)

    // Cloth near cloth: the PairList of kernels/data.h. Items are particles, edges, triangles.
    ADDRESS(Uints) item_corner;  // (3 x items) corner by corner
    ADDRESS(Uints) clump_size;   // (clumps)
    ADDRESS(Reals) radius;       // (padded_count)
    ADDRESS(Reals) pair_ways;    // (6) drift, frame
    ADDRESS(Reals) ball;         // (9 x items) centre, radius, way, margin, side
    ADDRESS(Reals) spot;         // (9 x items) corners
    ADDRESS(Reals) clump;        // (7 x clumps) centre, radius, way
    ADDRESS(Reals) cell_size;    // (1)
    ADDRESS(Uints) clump_key;    // (grid clumps: those of edges and triangles)
    ADDRESS(Uints) sorted;       // (grid clumps) in the order of their keys
    ADDRESS(Reals) sorted_ball;  // (7 x grid clumps) clump, in this order
    ADDRESS(Uints) bucket_begin; // (2 x buckets + 1)
    ADDRESS(Uints) query_begin;  // (item_begin[2] + 1) first pair of each particle and edge
    ADDRESS(Uints) pair_counts;  // (PAIR_COUNTS)
    ADDRESS(Uints) pair_corner;  // (4 x pair_capacity) corner by corner; so are the weights
    ADDRESS(Reals) pair_weight;
    ADDRESS(Reals) pair_normal; // (3 x pair_capacity) axis by axis
    ADDRESS(Reals) pair_gap;
    ADDRESS(Uints) pair_flags;
    ADDRESS(Reals) pair_alpha;
    ADDRESS(Reals) pair_beta;
    ADDRESS(Reals) pair_impulse; // (3 x pair_capacity) axis by axis
    ADDRESS(Reals) pair_push;
    ADDRESS(Uints) touch_begin; // (padded_count + 1)
    ADDRESS(Uints) touch;       // (4 x pair_capacity) 4 pair + corner
    ADDRESS(Reals) wish;        // (3 x padded_count)
    ADDRESS(Uints) held;        // (padded_count)
    ADDRESS(Uints) blind;       // (padded_count)
    ADDRESS(Reals) pair_sums;   // (4 x WAY_GROUPS) sums and maxima of workgroups
    ADDRESS(Uints) clump_place; // (grid clumps) place of each in `sorted`
    ADDRESS(Uints) touch_next;  // (padded_count) entries of each particle that are in `touch`
    ADDRESS(Uints)
    pair_grids; // (PAIR_GRID_COUNT) workgroups of dispatches that depend on the pairs

    // Components.
    ADDRESS(Uints) label;
    ADDRESS(Uints)
    rows; // (padded_count) particles sorted by label, the lower index first; held ones last
    ADDRESS(Uints) systems; // (padded_count x SYSTEM_WORDS) in order of their labels
    ADDRESS(Uints) tiles;   // (TILE_MOST x TILE_WORDS) of the large systems
    ADDRESS(Uints)
    scratch; // counts of order: four for each workgroup, then four for each thread; with WEFT_WIDE its arrays
    ADDRESS(SharedReals) partial; // (2 x TILE_MOST) sums of tiles
    ADDRESS(Uints) position;      // (padded_count) place of each particle in rows
    ADDRESS(Reals) scalars;       // (systems x SCALAR_COUNT)
    ADDRESS(Uints)
    small; // (2 x SYSTEM_MOST) systems of a few rows, then those of at most a workgroup
    ADDRESS(Uints) live;   // (TILE_MOST) tiles of the large systems that are not solved yet
    ADDRESS(Uints) grids;  // (GRID_COUNT) workgroups of dispatches that depend on the components
    ADDRESS(Reals) packed; // (slice_count x PACKED_SLOT(slots of the pattern) x SLICE_ROWS)
};

// A system of more than SMALL_COMPONENT rows is large: its rows are worked on tile by tile. A tile is the rows of one system among
// tile_rows particles that lie side by side, so that nobody has to look up where a row is; threads of other rows are idle.
// A system of at most FEW_ROWS has a smaller workgroup.
#define FEW_ROWS 32u
#define SYSTEM_MOST(padded_count) ((padded_count) / 2u + 1u)
#define TILE_MOST(padded_count) (padded_count)

// Words of a system.
#define SYSTEM_LABEL 0u
#define SYSTEM_FIRST 1u // row
#define SYSTEM_ROWS 2u
#define SYSTEM_TILE 3u // the first; large ones only
#define SYSTEM_TILE_END 4u
#define SYSTEM_END 5u // iterations, once it is finished; before that UNFINISHED
#define SYSTEM_CONVERGED 6u
#define SYSTEM_PRODUCTS 7u // of a row with a vector, besides those of the iterations
#define SYSTEM_ARRIVED 8u  // tiles that are done with the present pass
#define SYSTEM_WORDS 9u
#define UNFINISHED 0xFFFFFFFFu

// Reals of a system.
#define SCALAR_REFERENCE 0u // size of the right-hand side in the norm that gamma is measured in
#define SCALAR_GAMMA 1u     // r.u
#define SCALAR_GAMMA_BEFORE 2u
#define SCALAR_ALPHA 3u
#define SCALAR_BETA 4u
#define SCALAR_COUNT 5u

// Words of a tile.
#define TILE_SYSTEM 0u
#define TILE_PLACE 1u // its particles begin at tile_rows times this
#define TILE_WORDS 2u

// Places in `grids`. A grid is the three counts of an indirect dispatch; behind it the number of systems or tiles it is for.
#define GRID_FEW 0u
#define GRID_SMALL 4u
#define GRID_TILES 8u
#define GRID_LIVE 12u
#define GRID_CHOICE 16u
#define GRID_UNFINISHED 20u // no grid: large systems that are not solved yet
#define GRID_SHORTEN 21u    // one workgroup while finished systems are on the list of live tiles
#define GRID_ROUNDS 25u     // eight grids of three: rounds of label
#define GRID_COUNT 49u
#define GRID_MOST 65535u // along one axis; every device counts as far

// Words of pair_counts.
#define PAIR_COUNT 0u
#define PAIR_LOST 1u
#define PAIR_TOUCHING 2u
#define PAIR_CUT 3u
#define PAIR_JOINING 4u
#define PAIR_COUNTS 5

// Threads of a workgroup of touch, cells, near and limit.
#define PAIR_THREADS 64u

// Rounds of limit: of pushing, then of holding. Each has a measure, and there is one between the two.
#define LIMIT_ROUNDS 32u
#define LIMIT_HOLDS 12u
#define LIMIT_RESTARTS 4u // so many rounds of holding have the same frame and the same balls
#define LIMIT_MEASURES (LIMIT_ROUNDS + 1u + LIMIT_HOLDS)

// Places in pair_grids. A grid is the three counts of an indirect dispatch.
#define PAIR_GRID_ALL 0u   // over the pairs that the step begins with
#define PAIR_GRID_FOUND 3u // over those that near has found, while it lists whom they touch
#define PAIR_GRID_MEASURE 6u
#define PAIR_GRID_PUSH (PAIR_GRID_MEASURE + 3u * LIMIT_MEASURES)
#define PAIR_HOLD_OPEN                                                                             \
    (PAIR_GRID_PUSH + 3u * LIMIT_ROUNDS) // no grids: rounds of holding that are needed
#define PAIR_HELD_TOUCH                                                                            \
    (PAIR_HOLD_OPEN + LIMIT_HOLDS)                // nor this: held particles that touch a solid
#define PAIR_FRAME_TOUCHES (PAIR_HELD_TOUCH + 1u) // nor this: whether the frame is theirs
#define PAIR_GRID_COUNT (PAIR_FRAME_TOUCHES + 1u)

// Passes of label, cells, near and limit.
#define LABEL_START 0u
#define LABEL_PAIRS 1u
#define CELLS_WAYS 0u
#define CELLS_DRIFT 1u
#define CELLS_CUT 2u
#define CELLS_BALLS 3u
#define CELLS_CLUMPS 4u
#define CELLS_CHOICE 5u
#define CELLS_KEYS 6u
#define CELLS_PLACES 7u
#define NEAR_COUNT 0u
#define NEAR_WRITE 1u
#define NEAR_TOUCH 2u
#define NEAR_SORT 3u
#define LIMIT_START 0u
#define LIMIT_MEASURE 1u
#define LIMIT_PUSH 2u
#define LIMIT_MARK 3u
#define LIMIT_WAYS 4u
#define LIMIT_FRAME 5u
#define LIMIT_HOLD 6u

// Passes of weave, gather, order, solve_start, solve_multiply and solve_update.
#define WEAVE_TRIANGLES 0u
#define WEAVE_SPRINGS 1u
#define GATHER_ALL 0u
#define GATHER_SLOTS 1u
#define ORDER_COUNT 0u
#define ORDER_LIST 1u
#define ORDER_WHOLE 2u // decomposition off
#define START_RESIDUAL 0u
#define START_CHOICE 1u
#define MULTIPLY_ITERATION 0u
#define MULTIPLY_START 1u
#define MULTIPLY_PRODUCT 0u // and MULTIPLY_PACK: built into the shader
#define MULTIPLY_PACK 1u
#define UPDATE_VECTORS 0u
#define UPDATE_LIVE 1u
#define UPDATE_END 2u

#define ORDER_ITEMS 8u  // rows that a thread of order looks at
#define ORDER_ARRAYS 6u // with WEFT_WIDE, of (padded_count + 1) words

#define DEAD_END 4u
#define NO_PIN 0xFFFFFFFFu
#define SLICE_ROWS 8u // particles of a slice: SLICE of kernels/data.h
#define COUNTED_SLICES                                                                             \
    4u // that eight threads of a wide stage take by turns where adding up what they count is dear
#define SLOT_IS_MIRROR 1u
#define SLOT_IS_SCATTERED 2u
#define SLOT_IS_LIVE 4u
#define NO_SLOT 0xFFFFFFFFu
#define PATTERN_MOST 8                 // slots
#define PACKED_SLOT(k) (6u + 4u * (k)) // numbers of a row before slot k of the pattern: packed.glsl
#define CPU_TILE 1024u                 // particles: TILE of kernels/data.h

#ifdef GL_EXT_buffer_reference
layout(buffer_reference, std430, buffer_reference_align = 8) buffer EngineBuffer
{
    EngineBlock engine;
};
#else
typedef struct EngineBlock EngineBlock;
#endif

// Push constants of every stage.
struct StagePush
{
    ADDRESS(EngineBuffer) block;
    uint phase; // which pass of the stage
    uint
        iteration; // of CG; round of limit; whether cells and near look farther around what is held
};

// Those of label: threads read labels while others write them.
struct LabelStagePush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint filling;
    ADDRESS(SharedUints) labels;
};

// Those of the stages with WEFT_WIDE, and of the two passes of an iteration: all that lanes.glsl can go by.
#define DIGITS 8
struct GatherPush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint iteration;
    uint digits[DIGITS]; // 0, 1, 2 ...
    ADDRESS(Reals) mass;
    ADDRESS(Reals) impulses; // s_impulse
    ADDRESS(Reals) blocks;   // s_block
    ADDRESS(Uints) regular;  // s_regular
};

struct ClassifyPush
{
    ADDRESS(EngineBuffer) block;
    uint digits[DIGITS];
    ADDRESS(Reals) share;
    ADDRESS(Uints) flags; // s_flags and so on
    ADDRESS(Reals) lengths;
    ADDRESS(Reals) slacks;
    ADDRESS(Reals) bases;
    ADDRESS(Reals) stiffness;
    ADDRESS(Reals) dampings;
    ADDRESS(Uints) regular;
};

struct SpringsPush
{
    ADDRESS(EngineBuffer) block;
    uint digits[DIGITS];
    ADDRESS(Reals) x;
    ADDRESS(Reals) v;
    ADDRESS(Uints) flags; // s_flags and so on
    ADDRESS(Reals) lengths;
    ADDRESS(Reals) rests;
    ADDRESS(Reals) slacks;
    ADDRESS(Reals) reaches;
    ADDRESS(Reals) bases;
    ADDRESS(Reals) stiffness;
    ADDRESS(Reals) dampings;
    ADDRESS(Uints) regular;
};

struct GuardPush
{
    ADDRESS(EngineBuffer) block;
    uint digits[DIGITS];
    ADDRESS(Reals) x;
    ADDRESS(Uints) flags; // s_flags and so on
    ADDRESS(Reals) rests;
    ADDRESS(Uints) regular;
};

struct BendPush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint iteration;
    uint digits[DIGITS];
    ADDRESS(Reals) x;
    ADDRESS(Reals) v;
    ADDRESS(Reals) light;
    ADDRESS(Reals) rest; // b_rest and so on
    ADDRESS(Reals) base;
    ADDRESS(Uints) below;
    ADDRESS(Reals) stiffness;
    ADDRESS(Reals) damping;
    ADDRESS(Uints) regular; // b_regular
};

struct MultiplyPush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint iteration;
    uint digits[DIGITS];
    ADDRESS(Reals) packed;
    ADDRESS(Reals) from;
    ADDRESS(Reals) to;
    ADDRESS(Reals) diagonal;
    ADDRESS(Reals) springs; // s_block
    ADDRESS(Uints) regular; // s_regular
    ADDRESS(Uints) label;
};

struct StartPush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint slice_count;
    uint digits[DIGITS];
    ADDRESS(Reals) rhs;
    ADDRESS(Reals) product; // w
    ADDRESS(Reals) inverse;
    ADDRESS(Uints) label;
    ADDRESS(Uints) degrees;
};

struct PreconditionPush
{
    ADDRESS(EngineBuffer) block;
    uint digits[DIGITS];
    ADDRESS(Reals) diagonal;
    ADDRESS(Reals) change;
    ADDRESS(Reals) prescribed;
    ADDRESS(Uints) degrees;
};

struct UpdatePush
{
    ADDRESS(EngineBuffer) block;
    uint phase;
    uint iteration;
    uint digits[DIGITS];
    ADDRESS(Reals) r;
    ADDRESS(Reals) u;
    ADDRESS(Reals) w;
    ADDRESS(Reals) p;
    ADDRESS(Reals) s;
    ADDRESS(Reals) change;
    ADDRESS(Reals) inverse;
    ADDRESS(Uints) label;
    ADDRESS(Uints) degrees;
    uint slice_count;
    uint filling;
};

#endif
