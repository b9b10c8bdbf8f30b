// spring_mesh.c: springs of a mesh of triangles and quads.
//
// Each spring stands for a share A_e of the cloth's area. Its constant is k = c A_e / l^2, l its
// length, so that under a uniform strain its energy does not depend on the size of the faces.
//   A rectangle is a cell of a grid: an edge is stretch, c = 2, a diagonal is shear, c = 8; in shear
//   half of the diagonals are shortened and do not act.
//   An edge of triangles pulls as the threads in them do (kernels/weave.c), and so do edges and
//   diagonals of other quads: such a one is cut in two along either diagonal, each cut with half of
//   the threads. Only their damping is their own: at an angle t to the warp it counts as cos^2(2t) stretch and sin^2(2t) shear, with two
//   factors c that give the whole mesh the damping of the material.
// How it bends is for spring_beams.c and spring_rings.c. The warp comes from the texture coordinates or, without them, from
// the mesh's own x axis.
#include "sim/spring_mesh.h"

#include <math.h>
#include <stdlib.h>

// Cosine of an angle from which on it is no longer right.
#define SKEW_COSINE 0.01

// Height of the thinnest triangle that has threads, over its longer edge.
#define WEAVE_THINNEST 1e-3

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Twice the vector area: of a triangle, or of a quad by its diagonals.
static void face_normal(const MeshBuilder *builder, uint32_t face, double out[3])
{
    const uint32_t *corner = mesh_corners(builder, face);
    double          first[3], second[3];
    bool            quad = mesh_corner_count(builder, face) == 4;
    mesh_subtract(mesh_position(builder, corner[2]), mesh_position(builder, corner[0]), first);
    mesh_subtract(mesh_position(builder, corner[quad ? 3 : 2]), mesh_position(builder, corner[1]),
                  second);
    if (!quad)
        mesh_subtract(mesh_position(builder, corner[1]), mesh_position(builder, corner[0]), second);
    cross(quad ? first : second, quad ? second : first, out);
}

double weft_mesh_face_area(const MeshBuilder *builder, uint32_t face)
{
    double normal[3];
    face_normal(builder, face, normal);
    return sqrt(mesh_dot(normal, normal)) / 2;
}

// The direction of the warp in a face: dP/du, or the mesh's x axis (its z axis where that stands on
// the face).
static void face_warp(const MeshBuilder *builder, uint32_t face, double warp[3])
{
    const uint32_t *corner = mesh_corners(builder, face);
    const double   *texture = builder->mesh->texture;
    if (texture != NULL)
    {
        const double *uv = texture + 8 * (size_t)face;
        double        e1[3], e2[3];
        double u1 = uv[2] - uv[0], v1 = uv[3] - uv[1], u2 = uv[4] - uv[0], v2 = uv[5] - uv[1];
        double area = u1 * v2 - u2 * v1;
        if (fabs(area) > 1e-12 * (u1 * u1 + v1 * v1 + u2 * u2 + v2 * v2))
        {
            mesh_subtract(mesh_position(builder, corner[1]), mesh_position(builder, corner[0]), e1);
            mesh_subtract(mesh_position(builder, corner[2]), mesh_position(builder, corner[0]), e2);
            for (int axis = 0; axis < 3; axis++)
                warp[axis] = (v2 * e1[axis] - v1 * e2[axis]) / area;
            return;
        }
    }
    double normal[3];
    face_normal(builder, face, normal);
    double size = sqrt(mesh_dot(normal, normal));
    for (int column = 0; column < 3; column += 2)
    {
        const double *turn = builder->place.rotation;
        double        own[3] = {turn[column], turn[3 + column], turn[6 + column]};
        double        along = mesh_dot(own, normal) / (size > 0 ? size * size : 1);
        for (int axis = 0; axis < 3; axis++)
            warp[axis] = own[axis] - along * normal[axis];
        if (mesh_dot(warp, warp) > 0.1)
            return;
    }
}

