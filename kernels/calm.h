// calm.h: patches of cloth that need not look at what is around them in the cloth, because nothing there has moved much.
//
// Most of what is near a patch is its own home: the clumps around it in the cloth, which are one sheet with it. When a patch has found
// that all parts of its home are farther from its own than they need to be, by twice a skin, it keeps that in mind and takes off it
// what they have moved against each other since. While the rest is more than their ways of a step could take, none of them can be
// near: only strangers are looked at.
#pragma once

#include "crowd.h"

#define SKIN_MOST ((real)1) // in radii of the cloth
#define SKIN_LEAST ((real)0.1)
#define SKIN_PART ((real)0.5) // of a skin that the ways of a step may take for it to be tried
#define FEW_STEPS 4u          // before another skin is tried
#define MANY_STEPS 32u        // before the widest one is tried again
#define COARSE_WAY 4e-7       // what rounding may add to the way of a step, as a part of it

// How far a clump of particles has gone since this was called last, and how far its particles have been from that.
static inline void note_motion(PairList *pairs, uint32_t clump)
{
    real *last = pairs->last_spot + (size_t)clump * 3 * CLUMP;
    Lanes shift[3], way[3];
    for (int axis = 0; axis < 3; axis++)
    {
        Lanes now = lanes_load(pairs->spot[axis] + clump * CLUMP);
        shift[axis] = now - lanes_load(last + axis * SLICE);
        lanes_store(last + axis * SLICE, now);
        pairs->shift[axis][clump] = (real)(lanes_sum(shift[axis]) / SLICE);
        shift[axis] -= pairs->shift[axis][clump];
        way[axis] =
            lanes_load(pairs->ball[4 + axis] + clump * CLUMP) - pairs->clump[4 + axis][clump];
    }
    pairs->shift[3][clump] = lanes_largest(lanes_size(shift));
    pairs->way_spread[clump] = lanes_largest(lanes_size(way));
}

// The largest distance of the vectors of some clumps from their mean, with what they spread from these. Their mean is no number if one of
// them is none, and then so is this.
static inline double motion_spread(real *const vector[3], const real *spread,
                                   const uint32_t *clumps, uint32_t count, double mean[3])
{
    double most = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        mean[axis] = 0;
        for (uint32_t k = 0; k < count; k++)
            mean[axis] += (double)vector[axis][clumps[k]];
        mean[axis] /= count;
    }
    for (uint32_t k = 0; k < count; k++)
    {
        double size2 = 0;
        for (int axis = 0; axis < 3; axis++)
        {
            double off = (double)vector[axis][clumps[k]] - mean[axis];
            size2 += off * off;
        }
        double size = sqrt(size2) + (double)spread[clumps[k]];
        most = size > most ? size : most;
    }
    return isfinite(mean[0] + mean[1] + mean[2]) ? most : (double)NAN;
}

// What the ways of this step could take from the distance of two parts of the patch's home. Takes from the patch's rest what
// their motion since the last step has taken.
static inline double rest_needed(PairList *pairs, uint32_t patch)
{
    const uint32_t  begin = pairs->mover_begin[patch];
    const uint32_t *movers = pairs->mover + begin, count = pairs->mover_begin[patch + 1] - begin;
    double          mean[3];
    double          moved = motion_spread(pairs->shift, pairs->shift[3], movers, count, mean);
    double          way = sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]);
    pairs->rest[patch] -= 2 * ((double)ROUNDING * moved + COARSE_WAY * way);
    moved = motion_spread(pairs->clump + 4, pairs->way_spread, movers, count, mean);
    return 4 * (double)ROUNDING * moved;
}

// Whether it is worth trying to find that a patch is calm, after it was found not to be.
static inline bool tries_skin(PairList *pairs, uint32_t patch, double needed)
{
    if (pairs->patience[patch] > 0)
        pairs->patience[patch]--;
    return pairs->patience[patch] == 0 && needed <= (double)(2 * SKIN_PART * pairs->skin[patch]);
}

// Keeps in mind what a patch has found that has tried its skin.
static inline void end_trial(PairList *pairs, uint32_t patch, bool is_calm)
{
    real most = pairs->widest_skin[patch];
    if (is_calm)
    {
        pairs->rest[patch] = 2 * (double)pairs->skin[patch];
        return;
    }
    pairs->skin[patch] /= 2;
    pairs->patience[patch] = FEW_STEPS;
    if (pairs->skin[patch] >= SKIN_LEAST / SKIN_MOST * most)
        return;
    pairs->skin[patch] = most;
    pairs->patience[patch] = MANY_STEPS;
}
