// engine_buffers.c: allocates, fills and reads the arrays of the GPU engine.
#include "engine_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const WeftTwin weft_twin_f32_base, weft_twin_f64_base;

const WeftTwin *weft_twin(WeftPrecision precision)
{
    return precision == WEFT_PRECISION_DOUBLE ? &weft_twin_f64_base : &weft_twin_f32_base;
}

#define ARRAY(name, kind, parts, pointers, length) #name,
static const char *const array_names[] = {
#include "engine_arrays.def"
};
#undef ARRAY

// Where the block has the address of each array.
#define ARRAY(name, kind, parts, pointers, length) offsetof(EngineBlock, name),
static const size_t array_places[] = {
#include "engine_arrays.def"
};
#undef ARRAY

const char *weft_array_name(WeftArray array)
{
    return array_names[array];
}

static size_t array_bytes(const WeftGpuEngine *engine, WeftArray array)
{
    const WeftArrayShape *shape = &engine->shapes[array];
    return (size_t)shape->parts * shape->length *
           (shape->is_real ? engine->real_size : sizeof(uint32_t));
}

static WeftStatus create_arrays(WeftGpuEngine *engine, const WeftTwin *twin,
                                const void *twin_engine)
{
    size_t largest = 0;
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
    {
        engine->shapes[k] = twin->shape(twin_engine, (WeftArray)k);
        size_t bytes = array_bytes(engine, (WeftArray)k);
        largest = bytes > largest ? bytes : largest;
        engine->bytes += bytes;
        WEFT_TRY(weft_gpu_buffer_create(engine->gpu, &engine->arrays[k], array_names[k], bytes,
                                        WEFT_GPU_ON_DEVICE));
        memcpy((char *)&engine->block + array_places[k], &engine->arrays[k].address,
               sizeof(uint64_t));
    }
    engine->pattern = twin->pattern(twin_engine, false);
    engine->bend_pattern = twin->pattern(twin_engine, true);
    engine->packed = malloc(largest + 1);
    if (engine->packed == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the GPU engine");
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
        WEFT_TRY(weft_gpu_engine_upload(engine, (WeftArray)k, twin, twin_engine));
    return WEFT_OK;
}

WeftStatus weft_gpu_engine_create_wanted(WeftGpuEngine *engine, const WeftGpuWanted *wanted,
                                         size_t count, uint64_t *bytes)
{
    for (size_t k = 0; k < count; k++)
    {
        WEFT_TRY(weft_gpu_buffer_create(engine->gpu, wanted[k].buffer, wanted[k].name,
                                        wanted[k].size, wanted[k].place));
        WEFT_TRY(weft_gpu_fill(engine->gpu, wanted[k].buffer, 0));
        *wanted[k].address = wanted[k].buffer->address;
        *bytes += wanted[k].size;
    }
    return WEFT_OK;
}

static WeftStatus create_rest(WeftGpuEngine *engine)
{
    EngineBlock        *block = &engine->block;
    size_t              values = block->value_count * engine->real_size;
    size_t              findings = FOUND_COUNT * sizeof(uint32_t);
    const WeftGpuWanted wanted[] = {
        {&engine->clock, &block->clock, "clock", 4 * sizeof(uint32_t), WEFT_GPU_ON_DEVICE},
        {&engine->inputs, &block->inputs, "inputs", block->ring_count * values, WEFT_GPU_ON_HOST},
        {&engine->values, &block->values, "values", values, WEFT_GPU_ON_DEVICE},
        {&engine->findings, &block->findings, "findings", findings, WEFT_GPU_ON_DEVICE},
        {&engine->results, &block->results, "results", block->ring_count * findings,
         WEFT_GPU_ON_HOST},
        {&engine->rows, &block->rows, "rows", block->padded_count * sizeof(uint32_t),
         WEFT_GPU_ON_DEVICE},
    };
    WEFT_TRY(weft_gpu_engine_create_wanted(engine, wanted, sizeof(wanted) / sizeof(wanted[0]),
                                           &engine->bytes));
    WEFT_TRY(weft_gpu_buffer_create(engine->gpu, &engine->block_buffer, "engine block",
                                    sizeof(EngineBlock), WEFT_GPU_ON_DEVICE));
    return weft_gpu_engine_upload_block(engine);
}

WeftStatus weft_gpu_engine_create(WeftGpu *gpu, WeftGpuEngine *engine, WeftPrecision precision,
                                  const WeftTwin *twin, const void *twin_engine,
                                  uint32_t ring_count)
{
    memset(engine, 0, sizeof(*engine));
    engine->gpu = gpu;
    engine->precision = precision;
    engine->real_size = precision == WEFT_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    if (precision == WEFT_PRECISION_DOUBLE && !gpu->info.has_float64)
        return weft_fail(WEFT_ERROR_INPUT,
                         "'%s' has no numbers of 8 bytes: use --precision float, or the CPU",
                         gpu->info.name);
    twin->describe(twin_engine, &engine->block);
    engine->block.ring_count = ring_count;
    WeftStatus status = create_arrays(engine, twin, twin_engine);
    if (status == WEFT_OK)
        status = create_rest(engine);
    if (status != WEFT_OK)
        weft_gpu_engine_destroy(engine);
    return status;
}

void weft_gpu_engine_destroy(WeftGpuEngine *engine)
{
    WeftGpuBuffer *others[] = {&engine->block_buffer, &engine->clock,    &engine->inputs,
                               &engine->values,       &engine->findings, &engine->results,
                               &engine->rows};
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
        weft_gpu_buffer_destroy(engine->gpu, &engine->arrays[k]);
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        weft_gpu_buffer_destroy(engine->gpu, others[k]);
    free(engine->packed);
    memset(engine, 0, sizeof(*engine));
}

WeftStatus weft_gpu_engine_upload_block(WeftGpuEngine *engine)
{
    return weft_gpu_upload(engine->gpu, &engine->block_buffer, 0, &engine->block,
                           sizeof(engine->block));
}

WeftStatus weft_gpu_engine_upload(WeftGpuEngine *engine, WeftArray array, const WeftTwin *twin,
                                  const void *twin_engine)
{
    twin->pack(twin_engine, array, engine->packed, engine->real_size);
    return weft_gpu_upload(engine->gpu, &engine->arrays[array], 0, engine->packed,
                           array_bytes(engine, array));
}

WeftStatus weft_gpu_engine_download(WeftGpuEngine *engine, WeftArray array, const WeftTwin *twin,
                                    void *twin_engine)
{
    WEFT_TRY(weft_gpu_download(engine->gpu, &engine->arrays[array], 0, engine->packed,
                               array_bytes(engine, array)));
    twin->unpack(twin_engine, array, engine->packed, engine->real_size);
    return WEFT_OK;
}

WeftStatus weft_gpu_engine_download_all(WeftGpuEngine *engine, const WeftTwin *twin,
                                        void *twin_engine)
{
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
        WEFT_TRY(weft_gpu_engine_download(engine, (WeftArray)k, twin, twin_engine));
    return WEFT_OK;
}

void weft_gpu_engine_set_inputs(WeftGpuEngine *engine, uint32_t ring, const WeftTwin *twin,
                                const void *twin_engine)
{
    size_t bytes = engine->block.value_count * engine->real_size;
    twin->values(twin_engine, (char *)engine->inputs.memory + ring * bytes, engine->real_size);
}

WeftStatus weft_gpu_engine_reset_clock(WeftGpuEngine *engine)
{
    return weft_gpu_fill(engine->gpu, &engine->clock, 0);
}

WeftStatus weft_gpu_engine_guard_check(WeftGpuEngine *engine)
{
    const WeftGpuBuffer *others[] = {&engine->block_buffer, &engine->clock,    &engine->inputs,
                                     &engine->values,       &engine->findings, &engine->results,
                                     &engine->rows};
    for (int k = 0; k < WEFT_ARRAY_COUNT; k++)
        WEFT_TRY(weft_gpu_guard_check(engine->gpu, &engine->arrays[k]));
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        WEFT_TRY(weft_gpu_guard_check(engine->gpu, others[k]));
    return WEFT_OK;
}

void weft_gpu_engine_shader(const WeftGpuEngine *engine, const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s_%s", name, engine->real_size == sizeof(double) ? "f64" : "f32");
}

// Whether the stage needs the shader that knows mesh solids.
static bool looks_at_meshes(const WeftGpuEngine *engine, WeftStage stage)
{
    return engine->shapes[WEFT_ARRAY_mesh_words].length > 0 &&
           (stage == WEFT_STAGE_constrain || stage == WEFT_STAGE_react ||
            stage == WEFT_STAGE_collide || stage == WEFT_STAGE_cells || stage == WEFT_STAGE_limit);
}

void weft_gpu_engine_stage_shader(const WeftGpuEngine *engine, WeftStage stage, char *text,
                                  size_t size)
{
    char stem[48];
    snprintf(stem, sizeof(stem), "%s%s", weft_stage_name(stage),
             looks_at_meshes(engine, stage) ? "_mesh" : "");
    weft_gpu_engine_shader(engine, stem, text, size);
}