// cos^2 of the angle between the line a b and the warp of a face.
static double warp_cosine2(const MeshBuilder *builder, uint32_t face, uint32_t a, uint32_t b)
{
    double warp[3], line[3];
    face_warp(builder, face, warp);
    mesh_subtract(mesh_position(builder, b), mesh_position(builder, a), line);
    double product = mesh_dot(warp, line), sizes = mesh_dot(warp, warp) * mesh_dot(line, line);
    return sizes > 0 ? product * product / sizes : 1;
}

static void add(MeshBuilder *builder, MeshEdge item)
{
    if (builder->count == builder->capacity)
    {
        size_t    larger = builder->capacity * 2 + 1024;
        MeshEdge *items = realloc(builder->items, larger * sizeof(*items));
        if (items == NULL)
        {
            builder->failed = true;
            return;
        }
        builder->items = items;
        builder->capacity = larger;
    }
    builder->items[builder->count++] = item;
}

static int compare_sides(const void *left, const void *right)
{
    const MeshSide *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->face < b->face ? -1 : a->face > b->face;
}

static bool list_sides(MeshBuilder *builder)
{
    const WeftMesh *mesh = builder->mesh;
    builder->sides = malloc((4 * (size_t)mesh->face_count + 1) * sizeof(MeshSide));
    builder->edge_springs = malloc((6 * (size_t)mesh->face_count + 1) * sizeof(uint32_t));
    if (builder->sides == NULL || builder->edge_springs == NULL)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++)
    {
        uint32_t        count = mesh_corner_count(builder, face);
        const uint32_t *corner = mesh_corners(builder, face);
        for (uint32_t edge = 0; edge < count; edge++)
        {
            uint32_t a = corner[edge], b = corner[(edge + 1) % count];
            builder->sides[builder->side_count++] =
                (MeshSide){a < b ? a : b, a < b ? b : a, face, edge};
        }
    }
    qsort(builder->sides, builder->side_count, sizeof(MeshSide), compare_sides);
    return true;
}

size_t weft_mesh_edge_end(const MeshBuilder *builder, size_t first)
{
    size_t last = first + 1;
    while (last < builder->side_count && builder->sides[last].low == builder->sides[first].low &&
           builder->sides[last].high == builder->sides[first].high)
        last++;
    return last;
}

double weft_mesh_distance(const MeshBuilder *builder, uint32_t a, uint32_t b)
{
    double line[3];
    mesh_subtract(mesh_position(builder, b), mesh_position(builder, a), line);
    return sqrt(mesh_dot(line, line));
}

bool weft_mesh_is_cell(const MeshBuilder *builder, uint32_t face)
{
    const uint32_t *corner = mesh_corners(builder, face);
    if (mesh_corner_count(builder, face) != 4)
        return false;
    for (uint32_t k = 0; k < 4; k++)
    {
        double to[3], from[3];
        mesh_subtract(mesh_position(builder, corner[(k + 1) % 4]),
                      mesh_position(builder, corner[k]), to);
        mesh_subtract(mesh_position(builder, corner[(k + 3) % 4]),
                      mesh_position(builder, corner[k]), from);
        double product = mesh_dot(to, from);
        if (product * product > SKEW_COSINE * SKEW_COSINE * mesh_dot(to, to) * mesh_dot(from, from))
            return false;
    }
    return true;
}

