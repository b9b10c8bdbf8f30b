// solve.c: buffers, pipelines and recording of the stages from label to solve_update.
#include "solve.h"

#include <string.h>

#include "primitives/primitives.h"
#include "wide.h"

enum
{
    LIVE_INTERVAL = 16, // iterations after which finished systems are taken off the list
    FEWEST_THREADS = 8, // SUM_LANES of sums.glsl
    WIDE_THREADS = 32,  // of a workgroup of several units
    WIDE_TILE = 256,    // rows
    SOFTWARE_ROWS = 32, // that a thread looks through for single ones
    MOST_ROUNDS = (GRID_COUNT - GRID_ROUNDS) / 3,
};

static uint32_t order_groups(const EngineBlock *block)
{
    uint32_t rows = SMALL_COMPONENT * ORDER_ITEMS;
    return (block->particle_count + rows - 1) / rows;
}

static uint64_t order_words(const WeftGpuEngine *engine)
{
    const EngineBlock *block = &engine->block;
    const uint64_t     counts = 4 * (uint64_t)order_groups(block) * (1 + SMALL_COMPONENT),
                   arrays = ORDER_ARRAYS * ((uint64_t)block->padded_count + 1);
    return weft_gpu_is_wide(engine) && arrays > counts ? arrays : counts;
}

static WeftStatus create_buffers(WeftGpuSolve *solve)
{
    WeftGpuEngine *engine = solve->engine;
    EngineBlock   *block = &engine->block;
    const uint64_t particles = block->padded_count, systems = SYSTEM_MOST(particles),
                   tiles = TILE_MOST(particles), word = sizeof(uint32_t), real = engine->real_size,
                   packed = weft_gpu_is_wide(engine)
                                ? particles * PACKED_SLOT(engine->pattern.count)
                                : 0;
    const WeftGpuWanted wanted[] = {
        {&solve->systems, &block->systems, "systems", systems * SYSTEM_WORDS * word,
         WEFT_GPU_ON_DEVICE},
        {&solve->tiles, &block->tiles, "tiles", tiles * TILE_WORDS * word, WEFT_GPU_ON_DEVICE},
        {&solve->scratch, &block->scratch, "counts of order", order_words(engine) * word,
         WEFT_GPU_ON_DEVICE},
        {&solve->partial, &block->partial, "sums of tiles", 2 * tiles * real, WEFT_GPU_ON_DEVICE},
        {&solve->position, &block->position, "position", particles * word, WEFT_GPU_ON_DEVICE},
        {&solve->scalars, &block->scalars, "scalars of systems", systems * SCALAR_COUNT * real,
         WEFT_GPU_ON_DEVICE},
        {&solve->small_list, &block->small, "small systems", 2 * systems * word,
         WEFT_GPU_ON_DEVICE},
        {&solve->live, &block->live, "live tiles", tiles * word, WEFT_GPU_ON_DEVICE},
        {&solve->grids, &block->grids, "grids", GRID_COUNT * word, WEFT_GPU_ON_DEVICE},
        {&solve->packed, &block->packed, "packed matrix", packed * real, WEFT_GPU_ON_DEVICE},
    };
    return weft_gpu_engine_create_wanted(engine, wanted, sizeof(wanted) / sizeof(wanted[0]),
                                         &solve->bytes);
}

static WeftStatus create_pipeline(const WeftGpuSolve *solve, WeftGpuPipeline *pipeline,
                                  const char *stem, const uint32_t *constants, uint32_t count)
{
    char name[64];
    weft_gpu_engine_shader(solve->engine, stem, name, sizeof(name));
    return weft_gpu_pipeline_create(solve->engine->gpu, pipeline, name, constants, count);
}

