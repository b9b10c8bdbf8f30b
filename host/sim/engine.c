// engine.c: creates the CPU engine's arrays from a model and walks the stages of a step.
#include "sim/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "clock.h"
#include "parallel.h"
#include "tiles.h"

// Large arrays all begin at the same place of a page. Loops walk through two dozen of them side by side, whose lines would then share
// the few places that a cache has for them; so each begins some lines farther than the one before.
#define PAGE 4096u
#define LINE 64u
#define SKEW (5 * LINE)

// The arena keeps the block, if there is one, behind `skew` bytes.
static void *keep_block(Arena *arena, char *block, size_t skew)
{
    if (arena->count == arena->capacity)
    {
        size_t larger = arena->capacity * 2 + 64;
        void **blocks = realloc(arena->blocks, larger * sizeof(*blocks));
        if (blocks != NULL)
        {
            arena->blocks = blocks;
            arena->capacity = larger;
        }
    }
    if (block == NULL || arena->count == arena->capacity)
    {
        free(block);
        arena->failed = true;
        return NULL;
    }
    arena->blocks[arena->count++] = block;
    return block + skew;
}

void *WEFT_PRECISE(weft_arena_take)(Arena *arena, size_t count, size_t item)
{
    size_t skew = arena->count * SKEW % PAGE;
    size_t bytes = (skew + count * item + LINE + LINE - 1) / LINE * LINE;
    char  *block = aligned_alloc(LINE, bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return keep_block(arena, block, skew);
}

void *WEFT_PRECISE(weft_arena_reserve)(Arena *arena, size_t count, size_t item)
{
    size_t skew = arena->count * SKEW % PAGE;
    return keep_block(arena, calloc(skew + count * item + LINE, 1), skew);
}

static void take_vectors(Arena *arena, real *arrays[], int count, uint32_t length)
{
    for (int k = 0; k < count; k++)
        arrays[k] = WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(real));
}

static void take_particles(Engine *engine)
{
    EngineData *data = &engine->data;
    Arena      *arena = &engine->arena;
    uint32_t    length = data->padded_count;
    real      **vectors[] = {data->x,          data->v,          data->rhs, data->direction,
                             data->prescribed, data->change,     data->r,   data->u,
                             data->p,          data->s,          data->w,   data->kept_x,
                             data->kept_v,     data->kept_change};
    for (size_t k = 0; k < sizeof(vectors) / sizeof(vectors[0]); k++)
        take_vectors(arena, vectors[k], 3, length);
    take_vectors(arena, data->diagonal, 6, length);
    take_vectors(arena, data->inverse, 6, length);
    take_vectors(arena, &data->mass, 1, length);
    take_vectors(arena, &data->share, 1, length);
    take_vectors(arena, &data->light, 1, length);
    take_vectors(arena, &data->thickness, 1, length);
    take_vectors(arena, &data->contact_load, 1, length);
    take_vectors(arena, &data->kept_load, 1, length);
    data->degrees = WEFT_PRECISE(weft_arena_take)(arena, length, 1);
    data->moved = WEFT_PRECISE(weft_arena_take)(arena, (size_t)data->slice_count + 2, 1);
    data->contact = WEFT_PRECISE(weft_arena_take)(arena, length, 1);
    data->kept_contact = WEFT_PRECISE(weft_arena_take)(arena, length, 1);
    data->contact_solid = WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(int16_t));
    data->kept_solid = WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(int16_t));
    // Labels are written by whole words of bits, and looked at one further.
    const size_t words = (size_t)data->tile_count * (TILE / 64);
    data->label = WEFT_PRECISE(weft_arena_take)(arena, words * 64 + SLICE, sizeof(uint32_t));
    data->free_bits = WEFT_PRECISE(weft_arena_take)(arena, words, sizeof(uint64_t));
    data->joined_bits = WEFT_PRECISE(weft_arena_take)(arena, words, sizeof(uint64_t));
    data->chained_bits = WEFT_PRECISE(weft_arena_take)(arena, words, sizeof(uint64_t));
    data->begin_bits = WEFT_PRECISE(weft_arena_take)(arena, words, sizeof(uint64_t));
    data->chains_before = WEFT_PRECISE(weft_arena_take)(arena, words, sizeof(uint32_t));
    data->chain_parent = WEFT_PRECISE(weft_arena_take)(arena, (size_t)length + 1, sizeof(uint32_t));
    data->chain_label = WEFT_PRECISE(weft_arena_take)(arena, (size_t)length + 1, sizeof(uint32_t));
    // Lists of bits may be written some places further.
    uint32_t **lists[] = {&data->segment_begin,  &data->segment_last, &data->segment_next,
                          &data->latest_segment, &data->system_first, &data->rows_to,
                          &data->groups_to};
    for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
        *lists[k] = WEFT_PRECISE(weft_arena_take)(arena, (size_t)length + 1, sizeof(uint32_t));
    data->systems = WEFT_PRECISE(weft_arena_take)(arena, length / 2 + 1, sizeof(System));
    data->group_slice = WEFT_PRECISE(weft_arena_take)(arena, length, sizeof(uint32_t));
    data->group_lanes = WEFT_PRECISE(weft_arena_take)(arena, length, 1);
    data->partial =
        WEFT_PRECISE(weft_arena_take)(arena, 2 * (size_t)(length / 64 + 1), sizeof(double));
    data->way_sum =
        WEFT_PRECISE(weft_arena_take)(arena, 3 * (size_t)data->tile_count, sizeof(double));
    data->tension = WEFT_PRECISE(weft_arena_take)(arena, data->tile_count, sizeof(double));
}

