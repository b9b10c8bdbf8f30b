// traffic.c: bytes that a step moves between the device and its memory, each array of a stage counted once.
#include "traffic.h"

#include "primitives/primitives.h"

double weft_gpu_iteration_bytes(const WeftGpuEngine *engine, const uint32_t *found, double *matrix)
{
    const EngineBlock *block = &engine->block;
    const double       size = (double)engine->real_size, word = sizeof(uint32_t);
    const double       particles = block->particle_count;

    // Blocks of the implicit springs, diagonal and preconditioner blocks; slots: which a slice has, their flags, and where the odd
    // ones are; labels for both passes, degrees.
    *matrix = found[FOUND_IMPLICIT] * (block->weave_count > 0 ? 10 : 4) * size +
              particles * 12 * size + engine->shapes[WEFT_ARRAY_s_regular].length * 2 * word +
              engine->shapes[WEFT_ARRAY_s_odd].length * 5 * word +
              engine->shapes[WEFT_ARRAY_s_lane_spring].length * 2 * word + particles * 3 * word;

    // Contact springs: weights, normal, alpha and beta; corners, flags, and whom they touch.
    if (found[FOUND_JOINING] > 0)
        *matrix += found[FOUND_PAIRS] * (9 * size + 9 * word) + particles * word;

    // multiply reads u and writes w; update reads u w p s x r and writes p s x r u.
    return *matrix + particles * 3 * size * (2 + 6 + 5);
}

// What a stage moves for each particle, spring and triangle, in reals and words; with contact of cloth, also for each edge or triangle,
// and for each pair. Contacts are counted as if all particles had one, and the rounds of limit as if there were none.
typedef struct Traffic
{
    double particle_reals, particle_words, spring_reals, spring_words, bend_reals, bend_words,
        triangle_reals, triangle_words, woven_reals, woven_words, item_reals, item_words,
        pair_reals, pair_words;
} Traffic;

static const Traffic traffic[WEFT_STAGE_COUNT] = {
    [WEFT_STAGE_keep] = {.particle_reals = 20, .particle_words = 4},
    [WEFT_STAGE_weave] = {.woven_reals = 78, .woven_words = 9},
    [WEFT_STAGE_classify] = {.particle_reals = 1, .spring_reals = 5, .spring_words = 4},
    [WEFT_STAGE_springs] = {.particle_reals = 6, .spring_reals = 14, .spring_words = 3},
    [WEFT_STAGE_touch] = {.pair_reals = 13, .pair_words = 6},
    [WEFT_STAGE_air] = {.particle_reals = 6, .triangle_reals = 3, .triangle_words = 3},
    [WEFT_STAGE_gather] = {.particle_reals = 11,
                           .particle_words = 2,
                           .spring_reals = 7,
                           .spring_words = 2,
                           .triangle_reals = 3,
                           .triangle_words = 3,
                           .pair_reals = 12,
                           .pair_words = 5},
    [WEFT_STAGE_bend] = {.particle_reals = 13,
                         .particle_words = 1,
                         .spring_reals = 1,
                         .bend_reals = 4,
                         .bend_words = 2},
    [WEFT_STAGE_constrain] = {.particle_reals = 17, .particle_words = 5},
    [WEFT_STAGE_label] = {.particle_words = 6, .spring_words = 3},
    [WEFT_STAGE_order] = {.particle_words = 6},
    [WEFT_STAGE_precondition] = {.particle_reals = 30, .particle_words = 1},
    [WEFT_STAGE_solve_single] = {.particle_words = 2},
    [WEFT_STAGE_solve_start] = {.particle_reals = 27, .particle_words = 2},
    [WEFT_STAGE_react] = {.particle_reals = 10, .particle_words = 2},
    [WEFT_STAGE_integrate] = {.particle_reals = 15},
    [WEFT_STAGE_collide] = {.particle_reals = 7, .particle_words = 3},
    [WEFT_STAGE_cells] = {.item_reals = 21, .item_words = 5},
    [WEFT_STAGE_near] = {.item_reals = 18, .item_words = 4, .pair_reals = 4, .pair_words = 13},
    [WEFT_STAGE_limit] = {.pair_reals = 5, .pair_words = 5},
    [WEFT_STAGE_guard] = {.particle_reals = 3, .spring_reals = 2, .spring_words = 3},
};

double weft_gpu_step_bytes(const WeftGpuEngine *engine, const uint32_t *found)
{
    const EngineBlock *block = &engine->block;
    const double       size = (double)engine->real_size, word = sizeof(uint32_t);
    const double       particles = block->particle_count, springs = block->structural_count;
    double             matrix, bytes = 0;
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
    {
        const Traffic *one = &traffic[stage];
        bytes += particles * (one->particle_reals * size + one->particle_words * word);
        bytes += springs * (one->spring_reals * size + one->spring_words * word);
        bytes += engine->shapes[WEFT_ARRAY_b_rest].length *
                 (one->bend_reals * size + one->bend_words * word);
        bytes += block->triangle_count * (one->triangle_reals * size + one->triangle_words * word);
        bytes += block->weave_count * (one->woven_reals * size + one->woven_words * word);
        bytes += block->item_begin[3] * (one->item_reals * size + one->item_words * word);
        bytes += found[FOUND_PAIRS] * (one->pair_reals * size + one->pair_words * word);
    }

    // A pass of the sort reads keys and items twice and writes the items.
    for (uint32_t bits = 0; block->decompose && bits < 32 && block->particle_count >> bits != 0;
         bits += RADIX_BITS)
        bytes += particles * 5 * word;
    if (particles > 0)
        bytes += (found[FOUND_ROWS_HIGH] * 4294967296.0 + found[FOUND_ROWS_LOW]) / particles *
                 weft_gpu_iteration_bytes(engine, found, &matrix);
    return bytes;
}
