#version 450
// weave: tension and blocks of the threads in the triangles of a mesh, along its edges.
// Reads positions, masses. Writes tension and blocks of each triangle's edges, then of each spring. One
// thread per triangle, then, in phase WEAVE_SPRINGS, one per spring.
//
// Warp, weft and the two directions between run through each triangle. A metre of such a thread is w =
// a e1 + b e2 now; it acts in extension only, pulls along the edges, and is implicit or explicit as a
// whole. kernels/weave.c has the formulas and why.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "block3.glsl"

#define METHOD_EXPLICIT 0
#define METHOD_IMPLICIT 1
#define METHOD_IMEX 2

// Edges are in the order 01, 12, 20.
real3 tension = real3(0);
Block blocks[3] = Block[3](Block(real3(0), real3(0)), Block(real3(0), real3(0)), Block(real3(0), real3(0)));

bool is_implicit(bool is_shear, real kappa)
{
    uint method = ENGINE.method;
    return method == METHOD_IMPLICIT || (method == METHOD_IMEX && !is_shear) ||
           (method > METHOD_IMEX && kappa > value(VALUE_THRESHOLD));
}

void add_thread(real3 e1, real3 e2, real a, real b, real strength, real mass, bool is_shear)
{
    real  h = value(VALUE_H), opposite = -(a + b);
    real3 w = a * e1 + b * e2, parts = -real3(opposite * a, a * b, b * opposite);
    real  q = length(w), extended = max(q, real(1)), even = strength * (extended - 1) / extended;
    real  ready = clamp((q - 1) / real(NEARLY_TAUT) + 2, real(0), real(1));
    real  felt = max(max(a * a, b * b), opposite * opposite);
    tension += even * parts;
    if (ready == 0 || !is_implicit(is_shear, h * h / mass * strength * felt))
        return;
    Block along = block_scale(block_outer(w, w), ready * strength / (extended * q * q));
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
    real3 x0 = load3(ENGINE.x, a), e1 = load3(ENGINE.x, b) - x0, e2 = load3(ENGINE.x, c) - x0;
    real  least = min(min(mass.at[a], mass.at[b]), mass.at[c]);
    for (uint thread = 0; thread < 4; thread++)
        add_thread(e1, e2, lay.at[2 * thread * count + k], lay.at[(2 * thread + 1) * count + k],
                   strength.at[thread / 2 * count + k], least, thread >= 2);
    for (uint edge = 0; edge < 3; edge++)
    {
        uint place = edge * WEAVE_REALS * count + k;
        ENGINE.weave_edges.at[place] = tension[edge];
        set_block(Vectors(ENGINE.weave_edges, count), place + count, blocks[edge]);
    }
}

void sum_sides(uint spring)
{
    uint  count = ENGINE.weave_count, end = ENGINE.weave_begin.at[spring + 1];
    real  pull = 0;
    Block sum = Block(real3(0), real3(0));
    for (uint k = ENGINE.weave_begin.at[spring]; k < end; k++)
    {
        uint place = ENGINE.weave_side.at[k];
        pull += ENGINE.weave_edges.at[place];
        sum = block_add(sum, block_at(Vectors(ENGINE.weave_edges, count), place + count));
    }
    ENGINE.s_tension.at[spring] = pull;
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