// A bench for each thread. A row has at most as many neighbours as the slice with most slots has slots.
static void take_benches(Engine *engine)
{
    EngineData       *data = &engine->data;
    Arena            *arena = &engine->arena;
    const SpringList *list = &data->structural;
    size_t            most = 1, rows = BENCH_ROWS;
    if (arena->failed || data->pool == NULL)
        return;
    size_t threads = (size_t)weft_pool_threads(data->pool);
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
        if (list->slice_slots[slice + 1] - list->slice_slots[slice] > most)
            most = list->slice_slots[slice + 1] - list->slice_slots[slice];
    if (rows > data->padded_count + SLICE)
        rows = data->padded_count + SLICE;
    data->row_of = WEFT_PRECISE(weft_arena_take)(arena, data->padded_count, sizeof(uint32_t));
    data->benches = WEFT_PRECISE(weft_arena_take)(arena, threads, sizeof(Bench));
    for (size_t thread = 0; thread < threads && !arena->failed; thread++)
    {
        Bench *bench = &data->benches[thread];
        real **vectors[] = {bench->direction, bench->b, bench->y, bench->x, bench->r,
                            bench->u,         bench->p, bench->s, bench->w};
        bench->particle = WEFT_PRECISE(weft_arena_take)(arena, rows, sizeof(uint32_t));
        bench->degrees = WEFT_PRECISE(weft_arena_take)(arena, rows, 1);
        bench->count = WEFT_PRECISE(weft_arena_take)(arena, rows, sizeof(uint32_t));
        bench->entry_room = (uint32_t)most;
        bench->entry_end = WEFT_PRECISE(weft_arena_take)(arena, rows / SLICE + 1, sizeof(uint32_t));
        bench->other = WEFT_PRECISE(weft_arena_take)(arena, rows * most, sizeof(uint32_t));
        take_vectors(arena, &bench->alpha, 1, (uint32_t)(rows * most));
        take_vectors(arena, bench->block_u, 3, (uint32_t)(rows * most));
        if (data->weave.count > 0)
            take_vectors(arena, bench->weave, 6, (uint32_t)(rows * most));
        take_vectors(arena, bench->diagonal, 6, (uint32_t)rows);
        take_vectors(arena, bench->inverse, 6, (uint32_t)rows);
        for (size_t k = 0; k < sizeof(vectors) / sizeof(vectors[0]); k++)
            take_vectors(arena, vectors[k], 3, (uint32_t)rows);
    }
}

static void fill_particles(Engine *engine)
{
    EngineData      *data = &engine->data;
    const WeftModel *model = engine->model;
    for (uint32_t i = 0; i < data->padded_count; i++)
    {
        data->mass[i] = data->share[i] = 1;
        data->degrees[i] = 3;
    }
    for (uint32_t i = 0; i < data->particle_count; i++)
    {
        uint32_t cloth = model->cloth_of != NULL ? model->cloth_of[i] : 0;
        data->mass[i] = (real)model->masses[i];
        data->share[i] = (real)model->shares[i];
        data->thickness[i] = (real)model->thickness[i];
        for (int axis = 0; axis < 3; axis++)
        {
            data->x[axis][i] = (real)model->positions[3 * (size_t)i + (size_t)axis];
            data->v[axis][i] = (real)model->velocities[3 * cloth + (uint32_t)axis];
        }
    }
}

