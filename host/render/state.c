// state.c: moments of the cloth, from both engines and from files.
#include "render/state.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/engine_view.h"
#include "sim/sim_internal.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the state to be drawn");
}

// An array of the CPU engine in the device's form. Free with free().
static void *packed_array(const WeftSim *sim, WeftArray array, WeftArrayShape *shape, size_t *bytes)
{
    const WeftTwin *twin = weft_sim_twin(sim);
    const void     *engine = weft_sim_host_engine(sim);
    *shape = twin->shape(engine, array);
    *bytes = (size_t)shape->parts * shape->length * sizeof(float);
    void *data = malloc(*bytes + 1);
    if (data)
        twin->pack(engine, array, data, sizeof(float));
    return data;
}

WeftStatus weft_render_springs_of_sim(const WeftSim *sim, WeftRenderSpring **springs,
                                      uint32_t *count)
{
    WeftArrayShape    shape;
    size_t            bytes;
    uint32_t         *ends = packed_array(sim, WEFT_ARRAY_s_ends, &shape, &bytes);
    float            *rest = packed_array(sim, WEFT_ARRAY_s_rest, &shape, &bytes);
    uint32_t         *flags = packed_array(sim, WEFT_ARRAY_s_flags, &shape, &bytes);
    WeftRenderSpring *list = malloc(((size_t)shape.length + 1) * sizeof *list);
    bool              good = ends && rest && flags && list;
    *count = 0;
    for (uint32_t k = 0; good && k < shape.length; k++)
        if (flags[k] & SPRING_PRESENT)
            list[(*count)++] =
                (WeftRenderSpring){ends[2 * (size_t)k], ends[2 * (size_t)k + 1], rest[k], k};
    free(ends);
    free(rest);
    free(flags);
    *springs = good ? list : NULL;
    if (!good)
        free(list);
    return good ? WEFT_OK : out_of_memory();
}

WeftStatus weft_render_springs_of_model(const WeftModel *model, WeftRenderSpring **springs,
                                        uint32_t *count)
{
    const WeftSpringGraph *graph = &model->springs;
    *count = (uint32_t)graph->structural_count;
    *springs = malloc((graph->structural_count + 1) * sizeof **springs);
    if (!*springs)
        return out_of_memory();
    for (uint32_t k = 0; k < *count; k++)
        (*springs)[k] = (WeftRenderSpring){graph->structural[k].a, graph->structural[k].b,
                                           (float)graph->structural[k].rest, k};
    return WEFT_OK;
}

WeftGpu *weft_render_gpu_of(const WeftSim *sim)
{
    const WeftGpuBackend *backend = weft_gpu_backend_of(sim);
    return backend ? backend->gpu : NULL;
}

const WeftModel *weft_render_model_of(const WeftSim *sim)
{
    return &sim->model;
}

void weft_render_places_of(const WeftSim *sim, double *places)
{
    sim->backend->read(sim->engine, WEFT_QUANTITY_POSITION, NULL, 0, sim->model.particle_count,
                       places);
}

bool weft_render_state_of(WeftRenderState *state, const WeftSim *sim)
{
    const WeftGpuBackend *backend = weft_gpu_backend_of(sim);
    if (!backend)
        return false;
    const WeftGpuEngine *engine = &backend->engine;
    *state = (WeftRenderState){
        .x = engine->arrays[WEFT_ARRAY_x].address,
        // Before the first step nothing has been labelled.
        .labels = weft_sim_time(sim) > 0 ? engine->arrays[WEFT_ARRAY_label].address : 0,
        .flags = engine->arrays[WEFT_ARRAY_s_flags].address,
        .stride = engine->block.padded_count,
        .is_double = engine->precision == WEFT_PRECISION_DOUBLE,
        .time = weft_sim_time(sim),
    };
    return true;
}

static WeftStatus make_room(WeftSnapshot *snapshot, WeftGpu *gpu, size_t bytes)
{
    if (snapshot->buffer.handle && snapshot->buffer.size == bytes)
        return WEFT_OK;
    weft_gpu_buffer_destroy(gpu, &snapshot->buffer);
    return weft_gpu_buffer_create(gpu, &snapshot->buffer, "a frame to be drawn", bytes,
                                  WEFT_GPU_ON_DEVICE);
}

// The arrays that are asked for; they stand one behind the other in the snapshot.
static int list_arrays(WeftSnapshotParts parts, WeftArray arrays[3])
{
    int count = 0;
    arrays[count++] = WEFT_ARRAY_x;
    if (parts & WEFT_SNAPSHOT_LABELS)
        arrays[count++] = WEFT_ARRAY_label;
    if (parts & WEFT_SNAPSHOT_FLAGS)
        arrays[count++] = WEFT_ARRAY_s_flags;
    return count;
}

