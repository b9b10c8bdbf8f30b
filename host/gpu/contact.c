// contact.c: buffers, pipelines and recording of touch, cells, near and limit.
#include "contact.h"

#include <string.h>

enum
{
    SPARE_GROUPS = 64 // that a dispatch in rows may have besides
};

static bool is_on(const WeftGpuContact *contact)
{
    return contact->engine->block.pair_capacity > 0;
}

static uint32_t clump_count(const EngineBlock *block)
{
    return block->item_begin[3] / CLUMP;
}

// Clumps of edges and triangles.
static uint32_t grid_clumps(const EngineBlock *block)
{
    return (block->item_begin[3] - block->item_begin[1]) / CLUMP;
}

static uint32_t bucket_count(const EngineBlock *block)
{
    return 1u << (block->bucket_bits[0] + block->bucket_bits[1] + block->bucket_bits[2]);
}

static WeftStatus create_buffers(WeftGpuContact *contact)
{
    WeftGpuEngine *engine = contact->engine;
    EngineBlock   *block = &engine->block;
    const bool     on = is_on(contact);
    const uint64_t word = sizeof(uint32_t), particles = on ? block->padded_count : 0,
                   groups = (clump_count(block) + particles) / PAIR_THREADS + SPARE_GROUPS;
    const WeftGpuWanted wanted[] = {
        {&contact->sums, &block->pair_sums, "sums of ways", 4 * groups * engine->real_size,
         WEFT_GPU_ON_DEVICE},
        {&contact->places, &block->clump_place, "places of clumps", grid_clumps(block) * word,
         WEFT_GPU_ON_DEVICE},
        {&contact->next, &block->touch_next, "entries of touch", particles * word,
         WEFT_GPU_ON_DEVICE},
        {&contact->grids, &block->pair_grids, "grids of pairs", PAIR_GRID_COUNT * word,
         WEFT_GPU_ON_DEVICE},
    };
    return weft_gpu_engine_create_wanted(engine, wanted, sizeof(wanted) / sizeof(wanted[0]),
                                         &contact->bytes);
}

static WeftStatus create_pipelines(WeftGpuContact *contact)
{
    WeftGpuEngine     *engine = contact->engine;
    const EngineBlock *block = &engine->block;
    const uint32_t     size = PAIR_THREADS;
    const struct
    {
        WeftGpuPipeline *pipeline;
        WeftStage        stage;
    } wanted[] = {
        {&contact->touch, WEFT_STAGE_touch},
        {&contact->cells, WEFT_STAGE_cells},
        {&contact->near, WEFT_STAGE_near},
        {&contact->limit, WEFT_STAGE_limit},
    };
    for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
    {
        char name[64];
        weft_gpu_engine_stage_shader(engine, wanted[k].stage, name, sizeof(name));
        WEFT_TRY(weft_gpu_pipeline_create(engine->gpu, wanted[k].pipeline, name, &size, 1));
    }
    const uint32_t queries = block->item_begin[2],
                   longest = queries > block->padded_count ? queries : block->padded_count;
    WEFT_TRY(weft_gpu_sort_create(engine->gpu, &contact->sort, grid_clumps(block)));
    WEFT_TRY(weft_gpu_scan_create(engine->gpu, &contact->scan, longest));
    return weft_gpu_gate_create(engine->gpu, &contact->gate, LIMIT_HOLDS);
}

WeftStatus weft_gpu_contact_create(WeftGpuContact *contact, WeftGpuEngine *engine)
{
    memset(contact, 0, sizeof(*contact));
    contact->engine = engine;
    WeftStatus status = create_buffers(contact);
    if (status == WEFT_OK && is_on(contact))
        status = create_pipelines(contact);
    if (status != WEFT_OK)
        weft_gpu_contact_destroy(contact);
    return status;
}

void weft_gpu_contact_destroy(WeftGpuContact *contact)
{
    if (contact->engine != NULL)
    {
        WeftGpu         *gpu = contact->engine->gpu;
        WeftGpuPipeline *pipelines[] = {&contact->touch, &contact->cells, &contact->near,
                                        &contact->limit};
        WeftGpuBuffer   *buffers[] = {&contact->sums, &contact->places, &contact->next,
                                      &contact->grids};
        for (int k = 0; k < 4; k++)
        {
            weft_gpu_pipeline_destroy(gpu, pipelines[k]);
            weft_gpu_buffer_destroy(gpu, buffers[k]);
        }
        weft_gpu_sort_destroy(gpu, &contact->sort);
        weft_gpu_scan_destroy(gpu, &contact->scan);
        weft_gpu_gate_destroy(gpu, &contact->gate);
    }
    memset(contact, 0, sizeof(*contact));
}

WeftStatus weft_gpu_contact_guard_check(const WeftGpuContact *contact)
{
    const WeftGpuBuffer *buffers[] = {
        &contact->sums,       &contact->places,       &contact->next,
        &contact->grids,      &contact->sort.counts,  &contact->sort.scan.scratch,
        &contact->sort.items, &contact->scan.scratch, &contact->gate.grids};
    for (size_t k = 0; k < (is_on(contact) ? sizeof(buffers) / sizeof(buffers[0]) : 4); k++)
        WEFT_TRY(weft_gpu_guard_check(contact->engine->gpu, buffers[k]));
    return WEFT_OK;
}

bool weft_gpu_contact_has(WeftStage stage)
{
    return stage == WEFT_STAGE_touch || stage == WEFT_STAGE_cells || stage == WEFT_STAGE_near ||
           stage == WEFT_STAGE_limit;
}