// Triangles in the engine's order, and around each particle.
static void take_surface(Engine *engine)
{
    EngineData      *data = &engine->data;
    const WeftModel *model = engine->model;
    Arena           *arena = &engine->arena;
    if (model->scene->air.density <= 0 && !model->scene->contact.cloth)
        return;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
        data->triangle_count += model->meshes[cloth].triangle_count;
    for (int axis = 0; axis < 3; axis++)
        data->corners[axis] =
            WEFT_PRECISE(weft_arena_take)(arena, data->triangle_count, sizeof(uint32_t));
    take_vectors(arena, data->air_force, 3, data->triangle_count);
    data->fan_begin =
        WEFT_PRECISE(weft_arena_take)(arena, (size_t)data->particle_count + 2, sizeof(uint32_t));
    data->fan =
        WEFT_PRECISE(weft_arena_take)(arena, 3 * (size_t)data->triangle_count, sizeof(uint32_t));
    if (arena->failed)
        return;

    uint32_t triangle = 0;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
        for (uint32_t k = 0; k < model->meshes[cloth].triangle_count; k++, triangle++)
            for (int corner = 0; corner < 3; corner++)
            {
                uint32_t vertex = model->meshes[cloth].triangles[3 * (size_t)k + (size_t)corner];
                uint32_t i = weft_model_particle(model, cloth, vertex);
                data->corners[corner][triangle] = i;
                data->fan_begin[i + 2]++;
            }
    for (uint32_t i = 2; i < data->particle_count + 2; i++)
        data->fan_begin[i] += data->fan_begin[i - 1];
    for (triangle = 0; triangle < data->triangle_count; triangle++)
        for (int corner = 0; corner < 3; corner++)
            data->fan[data->fan_begin[data->corners[corner][triangle] + 1]++] = triangle;
}

static void take_constraints(Engine *engine)
{
    EngineData      *data = &engine->data;
    const WeftModel *model = engine->model;
    const WeftScene *scene = model->scene;
    Arena           *arena = &engine->arena;
    data->pin_count = model->pin_count + 1;
    data->pin_of = model->pin_of;
    data->pins = WEFT_PRECISE(weft_arena_take)(arena, data->pin_count, sizeof(PinData));
    data->pin_slot = WEFT_PRECISE(weft_arena_take)(arena, data->particle_count, sizeof(int32_t));
    uint32_t held_count = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
        held_count += model->pin_of[i] >= 0;
    engine->hand_slot = held_count++;
    engine->held = WEFT_NO_PARTICLE;
    data->pin_start = WEFT_PRECISE(weft_arena_take)(arena, 3 * (size_t)held_count, sizeof(double));
    data->solid_count = (uint32_t)scene->solids_count;
    data->solids = WEFT_PRECISE(weft_arena_take)(arena, data->solid_count, sizeof(SolidData));
    if (arena->failed)
        return;

    int32_t slot = 0;
    for (uint32_t i = 0; i < data->particle_count; i++)
        if (model->pin_of[i] >= 0)
        {
            memcpy(data->pin_start + 3 * slot, model->positions + 3 * (size_t)i,
                   3 * sizeof(double));
            data->pin_slot[i] = slot++;
        }
    for (int axis = 0; axis < 3; axis++)
        data->pins[model->pin_count].rotation[4 * axis] = 1;
    for (uint32_t k = 0; k < model->pin_count; k++)
    {
        const double *line = model->pins[k]->free_along, *normal = model->pins[k]->fixed_along;
        double        line_size = sqrt(line[0] * line[0] + line[1] * line[1] + line[2] * line[2]);
        double        normal_size =
            sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        data->pins[k].degrees = line_size > 0 ? 1 : normal_size > 0 ? 2 : 0;
        for (int axis = 0; axis < 3; axis++)
            data->pins[k].direction[axis] = (real)(line_size > 0     ? line[axis] / line_size
                                                   : normal_size > 0 ? normal[axis] / normal_size
                                                                     : 0);
    }
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const WeftSolid *solid = &scene->solids[k];
        SolidData       *to = &data->solids[k];
        to->type = (int)solid->type;
        to->radius = (real)solid->radius;
        to->tube_radius = (real)solid->tube_radius;
        to->height = (real)solid->height;
        to->friction = (real)solid->friction;
        for (int axis = 0; axis < 3; axis++)
            to->size[axis] = (real)solid->size[axis];
    }
}