// Notes where an array stands. Before the first step nothing has been labelled.
static void set_address(WeftRenderState *state, WeftArray array, uint64_t address)
{
    if (array == WEFT_ARRAY_x)
        state->x = address;
    else if (array == WEFT_ARRAY_s_flags)
        state->flags = address;
    else
        state->labels = state->time > 0 ? address : 0;
}

static WeftStatus send_copies(WeftSnapshot *snapshot, WeftGpuCommands *commands,
                              const WeftGpuEngine *engine, const WeftArray *arrays, int count)
{
    uint64_t offset = 0;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    for (int k = 0; k < count; k++)
    {
        const WeftGpuBuffer *array = &engine->arrays[arrays[k]];
        const VkBufferCopy   copy = {.dstOffset = offset, .size = array->size};
        if (copy.size > 0)
            vkCmdCopyBuffer(commands->buffer, array->handle, snapshot->buffer.handle, 1, &copy);
        set_address(&snapshot->state, arrays[k], snapshot->buffer.address + offset);
        offset += copy.size;
    }
    WEFT_TRY(weft_gpu_commands_end(commands));
    WEFT_TRY(weft_gpu_commands_submit(commands, 1));
    return weft_gpu_commands_wait(commands);
}

static WeftStatus take_from_device(WeftSnapshot *snapshot, WeftGpu *gpu, const WeftSim *sim,
                                   const WeftArray *arrays, int count)
{
    const WeftGpuEngine *engine = &weft_gpu_backend_of(sim)->engine;
    uint64_t             bytes = 0;
    for (int k = 0; k < count; k++)
        bytes += engine->arrays[arrays[k]].size;
    WEFT_TRY(make_room(snapshot, gpu, bytes));
    weft_render_state_of(&snapshot->state, sim);
    snapshot->state.labels = snapshot->state.flags = 0;
    WeftGpuCommands commands;
    WEFT_TRY(weft_gpu_commands_create(gpu, &commands));
    WeftStatus status = send_copies(snapshot, &commands, engine, arrays, count);
    weft_gpu_commands_destroy(&commands);
    return status;
}

// From an engine on the CPU.
static WeftStatus take_from_host(WeftSnapshot *snapshot, WeftGpu *gpu, const WeftSim *sim,
                                 const WeftArray *arrays, int count)
{
    WeftArrayShape shapes[3];
    size_t         bytes[3], all = 0;
    void          *data[3];
    bool           good = true;
    for (int k = 0; k < count; k++)
    {
        data[k] = packed_array(sim, arrays[k], &shapes[k], &bytes[k]);
        good &= data[k] != NULL;
        all += bytes[k];
    }
    snapshot->state = (WeftRenderState){.stride = shapes[0].length, .time = weft_sim_time(sim)};
    WeftStatus status = good ? make_room(snapshot, gpu, all) : out_of_memory();
    size_t     offset = 0;
    for (int k = 0; k < count && status == WEFT_OK; offset += bytes[k++])
    {
        set_address(&snapshot->state, arrays[k], snapshot->buffer.address + offset);
        status = weft_gpu_upload(gpu, &snapshot->buffer, offset, data[k], bytes[k]);
    }
    for (int k = 0; k < count; k++)
        free(data[k]);
    return status;
}

WeftStatus weft_snapshot_take(WeftSnapshot *snapshot, WeftGpu *gpu, const WeftSim *sim,
                              WeftSnapshotParts parts)
{
    WeftArray arrays[3];
    int       count = list_arrays(parts, arrays);
    return weft_gpu_backend_of(sim) ? take_from_device(snapshot, gpu, sim, arrays, count)
                                    : take_from_host(snapshot, gpu, sim, arrays, count);
}

WeftStatus weft_snapshot_put(WeftSnapshot *snapshot, WeftGpu *gpu, const WeftModel *model,
                             const double *positions, double time)
{
    size_t stride = model->particle_count, bytes = 3 * stride * sizeof(float);
    float *x = malloc(bytes + 1);
    if (!x)
        return out_of_memory();
    for (size_t user = 0; user < stride; user++)
    {
        size_t particle = model->particle_of ? model->particle_of[user] : user;
        for (size_t axis = 0; axis < 3; axis++)
            x[axis * stride + particle] = (float)positions[3 * user + axis];
    }
    WeftStatus status = make_room(snapshot, gpu, bytes);
    if (status == WEFT_OK)
        status = weft_gpu_upload(gpu, &snapshot->buffer, 0, x, bytes);
    free(x);
    snapshot->state =
        (WeftRenderState){.x = snapshot->buffer.address, .stride = (uint32_t)stride, .time = time};
    return status;
}

void weft_snapshot_destroy(WeftGpu *gpu, WeftSnapshot *snapshot)
{
    weft_gpu_buffer_destroy(gpu, &snapshot->buffer);
    memset(snapshot, 0, sizeof *snapshot);
}
