// model.h: all cloths of a scene as one particle system, in the numbering of the engine. Built
// once, read by every engine.
#pragma once

#include "error.h"
#include "scene/mesh.h"
#include "sim/solid_mesh.h"
#include "sim/spring_graph.h"

typedef struct WeftModel
{
    const WeftScene *scene;
    size_t           cloth_count;
    WeftMesh        *meshes;       // (cloth_count)
    uint32_t        *first_vertex; // (cloth_count + 1) place of each cloth in the users' order
    uint32_t         particle_count;
    uint32_t *particle_of; // (particle_count) users' order -> engine's; NULL if they are the same
    double   *positions;   // (particle_count x 3) m, engine's order; freed once an engine has them
    double   *masses;      // (particle_count) kg
    double   *shares;      // (particle_count) kg: what classify holds a spring's stiffness against
    float    *thickness;   // (particle_count) m
    double   *velocities;  // (cloth_count x 3) m/s
    uint32_t *cloth_of;    // (particle_count); NULL if there is only one
    WeftSpringGraph springs; // engine's order, sorted by owner; freed once an engine has them
    uint32_t        structural_count, bend_count;

    // Pins: each cloth's in turn. A particle in two pins belongs to the first.
    uint32_t        pin_count;
    const WeftPin **pins;
    int32_t        *pin_of; // (particle_count) pin, or -1

    WeftSolidMesh *solid_meshes; // (solids of the scene) zeroed where the solid is no mesh
} WeftModel;

/// Builds meshes, springs, masses and pins of all cloths, and the meshes of solids. On failure `model` is zeroed. Free with
/// weft_model_destroy().
WEFT_CHECKED WeftStatus weft_model_create(WeftModel *model, const WeftScene *scene);
void                    weft_model_destroy(WeftModel *model);

/// Frees what only the creation of an engine needs.
void weft_model_release_setup(WeftModel *model);

/// The engine's particle for vertex `vertex` of cloth `cloth`.
uint32_t weft_model_particle(const WeftModel *model, size_t cloth, uint32_t vertex);