// What the scene says about stepping. Read anew for each step, so that a change in the scene acts
// at once.
static void read_settings(EngineData *data, const WeftScene *scene)
{
    for (int axis = 0; axis < 3; axis++)
        data->gravity[axis] = (real)scene->gravity[axis];
    data->method = (int)scene->integrator.method;
    data->damping_kind = (int)scene->integrator.damping;
    data->threshold = (real)scene->integrator.threshold;
    data->preconditioner = (int)scene->solver.preconditioner;
    data->start_guess = (int)scene->solver.start;
    data->decompose = scene->solver.decompose;
    data->eliminate = scene->solver.eliminate;
    data->tolerance = scene->solver.tolerance;
    data->max_iterations = (uint32_t)scene->solver.max_iterations;
    data->contact_margin = (real)scene->contact.margin;
    data->on_surface = (real)(scene->solver.precision == WEFT_PRECISION_DOUBLE ? 1e-12 : 1e-6);
    data->pairs.stiffness = (real)scene->contact.stiffness;
    data->pairs.damping = (real)scene->contact.damping;
    data->pairs.friction = (real)scene->contact.friction;
    data->air_density = data->triangle_count > 0 ? (real)scene->air.density : 0;
    data->air_drag = (real)scene->air.drag;
    data->air_lift = (real)scene->air.lift;
    data->linear_drag = (real)scene->air.linear_drag;
    data->quadratic_drag = (real)scene->air.quadratic_drag;
}

static void destroy(void *object)
{
    Engine *engine = object;
    if (engine == NULL)
        return;
    weft_pool_destroy(engine->data.pool);
    for (size_t k = 0; k < engine->arena.count; k++)
        free(engine->arena.blocks[k]);
    free(engine->arena.blocks);
    SpringList *lists[] = {&engine->data.structural, &engine->data.bend};
    for (int k = 0; k < 2; k++)
    {
        free(lists[k]->runs);
        free(lists[k]->slots);
        free(lists[k]->slot_flags);
        free(lists[k]->lane_spring);
        free(lists[k]->lane_other);
    }
    free(engine);
}

static void energy(void *object, double *kinetic, double *potential);

// What is near what, where no step has been taken that would have found it.
static void find_pairs(EngineData *data)
{
    for (int axis = 0; axis < 3; axis++)
        memcpy(data->kept_x[axis], data->x[axis], data->particle_count * sizeof(real));
    WEFT_KERNEL(cells)(data);
    WEFT_KERNEL(near)(data);
}

static WeftStatus out_of_memory(Engine *engine, void **object)
{
    uint32_t particle_count = engine->data.particle_count;
    destroy(engine);
    *object = NULL;
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for %u particles", particle_count);
}

