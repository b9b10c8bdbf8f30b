// model.c: meshes -> springs -> numbering -> one particle system.
#include "sim/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/numbering.h"

static WeftStatus out_of_memory(void)
{
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for a scene of this size");
}

static WeftStatus create_meshes(WeftModel *model)
{
    const WeftScene *scene = model->scene;
    model->cloth_count = scene->cloths_count;
    model->meshes = calloc(model->cloth_count, sizeof(WeftMesh));
    model->first_vertex = calloc(model->cloth_count + 1, sizeof(uint32_t));
    model->velocities = calloc(model->cloth_count * 3, sizeof(double));
    if (model->meshes == NULL || model->first_vertex == NULL || model->velocities == NULL)
        return out_of_memory();
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
    {
        WEFT_TRY(weft_mesh_create(&model->meshes[cloth], scene, cloth));
        model->first_vertex[cloth + 1] =
            model->first_vertex[cloth] + model->meshes[cloth].vertex_count;
        memcpy(model->velocities + 3 * cloth, scene->cloths[cloth].velocity, 3 * sizeof(double));
    }
    model->particle_count = model->first_vertex[model->cloth_count];
    return WEFT_OK;
}

// Adds the springs of one cloth to those of all, in the engine's order.
static WeftStatus take_springs(WeftModel *model, size_t cloth, WeftSpringGraph *graph)
{
    if (cloth == 0 && model->particle_of == NULL)
    {
        model->springs = *graph;
        memset(graph, 0, sizeof(*graph));
        return WEFT_OK;
    }
    uint32_t first_spring = (uint32_t)model->springs.structural_count;
    for (int is_bend = 0; is_bend < 2; is_bend++)
    {
        size_t count = is_bend ? graph->bend_count : graph->structural_count;
        for (size_t k = 0; k < count; k++)
        {
            WeftSpring     spring = is_bend ? graph->bend[k] : graph->structural[k];
            WeftSpringKind kind = is_bend              ? WEFT_SPRING_BEND
                                  : graph->is_shear[k] ? WEFT_SPRING_SHEAR
                                                       : WEFT_SPRING_STRETCH;
            spring.a = weft_model_particle(model, cloth, spring.a);
            spring.b = weft_model_particle(model, cloth, spring.b);
            for (int half = 0; half < 2; half++)
                spring.below[half] += first_spring;
            if (!weft_spring_graph_add(&model->springs, kind, spring))
                return out_of_memory();
        }
    }
    for (size_t k = 0; k < graph->weave_count; k++)
    {
        WeftWeave weave = graph->weave[k];
        for (int corner = 0; corner < 3; corner++)
        {
            weave.corner[corner] = weft_model_particle(model, cloth, weave.corner[corner]);
            weave.edge[corner] += first_spring;
        }
        if (!weft_spring_graph_add_weave(&model->springs, &weave))
            return out_of_memory();
    }
    return WEFT_OK;
}

// Springs of each cloth; a mesh from a file is renumbered if that brings neighbours nearer.
static WeftStatus create_springs(WeftModel *model)
{
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
    {
        const WeftMesh *mesh = &model->meshes[cloth];
        WeftSpringGraph graph;
        WEFT_TRY(weft_spring_graph_create(&graph, mesh, &model->scene->cloths[cloth]));
        if (mesh->grid_counts[0] == 0)
        {
            uint32_t *local = malloc(((size_t)mesh->vertex_count + 1) * sizeof(uint32_t));
            if (local != NULL && weft_numbering_create(local, &graph, mesh->vertex_count))
            {
                if (model->particle_of == NULL)
                {
                    model->particle_of =
                        malloc(((size_t)model->particle_count + 1) * sizeof(uint32_t));
                    for (uint32_t i = 0; model->particle_of != NULL && i < model->particle_count;
                         i++)
                        model->particle_of[i] = i;
                }
                for (uint32_t i = 0; model->particle_of != NULL && i < mesh->vertex_count; i++)
                    model->particle_of[model->first_vertex[cloth] + i] =
                        model->first_vertex[cloth] + local[i];
            }
            free(local);
        }
        WeftStatus status = take_springs(model, cloth, &graph);
        weft_spring_graph_destroy(&graph);
        WEFT_TRY(status);
    }
    if (model->springs.structural_count > UINT32_MAX / 4 ||
        model->springs.bend_count > UINT32_MAX / 4)
        return weft_fail(WEFT_ERROR_INPUT, "the scene has too many springs");
    model->structural_count = (uint32_t)model->springs.structural_count;
    model->bend_count = (uint32_t)model->springs.bend_count;
    return WEFT_OK;
}

