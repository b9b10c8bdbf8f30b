// hand.h: the user's hand on the cloth. It goes where the pointer wants it, at a human speed, and gives way before it
// tears the cloth.
#pragma once

#include "render/surface.h"
#include "weft.h"

typedef struct WeftHand
{
    bool                    holds;
    size_t                  cloth;
    uint32_t                vertex;
    uint32_t                particle;          // the same in the engine's numbering
    double                  place[3], wish[3]; // m: where it is, and where the pointer wants it
    double                  from[3];           // m: where it took hold
    const WeftRenderSpring *springs;           // (spring_count) of the simulation
    uint32_t                spring_count;
} WeftHand;

/// Takes hold of a vertex where it is.
WEFT_CHECKED WeftStatus weft_hand_take(WeftHand *hand, WeftSim *sim, size_t cloth, uint32_t vertex);
WEFT_CHECKED WeftStatus weft_hand_let_go(WeftHand *hand, WeftSim *sim);

/// Moves a hand that holds something, for the step that comes. `stretch` is the largest of the last step.
WEFT_CHECKED WeftStatus weft_hand_move(WeftHand *hand, WeftSim *sim, double stretch);