// The passes over tiles. A processor plays the threads of a workgroup by turns. Where eight of them are the lanes of its vectors,
// they are a unit (lanes.glsl); elsewhere it has to change between threads at each barrier, so that a thread takes many rows
// of a tile.
static WeftStatus create_tile_pipelines(WeftGpuSolve *solve)
{
    EngineBlock *block = &solve->engine->block;
    const bool   wide = weft_gpu_is_wide(solve->engine);
    const bool   is_software = solve->engine->gpu->info.kind == WEFT_GPU_SOFTWARE;
    block->tile_rows = wide ? WIDE_TILE : SMALL_COMPONENT;
    block->tile_units = wide ? WIDE_THREADS / SLICE_ROWS : 1;

    // The pattern of slots is built into the shader, and how far apart the axes of vectors lie.
    const uint32_t threads = wide ? WIDE_THREADS : is_software ? FEWEST_THREADS : SMALL_COMPONENT;
    uint32_t       multiply[WEFT_GPU_PATTERN_CONSTANTS + 1];
    uint32_t       update[] = {threads, block->tile_rows, UPDATE_VECTORS, block->padded_count};
    uint32_t       end[] = {threads, block->tile_rows, UPDATE_END};
    uint32_t       shorten[] = {SMALL_COMPONENT, SMALL_COMPONENT, UPDATE_LIVE};
    weft_gpu_pattern_constants(solve->engine, false, threads, block->tile_rows, multiply);
    WEFT_TRY(create_pipeline(solve, &solve->start, wide ? "solve_start_wide" : "solve_start",
                             update, 4));
    WEFT_TRY(create_pipeline(solve, &solve->multiply,
                             wide ? "solve_multiply_wide" : "solve_multiply", multiply,
                             WEFT_GPU_PATTERN_CONSTANTS));
    WEFT_TRY(create_pipeline(solve, &solve->update, wide ? "solve_update_wide" : "solve_update",
                             update, 4));
    WEFT_TRY(create_pipeline(solve, &solve->end, "solve_update", end, 3));
    WEFT_TRY(create_pipeline(solve, &solve->shorten, "solve_update", shorten, 3));
    if (!wide)
        return WEFT_OK;
    multiply[WEFT_GPU_PATTERN_CONSTANTS] = MULTIPLY_PACK;
    return create_pipeline(solve, &solve->pack, "solve_multiply_wide", multiply,
                           WEFT_GPU_PATTERN_CONSTANTS + 1);
}

// Wide devices go through all passes of label at once, and through those of order: alone.glsl.
static WeftStatus create_alone_pipelines(WeftGpuSolve *solve)
{
    uint32_t constants[WEFT_GPU_PATTERN_CONSTANTS];
    if (!weft_gpu_is_wide(solve->engine))
        return WEFT_OK;
    weft_gpu_pattern_constants(solve->engine, false, SLICE_ROWS, SLICE_ROWS, constants);
    WEFT_TRY(create_pipeline(solve, &solve->label_alone, "label_wide", constants,
                             WEFT_GPU_PATTERN_CONSTANTS));
    return create_pipeline(solve, &solve->order_alone, "order_wide", constants, 1);
}

// The constants of a pattern are of no use to a shader that is not wide, apart from the first.
static WeftStatus create_precondition_pipeline(WeftGpuSolve *solve)
{
    const bool wide = weft_gpu_is_wide(solve->engine);
    uint32_t   constants[WEFT_GPU_PATTERN_CONSTANTS];
    weft_gpu_pattern_constants(solve->engine, false, SMALL_COMPONENT, SLICE_ROWS, constants);
    return create_pipeline(solve, &solve->precondition, wide ? "precondition_wide" : "precondition",
                           constants, wide ? WEFT_GPU_PATTERN_CONSTANTS : 1);
}

