// engine_view.c: which engine a simulation runs on.
#include "engine_view.h"

#include "sim/sim_internal.h"

extern const WeftBackend weft_backend_vulkan;

const WeftGpuBackend *weft_gpu_backend_of(const WeftSim *sim)
{
    return sim->backend == &weft_backend_vulkan ? sim->engine : NULL;
}

const void *weft_sim_host_engine(const WeftSim *sim)
{
    const WeftGpuBackend *backend = weft_gpu_backend_of(sim);
    return backend ? backend->host : sim->engine;
}

const WeftTwin *weft_sim_twin(const WeftSim *sim)
{
    return weft_twin(sim->scene->solver.precision);
}
