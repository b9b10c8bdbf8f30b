// twin.c: the CPU engine's arrays in the device's form and back. Compiled for each precision.
#include "twin.h"

#include <math.h>
#include <string.h>

#include "sim/engine.h"

enum
{
    MOST_KINDS = 64 // of slots that are counted in the search for a pattern
};

typedef enum Kind
{
    KIND_REAL,
    KIND_WORD,
    KIND_BYTE,
    KIND_SHORT,
    KIND_DEGREES,
    KIND_BLOCK,
    KIND_ENDS,
    KIND_START,
    KIND_REGULAR,
    KIND_ODD_BEGIN,
    KIND_ODD
} Kind;

// An array of the CPU engine: its parts and what they consist of.
typedef struct Parts
{
    Kind     kind;
    uint32_t count, length;
    void    *at[9];
} Parts;

static uint32_t slot_count(const EngineData *data, const SpringList *list)
{
    return list->slice_slots[data->slice_count];
}

static uint32_t lane_count(const EngineData *data, const SpringList *list)
{
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < slot_count(data, list); k++)
        lanes += (list->slot_flags[k] & SLOT_SCATTERED) ? SLICE : 0;
    return lanes;
}

// The slot of a slice as the pattern would have it.
static WeftPatternSlot pattern_slot(const SpringList *list, uint32_t slice, uint32_t slot,
                                    uint32_t gap)
{
    const RowSlot *found = &list->slots[slot];
    bool           is_mirror = (list->slot_flags[slot] & SLOT_MIRROR) != 0;
    uint32_t       owner = is_mirror ? found->other : slice * SLICE;
    return (WeftPatternSlot){found->other - slice * SLICE, is_mirror,
                             found->spring - owner - owner / TILE * gap};
}

static bool is_same_slot(WeftPatternSlot a, WeftPatternSlot b)
{
    return a.other == b.other && a.is_mirror == b.is_mirror && a.spring == b.spring;
}

// How much further than its particles the storage of a tile's springs goes on.
static uint32_t tile_gap(const EngineData *data, const SpringList *list)
{
    if (data->slice_count <= SLICES_PER_TILE || list->slice_slots[1] == 0 ||
        list->slice_slots[SLICES_PER_TILE] == slot_count(data, list))
        return 0;
    return list->slots[list->slice_slots[SLICES_PER_TILE]].spring - list->slots[0].spring - TILE;
}

// The slots that most slices have in common.
static WeftSlotPattern pattern_of(const EngineData *data, const SpringList *list)
{
    WeftSlotPattern pattern = {.gap = tile_gap(data, list)};
    WeftPatternSlot kinds[MOST_KINDS];
    uint32_t        times[MOST_KINDS] = {0}, kind_count = 0;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
        {
            WeftPatternSlot slot = pattern_slot(list, slice, k, pattern.gap);
            uint32_t        kind = 0;
            if (list->slot_flags[k] & SLOT_SCATTERED)
                continue;
            while (kind < kind_count && !is_same_slot(kinds[kind], slot))
                kind++;
            if (kind == kind_count && kind_count < MOST_KINDS)
                kinds[kind_count++] = slot;
            times[kind < MOST_KINDS ? kind : 0] += kind < kind_count;
        }
    // What goes by the pattern has no blocks of threads.
    if (list == &data->structural && data->weave.count > 0)
        kind_count = 0;
    for (uint32_t kind = 0; kind < kind_count && pattern.count < PATTERN_MOST; kind++)
        if (times[kind] > data->slice_count / 2)
            pattern.slots[pattern.count++] = kinds[kind];
    return pattern;
}

static uint32_t place_in_pattern(const WeftSlotPattern *pattern, const SpringList *list,
                                 uint32_t slice, uint32_t slot)
{
    uint32_t place = 0;
    if (list->slot_flags[slot] & SLOT_SCATTERED)
        return pattern->count;
    while (place < pattern->count &&
           !is_same_slot(pattern->slots[place], pattern_slot(list, slice, slot, pattern->gap)))
        place++;
    return place;
}

// Slots that are not in the pattern.
static uint32_t odd_slots(const EngineData *data, const SpringList *list)
{
    WeftSlotPattern pattern = pattern_of(data, list);
    uint32_t        odd = 0;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
            odd += place_in_pattern(&pattern, list, slice, k) == pattern.count;
    return odd;
}