// Edges of faces and diagonals of quads.
static void list_structural(MeshBuilder *builder)
{
    for (size_t first = 0; first < builder->side_count;)
    {
        size_t   last = weft_mesh_edge_end(builder, first);
        MeshSide side = builder->sides[first];
        MeshEdge item = {.a = side.low, .b = side.high};
        bool     quad = false;
        double   cosine2 = 0;
        for (size_t k = first; k < last; k++)
        {
            uint32_t face = builder->sides[k].face, count = mesh_corner_count(builder, face);
            item.area += weft_mesh_face_area(builder, face) / count;
            item.cells +=
                weft_mesh_is_cell(builder, face) ? weft_mesh_face_area(builder, face) / count : 0;
            builder->edge_springs[6 * (size_t)face + builder->sides[k].edge] =
                (uint32_t)builder->count;
            cosine2 += warp_cosine2(builder, face, side.low, side.high) / (double)(last - first);
            quad = quad || weft_mesh_is_cell(builder, face);
        }
        double straight = (2 * cosine2 - 1) * (2 * cosine2 - 1); // cos^2 of the double angle
        item.stretch = quad ? 1 : straight;
        item.shear = quad ? 0 : 1 - straight;
        item.along = quad ? 1 : cosine2 * cosine2 + (1 - cosine2) * (1 - cosine2);
        item.turn = quad ? 1 : item.shear;
        add(builder, item);
        first = last;
    }
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
    {
        if (mesh_corner_count(builder, face) != 4)
            continue;
        const uint32_t *corner = mesh_corners(builder, face);
        double          area = weft_mesh_face_area(builder, face);
        for (int k = 0; k < 2; k++)
        {
            // In a rectangle the sine of the double angle is 2 dx dy / d^2.
            MeshEdge item = {.a = corner[k],
                             .b = corner[k + 2],
                             .area = area / 2,
                             .cells = weft_mesh_is_cell(builder, face) ? area / 2 : 0,
                             .along = 0.5};
            double   length = weft_mesh_distance(builder, item.a, item.b),
                   sine = 2 * area / (length * length);
            item.turn = sine * sine;
            item.shear = item.turn > 0 ? 1 / item.turn : 0;
            builder->edge_springs[6 * (size_t)face + 4 + (size_t)k] = (uint32_t)builder->count;
            add(builder, item);
        }
    }
}

static bool emit_structural(MeshBuilder *builder, WeftSpringGraph *graph)
{
    // What the whole mesh damps at a unit rate of strain for c = 1: along warp and weft, and in shear.
    const WeftMaterial *material = builder->material;
    double              total = 0, extension = 0, shear = 0;
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
        total += weft_mesh_face_area(builder, face);
    for (size_t k = 0; k < builder->count; k++)
    {
        const MeshEdge *item = &builder->items[k];
        extension += item->area * item->stretch * item->along / 2;
        shear += item->area * item->shear * item->turn / 4;
    }
    double stretch_factor = extension > 0 ? total / extension : 0;
    double shear_factor = shear > 0 ? 2 * total / shear : 0;
    for (size_t k = 0; k < builder->count; k++)
    {
        const MeshEdge *item = &builder->items[k];
        double          length = weft_mesh_distance(builder, item->a, item->b),
               inverse = 1 / (length * length);
        double         stretch = item->area * inverse * item->stretch * stretch_factor;
        double         sheared = item->area * inverse * item->shear * shear_factor;
        double         pull = item->cells * inverse * item->stretch * 2;
        double         pull_across = item->cells * inverse * item->shear * 8;
        WeftSpringKind kind =
            item->stretch >= item->shear ? WEFT_SPRING_STRETCH : WEFT_SPRING_SHEAR;
        double stiffness =
            pull * material->stretch_stiffness + pull_across * material->shear_stiffness;
        double damping = stretch * material->stretch_damping + sheared * material->shear_damping;
        if (!weft_spring_graph_add(graph, kind,
                                   (WeftSpring){.a = item->a,
                                                .b = item->b,
                                                .rest = length,
                                                .stiffness = (float)stiffness,
                                                .damping = (float)damping}))
            return false;
    }
    return true;
}

// A thread that runs along an edge has no part in the other two: no rounding may say otherwise.
static void lay_straight(double lay[2])
{
    double small = 1e-6 * (fabs(lay[0]) + fabs(lay[1]));
    if (fabs(lay[0]) < small)
        lay[0] = 0;
    else if (fabs(lay[1]) < small)
        lay[1] = 0;
    else if (fabs(lay[0] + lay[1]) < small)
        lay[1] = -lay[0];
}

uint32_t weft_mesh_spring_between(const MeshBuilder *builder, uint32_t face, uint32_t from,
                                  uint32_t to)
{
    const uint32_t *springs = builder->edge_springs + 6 * (size_t)face;
    uint32_t        count = mesh_corner_count(builder, face);
    if ((from + 1) % count == to)
        return springs[from];
    if ((to + 1) % count == from)
        return springs[to];
    return springs[4 + (from < to ? from : to)];
}

