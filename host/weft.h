// weft.h: the public interface of weft: scene in, steps, state out.
//
//   WeftScene scene;
//   WeftSim  *sim;
//   if (weft_scene_load(&scene, "scenes/tablecloth.json", NULL, 0) || weft_sim_create(&sim,
//   &scene))
//       puts(weft_error_message());
//   for (size_t frame = 0; frame < weft_scene_frame_count(&scene); frame++)
//       weft_sim_advance_frame(sim);
//
// One WeftSim may be used from one thread at a time; different ones from different threads.
#pragma once

#include "error.h"
#include "scene/mesh.h"
#include "scene/motion.h"
#include "scene/scene.h"
#include "sim/report.h"

#define WEFT_VERSION "0.1.0"

typedef struct WeftSim WeftSim;

/// Builds cloths, springs and engine. `scene` is kept by reference and must outlive the simulation.
/// Fails with WEFT_ERROR_INPUT where the scene cannot be built. Free with weft_sim_destroy().
WEFT_CHECKED WeftStatus weft_sim_create(WeftSim **sim, const WeftScene *scene);
void                    weft_sim_destroy(WeftSim *sim);

/// One step. A frame (1 / frames_per_second) is cut into equal steps no longer than the scene's
/// step. Fails with WEFT_ERROR_FAILED when the step still diverges after all retries; the state is
/// then the last good one. `report` may be NULL.
WEFT_CHECKED WeftStatus weft_sim_step(WeftSim *sim, WeftStepReport *report);

/// Up to `most` steps, but not beyond the end of the frame: as many as the engine takes best at once, at least one.
/// `report`, which may be NULL, is that of the step that went worst, without its energies. Fails as weft_sim_step() does.
WEFT_CHECKED WeftStatus weft_sim_advance(WeftSim *sim, uint32_t most, uint32_t *done,
                                         WeftStepReport *report);

/// Steps to the end of the current frame.
WEFT_CHECKED WeftStatus weft_sim_advance_frame(WeftSim *sim);

/// Number of equal steps in a frame and their size.
uint32_t weft_sim_steps_per_frame(const WeftSim *sim);
double   weft_sim_step_size(const WeftSim *sim);

/// "cpu", or the name of the GPU.
const char *weft_sim_device(const WeftSim *sim);

/// Threads that the CPU engine runs on.
int weft_sim_threads(const WeftSim *sim);

double   weft_sim_time(const WeftSim *sim);
uint32_t weft_sim_particle_count(const WeftSim *sim);
size_t   weft_sim_cloth_count(const WeftSim *sim);

/// The mesh of a cloth as it started; owned by the simulation.
const WeftMesh *weft_sim_mesh(const WeftSim *sim, size_t cloth);

/// Copies the state of a cloth out, in the order of its mesh: (vertex_count x 3) m and m/s.
void weft_sim_positions(const WeftSim *sim, size_t cloth, double *positions);
void weft_sim_velocities(const WeftSim *sim, size_t cloth, double *velocities);

/// The component that each particle of a cloth was solved in during the last step: the lowest
/// particle index of the component (counted over all cloths in the engine's order), UINT32_MAX for
/// a particle held in all directions.
void weft_sim_components(const WeftSim *sim, size_t cloth, uint32_t *labels);

/// How large those components were, over all cloths. Fails with WEFT_ERROR_FAILED for want of memory.
WEFT_CHECKED WeftStatus weft_sim_component_sizes(const WeftSim *sim, WeftComponentSizes *sizes);

/// Holds a vertex of a cloth at a place, from the next step on, like a pin that is moved by hand; one at a time. Calls for
/// the same vertex move it: by how much in a step is up to the caller. Fails with WEFT_ERROR_FAILED if the device does.
WEFT_CHECKED WeftStatus weft_sim_grab(WeftSim *sim, size_t cloth, uint32_t vertex,
                                      const double place[3]);
WEFT_CHECKED WeftStatus weft_sim_release(WeftSim *sim);

/// Changes the step size from here on; a frame that has begun starts over. What else the scene says about stepping (air,
/// integrator, solver, gravity) is read anew for each step, so it may simply be changed in the scene.
void weft_sim_set_step(WeftSim *sim, double seconds);

/// Makes all springs of all cloths so many times as stiff and as damped as the scene has them; both factors are above 0.
/// What rounding does to them adds up from call to call. Fails with WEFT_ERROR_FAILED if the device does.
WEFT_CHECKED WeftStatus weft_sim_scale_springs(WeftSim *sim, double stiffness, double damping);

/// Figures of the run so far.
WeftRunReport weft_sim_report(const WeftSim *sim);