static WeftStatus create(void **object, WeftModel *model, int threads)
{
    Engine *engine = calloc(1, sizeof(*engine));
    *object = engine;
    if (engine == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the engine");
    EngineData *data = &engine->data;
    engine->model = model;
    data->pool = weft_pool_create(threads < MAX_THREADS ? threads : MAX_THREADS);
    data->particle_count = model->particle_count;
    data->slice_count = (model->particle_count + SLICE - 1) / SLICE;
    data->tile_count = (model->particle_count + TILE - 1) / TILE;
    data->padded_count = (data->slice_count + 1) * SLICE;

    WEFT_PRECISE(weft_engine_lay_springs)(engine, &model->springs);
    weft_spring_graph_destroy(&model->springs);
    take_particles(engine);
    take_benches(engine);
    take_surface(engine);
    take_constraints(engine);
    if (!engine->arena.failed)
        WEFT_PRECISE(weft_engine_take_meshes)(engine);
    WEFT_PRECISE(weft_engine_take_pairs)(engine);
    if (engine->arena.failed || data->pool == NULL)
        return out_of_memory(engine, object);
    fill_particles(engine);
    WEFT_PRECISE(weft_engine_fill_pairs)(engine);
    read_settings(data, model->scene);
    data->h = (real)model->scene->step;
    WEFT_PRECISE(weft_engine_take_halves)(engine);
    if (engine->arena.failed)
        return out_of_memory(engine, object);

    // Cloth may start on or in a solid: put it on the surface. Then measure the springs.
    WEFT_PRECISE(weft_engine_place)(engine, 0, 0);
    data->h = 1;
    for (uint32_t k = 0; k < model->pin_count; k++)
        data->pins[k].active = true;
    WEFT_KERNEL(keep)(data);
    WEFT_KERNEL(collide)(data);
    for (uint32_t i = 0; i < data->particle_count; i++)
        data->contact_load[i] = -1;
    WEFT_KERNEL(guard)(data);
    data->h = (real)model->scene->step;
    find_pairs(data);
    double kinetic;
    energy(engine, &kinetic, &engine->start_potential);
    return WEFT_OK;
}

typedef void (*Kernel)(EngineData *data);

#define STAGE(name, per, repeat, tolerance, what) WEFT_KERNEL(name),
static const Kernel kernels[] = {
#include "stages.def"
};
#undef STAGE

static void run(EngineData *data, WeftStage stage, WeftStepReport *report)
{
    double start = weft_clock_seconds();
    kernels[stage](data);
    report->stage_seconds[stage] += weft_clock_seconds() - start;
}

// Conjugate gradients on the system `data->current`, all threads together.
static void solve_large(EngineData *data, WeftStepReport *report)
{
    System *system = data->current;
    run(data, WEFT_STAGE_solve_start, report);
    while (!system->converged && system->iterations < data->max_iterations)
    {
        run(data, WEFT_STAGE_solve_multiply, report);
        if (!(system->alpha > 0))
            break;
        run(data, WEFT_STAGE_solve_update, report);
    }
}

static void report_systems(const EngineData *data, WeftStepReport *report)
{
    report->component_count = data->component_count;
    report->largest_component = data->largest_component;
    report->row_multiplies += data->row_multiplies;
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        const System *system = &data->systems[k];
        if (system->iterations > report->iterations)
            report->iterations = system->iterations;
        report->unconverged_count += !system->converged;
        if (system->reference > 0)
        {
            double residual = sqrt(fabs(system->gamma) / system->reference);
            if (!(residual <= report->worst_residual))
                report->worst_residual = residual;
        }
    }
    if (report->iterations == 0 && data->group_count > data->single_begin)
        report->iterations = 1;
    report->active_springs = data->active_count;
    report->implicit_springs = data->implicit_count;
    report->softened_bend_springs = data->softened_count;
    report->contact_count = data->contact_count;
    report->stick_count = data->stick_count;
    report->cloth_contact_count = data->pairs.active_count;
    report->cloth_contact_blocks = data->pairs.implicit_count;
    report->lost_pairs = data->pairs.lost;
    report->cut_count = data->pairs.cut_count;
    report->largest_stretch = data->largest_stretch;
}

void WEFT_PRECISE(weft_engine_begin)(Engine *engine, double time, double h)
{
    engine->data.h = (real)h;
    engine->data.row_multiplies = 0;
    read_settings(&engine->data, engine->model->scene);
    WEFT_PRECISE(weft_engine_place)(engine, time, h);
}

static WeftStatus step(void *object, double time, double h, WeftStepReport *report, bool *good)
{
    Engine     *engine = object;
    EngineData *data = &engine->data;
    WEFT_PRECISE(weft_engine_begin)(engine, time, h);
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        if (stage == WEFT_STAGE_solve_multiply || stage == WEFT_STAGE_solve_update)
            continue;
        if (stage != WEFT_STAGE_solve_start)
        {
            run(data, (WeftStage)stage, report);
            continue;
        }
        for (uint32_t k = 0; k < data->system_count; k++)
            if (!data->decompose || data->systems[k].row_count > SMALL_COMPONENT)
            {
                data->current = &data->systems[k];
                solve_large(data, report);
            }
    }
    report_systems(data, report);
    report->cloth_stuck = data->pairs.stuck;
    *good = data->finite && !data->pairs.stuck &&
            data->largest_stretch <= engine->model->scene->integrator.stretch_limit;
    return WEFT_OK;
}

static void restore(void *object)
{
    EngineData *data = &((Engine *)object)->data;
    size_t      count = data->particle_count;
    for (int axis = 0; axis < 3; axis++)
    {
        memcpy(data->x[axis], data->kept_x[axis], count * sizeof(real));
        memcpy(data->v[axis], data->kept_v[axis], count * sizeof(real));
        memcpy(data->change[axis], data->kept_change[axis], count * sizeof(real));
        // The stages of large systems also read, times zero, u of other systems and the direction of
        // free particles: no NaN of the failed step may stay there.
        memset(data->u[axis], 0, data->padded_count * sizeof(real));
        memset(data->direction[axis], 0, data->padded_count * sizeof(real));
    }
    if (data->halves != NULL)
        WEFT_PRECISE(weft_engine_forget_blocks)(data->halves);
    memcpy(data->contact_load, data->kept_load, count * sizeof(real));
    memcpy(data->contact, data->kept_contact, count);
    memcpy(data->contact_solid, data->kept_solid, count * sizeof(int16_t));
    WEFT_KERNEL(guard)(data);
    find_pairs(data);
}

