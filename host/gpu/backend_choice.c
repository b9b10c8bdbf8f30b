// backend_choice.c: from solver.device to an engine.
#include "backend_gpu.h"

#include <string.h>

#include "device_list.h"

extern const WeftBackend weft_backend_vulkan;

static WeftStatus choose(const WeftScene *scene, const WeftGpuList *list,
                         const WeftBackend **backend)
{
    const char *wanted = scene->solver.device != NULL ? scene->solver.device : "auto";
    int         index;
    WEFT_TRY(weft_gpu_choose(list, wanted, &index));
    *backend = weft_backend_cpu(scene->solver.precision);
    // What was not asked for by name is not taken if it cannot do what is asked.
    bool lacks_double = index >= 0 && scene->solver.precision == WEFT_PRECISION_DOUBLE &&
                        !list->infos[index].has_float64;
    if (index >= 0 && !(lacks_double && strcmp(wanted, "auto") == 0))
        *backend = &weft_backend_vulkan;
    return WEFT_OK;
}

WeftStatus weft_backend_choose(const WeftScene *scene, const WeftBackend **backend)
{
    WeftGpuList list;
    *backend = weft_backend_cpu(scene->solver.precision);
    if (scene->solver.device != NULL && strcmp(scene->solver.device, "cpu") == 0)
        return WEFT_OK;
    WEFT_TRY(weft_gpu_list_create(&list));
    WeftStatus status = choose(scene, &list, backend);
    weft_gpu_list_destroy(&list);
    return status;
}
