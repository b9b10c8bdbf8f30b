// engine_homes.c: the home of each patch: what is around it in the cloth, and the particles that this consists of.
//
// A patch of particles looks at triangles, one of edges at edges. The clumps of them that have a corner within one triangle of the patch
// are its home. All corners of its own items and of its home's are in clumps of particles: its movers.
#include <stdlib.h>

#include "calm.h"
#include "sim/engine.h"
#include "sim/item_fans.h"

// What has been found of a patch.
typedef struct HomeSearch
{
    Fans      fans;
    uint32_t *clump_of; // (particles) the clump of particles that each is in
    uint32_t *seen;     // (particles) last patch, counted from 1, that has come across it
    uint32_t *particles, particle_count; // that are within one triangle
    uint32_t *seen_clump;                // (clumps) as `seen`
} HomeSearch;

static void see_particle(HomeSearch *search, uint32_t patch, uint32_t i)
{
    if (search->seen[i] == patch + 1)
        return;
    search->seen[i] = patch + 1;
    search->particles[search->particle_count++] = i;
}

// The corners of a patch's items, then those of all triangles that have one of them.
static void see_particles(const EngineData *data, HomeSearch *search, uint32_t patch, int split)
{
    const PairList *pairs = &data->pairs;
    search->particle_count = 0;
    for (uint32_t item = pairs->patch_begin[patch] * CLUMP;
         item < pairs->patch_begin[patch + 1] * CLUMP; item++)
        for (int k = 0; k < split; k++)
            see_particle(search, patch, pairs->item_corner[k][item]);
    for (uint32_t at = 0, own = search->particle_count; at < own; at++)
    {
        uint32_t i = search->particles[at];
        for (uint32_t fan = data->fan_begin[i]; fan < data->fan_begin[i + 1]; fan++)
            for (int k = 0; k < 3; k++)
                see_particle(search, patch, data->corners[k][data->fan[fan]]);
    }
}

// Adds a clump to a list, or only counts it, unless the patch has it already.
static void add_clump(HomeSearch *search, uint32_t patch, uint32_t clump, uint32_t *list,
                      uint32_t *length)
{
    if (search->seen_clump[clump] == patch + 1)
        return;
    search->seen_clump[clump] = patch + 1;
    if (list != NULL)
        list[*length] = clump;
    (*length)++;
}

// The home of a patch and its movers, from these places in the lists on, which it moves.
static void find_home(const EngineData *data, HomeSearch *search, uint32_t patch, bool lays,
                      uint32_t *home_end, uint32_t *mover_end)
{
    const PairList *pairs = &data->pairs;
    const int       split = pairs->patch_begin[patch] * CLUMP < pairs->item_begin[1] ? 1 : 2;
    const Fans     *fans = &search->fans;
    uint32_t       *home = lays ? pairs->home : NULL, *movers = lays ? pairs->mover : NULL;
    see_particles(data, search, patch, split);
    for (uint32_t at = 0; at < search->particle_count; at++)
    {
        uint32_t i = search->particles[at];
        add_clump(search, patch, search->clump_of[i], movers, mover_end);
        for (uint32_t fan = fans->begin[i]; fan < fans->begin[i + 1]; fan++)
        {
            uint32_t clump = fans->item[fan] / CLUMP, before = *home_end;
            add_clump(search, patch, clump, home, home_end);
            for (uint32_t lane = 0; lane<CLUMP && * home_end> before; lane++)
                for (int k = 0; k < 4 - split; k++)
                    add_clump(search, patch,
                              search->clump_of[pairs->item_corner[k][clump * CLUMP + lane]], movers,
                              mover_end);
        }
    }
}