static void energy(void *object, double *kinetic, double *potential)
{
    Engine *engine = object;
    WEFT_PRECISE(weft_engine_energy)(&engine->data, kinetic, potential);
    *potential -= engine->start_potential;
}

static void read_state(void *object, WeftQuantity quantity, const uint32_t *particles,
                       uint32_t first, uint32_t count, double *out)
{
    const EngineData *data = &((const Engine *)object)->data;
    real *const      *from = quantity == WEFT_QUANTITY_VELOCITY ? data->v : data->x;
    for (uint32_t k = 0; k < count; k++)
    {
        uint32_t i = particles != NULL ? particles[first + k] : first + k;
        for (int axis = 0; axis < 3; axis++)
            out[3 * (size_t)k + (size_t)axis] = (double)from[axis][i];
    }
}

static const uint32_t *labels(void *object)
{
    return ((const Engine *)object)->data.label;
}

static WeftStatus hold(void *object, uint32_t particle, const double *place)
{
    Engine     *engine = object;
    EngineData *data = &engine->data;
    PinData    *hand = &data->pins[engine->model->pin_count];
    if (engine->held != WEFT_NO_PARTICLE)
    {
        data->pin_of[engine->held] = engine->held_pin;
        data->pin_slot[engine->held] = engine->held_slot;
    }
    engine->held = particle;
    hand->active = particle != WEFT_NO_PARTICLE;
    if (!hand->active)
        return WEFT_OK;
    engine->held_pin = data->pin_of[particle];
    engine->held_slot = data->pin_slot[particle];
    data->pin_of[particle] = (int32_t)engine->model->pin_count;
    data->pin_slot[particle] = (int32_t)engine->hand_slot;
    memcpy(data->pin_start + 3 * (size_t)engine->hand_slot, place, 3 * sizeof(double));
    memset(hand->translation, 0, sizeof(hand->translation));
    return WEFT_OK;
}

static void move_hand(void *object, const double place[3])
{
    Engine       *engine = object;
    EngineData   *data = &engine->data;
    const double *start = data->pin_start + 3 * (size_t)engine->hand_slot;
    for (int axis = 0; axis < 3; axis++)
        data->pins[engine->model->pin_count].translation[axis] = place[axis] - start[axis];
}

static WeftStatus scale_springs(void *object, double stiffness, double damping)
{
    EngineData *data = &((Engine *)object)->data;
    SpringList *lists[] = {&data->structural, &data->bend};
    for (int k = 0; k < 2; k++)
        for (uint32_t at = 0; at < lists[k]->storage_count; at++)
        {
            lists[k]->stiffness[at] *= (real)stiffness;
            lists[k]->damping[at] *= (real)damping;
            lists[k]->base[at] *= (real)stiffness;
        }
    for (uint32_t k = 0; k < data->weave.count; k++)
        for (int part = 0; part < 2; part++)
            data->weave.strength[part][k] *= (real)stiffness;
    return WEFT_OK;
}

static void iteration_bytes(const void *object, double *matrix, double *all)
{
    const EngineData *data = &((const Engine *)object)->data;
    const SpringList *list = &data->structural;
    double            particles = data->particle_count, size = sizeof(real);
    uint32_t          slots = list->slice_slots[data->slice_count];
    double            scattered = 0;
    for (uint32_t k = 0; k < slots; k++)
        scattered += (list->slot_flags[k] & SLOT_SCATTERED) ? SLICE : 0;

    // Blocks of the implicit springs, diagonal and preconditioner blocks, slots and their indices,
    // groups.
    *matrix = data->implicit_count * (data->weave.count > 0 ? 10.0 : 4.0) * size +
              particles * 12 * size + slots * (double)(sizeof(RowSlot) + 1) +
              scattered * 2 * sizeof(uint32_t) + data->slice_count * 4.0 + data->group_count * 5.0;

    // multiply reads u and writes w; update reads u w p s x r and writes p s x r u.
    *all = *matrix + particles * 3 * size * (2 + 6 + 5);
}

const WeftBackend WEFT_PRECISE(weft_backend) = {
    .name = "cpu",
    .create = create,
    .destroy = destroy,
    .step = step,
    .restore = restore,
    .energy = energy,
    .read = read_state,
    .labels = labels,
    .hold = hold,
    .move_hand = move_hand,
    .scale_springs = scale_springs,
    .iteration_bytes = iteration_bytes,
};