static WeftStatus create_pipelines(WeftGpuSolve *solve)
{
    WeftGpu *gpu = solve->engine->gpu;
    const struct
    {
        WeftGpuPipeline *pipeline;
        const char      *name;
        uint32_t         size;
    } wanted[] = {
        {&solve->label, "label", SMALL_COMPONENT},
        {&solve->label_pairs, "label", PAIR_THREADS},
        {&solve->order, "order", SMALL_COMPONENT},
        {&solve->single, "solve_single", SMALL_COMPONENT},
        {&solve->few, "solve_small", FEW_ROWS},
        {&solve->small, "solve_small", SMALL_COMPONENT},
    };
    if (weft_gpu_group_size(gpu, SMALL_COMPONENT) != SMALL_COMPONENT)
        return weft_fail(WEFT_ERROR_INPUT, "'%s' has no workgroups of %u threads", gpu->info.name,
                         SMALL_COMPONENT);
    for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++)
        WEFT_TRY(create_pipeline(solve, wanted[k].pipeline, wanted[k].name, &wanted[k].size, 1));
    WEFT_TRY(create_tile_pipelines(solve));
    WEFT_TRY(create_alone_pipelines(solve));
    WEFT_TRY(create_precondition_pipeline(solve));
    WEFT_TRY(weft_gpu_engine_upload_block(solve->engine));

    // What label and order need where each is more than one dispatch.
    if (solve->order_alone.handle != VK_NULL_HANDLE)
        return WEFT_OK;
    WEFT_TRY(weft_gpu_components_create(gpu, &solve->components));
    return weft_gpu_sort_create(gpu, &solve->sort, solve->engine->block.particle_count);
}

WeftStatus weft_gpu_solve_create(WeftGpuSolve *solve, WeftGpuEngine *engine,
                                 const WeftGpuContact *contact)
{
    memset(solve, 0, sizeof(*solve));
    solve->engine = engine;
    solve->contact = contact;
    WeftStatus status = create_buffers(solve);
    if (status == WEFT_OK)
        status = create_pipelines(solve);
    if (status != WEFT_OK)
        weft_gpu_solve_destroy(solve);
    return status;
}

void weft_gpu_solve_destroy(WeftGpuSolve *solve)
{
    if (solve->engine)
    {
        WeftGpu       *gpu = solve->engine->gpu;
        WeftGpuBuffer *buffers[] = {
            &solve->systems, &solve->tiles,      &solve->scratch, &solve->partial, &solve->position,
            &solve->scalars, &solve->small_list, &solve->live,    &solve->grids,   &solve->packed};
        WeftGpuPipeline *pipelines[] = {
            &solve->label,    &solve->label_pairs, &solve->order,      &solve->precondition,
            &solve->single,   &solve->few,         &solve->small,      &solve->start,
            &solve->multiply, &solve->update,      &solve->shorten,    &solve->end,
            &solve->pack,     &solve->label_alone, &solve->order_alone};
        for (size_t k = 0; k < sizeof(buffers) / sizeof(buffers[0]); k++)
            weft_gpu_buffer_destroy(gpu, buffers[k]);
        for (size_t k = 0; k < sizeof(pipelines) / sizeof(pipelines[0]); k++)
            weft_gpu_pipeline_destroy(gpu, pipelines[k]);
        weft_gpu_components_destroy(gpu, &solve->components);
        weft_gpu_sort_destroy(gpu, &solve->sort);
    }
    memset(solve, 0, sizeof(*solve));
}

WeftStatus weft_gpu_solve_guard_check(const WeftGpuSolve *solve)
{
    const WeftGpuBuffer *buffers[] = {
        &solve->systems,    &solve->tiles,           &solve->scratch,     &solve->partial,
        &solve->position,   &solve->scalars,         &solve->small_list,  &solve->live,
        &solve->grids,      &solve->packed,          &solve->sort.counts, &solve->sort.scan.scratch,
        &solve->sort.items, &solve->components.grids};
    for (size_t k = 0; k < sizeof(buffers) / sizeof(buffers[0]); k++)
        if (buffers[k]->handle != VK_NULL_HANDLE)
            WEFT_TRY(weft_gpu_guard_check(solve->engine->gpu, buffers[k]));
    return WEFT_OK;
}

