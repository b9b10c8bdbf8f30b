// touch: contact springs where cloth is near cloth: impulse and Jacobian block.
// Reads pairs, x, v, mass. Writes weight, normal, gap, flags, alpha, beta, impulse of every pair. One thread per pair.
//
// Boxerman and Ascher 2004, section 2.2: a stiff damped spring between parts that come too close. It acts as soon as the
// step would bring the two nearest points closer than the cloths' distance L, so that fast cloth is caught before it arrives:
// with the approach that is still free, b = L - gap, the velocity v_n along the normal and m the mass that the spring feels,
//   impulse = m (k (b / h - v_n) - d v_n),  block of A = m (k + d) n n^T.
// What is already too close is pushed apart by a part of the depth a step, so that it does not fly off. Friction is
// Coulomb's with this normal impulse N, implicit so that it can only slow down: impulse -alpha v_t, alpha = mu N / |v_t|,
// at most as stiff as the spring.
#include "pairs.h"
#include "parallel.h"

#define RECOVERY ((real)0.2)      // part of the depth that a step takes back
#define EXPLICIT_MOST ((real)0.2) // largest k + d of a spring that has no block in the matrix

// A pair, and what is known of it and its neighbours in the list.
static void touch_pair(EngineData *data, uint32_t p, const Nearest *found, Tally *tally)
{
    PairList      *pairs = &data->pairs;
    const real     h = data->h;
    const uint32_t lane = p % SLICE, edges = pairs->flags[p] & PAIR_EDGES;
    const real     gap = found->gap[lane];
    real           normal[3], velocity[3] = {0, 0, 0}, give = 0;
    for (int k = 0; k < 4; k++)
    {
        uint32_t i = pairs->corner[k][p];
        real     weight = found->weight[k][lane];
        pairs->weight[k][p] = weight;
        give += weight * weight / data->mass[i];
        for (int axis = 0; axis < 3; axis++)
            velocity[axis] += weight * data->v[axis][i];
    }
    pairs->gap[p] = gap;
    for (int axis = 0; axis < 3; axis++)
        pairs->normal[axis][p] = normal[axis] = found->normal[axis][lane];

    real rate = pair_dot(velocity, normal), depth = pair_distance(pairs, p) - gap;
    real wanted = (depth > 0 ? RECOVERY * depth : depth) / h;
    bool active = found->faces[lane] && gap > 0 && rate < wanted, implicit = data->method != 0;
    pairs->flags[p] =
        (uint8_t)(edges | (active ? PAIR_ACTIVE : 0) | (active && implicit ? PAIR_IMPLICIT : 0));
    pairs->alpha[p] = pairs->beta[p] = 0;
    for (int axis = 0; axis < 3; axis++)
        pairs->impulse[axis][p] = 0;
    if (!active)
        return;
    tally->count[0]++;

    real stiffness = pairs->stiffness / give, damping = pairs->damping / give;
    real both = pairs->stiffness + pairs->damping;
    real share = implicit || both <= EXPLICIT_MOST ? 1 : EXPLICIT_MOST / both;
    real load = share * (stiffness * (wanted - rate) - damping * rate), speed2 = 0, along[3];
    load = load > 0 ? load : 0;
    for (int axis = 0; axis < 3; axis++)
    {
        along[axis] = velocity[axis] - rate * normal[axis];
        speed2 += along[axis] * along[axis];
    }
    real stiff = share * (stiffness + damping), grip = pairs->friction * load;
    real speed = WEFT_REAL_SQRT(speed2);
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
    pairs->active_count =
        pairs->on
            ? (uint32_t)parallel_tiles(data, (pairs->count + TILE - 1) / TILE, touch_tile).count[0]
            : 0;
}
