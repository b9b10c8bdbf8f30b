#version 450
// weave: tension and blocks of the threads in the triangles of a mesh, along its edges.
// Reads positions, masses. Writes tension, push and blocks of each triangle's edges, then of each spring. One
// thread per triangle, then, in phase WEAVE_SPRINGS, one per spring.
//
// Warp, weft and the two directions between run through each triangle. A metre of such a thread is w =
// a e1 + b e2 now; it pulls along the edges while it is extended, and is implicit or explicit as a
// whole. Warp and weft also push against buckling. kernels/weave.c has the formulas and why.
#extension GL_GOOGLE_include_directive : require
#include "buckle.glsl"
#include "engine.glsl"
#include "block3.glsl"
#include "methods.glsl"

// Part of the mass, over h^2, that a push may have as its stiffness where no tension bears it.
#define PUSH_SHARE real(0.1)

// Edges are in the order 01, 12, 20.
real3 tension = real3(0), pushes = real3(0);
Block blocks[3] = Block[3](Block(real3(0), real3(0)), Block(real3(0), real3(0)), Block(real3(0), real3(0)));

bool is_implicit(bool is_shear, real kappa)
{
    uint method = ENGINE.method;
    return method == METHOD_IMPLICIT || (method == METHOD_IMEX && !is_shear) ||
           (method > METHOD_IMEX && kappa > value(VALUE_THRESHOLD));
}

void add_thread(real3 e1, real3 e2, real a, real b, real strength, real reach, real slack, real mass, bool is_shear)
{
    real  h = value(VALUE_H), opposite = -(a + b);
    real3 w = a * e1 + b * e2, parts = -real3(opposite * a, a * b, b * opposite);
    real  felt = max(max(a * a, b * b), opposite * opposite), q = length(w);
    bool  is_inside = is_implicit(is_shear, h * h / mass * strength * felt);
    real  inverse = q > 0 ? 1 / q : real(0), even = max(q - 1, real(0));
    if (is_inside)
        even += clamp(q - slack, real(0), reach);
    even *= strength * inverse;

    // The push against buckling, bounded by the tension that bears it and by what is stable without.
    if (reach > 0)
    {
        real most = even + PUSH_SHARE * mass / (h * h * felt);
        if (!is_inside)
            most = min(most, strength * max(1 - q, real(0)) * inverse);
        real pressed = min(strength * reach * buckling_force(min(q, real(1))) / 12 * inverse, most);
        if (is_inside)
            pushes -= pressed * parts;
        else
            tension -= pressed * parts;
    }
    tension += even * parts;
    real ready = clamp((q - (is_inside ? slack : real(1))) / real(NEARLY_TAUT) + 2, real(0), real(1));
    if (ready == 0 || !is_inside)
        return;
    Block along = block_scale(block_outer(w, w), ready * (strength - even) * inverse * inverse);
    Block sum = block_add(along, Block(real3(even), real3(0)));
    for (uint edge = 0; edge < 3; edge++)
        blocks[edge] = block_add(blocks[edge], block_scale(sum, h * h * parts[edge]));
}

void weave_triangle(uint k)
{
    uint  count = ENGINE.weave_count;
    uint  a = ENGINE.weave_corner.at[k], b = ENGINE.weave_corner.at[count + k],
          c = ENGINE.weave_corner.at[2 * count + k];
    Reals lay = ENGINE.weave_lay, strength = ENGINE.weave_strength, mass = ENGINE.mass;
    real  reach = ENGINE.weave_reach.at[k], slack = ENGINE.weave_slack.at[k];
    real3 x0 = load3(ENGINE.x, a), e1 = load3(ENGINE.x, b) - x0, e2 = load3(ENGINE.x, c) - x0;
    real  least = min(min(mass.at[a], mass.at[b]), mass.at[c]);
    for (uint thread = 0; thread < 4; thread++)
    {
        bool is_shear = thread >= 2;
        add_thread(e1, e2, lay.at[2 * thread * count + k], lay.at[(2 * thread + 1) * count + k],
                   strength.at[thread / 2 * count + k], is_shear ? real(0) : reach,
                   is_shear ? real(1) : slack, least, is_shear);
    }
    for (uint edge = 0; edge < 3; edge++)
    {
        uint place = edge * WEAVE_REALS * count + k;
        ENGINE.weave_edges.at[place] = tension[edge];
        ENGINE.weave_edges.at[place + count] = pushes[edge];
        set_block(Vectors(ENGINE.weave_edges, count), place + 2 * count, blocks[edge]);
    }
}

void sum_sides(uint spring)
{
    uint  count = ENGINE.weave_count, end = ENGINE.weave_begin.at[spring + 1];
    real  pull = 0, pressed = 0;
    Block sum = Block(real3(0), real3(0));
    for (uint k = ENGINE.weave_begin.at[spring]; k < end; k++)
    {
        uint place = ENGINE.weave_side.at[k];
        pull += ENGINE.weave_edges.at[place];
        pressed += ENGINE.weave_edges.at[place + count];
        sum = block_add(sum, block_at(Vectors(ENGINE.weave_edges, count), place + 2 * count));
    }
    ENGINE.s_tension.at[spring] = pull;
    ENGINE.s_push.at[spring] = pressed;
    set_block(Vectors(ENGINE.s_weave, ENGINE.structural_count), spring, sum);
}

void main()
{
    uint index = thread_index();
    if (has_failed())
        return;
    if (push.phase == WEAVE_SPRINGS)
    {
        if (index < ENGINE.structural_count)
            sum_sides(index);
    }
    else if (index < ENGINE.weave_count)
        weave_triangle(index);
}