static struct StagePush push_of(const WeftGpuSolve *solve, uint32_t phase, uint32_t iteration)
{
    return (struct StagePush){solve->engine->block_buffer.address, phase, iteration};
}

// One thread a particle.
static void over_particles(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                           const WeftGpuPipeline *pipeline, uint32_t phase)
{
    struct StagePush push = push_of(solve, phase, 0);
    weft_gpu_dispatch(commands, pipeline, solve->engine->block.particle_count, &push, sizeof(push));
}

// As many workgroups as stand in `grids`.
static void over_grid(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                      const WeftGpuPipeline *pipeline, uint32_t grid, const void *push,
                      size_t push_bytes)
{
    weft_gpu_dispatch_indirect(commands, pipeline, &solve->grids, grid * sizeof(uint32_t), push,
                               (uint32_t)push_bytes);
}

static void over_indirect(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                          const WeftGpuPipeline *pipeline, uint32_t grid, uint32_t phase)
{
    const struct StagePush push = push_of(solve, phase, 0);
    over_grid(solve, commands, pipeline, grid, &push, sizeof(push));
}

static struct MultiplyPush multiply_of(const WeftGpuSolve *solve, uint32_t phase,
                                       uint32_t iteration)
{
    const EngineBlock *block = &solve->engine->block;
    return (struct MultiplyPush){
        .block = solve->engine->block_buffer.address,
        .phase = phase,
        .iteration = iteration,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .packed = block->packed,
        .from = phase == MULTIPLY_START ? block->change : block->u,
        .to = block->w,
        .diagonal = block->diagonal,
        .springs = block->s_block,
        .regular = block->s_regular,
        .label = block->label,
    };
}