// Particles as far as cloth is kept from cloth.
static uint32_t pair_rows(const EngineData *data)
{
    return data->pairs.on ? data->padded_count : 0;
}

// Springs, where a mesh has triangles.
static uint32_t woven_springs(const EngineData *data)
{
    return data->weave.count > 0 ? data->structural.storage_count : 0;
}

// As PAIR_COUNT and so on have it.
#define PAIR_COUNT_PLACES(pairs)                                                                   \
    ((const void *[]){&(pairs).count, &(pairs).lost, &(pairs).active_count, &(pairs).cut_count,    \
                      &(pairs).implicit_count})

#define ARRAY(name, type, parts, pointers, size)                                                   \
    case WEFT_ARRAY_##name:                                                                        \
        found.kind = KIND_##type;                                                                  \
        found.count = parts;                                                                       \
        found.length = size;                                                                       \
        memcpy(found.at, pointers, (KIND_##type <= KIND_DEGREES ? parts : 1) * sizeof(void *));    \
        break;
static Parts parts_of(const void *engine, WeftArray array)
{
    const EngineData *data = &((const Engine *)engine)->data;
    Parts             found = {0};
    switch (array)
    {
#include "engine_arrays.def"
    default:
        break;
    }
    if (found.kind == KIND_BLOCK)
        memcpy(found.at + 1, data->structural.u, 3 * sizeof(void *));
    return found;
}
#undef ARRAY

static WeftArrayShape shape(const void *engine, WeftArray array)
{
    Parts parts = parts_of(engine, array);
    bool  is_real = parts.kind == KIND_REAL || parts.kind == KIND_BLOCK || parts.kind == KIND_START;
    return (WeftArrayShape){is_real, parts.count, parts.length};
}

static void put_real(void *out, size_t place, double number, size_t real_size)
{
    if (real_size == sizeof(double))
        ((double *)out)[place] = number;
    else
        ((float *)out)[place] = (float)number;
}

static double get_real(const void *in, size_t place, size_t real_size)
{
    return real_size == sizeof(double) ? ((const double *)in)[place]
                                       : (double)((const float *)in)[place];
}

static uint32_t get_word(const Parts *parts, uint32_t part, uint32_t k)
{
    switch (parts->kind)
    {
    case KIND_BYTE:
        return ((const uint8_t *)parts->at[part])[k];
    case KIND_SHORT:
        return (uint32_t)(int32_t)((const int16_t *)parts->at[part])[k];
    case KIND_DEGREES:
        k = ((const uint8_t *)parts->at[part])[k];
        return k == 0 ? DEAD_END : k;
    default:
        return ((const uint32_t *)parts->at[part])[k];
    }
}

static void put_word(const Parts *parts, uint32_t part, uint32_t k, uint32_t word)
{
    switch (parts->kind)
    {
    case KIND_BYTE:
        ((uint8_t *)parts->at[part])[k] = (uint8_t)word;
        break;
    case KIND_SHORT:
        ((int16_t *)parts->at[part])[k] = (int16_t)word;
        break;
    case KIND_DEGREES:
        ((uint8_t *)parts->at[part])[k] = (uint8_t)(word & 3);
        break;
    default:
        ((uint32_t *)parts->at[part])[k] = word;
    }
}

// Owner and far end of every spring in storage. Filling that is in no run joins a particle to itself.
static void pack_ends(const EngineData *data, const SpringList *list, uint32_t *out)
{
    for (uint32_t k = 0; k < list->storage_count; k++)
        out[2 * (size_t)k] = out[2 * (size_t)k + 1] = list->other[k];
    for (uint32_t r = 0; r < list->tile_runs[data->tile_count]; r++)
    {
        const SpringRun *run = &list->runs[r];
        for (uint32_t k = 0; k < run->count; k++)
            out[2 * (size_t)(run->spring + k)] = run->owner + k;
    }
}

static void pack_start(const EngineData *data, void *out, size_t real_size)
{
    size_t stride = data->padded_count;
    memset(out, 0, 6 * stride * real_size);
    for (uint32_t i = 0; i < data->particle_count; i++)
        for (size_t axis = 0; axis < 3 && data->pin_of[i] >= 0; axis++)
        {
            double start = data->pin_start[3 * (size_t)data->pin_slot[i] + axis];
            double stored = real_size == sizeof(double) ? start : (double)(float)start;
            put_real(out, axis * stride + i, stored, real_size);
            put_real(out, (3 + axis) * stride + i, start - stored, real_size);
        }
}

// Which slots of the pattern each slice has, and which it has besides.
static void pack_slots(const EngineData *data, const SpringList *list, Kind kind, uint32_t *out)
{
    WeftSlotPattern pattern = pattern_of(data, list);
    uint32_t        odd = 0;
    for (uint32_t slice = 0; slice < data->slice_count; slice++)
    {
        uint32_t *table = out + (size_t)slice * pattern.count;
        if (kind == KIND_ODD_BEGIN)
            out[slice] = odd;
        for (uint32_t place = 0; kind == KIND_REGULAR && place < pattern.count; place++)
            table[place] = NO_SLOT;
        for (uint32_t k = list->slice_slots[slice]; k < list->slice_slots[slice + 1]; k++)
        {
            uint32_t place = place_in_pattern(&pattern, list, slice, k);
            if (kind == KIND_REGULAR && place < pattern.count)
                table[place] = k;
            if (place < pattern.count)
                continue;
            if (kind == KIND_ODD)
            {
                out[2 * (size_t)odd] = slice;
                out[2 * (size_t)odd + 1] = k;
            }
            odd++;
        }
    }
    if (kind == KIND_ODD_BEGIN)
        out[data->slice_count] = odd;
}

static WeftSlotPattern pattern(const void *engine, bool is_bend)
{
    const EngineData *data = &((const Engine *)engine)->data;
    return pattern_of(data, is_bend ? &data->bend : &data->structural);
}

static void pack(const void *engine, WeftArray array, void *out, size_t real_size)
{
    const EngineData *data = &((const Engine *)engine)->data;
    Parts             parts = parts_of(engine, array);
    if (parts.kind == KIND_ENDS)
    {
        pack_ends(data, &data->structural, out);
        return;
    }
    if (parts.kind == KIND_START)
    {
        pack_start(data, out, real_size);
        return;
    }
    if (parts.kind >= KIND_REGULAR)
    {
        pack_slots(data, array < WEFT_ARRAY_b_rest ? &data->structural : &data->bend, parts.kind,
                   out);
        return;
    }
    bool is_real = parts.kind == KIND_REAL || parts.kind == KIND_BLOCK;
    for (uint32_t part = 0; part < parts.count; part++)
        for (uint32_t k = 0; k < parts.length; k++)
        {
            size_t place = (size_t)part * parts.length + k;
            if (is_real)
                put_real(out, place, (double)((const real *)parts.at[part])[k], real_size);
            else
                ((uint32_t *)out)[place] = get_word(&parts, part, k);
        }
}

static void unpack(void *engine, WeftArray array, const void *in, size_t real_size)
{
    Parts parts = parts_of(engine, array);
    if (parts.kind >= KIND_ENDS || array == WEFT_ARRAY_pin_of)
        return;
    bool is_real = parts.kind == KIND_REAL || parts.kind == KIND_BLOCK;
    for (uint32_t part = 0; part < parts.count; part++)
        for (uint32_t k = 0; k < parts.length; k++)
        {
            size_t place = (size_t)part * parts.length + k;
            if (is_real)
                ((real *)parts.at[part])[k] = (real)get_real(in, place, real_size);
            else
                put_word(&parts, part, k, ((const uint32_t *)in)[place]);
        }
}

static void describe(const void *engine, EngineBlock *block)
{
    const EngineData *data = &((const Engine *)engine)->data;
    block->particle_count = data->particle_count;
    block->padded_count = data->padded_count;
    block->slice_count = data->slice_count;
    block->structural_count = data->structural.storage_count;
    block->bend_count = data->bend.storage_count;
    block->structural_slots = slot_count(data, &data->structural);
    block->triangle_count = data->triangle_count;
    block->pin_count = data->pin_count;
    block->solid_count = data->solid_count;
    block->method = (uint32_t)data->method;
    block->damping_kind = (uint32_t)data->damping_kind;
    block->preconditioner = (uint32_t)data->preconditioner;
    block->start_guess = (uint32_t)data->start_guess;
    block->decompose = data->decompose;
    block->max_iterations = data->max_iterations;
    memcpy(block->item_begin, data->pairs.item_begin, sizeof(block->item_begin));
    block->pair_capacity = data->pairs.capacity;
    for (int axis = 0; axis < 3; axis++)
        block->bucket_bits[axis] = data->pairs.bits[axis];
    block->weave_count = data->weave.count;
    block->mesh_resting = data->meshes.resting_count;
    block->mesh_values =
        VALUE_SOLIDS + SOLID_REALS * data->solid_count + PIN_REALS * data->pin_count;
    block->value_count = block->mesh_values + data->meshes.real_count - data->meshes.resting_count;
}

static void begin(void *engine, double time, double h)
{
    WEFT_PRECISE(weft_engine_begin)(engine, time, h);
}

// Writes numbers one after the other.
typedef struct Writer
{
    void  *out;
    size_t place, real_size;
} Writer;

static void write_number(Writer *writer, double number)
{
    put_real(writer->out, writer->place++, number, writer->real_size);
}

static void write_reals(Writer *writer, const real *numbers, int count)
{
    for (int k = 0; k < count; k++)
        write_number(writer, (double)numbers[k]);
}

static void write_solid(Writer *writer, const SolidData *solid)
{
    const real sizes[] = {(real)solid->type, solid->friction, solid->size[0],     solid->size[1],
                          solid->size[2],    solid->radius,   solid->tube_radius, solid->height};
    write_reals(writer, sizes, 8);
    write_reals(writer, solid->before.rotation, 9);
    write_reals(writer, solid->before.translation, 3);
    write_reals(writer, solid->after.rotation, 9);
    write_reals(writer, solid->after.translation, 3);
    write_reals(writer, solid->turn, 9);
    write_reals(writer, solid->shift, 3);
    write_reals(writer, solid->low, 3);
    write_reals(writer, solid->high, 3);
}

static void write_pin(Writer *writer, const PinData *pin)
{
    write_number(writer, pin->active);
    write_number(writer, pin->degrees);
    write_reals(writer, pin->direction, 3);
    for (int entry = 0; entry < 9; entry++)
        write_number(writer, pin->rotation[entry] - (entry % 4 == 0));
    for (int axis = 0; axis < 3; axis++)
        write_number(writer, pin->translation[axis]);
}

static void values(const void *object, void *out, size_t real_size)
{
    const Engine     *engine = object;
    const EngineData *data = &engine->data;
    Writer            writer = {out, 0, real_size};
    write_number(&writer, (double)data->h);
    write_reals(&writer, data->gravity, 3);
    write_reals(&writer, data->wind, 3);
    write_number(&writer, (double)data->threshold);
    write_number(&writer, data->tolerance);
    const real rest[] = {data->contact_margin, data->air_density, data->air_drag,
                         data->air_lift,       data->linear_drag, data->quadratic_drag};
    write_reals(&writer, rest, 6);
    write_number(&writer, engine->model->scene->integrator.stretch_limit);
    const real cloth[] = {data->pairs.stiffness, data->pairs.damping, data->pairs.friction,
                          data->pairs.longest_edge};
    write_reals(&writer, cloth, 4);
    for (uint32_t k = 0; k < data->solid_count; k++)
        write_solid(&writer, &data->solids[k]);
    for (uint32_t k = 0; k < data->pin_count; k++)
        write_pin(&writer, &data->pins[k]);
    write_reals(&writer, data->meshes.reals + data->meshes.resting_count,
                (int)(data->meshes.real_count - data->meshes.resting_count));
}

typedef void (*Kernel)(EngineData *data);

#define STAGE(name, per, repeat, tolerance, what) WEFT_KERNEL(name),
static const Kernel kernels[] = {
#include "stages.def"
};
#undef STAGE

static bool is_large(const EngineData *data, const System *system)
{
    return !data->decompose || system->row_count > SMALL_COMPONENT;
}

static void run(void *engine, WeftStage stage)
{
    EngineData *data = &((Engine *)engine)->data;
    // The shaders leave no particle out.
    data->eliminate = false;
    if (stage < WEFT_STAGE_solve_start || stage > WEFT_STAGE_solve_update)
    {
        kernels[stage](data);
        return;
    }
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        data->current = &data->systems[k];
        if (stage == WEFT_STAGE_solve_start)
            data->current->iterations = 0;
        if (is_large(data, data->current) &&
            (stage == WEFT_STAGE_solve_start || !data->current->converged))
            kernels[stage](data);
    }
}

static void solve(void *engine)
{
    EngineData *data = &((Engine *)engine)->data;
    for (int stage = WEFT_STAGE_label; stage < WEFT_STAGE_solve_start; stage++)
        kernels[stage](data);
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        System *system = data->current = &data->systems[k];
        if (!is_large(data, system))
            continue;
        WEFT_KERNEL(solve_start)(data);
        while (!system->converged && system->iterations < data->max_iterations)
        {
            WEFT_KERNEL(solve_multiply)(data);
            if (!(system->alpha > 0))
                break;
            WEFT_KERNEL(solve_update)(data);
        }
    }
}

