// device_list_none.c: the list of devices of a weft that was built without its GPU engine.
#include "device_list.h"

#include <stdio.h>
#include <string.h>

WeftStatus weft_gpu_list_create(WeftGpuList *list)
{
    memset(list, 0, sizeof(*list));
    snprintf(list->notice, sizeof(list->notice), "this weft was built without its GPU engine: %s",
             WEFT_NO_GPU_REASON);
    return WEFT_OK;
}

void weft_gpu_list_destroy(WeftGpuList *list)
{
    memset(list, 0, sizeof(*list));
}
