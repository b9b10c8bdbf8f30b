#version 450
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
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "pairs.glsl"
#extension GL_KHR_shader_subgroup_arithmetic : require

#define RECOVERY PER_CENT(20)      // part of the depth that a step takes back
#define EXPLICIT_MOST PER_CENT(20) // largest k + d of a spring that has no block in the matrix

struct Spring
{
    real  alpha, beta;
    real3 impulse;
};

// `give`: 1 / mass that the spring feels.
Spring acting_spring(real3 velocity, real3 normal, real rate, real wanted, real give)
{
    real  stiffness = value(VALUE_PAIR_STIFFNESS), damping = value(VALUE_PAIR_DAMPING),
         friction = value(VALUE_PAIR_FRICTION), both = stiffness + damping;
    bool  is_implicit = ENGINE.method != 0;
    real  share = is_implicit || both <= EXPLICIT_MOST ? real(1) : EXPLICIT_MOST / both;
    real  load = max(share * (stiffness / give * (wanted - rate) - damping / give * rate), real(0));
    real3 along = velocity - rate * normal;
    real  stiff = share * both / give, grip = friction * load, speed = size_of(along);
    real  rub = friction > 0 ? (grip < stiff * speed ? grip / speed : stiff) : real(0);
    return Spring(is_implicit ? rub : real(0), is_implicit ? stiff - rub : real(0),
                  load * normal - rub * along);
}

void main()
{
    uint pair = thread_index(), stride = ENGINE.pair_capacity;
    bool is_active = false;
    if (!has_failed() && pair < ENGINE.pair_counts.at[PAIR_COUNT])
    {
        uint    edges = ENGINE.pair_flags.at[pair] & PAIR_EDGES;
        real3   x[4], velocity = real3(0);
        real    give = 0, h = value(VALUE_H);
        pair_places(pair, ENGINE.x, x);
        Nearest found = nearest_points(edges != 0, true, x);
        for (uint k = 0; k < 4; k++)
        {
            uint i = pair_corner(pair, k);
            real weight = found.weight[k];
            ENGINE.pair_weight.at[k * stride + pair] = weight;
            give += weight * weight / ENGINE.mass.at[i];
            velocity += weight * load3(ENGINE.v, i);
        }
        real rate = inner(velocity, found.normal), depth = pair_distance(pair) - found.gap;
        real wanted = (depth > 0 ? RECOVERY * depth : depth) / h;
        is_active = found.faces && found.gap > 0 && rate < wanted;
        Spring spring = Spring(0, 0, real3(0));
        if (is_active)
            spring = acting_spring(velocity, found.normal, rate, wanted, give);
        uint bits = !is_active ? 0 : ENGINE.method != 0 ? PAIR_ACTIVE | PAIR_IMPLICIT : PAIR_ACTIVE;
        ENGINE.pair_flags.at[pair] = edges | bits;
        ENGINE.pair_gap.at[pair] = found.gap;
        ENGINE.pair_alpha.at[pair] = spring.alpha;
        ENGINE.pair_beta.at[pair] = spring.beta;
        for (uint axis = 0; axis < 3; axis++)
        {
            ENGINE.pair_normal.at[axis * stride + pair] = found.normal[axis];
            ENGINE.pair_impulse.at[axis * stride + pair] = spring.impulse[axis];
        }
    }
    uint count = subgroupAdd(is_active ? 1 : 0);
    if (count > 0 && subgroupElect())
        atomicAdd(ENGINE.pair_counts.at[PAIR_TOUCHING], count);
}