static void dispatch_multiply(const WeftGpuSolve *solve, WeftGpuCommands *commands, uint32_t phase,
                              uint32_t iteration)
{
    const struct MultiplyPush push = multiply_of(solve, phase, iteration);
    over_grid(solve, commands, &solve->multiply, GRID_LIVE, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

static struct UpdatePush update_of(const WeftGpuSolve *solve, uint32_t iteration)
{
    const EngineBlock *block = &solve->engine->block;
    return (struct UpdatePush){
        .block = solve->engine->block_buffer.address,
        .iteration = iteration,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .r = block->r,
        .u = block->u,
        .w = block->w,
        .p = block->p,
        .s = block->s,
        .change = block->change,
        .inverse = block->inverse,
        .label = block->label,
        .degrees = block->degrees,
        .slice_count = block->slice_count,
    };
}

// The smallest number of rounds of jumping that flattens a tree of all particles.
static uint32_t round_count_of(uint32_t particle_count)
{
    uint32_t rounds = 0;
    for (uint64_t height = 1; height < particle_count; height *= LABEL_JUMPS + 1)
        rounds++;
    return rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
}

void weft_gpu_solve_record_label(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    const EngineBlock    *block = &solve->engine->block;
    const uint32_t        count = block->particle_count;
    struct LabelStagePush start = {
        .block = solve->engine->block_buffer.address, .phase = LABEL_START, .labels = block->label};
    const bool is_alone = block->decompose && solve->label_alone.handle != VK_NULL_HANDLE;
    if (is_alone)
        weft_gpu_dispatch_groups(commands, &solve->label_alone, 1, &start, sizeof(start));
    else
        weft_gpu_dispatch(commands, &solve->label, count, &start, sizeof(start));
    weft_gpu_record_barrier(commands);
    if (is_alone || !block->decompose)
        return;

    // The grid of a round, cut as set_grid() of systems.glsl does.
    uint32_t         size = solve->components.jump.group_size, groups = (count + size - 1) / size;
    uint32_t         grid_y = (groups + GRID_MOST - 1) / GRID_MOST;
    struct LabelPush push = {
        .edges = block->s_ends,
        .edge_flags = block->s_flags,
        .labels = block->label,
        .grids = solve->grids.address + GRID_ROUNDS * sizeof(uint32_t),
        .vertex_count = count,
        .edge_count = block->structural_count,
        .edge_mask = SPRING_IMPLICIT,
        .round_count = round_count_of(count),
        .grid_x = (groups + grid_y - 1) / grid_y,
    };
    weft_gpu_dispatch(commands, &solve->components.hook, push.edge_count, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
    if (block->pair_capacity > 0)
    {
        struct LabelStagePush pairs = start;
        pairs.phase = LABEL_PAIRS;
        weft_gpu_dispatch_indirect(commands, &solve->label_pairs, &solve->contact->grids,
                                   PAIR_GRID_ALL * sizeof(uint32_t), &pairs, sizeof(pairs));
        weft_gpu_record_barrier(commands);
    }
    for (; push.round < push.round_count; push.round++)
    {
        if (push.round == 0)
            weft_gpu_dispatch(commands, &solve->components.jump, count, &push, sizeof(push));
        else
            weft_gpu_dispatch_indirect(commands, &solve->components.jump, &solve->grids,
                                       (GRID_ROUNDS + 3 * push.round) * sizeof(uint32_t), &push,
                                       sizeof(push));
        weft_gpu_record_barrier(commands);
    }
}

void weft_gpu_solve_record_order(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    const EngineBlock *block = &solve->engine->block;
    if (!block->decompose)
    {
        over_particles(solve, commands, &solve->order, ORDER_WHOLE);
        weft_gpu_record_barrier(commands);
        return;
    }
    if (solve->order_alone.handle != VK_NULL_HANDLE)
    {
        struct StagePush push = push_of(solve, 0, 0);
        weft_gpu_dispatch_groups(commands, &solve->order_alone, 1, &push, sizeof(push));
        weft_gpu_record_barrier(commands);
        return;
    }

    // LABEL_NONE counts as the first number that is no label.
    weft_gpu_sort_record(&solve->sort, commands, block->label, block->rows, block->position,
                         block->particle_count, block->particle_count);
    for (uint32_t phase = ORDER_COUNT; phase <= ORDER_LIST; phase++)
    {
        struct StagePush push = push_of(solve, phase, 0);
        weft_gpu_dispatch_groups(commands, &solve->order, order_groups(block), &push, sizeof(push));
        weft_gpu_record_barrier(commands);
    }
}

void weft_gpu_solve_record_precondition(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    const EngineBlock            *block = &solve->engine->block;
    const struct PreconditionPush push = {
        .block = solve->engine->block_buffer.address,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .diagonal = block->diagonal,
        .change = block->change,
        .prescribed = block->prescribed,
        .degrees = block->degrees,
    };
    weft_gpu_dispatch(commands, &solve->precondition, block->particle_count, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

static void dispatch_single(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    const bool       is_software = solve->engine->gpu->info.kind == WEFT_GPU_SOFTWARE;
    const uint64_t   rows = solve->engine->block.particle_count;
    struct StagePush push = push_of(solve, 0, 0);
    if (solve->engine->block.decompose)
        weft_gpu_dispatch(commands, &solve->single,
                          is_software ? (rows + SOFTWARE_ROWS - 1) / SOFTWARE_ROWS : rows, &push,
                          sizeof(push));
}

static void dispatch_small(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    if (!solve->engine->block.decompose)
        return;
    over_indirect(solve, commands, &solve->few, GRID_FEW, 0);
    over_indirect(solve, commands, &solve->small, GRID_SMALL, 1);
}

void weft_gpu_solve_record_single(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    dispatch_single(solve, commands);
    weft_gpu_record_barrier(commands);
}

void weft_gpu_solve_record_small(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    dispatch_small(solve, commands);
    weft_gpu_record_barrier(commands);
}

// A StartPush begins as a StagePush does.
static void dispatch_start(const WeftGpuSolve *solve, WeftGpuCommands *commands, uint32_t grid,
                           uint32_t phase)
{
    const EngineBlock     *block = &solve->engine->block;
    const struct StartPush push = {
        .block = solve->engine->block_buffer.address,
        .phase = phase,
        .slice_count = block->slice_count,
        .digits = {0, 1, 2, 3, 4, 5, 6, 7},
        .rhs = block->rhs,
        .product = block->w,
        .inverse = block->inverse,
        .label = block->label,
        .degrees = block->degrees,
    };
    over_grid(solve, commands, &solve->start, grid, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

void weft_gpu_solve_record_start(const WeftGpuSolve *solve, WeftGpuCommands *commands)
{
    if (solve->pack.handle != VK_NULL_HANDLE)
    {
        const struct MultiplyPush push = multiply_of(solve, MULTIPLY_START, 0);
        weft_gpu_dispatch(commands, &solve->pack,
                          (uint64_t)solve->engine->block.slice_count * SLICE_ROWS, &push,
                          sizeof(push));
        weft_gpu_record_barrier(commands);
    }
    dispatch_multiply(solve, commands, MULTIPLY_START, 0);
    dispatch_start(solve, commands, GRID_TILES, START_RESIDUAL);
    dispatch_start(solve, commands, GRID_CHOICE, START_CHOICE);
}

static void dispatch_update(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                            uint32_t iteration)
{
    const struct UpdatePush push = update_of(solve, iteration);
    over_grid(solve, commands, &solve->update, GRID_LIVE, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
    if ((iteration + 1) % LIVE_INTERVAL == 0)
    {
        over_grid(solve, commands, &solve->shorten, GRID_SHORTEN, &push, sizeof(push));
        weft_gpu_record_barrier(commands);
    }
}

void weft_gpu_solve_record_iteration(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                                     uint32_t iteration)
{
    dispatch_multiply(solve, commands, MULTIPLY_ITERATION, iteration);
    dispatch_update(solve, commands, iteration);
}

void weft_gpu_solve_record_end(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                               uint32_t iterations)
{
    const struct UpdatePush push = update_of(solve, iterations);
    over_grid(solve, commands, &solve->end, GRID_LIVE, &push, sizeof(push));
    weft_gpu_record_barrier(commands);
}

void weft_gpu_solve_record(const WeftGpuSolve *solve, WeftGpuCommands *commands,
                           uint32_t iterations, const WeftGpuTimer *timer, uint32_t first_mark,
                           uint32_t pass_mark)
{
#define MARK_AT(mark)                                                                              \
    do                                                                                             \
    {                                                                                              \
        if (timer != NULL)                                                                         \
            weft_gpu_timer_mark(timer, commands, mark);                                            \
    } while (0)
#define MARK(name) MARK_AT(first_mark + WEFT_GPU_MARK_##name)
    weft_gpu_solve_record_label(solve, commands);
    MARK(LABEL);
    weft_gpu_solve_record_order(solve, commands);
    MARK(ORDER);
    weft_gpu_solve_record_precondition(solve, commands);
    MARK(PRECONDITION);

    // Systems of all sizes are disjoint: no barriers.
    dispatch_single(solve, commands);
    MARK(SOLVE_SINGLE);
    dispatch_small(solve, commands);
    MARK(SOLVE_SMALL);
    weft_gpu_solve_record_start(solve, commands);
    MARK(SOLVE_START);
    uint32_t most = solve->engine->block.max_iterations;
    iterations = iterations < most ? iterations : most;
    for (uint32_t k = 0; k < iterations; k++)
    {
        dispatch_multiply(solve, commands, MULTIPLY_ITERATION, k);
        if (k < WEFT_GPU_MARKED_ITERATIONS)
            MARK_AT(pass_mark + 2 * k);
        dispatch_update(solve, commands, k);
        if (k < WEFT_GPU_MARKED_ITERATIONS)
            MARK_AT(pass_mark + 2 * k + 1);
    }
    weft_gpu_solve_record_end(solve, commands, iterations);
    MARK(ITERATIONS);
#undef MARK
#undef MARK_AT
}