static WeftStatus create_particles(WeftModel *model)
{
    size_t count = (size_t)model->particle_count + 1;
    model->positions = malloc(3 * count * sizeof(double));
    model->masses = malloc(count * sizeof(double));
    model->thickness = malloc(count * sizeof(float));
    model->cloth_of = model->cloth_count > 1 ? malloc(count * sizeof(uint32_t)) : NULL;
    double *areas = malloc(count * sizeof(double));
    if (model->positions == NULL || model->masses == NULL || model->thickness == NULL ||
        areas == NULL || (model->cloth_count > 1 && model->cloth_of == NULL))
    {
        free(areas);
        return out_of_memory();
    }
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
    {
        const WeftCloth *settings = &model->scene->cloths[cloth];
        const WeftMesh  *mesh = &model->meshes[cloth];
        weft_mesh_particle_areas(mesh, settings, areas);
        for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        {
            uint32_t i = weft_model_particle(model, cloth, vertex);
            memcpy(model->positions + 3 * (size_t)i, mesh->positions + 3 * (size_t)vertex,
                   3 * sizeof(double));
            model->masses[i] = settings->particle_mass > 0
                                   ? settings->particle_mass
                                   : areas[vertex] * settings->material.density;
            model->thickness[i] = (float)settings->material.thickness;
            if (model->cloth_of != NULL)
                model->cloth_of[i] = (uint32_t)cloth;
            if (!(model->masses[i] > 0) || !isfinite(model->masses[i]))
            {
                free(areas);
                return weft_fail(
                    WEFT_ERROR_INPUT,
                    "cloths[%zu]: particle %u has no mass; give it a face with an area, or "
                    "set particle_mass",
                    cloth, vertex);
            }
        }
    }
    free(areas);
    return WEFT_OK;
}

// At the border of a grid a particle has half of the mass and half of the springs' stiffness, at a corner a quarter of both: its springs are
// no harder to keep stable than those inside. So a particle counts with its mass for every four shear springs. Triangles know no cells.
static WeftStatus create_shares(WeftModel *model)
{
    const WeftSpringGraph *graph = &model->springs;
    model->shares = calloc((size_t)model->particle_count + 1, sizeof(double));
    if (model->shares == NULL)
        return out_of_memory();
    for (size_t k = 0; k < graph->structural_count; k++)
    {
        model->shares[graph->structural[k].a] += graph->is_shear[k];
        model->shares[graph->structural[k].b] += graph->is_shear[k];
    }
    for (size_t k = 0; k < graph->weave_count; k++)
        for (int corner = 0; corner < 3; corner++)
            model->shares[graph->weave[k].corner[corner]] = 4;
    for (uint32_t i = 0; i < model->particle_count; i++)
    {
        double springs = model->shares[i];
        model->shares[i] = model->masses[i] * (springs > 0 && springs < 4 ? 4 / springs : 1);
    }
    return WEFT_OK;
}

