// hand.c: how the hand moves.
#include "view/hand.h"

#include <math.h>
#include <string.h>

#include "sim/sim_internal.h"

static const double LAG = 0.04;         // s in which the hand catches up with the pointer
static const double TOP_SPEED = 4;      // m/s
static const double MOST_STRETCH = 1.2; // of the springs at the hand: then it gives way

static void read_place(const WeftSim *sim, uint32_t particle, double place[3])
{
    sim->backend->read(sim->engine, WEFT_QUANTITY_POSITION, NULL, particle, 1, place);
}

WeftStatus weft_hand_take(WeftHand *hand, WeftSim *sim, size_t cloth, uint32_t vertex)
{
    hand->holds = true;
    hand->cloth = cloth;
    hand->vertex = vertex;
    hand->particle = weft_model_particle(&sim->model, cloth, vertex);
    read_place(sim, hand->particle, hand->place);
    memcpy(hand->wish, hand->place, sizeof hand->wish);
    memcpy(hand->from, hand->place, sizeof hand->from);
    return weft_sim_grab(sim, cloth, vertex, hand->place);
}

WeftStatus weft_hand_let_go(WeftHand *hand, WeftSim *sim)
{
    hand->holds = false;
    return weft_sim_release(sim);
}

// The middle of the neighbours, and how far the longest spring to one is stretched.
static double look_around(const WeftHand *hand, const WeftSim *sim, double middle[3])
{
    double   longest = 0, sum[3] = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < hand->spring_count; k++)
    {
        const WeftRenderSpring *spring = &hand->springs[k];
        if (spring->a != hand->particle && spring->b != hand->particle)
            continue;
        double place[3], length2 = 0;
        read_place(sim, spring->a == hand->particle ? spring->b : spring->a, place);
        for (int axis = 0; axis < 3; axis++)
        {
            double way = place[axis] - hand->place[axis];
            length2 += way * way;
            sum[axis] += place[axis];
        }
        longest = fmax(longest, sqrt(length2) / (double)spring->rest);
        count++;
    }
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = count > 0 ? sum[axis] / count : hand->place[axis];
    return longest;
}

WeftStatus weft_hand_move(WeftHand *hand, WeftSim *sim, double stretch)
{
    double        h = weft_sim_step_size(sim), middle[3], way = 0;
    bool          yields = stretch > MOST_STRETCH && look_around(hand, sim, middle) > MOST_STRETCH;
    const double *to = yields ? middle : hand->wish;
    for (int axis = 0; axis < 3; axis++)
        way += (to[axis] - hand->place[axis]) * (to[axis] - hand->place[axis]);
    way = sqrt(way);
    double part = fmin(h / LAG, 1);
    if (part * way > TOP_SPEED * h)
        part = TOP_SPEED * h / way;
    for (int axis = 0; axis < 3; axis++)
        hand->place[axis] += part * (to[axis] - hand->place[axis]);
    return weft_sim_grab(sim, hand->cloth, hand->vertex, hand->place);
}