// Lays the homes of all patches down, or only counts how much room they take.
static void lay_homes(const EngineData *data, HomeSearch *search, bool lays, uint32_t length[2])
{
    const PairList *pairs = &data->pairs;
    length[0] = length[1] = 0;
    memset(search->seen, 0, data->particle_count * sizeof(uint32_t));
    memset(search->seen_clump, 0, pairs->item_begin[3] / CLUMP * sizeof(uint32_t));
    for (uint32_t patch = 0; patch < pairs->patch_count; patch++)
    {
        uint32_t place = pairs->patch_begin[patch] * CLUMP;
        if (patch == 0 || place == pairs->item_begin[1])
            fill_fans(data, place < pairs->item_begin[1] ? 3 : 2, &search->fans);
        find_home(data, search, patch, lays, &length[0], &length[1]);
        if (lays)
        {
            pairs->home_begin[patch + 1] = length[0];
            pairs->mover_begin[patch + 1] = length[1];
        }
    }
}

static void *take(Arena *arena, size_t count, size_t size)
{
    return WEFT_PRECISE(weft_arena_take)(arena, count, size);
}

static void take_calm(Arena *arena, PairList *pairs, const uint32_t length[2])
{
    size_t patches = pairs->patch_count, clumps = pairs->item_begin[1] / CLUMP;
    pairs->home_begin = take(arena, patches + 1, sizeof(uint32_t));
    pairs->home = take(arena, length[0], sizeof(uint32_t));
    pairs->mover_begin = take(arena, patches + 1, sizeof(uint32_t));
    pairs->mover = take(arena, length[1], sizeof(uint32_t));
    pairs->last_spot = take(arena, clumps * 3 * CLUMP, sizeof(real));
    for (int k = 0; k < 4; k++)
        pairs->shift[k] = take(arena, clumps, sizeof(real));
    pairs->way_spread = take(arena, clumps, sizeof(real));
    pairs->rest = take(arena, patches, sizeof(double));
    pairs->skin = take(arena, patches, sizeof(real));
    pairs->widest_skin = take(arena, patches, sizeof(real));
    pairs->patience = take(arena, patches, sizeof(uint32_t));
}

void WEFT_PRECISE(weft_engine_take_homes)(Engine *engine)
{
    EngineData *data = &engine->data;
    PairList   *pairs = &data->pairs;
    Arena      *arena = &engine->arena;
    size_t      particles = data->particle_count, clumps = pairs->item_begin[3] / CLUMP;
    HomeSearch  search = {
         .fans.begin = malloc((particles + 2) * sizeof(uint32_t)),
         .fans.item = malloc(3 * (size_t)pairs->item_begin[3] * sizeof(uint32_t)),
         .clump_of = malloc(particles * sizeof(uint32_t)),
         .seen = malloc(particles * sizeof(uint32_t)),
         .particles = malloc(particles * sizeof(uint32_t)),
         .seen_clump = malloc(clumps * sizeof(uint32_t)),
    };
    arena->failed = arena->failed || search.fans.begin == NULL || search.fans.item == NULL ||
                    search.clump_of == NULL || search.seen == NULL || search.particles == NULL ||
                    search.seen_clump == NULL;
    for (uint32_t item = 0; item < pairs->item_begin[1] && !arena->failed; item++)
        search.clump_of[pairs->item_corner[0][item]] = item / CLUMP;
    for (int lays = 0; lays < 2 && !arena->failed; lays++)
    {
        uint32_t length[2];
        lay_homes(data, &search, lays, length);
        if (!lays)
            take_calm(arena, pairs, length);
    }
    free(search.fans.begin);
    free(search.fans.item);
    free(search.clump_of);
    free(search.seen);
    free(search.particles);
    free(search.seen_clump);
}

// A patch begins without knowing anything, with a skin by the radii of its items.
void WEFT_PRECISE(weft_engine_fill_homes)(Engine *engine)
{
    PairList *pairs = &engine->data.pairs;
    for (uint32_t patch = 0; patch < pairs->patch_count; patch++)
    {
        real most = 0;
        for (uint32_t item = pairs->patch_begin[patch] * CLUMP;
             item < pairs->patch_begin[patch + 1] * CLUMP; item++)
        {
            real radius = pairs->radius[pairs->item_corner[0][item]];
            most = radius > most ? radius : most;
        }
        pairs->widest_skin[patch] = pairs->skin[patch] = SKIN_MOST * most;
        pairs->patience[patch] = 0;
        pairs->rest[patch] = -1;
    }
}
