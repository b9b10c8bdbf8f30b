// spring_beams.c: bend springs of a mesh whose rectangles form a grid: those of spring_grid.c.
//
// Beams lie over three vertices in a row, along the edges and along the diagonals. Each stands for a share of
// the cloth's area, with 2/3 of D: 3/8 k_b kappa^2 L = 1/2 (2/3 D) kappa^2 area. Its push at rest, 12 k_b / L^2, is borne by the two
// springs below it.
#include <math.h>
#include <stdlib.h>

#include "sim/spring_mesh.h"

// Part by which a cell may be longer than the next one in its row.
#define UNEVEN 0.01

typedef struct Beam
{
    uint32_t a, b;
    uint32_t half[2]; // the springs below it
    double   area, length;
    bool     diagonal;
} Beam;

typedef struct BeamList
{
    Beam  *items;
    size_t count;
} BeamList;

// The corner of a face that is `step` after the start of one of its edges.
static uint32_t corner_after(const MeshBuilder *builder, MeshSide side, uint32_t step)
{
    return mesh_corners(builder, side.face)[(side.edge + step) % 4];
}

// The corner that is joined to `vertex`, an end of the edge `side`, by the edge's neighbour.
static uint32_t beside(const MeshBuilder *builder, MeshSide side, uint32_t vertex)
{
    return corner_after(builder, side, 0) == vertex ? corner_after(builder, side, 3)
                                                    : corner_after(builder, side, 2);
}

bool weft_mesh_is_gridded(const MeshBuilder *builder)
{
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
        if (!weft_mesh_is_cell(builder, face))
            return false;
    for (size_t first = 0, last; first < builder->side_count; first = last)
    {
        last = weft_mesh_edge_end(builder, first);
        if (last - first == 1)
            continue;
        MeshSide left = builder->sides[first], right = builder->sides[first + 1];
        double   here = weft_mesh_distance(builder, left.low, beside(builder, left, left.low));
        double   next = weft_mesh_distance(builder, left.low, beside(builder, right, left.low));
        if (last - first > 2 || fabs(here - next) > UNEVEN * here)
            return false;
    }
    return true;
}

// A beam from a corner of one face over a vertex that both have to a corner of the other.
static void add(const MeshBuilder *builder, BeamList *list, const uint32_t faces[2], uint32_t a,
                uint32_t over, uint32_t b, double area)
{
    if (a == b)
        return;
    const uint32_t ends[2] = {a, b};
    Beam           beam = {.a = a < b ? a : b, .b = a < b ? b : a, .area = area};
    for (int k = 0; k < 2; k++)
    {
        uint32_t from = mesh_place_in(builder, faces[k], ends[k]),
                 to = mesh_place_in(builder, faces[k], over);
        beam.half[k] = weft_mesh_spring_between(builder, faces[k], from, to);
        beam.length += weft_mesh_distance(builder, ends[k], over);
        beam.diagonal = (from + to) % 2 == 0;
    }
    list->items[list->count++] = beam;
}

// Across each edge, a beam through each end of it.
static void list_straight(const MeshBuilder *builder, BeamList *list)
{
    for (size_t first = 0, last; first < builder->side_count; first = last)
    {
        last = weft_mesh_edge_end(builder, first);
        if (last - first != 2)
            continue;
        MeshSide       left = builder->sides[first], right = builder->sides[first + 1];
        const uint32_t faces[2] = {left.face, right.face}, ends[2] = {left.low, left.high};
        double         areas =
            weft_mesh_face_area(builder, left.face) + weft_mesh_face_area(builder, right.face);
        for (int k = 0; k < 2; k++)
            add(builder, list, faces, beside(builder, left, ends[k]), ends[k],
                beside(builder, right, ends[k]), areas / 4);
    }
}

typedef struct Quarter
{
    uint32_t vertex, face;
} Quarter;

static int compare_quarters(const void *left, const void *right)
{
    const Quarter *a = left, *b = right;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    return a->face < b->face ? -1 : a->face > b->face;
}

