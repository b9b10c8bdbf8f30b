// spring_graph.c: the list of springs, grown by the builders for grids and for meshes.
#include "sim/spring_graph.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **array, size_t capacity, size_t item)
{
    void *larger = realloc(*array, capacity * item);
    if (larger == NULL)
        return false;
    *array = larger;
    return true;
}

bool weft_spring_graph_add(WeftSpringGraph *graph, WeftSpringKind kind, WeftSpring spring)
{
    bool    is_bend = kind == WEFT_SPRING_BEND;
    size_t *count = is_bend ? &graph->bend_count : &graph->structural_count;
    size_t *capacity = is_bend ? &graph->bend_capacity : &graph->structural_capacity;
    if (*count == *capacity)
    {
        size_t larger = *capacity + *capacity / 4 + 256;
        void **list = is_bend ? (void **)&graph->bend : (void **)&graph->structural;
        if (!grow(list, larger, sizeof(WeftSpring)))
            return false;
        if (!is_bend && !grow((void **)&graph->is_shear, larger, 1))
            return false;
        *capacity = larger;
    }
    uint32_t a = spring.a, b = spring.b;
    spring.a = a < b ? a : b;
    spring.b = a < b ? b : a;
    (is_bend ? graph->bend : graph->structural)[*count] = spring;
    if (!is_bend)
        graph->is_shear[*count] = kind == WEFT_SPRING_SHEAR;
    ++*count;
    return true;
}

bool weft_spring_graph_add_weave(WeftSpringGraph *graph, const WeftWeave *weave)
{
    if (graph->weave_count == graph->weave_capacity)
    {
        size_t larger = graph->weave_capacity + graph->weave_capacity / 4 + 256;
        if (!grow((void **)&graph->weave, larger, sizeof(WeftWeave)))
            return false;
        graph->weave_capacity = larger;
    }
    graph->weave[graph->weave_count++] = *weave;
    return true;
}

WeftStatus weft_spring_graph_create(WeftSpringGraph *graph, const WeftMesh *mesh,
                                    const WeftCloth *cloth)
{
    memset(graph, 0, sizeof(*graph));
    bool built = mesh->grid_counts[0] > 0 ? weft_spring_graph_build_grid(graph, mesh, cloth)
                                          : weft_spring_graph_build_mesh(graph, mesh, cloth);
    if (built)
        return WEFT_OK;
    weft_spring_graph_destroy(graph);
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for the springs of %u particles",
                     mesh->vertex_count);
}

void weft_spring_graph_drop_structural(WeftSpringGraph *graph)
{
    free(graph->structural);
    free(graph->is_shear);
    graph->structural = NULL;
    graph->is_shear = NULL;
    graph->structural_count = graph->structural_capacity = 0;
}

void weft_spring_graph_destroy(WeftSpringGraph *graph)
{
    weft_spring_graph_drop_structural(graph);
    free(graph->bend);
    free(graph->weave);
    memset(graph, 0, sizeof(*graph));
}
