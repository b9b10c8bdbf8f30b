// study_couplings.c: a census of the springs of a step, and the components that each kind of cut leaves.
#include "study_couplings.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/engine_view.h"
#include "layout.h"
#include "render/state.h"
#include "sim/sim_internal.h"

WeftStatus weft_spring_census_create(WeftSpringCensus *census, const WeftSim *sim)
{
    WeftArrayShape shape = weft_sim_twin(sim)->shape(weft_sim_host_engine(sim), WEFT_ARRAY_s_flags);
    *census = (WeftSpringCensus){.flags = calloc((size_t)shape.length + 1, sizeof(uint32_t)),
                                 .parent = calloc(weft_sim_particle_count(sim), sizeof(uint32_t)),
                                 .sizes = calloc(weft_sim_particle_count(sim), sizeof(uint32_t))};
    WeftStatus status = WEFT_OK;
    if (census->flags == NULL || census->parent == NULL || census->sizes == NULL)
        status = weft_fail(WEFT_ERROR_FAILED, "not enough memory to count springs");
    if (status == WEFT_OK)
        status = weft_render_springs_of_sim(sim, &census->springs, &census->spring_count);
    if (status != WEFT_OK)
        weft_spring_census_destroy(census);
    return status;
}

void weft_spring_census_destroy(WeftSpringCensus *census)
{
    free(census->springs);
    free(census->flags);
    free(census->parent);
    free(census->sizes);
    memset(census, 0, sizeof(*census));
}

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// What takes a spring or a particle out of the graph, from the first kind of cut to the last.
typedef enum Cut
{
    CUT_SLACK,
    CUT_EXPLICIT,
    CUT_HELD
} Cut;

// Components that are left when everything up to `cut` cuts.
static void count_components(WeftSpringCensus *census, const uint32_t *labels, uint32_t count,
                             Cut cut, WeftCouplings *couplings)
{
    uint32_t *parent = census->parent, components = 0, largest = 0;
    uint32_t  couples = cut == CUT_SLACK ? SPRING_ACTIVE | SPRING_IMPLICIT : SPRING_IMPLICIT;
    for (uint32_t i = 0; i < count; i++)
        parent[i] = i;
    for (uint32_t k = 0; k < census->spring_count; k++)
    {
        uint32_t a = census->springs[k].a, b = census->springs[k].b;
        bool     is_held = labels[a] == LABEL_NONE || labels[b] == LABEL_NONE;
        if (!(census->flags[census->springs[k].storage] & couples) || (cut == CUT_HELD && is_held))
            continue;
        uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
        parent[root_a > root_b ? root_a : root_b] = root_a < root_b ? root_a : root_b;
    }

    memset(census->sizes, 0, count * sizeof(*census->sizes));
    for (uint32_t i = 0; i < count; i++)
        if (cut != CUT_HELD || labels[i] != LABEL_NONE)
        {
            uint32_t size = ++census->sizes[find_root(parent, i)];
            components += size == 1;
            largest = size > largest ? size : largest;
        }
    couplings->components[cut] = components;
    couplings->largest[cut] = largest;
}

WeftStatus weft_spring_census_take(WeftSpringCensus *census, const WeftSim *sim,
                                   WeftCouplings *couplings)
{
    WeftGpuBackend *device = weft_gpu_backend_of(sim) != NULL ? sim->engine : NULL;
    const uint32_t *labels = sim->backend->labels(sim->engine);
    if (device != NULL)
        WEFT_TRY(weft_gpu_engine_download(&device->engine, WEFT_ARRAY_s_flags, device->twin,
                                          device->host));
    weft_sim_twin(sim)->pack(weft_sim_host_engine(sim), WEFT_ARRAY_s_flags, census->flags,
                             sizeof(float));
    *couplings = (WeftCouplings){.slack = 0};
    for (uint32_t k = 0; k < census->spring_count; k++)
    {
        const WeftRenderSpring *spring = &census->springs[k];
        uint32_t                flags = census->flags[spring->storage];
        bool is_held = labels[spring->a] == LABEL_NONE || labels[spring->b] == LABEL_NONE;
        *(!(flags & (SPRING_ACTIVE | SPRING_IMPLICIT)) ? &couplings->slack
          : !(flags & SPRING_IMPLICIT)                 ? &couplings->by_explicit
          : is_held                                    ? &couplings->at_held
                                                       : &couplings->coupling) += 1;
    }
    for (int cut = CUT_SLACK; cut <= CUT_HELD; cut++)
        count_components(census, labels, weft_sim_particle_count(sim), (Cut)cut, couplings);
    return WEFT_OK;
}

WeftCouplingsMean weft_study_couplings_mean(const WeftStudyRow *row)
{
    WeftCouplingsMean mean = {.slack = 0};
    double            spring =
        1.0 / ((double)row->frame_count * (row->spring_count > 0 ? row->spring_count : 1));
    double frame = 1.0 / (double)row->frame_count, particle = frame / row->particle_count;
    for (size_t k = 0; k < row->frame_count; k++)
    {
        const WeftCouplings *moment = &row->frames[k].couplings;
        mean.slack += spring * moment->slack;
        mean.by_explicit += spring * moment->by_explicit;
        mean.at_held += spring * moment->at_held;
        mean.coupling += spring * moment->coupling;
        mean.held += particle * row->frames[k].sizes.held;
        for (int cut = 0; cut < WEFT_CUT_COUNT; cut++)
        {
            mean.components[cut] += frame * moment->components[cut];
            mean.largest[cut] += particle * moment->largest[cut];
        }
    }
    return mean;
}
