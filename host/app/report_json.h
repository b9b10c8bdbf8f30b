// report_json.h: the figures of a run as JSON, for `--report`.
//
//   weft                   version of the program
//   scene                  file of the scene, or "built-in"
//   device                 "cpu", or the name of the GPU
//   precision              "float" or "double"
//   threads                threads of the CPU engine
//   interrupted            true if the run was ended by Ctrl-C or SIGTERM before its end
//   failed                 only if the run failed: the message
//   particles              of all cloths
//   steps, frames          taken; the starting frame does not count
//   simulated_seconds      time in the scene
//   wall_seconds           time for stepping, without output
//   ms_per_step            wall time of a step
//   ms_per_step_by_stage   the same, stage by stage
//   cg_iterations          mean and max: of the system that needed most, a step
//   row_vector_multiplies  rows of the matrix multiplied by a vector in all
//   components             mean and max: systems solved a step; largest: particles in the largest one
//   component_sizes        mean over the frames: held_particles belong to no component; classes: components of `from` to `to`
//                          particles, and the particles in them
//   springs                total: stretch and shear springs; active_mean: of them in extension;
//                          implicit_mean: in the matrix, also the nearly taut; bend: bend springs;
//                          bend_softened_max: most of them weakened in a step to stay stable
//   unconverged_steps      steps with a system that stopped at solver.max_iterations
//   worst_residual         relative, of the system that ended worst
//   halved_steps           tries that failed and were taken again with half the step
//   largest_stretch        spring length / rest length over the whole run
//   energy                 kinetic and potential at the end, J
//   contacts               mean and max: particles that touch a solid, a step
//   cloth_contacts         mean and max: contact springs between cloths that act, a step; implicit_mean: of them in the matrix;
//                          lost_pairs_max: most pairs that there was no room for; particles_cut: stopped short of other
//                          cloth, over all steps
//   intersections          only with --count-intersections: pairs of triangles that cut each other at the start, at the end
//                          and in the worst frame; frames: in which any do
//   peak_memory_bytes      of the process
//   gpu                    only on a GPU: dispatches and barriers a step; bytes of its arrays, in all and a particle
//
// A figure that is not finite is null.
#pragma once

#include "weft.h"

// How often triangles of the cloths cut each other.
typedef struct WeftCuts
{
    uint64_t start, end, most; // in the first frame, in the last, in the worst
    uint64_t frames_with;      // frames in which any do
} WeftCuts;

// Sizes of the components, summed over frames.
typedef struct WeftSizesSum
{
    uint32_t frame_count;
    uint64_t components[WEFT_SIZE_CLASSES], particles[WEFT_SIZE_CLASSES], held;
} WeftSizesSum;

typedef struct WeftRunFacts
{
    WeftSizesSum  sizes;
    bool          has_cuts;
    WeftCuts      cuts;
    const char   *scene;
    const char   *device;
    const char   *precision;
    int           threads;
    bool          interrupted;
    const char   *failed; // NULL if it did not
    uint32_t      particle_count;
    WeftRunReport report;
} WeftRunFacts;

/// The text of the report, with a newline at its end; free() it. NULL if memory is short.
char *weft_report_json(const WeftRunFacts *facts);