static WeftStatus create_pins(WeftModel *model)
{
    uint32_t largest = 1;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
    {
        model->pin_count += (uint32_t)model->scene->cloths[cloth].pins_count;
        if (model->meshes[cloth].vertex_count > largest)
            largest = model->meshes[cloth].vertex_count;
    }
    model->pins = calloc(model->pin_count + 1, sizeof(*model->pins));
    model->pin_of = malloc(((size_t)model->particle_count + 1) * sizeof(int32_t));
    bool *selected = malloc(largest * sizeof(bool));
    if (model->pins == NULL || model->pin_of == NULL || selected == NULL)
    {
        free(selected);
        return out_of_memory();
    }
    for (uint32_t i = 0; i < model->particle_count; i++)
        model->pin_of[i] = -1;

    int32_t    pin = 0;
    WeftStatus status = WEFT_OK;
    for (size_t cloth = 0; cloth < model->cloth_count && status == WEFT_OK; cloth++)
        for (size_t k = 0; k < model->scene->cloths[cloth].pins_count && status == WEFT_OK;
             k++, pin++)
        {
            char   where[64];
            size_t count;
            snprintf(where, sizeof(where), "cloths[%zu].pins[%zu]", cloth, k);
            model->pins[pin] = &model->scene->cloths[cloth].pins[k];
            status =
                weft_pin_select(model->pins[pin], &model->meshes[cloth], where, selected, &count);
            for (uint32_t vertex = 0;
                 status == WEFT_OK && vertex < model->meshes[cloth].vertex_count; vertex++)
            {
                int32_t *of = &model->pin_of[weft_model_particle(model, cloth, vertex)];
                if (selected[vertex] && *of < 0)
                    *of = pin;
            }
        }
    free(selected);
    return status;
}

static WeftStatus create_solids(WeftModel *model)
{
    const WeftScene *scene = model->scene;
    model->solid_meshes = calloc(scene->solids_count + 1, sizeof(*model->solid_meshes));
    if (model->solid_meshes == NULL)
        return out_of_memory();
    for (size_t k = 0; k < scene->solids_count; k++)
        if (scene->solids[k].type == WEFT_SOLID_MESH)
            WEFT_TRY(weft_solid_mesh_create(&model->solid_meshes[k], scene, k));
    return WEFT_OK;
}

static WeftStatus build(WeftModel *model)
{
    WEFT_TRY(create_meshes(model));
    WEFT_TRY(create_springs(model));
    WEFT_TRY(create_particles(model));
    WEFT_TRY(create_shares(model));
    WEFT_TRY(create_pins(model));
    return create_solids(model);
}

WeftStatus weft_model_create(WeftModel *model, const WeftScene *scene)
{
    memset(model, 0, sizeof(*model));
    model->scene = scene;
    WeftStatus status = build(model);
    if (status != WEFT_OK)
        weft_model_destroy(model);
    return status;
}

void weft_model_release_setup(WeftModel *model)
{
    weft_spring_graph_destroy(&model->springs);
    free(model->positions);
    free(model->thickness);
    model->positions = NULL;
    model->thickness = NULL;
}

void weft_model_destroy(WeftModel *model)
{
    weft_model_release_setup(model);
    for (size_t cloth = 0; model->meshes != NULL && cloth < model->cloth_count; cloth++)
        weft_mesh_destroy(&model->meshes[cloth]);
    for (size_t k = 0; model->solid_meshes != NULL && k < model->scene->solids_count; k++)
        weft_solid_mesh_destroy(&model->solid_meshes[k]);
    free(model->solid_meshes);
    free(model->meshes);
    free(model->first_vertex);
    free(model->particle_of);
    free(model->masses);
    free(model->shares);
    free(model->velocities);
    free(model->cloth_of);
    free(model->pins);
    free(model->pin_of);
    memset(model, 0, sizeof(*model));
}

uint32_t weft_model_particle(const WeftModel *model, size_t cloth, uint32_t vertex)
{
    uint32_t user = model->first_vertex[cloth] + vertex;
    return model->particle_of != NULL ? model->particle_of[user] : user;
}