// A pass with `threads` threads, and the barrier behind it.
static void over(const WeftGpuContact *contact, WeftGpuCommands *commands,
                 const WeftGpuPipeline *pipeline, uint64_t threads, uint32_t phase, uint32_t round)
{
    const struct StagePush push = {contact->engine->block_buffer.address, phase, round};
    weft_gpu_dispatch(commands, pipeline, threads, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

// With as many workgroups as stand in the grids of the pairs.
static void over_grid(const WeftGpuContact *contact, WeftGpuCommands *commands,
                      const WeftGpuPipeline *pipeline, uint32_t grid, uint32_t phase,
                      uint32_t round)
{
    const struct StagePush push = {contact->engine->block_buffer.address, phase, round};
    weft_gpu_dispatch_indirect(commands, pipeline, &contact->grids, grid * sizeof(uint32_t), &push,
                               sizeof(push));
    weft_gpu_record_barrier(commands);
}

static void record_cells(const WeftGpuContact *contact, WeftGpuCommands *commands, bool wide)
{
    const EngineBlock     *block = &contact->engine->block;
    const WeftGpuPipeline *cells = &contact->cells;
    const uint32_t         particles = block->particle_count, clumps = grid_clumps(block),
                   keys = 2 * bucket_count(block);
    if (!wide)
    {
        over(contact, commands, cells, particles, CELLS_WAYS, wide);
        over(contact, commands, cells, 1, CELLS_DRIFT, wide);
        over(contact, commands, cells, particles, CELLS_CUT, wide);
    }
    over(contact, commands, cells, block->item_begin[3], CELLS_BALLS, wide);
    over(contact, commands, cells, clump_count(block), CELLS_CLUMPS, wide);
    over(contact, commands, cells, 1, CELLS_CHOICE, wide);
    over(contact, commands, cells, clumps, CELLS_KEYS, wide);
    weft_gpu_sort_record(&contact->sort, commands, block->clump_key, block->sorted,
                         block->clump_place, clumps, keys - 1);
    over(contact, commands, cells, clumps > keys + 1 ? clumps : keys + 1, CELLS_PLACES, wide);
}

static void record_near(const WeftGpuContact *contact, WeftGpuCommands *commands, bool wide)
{
    const EngineBlock     *block = &contact->engine->block;
    const WeftGpuPipeline *near = &contact->near;
    const uint32_t         queries = block->item_begin[2], padded = block->padded_count;
    over(contact, commands, near, queries > padded ? queries : padded, NEAR_COUNT, wide);
    weft_gpu_scan_record(&contact->scan, commands, block->query_begin, block->query_begin, queries,
                         true);
    over(contact, commands, near, queries, NEAR_WRITE, wide);
    weft_gpu_scan_record(&contact->scan, commands, block->touch_begin, block->touch_begin, padded,
                         true);
    over_grid(contact, commands, near, PAIR_GRID_FOUND, NEAR_TOUCH, wide);
    over(contact, commands, near, block->particle_count, NEAR_SORT, wide);
}

// One round of holding. What is held goes another way than it wished to: more can be met. In some rounds the frame may become
// another one, and the balls are made anew: in all of them, that would be many passes which mostly do nothing.
static void record_hold(WeftGpuContact *contact, WeftGpuCommands *commands, uint32_t round)
{
    const EngineBlock     *block = &contact->engine->block;
    const WeftGpuPipeline *limit = &contact->limit;
    const uint32_t         particles = block->particle_count, measure = LIMIT_ROUNDS + 1 + round;
    weft_gpu_gate_begin(&contact->gate, commands, round,
                        contact->grids.address + (PAIR_HOLD_OPEN + round) * sizeof(uint32_t));
    over(contact, commands, limit, particles, LIMIT_MARK, round);
    if (round % LIMIT_RESTARTS == 0)
    {
        over(contact, commands, limit, particles, LIMIT_WAYS, round);
        over(contact, commands, limit, 1, LIMIT_FRAME, round);
        record_cells(contact, commands, true);
    }
    record_near(contact, commands, true);
    over(contact, commands, limit, particles, LIMIT_HOLD, round);
    weft_gpu_gate_end(commands);
    over_grid(contact, commands, limit, PAIR_GRID_MEASURE + 3 * measure, LIMIT_MEASURE, measure);
}

static void record_limit(WeftGpuContact *contact, WeftGpuCommands *commands)
{
    const WeftGpuPipeline *limit = &contact->limit;
    over(contact, commands, limit, contact->engine->block.particle_count, LIMIT_START, 0);
    for (uint32_t round = 0; round < LIMIT_ROUNDS; round++)
    {
        over_grid(contact, commands, limit, PAIR_GRID_MEASURE + 3 * round, LIMIT_MEASURE, round);
        over_grid(contact, commands, limit, PAIR_GRID_PUSH + 3 * round, LIMIT_PUSH, round);
    }
    over_grid(contact, commands, limit, PAIR_GRID_MEASURE + 3 * LIMIT_ROUNDS, LIMIT_MEASURE,
              LIMIT_ROUNDS);
    for (uint32_t round = 0; round < LIMIT_HOLDS; round++)
        record_hold(contact, commands, round);
}

void weft_gpu_contact_record(WeftGpuContact *contact, WeftGpuCommands *commands, WeftStage stage)
{
    if (!is_on(contact))
        return;
    if (stage == WEFT_STAGE_touch)
        over_grid(contact, commands, &contact->touch, PAIR_GRID_ALL, 0, 0);
    else if (stage == WEFT_STAGE_cells)
        record_cells(contact, commands, false);
    else if (stage == WEFT_STAGE_near)
        record_near(contact, commands, false);
    else
        record_limit(contact, commands);
}