static void limit(void *engine, uint32_t iterations)
{
    EngineData *data = &((Engine *)engine)->data;
    if (iterations < data->max_iterations)
        data->max_iterations = iterations;
}

// What rounding by parts of `rounding` leaves of gamma where the impulses on the rows cancel: rounding (b_i, A_ii v_i)
// squared, over A_ii.
static double lost_in_rounding(const EngineData *data, const System *system, double rounding)
{
    double sum = 0;
    for (uint32_t k = system->group_begin; k < system->group_begin + system->group_count; k++)
        for (uint32_t lanes = data->group_lanes[k]; lanes; lanes &= lanes - 1)
        {
            uint32_t i = data->group_slice[k] * SLICE + (uint32_t)__builtin_ctz(lanes);
            for (int axis = 0; axis < 3; axis++)
            {
                double a = (double)data->diagonal[axis][i], b = (double)data->rhs[axis][i];
                sum += (b * b + pow(a * (double)data->v[axis][i], 2)) / a;
            }
        }
    return rounding * rounding * sum;
}

static double residual(void *engine, double rounding)
{
    EngineData *data = &((Engine *)engine)->data;
    double      worst = 0;
    for (uint32_t k = 0; k < data->system_count; k++)
    {
        const System *system = data->current = &data->systems[k];
        WEFT_KERNEL(solve_start)(data);
        double gamma = fabs(system->gamma) - lost_in_rounding(data, system, rounding);
        if (system->reference > 0 && gamma > 0)
            worst = fmax(worst, sqrt(gamma / system->reference));
    }
    return worst;
}

