// component_sizes.c: how large the components of the last step were, from their labels. See weft.h.
#include <stdlib.h>

#include "layout.h"
#include "sim/sim_internal.h"

// k for sizes from 2^k to 2^(k+1) - 1.
static int bin_of(uint32_t size)
{
    int bin = 0;
    while (size >>= 1)
        bin++;
    return bin;
}

WeftStatus weft_sim_component_sizes(const WeftSim *sim, WeftComponentSizes *sizes)
{
    const uint32_t *labels = sim->backend->labels(sim->engine);
    uint32_t        count = sim->model.particle_count, *members = calloc(count, sizeof(*members));
    *sizes = (WeftComponentSizes){.held = 0};
    if (members == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory to count components");
    for (uint32_t i = 0; i < count; i++)
        if (labels[i] == LABEL_NONE)
            sizes->held++;
        else
            members[labels[i]]++;
    for (uint32_t i = 0; i < count; i++)
        if (members[i] > 0)
        {
            int bin = bin_of(members[i]);
            sizes->components[bin]++;
            sizes->particles[bin] += members[i];
        }
    free(members);
    return WEFT_OK;
}
