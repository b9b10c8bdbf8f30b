// engine_weave.c: threads in the triangles of meshes, laid out for the stage weave.
#include "sim/engine.h"

static void take_arrays(Engine *engine)
{
    Arena      *arena = &engine->arena;
    WeaveList  *list = &engine->data.weave;
    SpringList *springs = &engine->data.structural;
    for (int k = 0; k < 3; k++)
        list->corner[k] = WEFT_PRECISE(weft_arena_take)(arena, list->count, sizeof(uint32_t));
    for (int k = 0; k < 2 * WEFT_THREADS; k++)
        list->lay[k] = WEFT_PRECISE(weft_arena_take)(arena, list->count, sizeof(real));
    for (int k = 0; k < 2; k++)
        list->strength[k] = WEFT_PRECISE(weft_arena_take)(arena, list->count, sizeof(real));
    list->reach = WEFT_PRECISE(weft_arena_take)(arena, list->count, sizeof(real));
    list->slack = WEFT_PRECISE(weft_arena_take)(arena, list->count, sizeof(real));
    list->edges =
        WEFT_PRECISE(weft_arena_take)(arena, 3 * WEAVE_REALS * (size_t)list->count, sizeof(real));
    list->side = WEFT_PRECISE(weft_arena_take)(arena, 3 * (size_t)list->count, sizeof(uint32_t));
    list->side_begin =
        WEFT_PRECISE(weft_arena_take)(arena, (size_t)springs->storage_count + 2, sizeof(uint32_t));
    springs->tension = WEFT_PRECISE(weft_arena_take)(arena, springs->storage_count, sizeof(real));
    springs->push = WEFT_PRECISE(weft_arena_take)(arena, springs->storage_count, sizeof(real));
    for (int entry = 0; entry < 6; entry++)
        springs->weave[entry] =
            WEFT_PRECISE(weft_arena_take)(arena, springs->storage_count, sizeof(real));
}

void WEFT_PRECISE(weft_engine_take_weave)(Engine *engine, const WeftWeave *weave, size_t count,
                                          const uint32_t *place)
{
    WeaveList  *list = &engine->data.weave;
    SpringList *springs = &engine->data.structural;
    if (count == 0)
        return;
    list->count = (uint32_t)count;
    take_arrays(engine);
    if (engine->arena.failed)
        return;
    for (uint32_t k = 0; k < list->count; k++)
    {
        for (int corner = 0; corner < 3; corner++)
        {
            list->corner[corner][k] = weave[k].corner[corner];
            list->side_begin[place[weave[k].edge[corner]] + 2]++;
        }
        for (int part = 0; part < 2 * WEFT_THREADS; part++)
            list->lay[part][k] = (real)(weave[k].lay[part / 2][part % 2] / (1 + PLAY));
        list->strength[0][k] = (real)weave[k].stretch;
        list->strength[1][k] = (real)weave[k].shear;
        bool bears = weave[k].buckle > 0 && weave[k].stretch > 0;
        list->reach[k] = bears ? (real)(weave[k].buckle / weave[k].stretch) : 0;
        list->slack[k] = bears ? 1 - 2 * (real)PLAY - list->reach[k] : 1;
    }

    // The triangles at each spring, in their order; an edge that nothing but triangles is at has no pull of its own.
    for (uint32_t k = 2; k < springs->storage_count + 2; k++)
        list->side_begin[k] += list->side_begin[k - 1];
    for (uint32_t k = 0; k < list->count; k++)
        for (uint32_t corner = 0; corner < 3; corner++)
        {
            uint32_t spring = place[weave[k].edge[corner]];
            list->side[list->side_begin[spring + 1]++] = corner * WEAVE_REALS * list->count + k;
            if (!(springs->stiffness[spring] > 0))
                springs->flags[spring] |= SPRING_WOVEN;
        }
}