static void found(const void *engine, uint32_t *out)
{
    const EngineData *data = &((const Engine *)engine)->data;
    out[FOUND_ACTIVE] = data->active_count;
    out[FOUND_IMPLICIT] = data->implicit_count;
    out[FOUND_SOFTENED] = data->softened_count;
    out[FOUND_CONTACTS] = data->contact_count;
    out[FOUND_STICKS] = data->stick_count;
    out[FOUND_COMPONENTS] = data->component_count;
    out[FOUND_LARGEST] = data->largest_component;
    out[FOUND_NOT_FINITE] = !data->finite;
    out[FOUND_TOUCHING] = data->pairs.active_count;
    out[FOUND_JOINING] = data->pairs.implicit_count;
    out[FOUND_PAIRS] = data->pairs.count;
    out[FOUND_LOST] = data->pairs.lost;
    out[FOUND_CUT] = data->pairs.cut_count;
    out[FOUND_STUCK] = data->pairs.stuck;
}

const WeftTwin WEFT_PRECISE(weft_twin) = {
#ifdef WEFT_DOUBLE
    .precision = WEFT_PRECISION_DOUBLE,
#else
    .precision = WEFT_PRECISION_FLOAT,
#endif
    .shape = shape,
    .pack = pack,
    .pattern = pattern,
    .unpack = unpack,
    .describe = describe,
    .begin = begin,
    .values = values,
    .run = run,
    .solve = solve,
    .limit = limit,
    .residual = residual,
    .found = found,
};
