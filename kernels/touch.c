// touch: contact springs where cloth is near cloth: impulse and Jacobian block.
// Reads pairs and whom they touch, x, v, mass. Writes weight, normal, gap, flags, alpha, beta, impulse of every pair. One thread per pair.
//
// Boxerman and Ascher 2004, section 2.2: a stiff damped spring between parts that come too close. It acts as soon as the
// step would bring the two nearest points closer than the cloths' distance L, so that fast cloth is caught before it arrives:
// with the approach that is still free, b = L - gap, the velocity v_n along the normal and m the mass that the spring feels,
//   impulse = m (k (b / h - v_n) - d v_n),  block of A = m (k + d) n n^T.
// What is already too close is pushed apart by a part of the depth a step, so that it does not fly off. Friction is
// Coulomb's with this normal impulse N: impulse -alpha v_t, alpha = mu N / |v_t|, at most as stiff as the spring.
//
// A contact spring is implicit where kappa = (h / M) (k m / h^2 h + 2 d m / h) = (m / M) (k + 2 d) exceeds the threshold, like any
// other (section 3.5). M is the mass that it feels if each particle's is shared by the n pairs that are listed for it:
//   1/m = sum of weight^2 / mass,  1/M = sum of n weight^2 / mass.
// All springs of a cloth are then no stiffer together than one by itself, however many lie upon each other. An explicit one
// has no block that would hold it, so where its kappa is more than EXPLICIT_MOST it is weakened to that: one that looks a step
// ahead is damped by k as well, and stable up to 3 k + 2 d = 4 M / m. Explicit friction takes at most EXPLICIT_MOST of the sliding
// speed a step, by the same M.
#include "implicit.h"
#include "pairs.h"
#include "parallel.h"

#define RECOVERY ((real)0.2)      // part of the depth that a step takes back
#define EXPLICIT_MOST ((real)0.5) // largest kappa of a spring that has no block in the matrix

// A pair, and what is known of it and its neighbours in the list.
static void touch_pair(EngineData *data, uint32_t p, const Nearest *found, Tally *tally)
{
    PairList      *pairs = &data->pairs;
    const real     h = data->h;
    const uint32_t lane = p % SLICE, edges = pairs->flags[p] & PAIR_EDGES;
    const real     gap = found->gap[lane];
    real           normal[3], velocity[3] = {0, 0, 0}, give = 0, crowded = 0;
    for (int k = 0; k < 4; k++)
    {
        uint32_t i = pairs->corner[k][p];
        real     weight = found->weight[k][lane], own = weight * weight / data->mass[i];
        pairs->weight[k][p] = weight;
        give += own;
        crowded += own * (real)(pairs->touch_begin[i + 1] - pairs->touch_begin[i]);
        for (int axis = 0; axis < 3; axis++)
            velocity[axis] += weight * data->v[axis][i];
    }
    pairs->gap[p] = gap;
    for (int axis = 0; axis < 3; axis++)
        pairs->normal[axis][p] = normal[axis] = found->normal[axis][lane];

    real rate = pair_dot(velocity, normal), depth = pair_distance(pairs, p) - gap;
    real wanted = (depth > 0 ? RECOVERY * depth : depth) / h;
    real kappa = crowded / give * (pairs->stiffness + 2 * pairs->damping);
    bool active = found->faces[lane] && gap > 0 && rate < wanted;
    bool implicit = active && kappa > implicit_above(data, false);
    pairs->flags[p] =
        (uint8_t)(edges | (active ? PAIR_ACTIVE : 0) | (implicit ? PAIR_IMPLICIT : 0));
    pairs->alpha[p] = pairs->beta[p] = 0;
    for (int axis = 0; axis < 3; axis++)
        pairs->impulse[axis][p] = 0;
    if (!active)
        return;
    tally->count[0]++;
    tally->count[1] += implicit;

    real stiffness = pairs->stiffness / give, damping = pairs->damping / give;
    real share = implicit || kappa <= EXPLICIT_MOST ? 1 : EXPLICIT_MOST / kappa;
    real load = share * (stiffness * (wanted - rate) - damping * rate), speed2 = 0, along[3];
    load = load > 0 ? load : 0;
    for (int axis = 0; axis < 3; axis++)
    {
        along[axis] = velocity[axis] - rate * normal[axis];
        speed2 += along[axis] * along[axis];
    }
    real stiff = implicit ? stiffness + damping : EXPLICIT_MOST / crowded;
    real grip = pairs->friction * load, speed = WEFT_REAL_SQRT(speed2);
    real rub = grip < stiff * speed ? grip / speed : stiff;
    rub = pairs->friction > 0 ? rub : 0;
    for (int axis = 0; axis < 3; axis++)
        pairs->impulse[axis][p] = load * normal[axis] - rub * along[axis];
    pairs->alpha[p] = implicit ? rub : 0;
    pairs->beta[p] = implicit ? stiff - rub : 0;
}

// Eight pairs, which may be of both kinds.
static void touch_slice(EngineData *data, uint32_t first, uint32_t end, Tally *tally)
{
    const PairList *pairs = &data->pairs;
    Lanes           x[4][3];
    corner_places(pairs->corner, first, data->x, x);
    Nearest over = nearest_points(false, true, (const Lanes(*)[3])x),
            edges = nearest_points(true, true, (const Lanes(*)[3])x);
    for (uint32_t p = first; p < end; p++)
        touch_pair(data, p, (pairs->flags[p] & PAIR_EDGES) ? &edges : &over, tally);
}

static void touch_tile(EngineData *data, uint32_t tile, Tally *tally)
{
    uint32_t count = data->pairs.count;
    uint32_t end = (tile + 1) * TILE < count ? (tile + 1) * TILE : count;
    for (uint32_t first = tile * TILE; first < end; first += SLICE)
        touch_slice(data, first, first + SLICE < end ? first + SLICE : end, tally);
}

void WEFT_KERNEL(touch)(EngineData *data)
{
    PairList *pairs = &data->pairs;
    Tally     tally = {0};
    if (pairs->on)
        tally = parallel_tiles(data, (pairs->count + TILE - 1) / TILE, touch_tile);
    pairs->active_count = (uint32_t)tally.count[0];
    pairs->implicit_count = (uint32_t)tally.count[1];
}
