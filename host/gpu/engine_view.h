// engine_view.h: a look at the engine behind a simulation, for what draws or measures it.
#pragma once

#include "backend_vulkan.h"
#include "weft.h"

/// The GPU engine of a simulation; NULL if it runs on the CPU.
const WeftGpuBackend *weft_gpu_backend_of(const WeftSim *sim);

/// The CPU engine that has the simulation's layout (on the CPU also its state), and how to look into it.
const void     *weft_sim_host_engine(const WeftSim *sim);
const WeftTwin *weft_sim_twin(const WeftSim *sim);
