// report.h: what a step and a run have to say about themselves. Filled by sim/, printed by app/.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAGE(name, per, repeat, tolerance, what) WEFT_STAGE_##name,
typedef enum WeftStage
{
#include "../../kernels/stages.def"
    WEFT_STAGE_COUNT
} WeftStage;
#undef STAGE

/// "classify", "springs", ... and the line that stages.def has for it.
const char *weft_stage_name(WeftStage stage);
const char *weft_stage_per(WeftStage stage);
const char *weft_stage_help(WeftStage stage);

typedef struct WeftStepReport
{
    double   step_size;             // s, of the last part of the step
    uint32_t halvings;              // failed tries that were taken back within this step
    uint32_t component_count;       // systems solved (1 with decomposition off)
    uint32_t largest_component;     // particles
    uint32_t iterations;            // CG iterations of the system that needed most
    uint64_t row_multiplies;        // row-vector multiplies
    uint32_t unconverged_count;     // systems that stopped at max_iterations
    double   worst_residual;        // relative, of the system that ended worst
    uint32_t active_springs;        // stretch and shear springs in extension
    uint32_t implicit_springs;      // in the matrix: implicit and in extension, or nearly
    uint32_t softened_bend_springs; // bend springs weakened so that their explicit step is stable
    uint32_t contact_count;         // particles that touch a solid
    uint32_t stick_count;           // those of them held by static friction
    uint32_t cloth_contact_count;   // contact springs between cloths that act
    uint32_t cloth_contact_blocks;  // those of them in the matrix
    uint32_t lost_pairs;            // pairs of cloth that contact.max_pairs left no room for
    uint32_t cut_count;             // particles stopped short of other cloth
    bool     cloth_stuck;           // no way was found on which cloth does not meet cloth
    double   largest_stretch;       // spring length / rest length
    double   kinetic_energy;        // J
    double   potential_energy;      // J, against the start: gravity and all springs
    double   stage_seconds[WEFT_STAGE_COUNT];
} WeftStepReport;

// Components by size, in classes of powers of two: class k has those of 2^k to 2^(k+1) - 1 particles.
#define WEFT_SIZE_CLASSES 32
typedef struct WeftComponentSizes
{
    uint32_t components[WEFT_SIZE_CLASSES];
    uint32_t particles[WEFT_SIZE_CLASSES]; // in all components of the class
    uint32_t held; // particles that are held in all directions and belong to no component
} WeftComponentSizes;

typedef struct WeftRunReport
{
    uint32_t step_count;
    uint32_t frame_count;
    double   simulated_seconds;
    double   wall_seconds; // stepping only, without output
    double   stage_seconds[WEFT_STAGE_COUNT];
    double   iterations_mean; // a step
    uint32_t iterations_max;
    uint64_t row_multiplies;
    double   components_mean;
    uint32_t components_max;
    uint32_t largest_component;
    double   active_springs_mean;
    double   implicit_springs_mean;
    uint32_t spring_count; // stretch and shear
    uint32_t bend_spring_count;
    uint32_t softened_bend_springs; // most in a step
    uint32_t unconverged_steps;     // steps with a system that did not converge
    double   worst_residual;
    uint32_t halvings;
    double   largest_stretch; // over the whole run
    double   kinetic_energy;  // at the end
    double   potential_energy;
    uint32_t contacts_max;
    double   contacts_mean;
    uint32_t cloth_contacts_max;
    double   cloth_contacts_mean;
    double   cloth_contact_blocks_mean;
    uint32_t lost_pairs_max;
    uint64_t cut_particles;     // over all steps
    uint64_t peak_memory_bytes; // of the process
    uint32_t dispatches;        // a step, on a GPU
    uint32_t barriers;          // a step, on a GPU
    uint64_t device_bytes;      // of the arrays on a GPU
} WeftRunReport;