// Two quads around a vertex that share nothing but it.
static bool are_opposite(const uint32_t *left, const uint32_t *right)
{
    int shared = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            shared += left[i] == right[k];
    return shared == 1;
}

// Along the diagonals, through each vertex where four cells meet.
static bool list_diagonal(const MeshBuilder *builder, BeamList *list)
{
    uint32_t face_count = builder->mesh->face_count;
    size_t   count = 0;
    Quarter *quarters = malloc((4 * (size_t)face_count + 1) * sizeof(*quarters));
    if (quarters == NULL)
        return false;
    for (uint32_t face = 0; face < face_count; face++)
        for (int corner = 0; corner < 4; corner++)
            quarters[count++] = (Quarter){mesh_corners(builder, face)[corner], face};
    qsort(quarters, count, sizeof(*quarters), compare_quarters);
    for (size_t first = 0, last; first < count; first = last)
    {
        for (last = first + 1; last < count && quarters[last].vertex == quarters[first].vertex;)
            last++;
        for (size_t i = first; last - first == 4 && i < last; i++)
            for (size_t k = i + 1; k < last; k++)
            {
                const uint32_t  faces[2] = {quarters[i].face, quarters[k].face};
                const uint32_t *left = mesh_corners(builder, faces[0]),
                               *right = mesh_corners(builder, faces[1]);
                uint32_t over = quarters[first].vertex;
                if (!are_opposite(left, right))
                    continue;
                add(builder, list, faces, left[(mesh_place_in(builder, faces[0], over) + 2) % 4],
                    over, right[(mesh_place_in(builder, faces[1], over) + 2) % 4],
                    (weft_mesh_face_area(builder, faces[0]) +
                     weft_mesh_face_area(builder, faces[1])) /
                        2);
            }
    }
    free(quarters);
    return true;
}

static int compare_beams(const void *left, const void *right)
{
    const Beam *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

// One spring for a pair; found twice, from both sides of a vertex, it stands for both shares.
static bool emit(const MeshBuilder *builder, BeamList *list, WeftSpringGraph *graph)
{
    const WeftMaterial *material = builder->material;
    qsort(list->items, list->count, sizeof(Beam), compare_beams);
    for (size_t first = 0, last; first < list->count; first = last)
    {
        Beam beam = list->items[first];
        for (last = first + 1;
             last < list->count && compare_beams(&list->items[first], &list->items[last]) == 0;
             last++)
            beam.area += list->items[last].area;
        double length2 = beam.length * beam.length;
        float  stiffness = (float)(8.0 / 9 * material->bend_stiffness * beam.area / beam.length);
        double push = 12 * (double)stiffness / length2;
        for (int k = 0; k < 2; k++)
        {
            WeftSpring *half = &graph->structural[beam.half[k]];
            if (beam.diagonal)
                half->base += push / half->rest;
            else
                half->hold += push;
        }
        if (!weft_spring_graph_add(
                graph, WEFT_SPRING_BEND,
                (WeftSpring){.a = beam.a,
                             .b = beam.b,
                             .rest = beam.length,
                             .stiffness = beam.diagonal ? 0 : stiffness,
                             .damping = (float)(material->bend_damping * 2 * beam.area / length2),
                             .base = beam.diagonal
                                         ? push / beam.length
                                         : (double)graph->structural[beam.half[0]].stiffness,
                             .below = {beam.half[0], beam.half[1]}}))
            return false;
    }
    return true;
}

bool weft_mesh_add_beams(const MeshBuilder *builder, WeftSpringGraph *graph)
{
    // At most two for each side, and two through each corner of four cells.
    BeamList list = {
        .items = malloc((2 * builder->side_count + 2 * (size_t)builder->mesh->vertex_count + 1) *
                        sizeof(Beam))};
    bool built = list.items != NULL;
    if (built)
    {
        list_straight(builder, &list);
        built = list_diagonal(builder, &list) && emit(builder, &list, graph);
    }
    free(list.items);
    return built;
}
