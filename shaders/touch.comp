#version 450
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
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "methods.glsl"
#include "pairs.glsl"
#extension GL_KHR_shader_subgroup_arithmetic : require

#define RECOVERY PER_CENT(20)      // part of the depth that a step takes back
#define EXPLICIT_MOST PER_CENT(50) // largest kappa of a spring that has no block in the matrix

struct Spring
{
    bool  is_implicit;
    real  alpha, beta;
    real3 impulse;
};

// `give`: 1 / m; `crowded`: 1 / M.
Spring acting_spring(real3 velocity, real3 normal, real rate, real wanted, real give, real crowded)
{
    real  stiffness = value(VALUE_PAIR_STIFFNESS), damping = value(VALUE_PAIR_DAMPING),
         friction = value(VALUE_PAIR_FRICTION), kappa = crowded / give * (stiffness + 2 * damping);
    bool  is_implicit = ENGINE.method == METHOD_ADAPTIVE ? kappa > value(VALUE_THRESHOLD)
                                                         : ENGINE.method != METHOD_EXPLICIT;
    real  share = is_implicit ? real(1) : min(real(1), EXPLICIT_MOST / kappa);
    real  load = max(share * (stiffness / give * (wanted - rate) - damping / give * rate), real(0));
    real3 along = velocity - rate * normal;
    real  stiff = is_implicit ? (stiffness + damping) / give : EXPLICIT_MOST / crowded;
    real  grip = friction * load, speed = size_of(along);
    real  rub = friction > 0 ? (grip < stiff * speed ? grip / speed : stiff) : real(0);
    return Spring(is_implicit, is_implicit ? rub : real(0), is_implicit ? stiff - rub : real(0),
                  load * normal - rub * along);
}

void main()
{
    uint pair = thread_index(), stride = ENGINE.pair_capacity;
    uvec2 counts = uvec2(0); // of springs that act, and that are implicit
    if (!has_failed() && pair < ENGINE.pair_counts.at[PAIR_COUNT])
    {
        uint    edges = ENGINE.pair_flags.at[pair] & PAIR_EDGES;
        real3   x[4], velocity = real3(0);
        real    give = 0, crowded = 0, h = value(VALUE_H);
        pair_places(pair, ENGINE.x, x);
        Nearest found = nearest_points(edges != 0, true, x);
        for (uint k = 0; k < 4; k++)
        {
            uint i = pair_corner(pair, k);
            real weight = found.weight[k], own = weight * weight / ENGINE.mass.at[i];
            ENGINE.pair_weight.at[k * stride + pair] = weight;
            give += own;
            crowded += own * real(ENGINE.touch_begin.at[i + 1] - ENGINE.touch_begin.at[i]);
            velocity += weight * load3(ENGINE.v, i);
        }
        real rate = inner(velocity, found.normal), depth = pair_distance(pair) - found.gap;
        real wanted = (depth > 0 ? RECOVERY * depth : depth) / h;
        bool is_active = found.faces && found.gap > 0 && rate < wanted;
        Spring spring = Spring(false, 0, 0, real3(0));
        if (is_active)
            spring = acting_spring(velocity, found.normal, rate, wanted, give, crowded);
        counts = uvec2(is_active, spring.is_implicit);
        ENGINE.pair_flags.at[pair] = edges | counts.x * PAIR_ACTIVE | counts.y * PAIR_IMPLICIT;
        ENGINE.pair_gap.at[pair] = found.gap;
        ENGINE.pair_alpha.at[pair] = spring.alpha;
        ENGINE.pair_beta.at[pair] = spring.beta;
        for (uint axis = 0; axis < 3; axis++)
        {
            ENGINE.pair_normal.at[axis * stride + pair] = found.normal[axis];
            ENGINE.pair_impulse.at[axis * stride + pair] = spring.impulse[axis];
        }
    }
    counts = subgroupAdd(counts);
    if (counts.x > 0 && subgroupElect())
    {
        atomicAdd(ENGINE.pair_counts.at[PAIR_TOUCHING], counts.x);
        atomicAdd(ENGINE.pair_counts.at[PAIR_JOINING], counts.y);
    }
}