// The threads in the triangle of three corners of a face, which has a part of the face's strength. Too thin a one has none: it is
// next to no cloth, but would be very stiff.
static bool emit_threads(MeshBuilder *builder, WeftSpringGraph *graph, uint32_t face,
                         const uint32_t places[3], double part)
{
    WeftWeave weave;
    double    e1[3], e2[3], normal[3], warp[3], weft[3], from1[3], from2[3];
    for (uint32_t k = 0; k < 3; k++)
    {
        weave.corner[k] = mesh_corners(builder, face)[places[k]];
        weave.edge[k] = weft_mesh_spring_between(builder, face, places[k], places[(k + 1) % 3]);
    }
    mesh_subtract(mesh_position(builder, weave.corner[1]), mesh_position(builder, weave.corner[0]),
                  e1);
    mesh_subtract(mesh_position(builder, weave.corner[2]), mesh_position(builder, weave.corner[0]),
                  e2);
    cross(e1, e2, normal);
    face_warp(builder, face, warp);
    double size = sqrt(mesh_dot(normal, normal)), off = mesh_dot(warp, normal) / (size * size);
    if (!(size > WEAVE_THINNEST * fmax(mesh_dot(e1, e1), mesh_dot(e2, e2))))
        return true;
    for (int axis = 0; axis < 3; axis++)
        warp[axis] -= off * normal[axis];
    cross(normal, warp, weft);
    double along = sqrt(mesh_dot(warp, warp)), unit = 1 / (size * size * along);
    if (!(along > 0))
        return true;

    // The gradients of the weights of corners 1 and 2, along warp and weft, and between.
    cross(e2, normal, from1);
    cross(normal, e1, from2);
    const double lays[2][2] = {
        {mesh_dot(from1, warp) * unit, mesh_dot(from2, warp) * unit},
        {mesh_dot(from1, weft) * unit / size, mesh_dot(from2, weft) * unit / size}};
    for (int k = 0; k < 2; k++)
    {
        weave.lay[0][k] = lays[0][k];
        weave.lay[1][k] = lays[1][k];
        weave.lay[2][k] = (lays[0][k] + lays[1][k]) * sqrt(0.5);
        weave.lay[3][k] = (lays[0][k] - lays[1][k]) * sqrt(0.5);
    }
    for (int thread = 0; thread < WEFT_THREADS; thread++)
        lay_straight(weave.lay[thread]);

    // In shear one of the two directions between is extended by half of it: four times the modulus.
    weave.stretch = part * size / 2 * builder->material->stretch_stiffness;
    weave.shear = part * size / 2 * 4 * builder->material->shear_stiffness;
    // Under 8/3 D / s^2 a metre's width, as on a grid (two beams lie over each spring); s^2 is a cell's area, two triangles.
    weave.buckle = fmin(part * 4.0 / 3 * builder->material->bend_stiffness, weave.stretch / 2);
    return weft_spring_graph_add_weave(graph, &weave);
}

static bool emit_weave(MeshBuilder *builder, WeftSpringGraph *graph)
{
    static const uint32_t whole[3] = {0, 1, 2};
    static const uint32_t cuts[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
    {
        bool is_quad = mesh_corner_count(builder, face) == 4;
        if (!is_quad && !emit_threads(builder, graph, face, whole, 1))
            return false;
        for (int k = 0; is_quad && !weft_mesh_is_cell(builder, face) && k < 4; k++)
            if (!emit_threads(builder, graph, face, cuts[k], 0.5))
                return false;
    }
    return true;
}

bool weft_spring_graph_build_mesh(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth)
{
    MeshBuilder builder = {.mesh = mesh,
                           .material = &cloth->material,
                           .place = weft_transform_place(cloth->position, cloth->rotation)};
    bool        built = list_sides(&builder);
    if (built)
    {
        list_structural(&builder);
        built = !builder.failed && emit_structural(&builder, graph) && emit_weave(&builder, graph);
    }
    if (built && cloth->material.bend_stiffness > 0)
        built = weft_mesh_is_gridded(&builder) ? weft_mesh_add_beams(&builder, graph)
                                               : weft_mesh_add_rings(&builder, graph);
    free(builder.sides);
    free(builder.items);
    free(builder.edge_springs);
    return built;
}
