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
// Bend
// springs likewise stand for a share of area; see spring_grid.c for the energy of one. They measure
// the curvature where they are, so c comes from the area that they cover: a border, which has none,
// must not make the rest stiffer. The warp comes from the texture coordinates or, without them, from
// the mesh's own x axis.
#include "sim/spring_graph.h"

#include <math.h>
#include <stdlib.h>

#include "scene/motion.h"

// Cosine of an angle from which on it is no longer right.
#define SKEW_COSINE 0.01

// Height of the thinnest triangle that has threads, over its longer edge.
#define WEAVE_THINNEST 1e-3

typedef struct Side
{
    uint32_t low, high;  // ends of the edge
    uint32_t face, edge; // edge runs from corner `edge` to the next one
} Side;

typedef struct Candidate
{
    uint32_t a, b;
    double   area;           // share of the cloth
    double   cells;          // of it, that of rectangles; bend: unused
    double   stretch, shear; // how much of each it is; bend: unused
    double   along;          // cos^4 + sin^4 of its angle to the warp
    double   turn; // sin^2 of its double angle to the warp; of a diagonal to its quad's edges
    bool     quad; // bend: over quads
} Candidate;

typedef struct Builder
{
    const WeftMesh     *mesh;
    const WeftMaterial *material;
    WeftTransform       place; // where the cloth was put: its own axes
    Side               *sides;
    size_t              side_count;
    Candidate          *items;
    uint32_t *edge_springs; // (6 face_count) candidate of each edge and diagonal of each face
    size_t    count, capacity;
    bool      failed;
} Builder;

static void subtract(const double *a, const double *b, double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = a[axis] - b[axis];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static const double *position(const Builder *builder, uint32_t vertex)
{
    return builder->mesh->positions + 3 * (size_t)vertex;
}

static const uint32_t *corners(const Builder *builder, uint32_t face)
{
    return builder->mesh->face_corners + 4 * (size_t)face;
}

static uint32_t corner_count(const Builder *builder, uint32_t face)
{
    const uint32_t *corner = corners(builder, face);
    return corner[2] == corner[3] ? 3 : 4;
}

// Twice the vector area: of a triangle, or of a quad by its diagonals.
static void face_normal(const Builder *builder, uint32_t face, double out[3])
{
    const uint32_t *corner = corners(builder, face);
    double          first[3], second[3];
    bool            quad = corner_count(builder, face) == 4;
    subtract(position(builder, corner[2]), position(builder, corner[0]), first);
    subtract(position(builder, corner[quad ? 3 : 2]), position(builder, corner[1]), second);
    if (!quad)
        subtract(position(builder, corner[1]), position(builder, corner[0]), second);
    cross(quad ? first : second, quad ? second : first, out);
}

static double face_area(const Builder *builder, uint32_t face)
{
    double normal[3];
    face_normal(builder, face, normal);
    return sqrt(dot(normal, normal)) / 2;
}

// The direction of the warp in a face: dP/du, or the mesh's x axis (its z axis where that stands on
// the face).
static void face_warp(const Builder *builder, uint32_t face, double warp[3])
{
    const uint32_t *corner = corners(builder, face);
    const double   *texture = builder->mesh->texture;
    if (texture != NULL)
    {
        const double *uv = texture + 8 * (size_t)face;
        double        e1[3], e2[3];
        double u1 = uv[2] - uv[0], v1 = uv[3] - uv[1], u2 = uv[4] - uv[0], v2 = uv[5] - uv[1];
        double area = u1 * v2 - u2 * v1;
        if (fabs(area) > 1e-12 * (u1 * u1 + v1 * v1 + u2 * u2 + v2 * v2))
        {
            subtract(position(builder, corner[1]), position(builder, corner[0]), e1);
            subtract(position(builder, corner[2]), position(builder, corner[0]), e2);
            for (int axis = 0; axis < 3; axis++)
                warp[axis] = (v2 * e1[axis] - v1 * e2[axis]) / area;
            return;
        }
    }
    double normal[3];
    face_normal(builder, face, normal);
    double size = sqrt(dot(normal, normal));
    for (int column = 0; column < 3; column += 2)
    {
        const double *turn = builder->place.rotation;
        double        own[3] = {turn[column], turn[3 + column], turn[6 + column]};
        double        along = dot(own, normal) / (size > 0 ? size * size : 1);
        for (int axis = 0; axis < 3; axis++)
            warp[axis] = own[axis] - along * normal[axis];
        if (dot(warp, warp) > 0.1)
            return;
    }
}

// cos^2 of the angle between the line a b and the warp of a face.
static double warp_cosine2(const Builder *builder, uint32_t face, uint32_t a, uint32_t b)
{
    double warp[3], line[3];
    face_warp(builder, face, warp);
    subtract(position(builder, b), position(builder, a), line);
    double product = dot(warp, line), sizes = dot(warp, warp) * dot(line, line);
    return sizes > 0 ? product * product / sizes : 1;
}

static void add(Builder *builder, Candidate item)
{
    if (builder->count == builder->capacity)
    {
        size_t     larger = builder->capacity * 2 + 1024;
        Candidate *items = realloc(builder->items, larger * sizeof(*items));
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
    const Side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->face < b->face ? -1 : a->face > b->face;
}

static bool list_sides(Builder *builder)
{
    const WeftMesh *mesh = builder->mesh;
    builder->sides = malloc((4 * (size_t)mesh->face_count + 1) * sizeof(Side));
    builder->edge_springs = malloc((6 * (size_t)mesh->face_count + 1) * sizeof(uint32_t));
    if (builder->sides == NULL || builder->edge_springs == NULL)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++)
    {
        uint32_t        count = corner_count(builder, face);
        const uint32_t *corner = corners(builder, face);
        for (uint32_t edge = 0; edge < count; edge++)
        {
            uint32_t a = corner[edge], b = corner[(edge + 1) % count];
            builder->sides[builder->side_count++] =
                (Side){a < b ? a : b, a < b ? b : a, face, edge};
        }
    }
    qsort(builder->sides, builder->side_count, sizeof(Side), compare_sides);
    return true;
}

// The end of the run of sides that are one edge.
static size_t edge_end(const Builder *builder, size_t first)
{
    size_t last = first + 1;
    while (last < builder->side_count && builder->sides[last].low == builder->sides[first].low &&
           builder->sides[last].high == builder->sides[first].high)
        last++;
    return last;
}

static double length_of(const Builder *builder, const Candidate *item)
{
    double line[3];
    subtract(position(builder, item->b), position(builder, item->a), line);
    return sqrt(dot(line, line));
}

// Whether a quad is a rectangle, as far as the eye can tell.
static bool is_cell(const Builder *builder, uint32_t face)
{
    const uint32_t *corner = corners(builder, face);
    if (corner_count(builder, face) != 4)
        return false;
    for (uint32_t k = 0; k < 4; k++)
    {
        double to[3], from[3];
        subtract(position(builder, corner[(k + 1) % 4]), position(builder, corner[k]), to);
        subtract(position(builder, corner[(k + 3) % 4]), position(builder, corner[k]), from);
        double product = dot(to, from);
        if (product * product > SKEW_COSINE * SKEW_COSINE * dot(to, to) * dot(from, from))
            return false;
    }
    return true;
}

// Edges of faces and diagonals of quads.
static void list_structural(Builder *builder)
{
    for (size_t first = 0; first < builder->side_count;)
    {
        size_t    last = edge_end(builder, first);
        Side      side = builder->sides[first];
        Candidate item = {.a = side.low, .b = side.high};
        bool      quad = false;
        double    cosine2 = 0;
        for (size_t k = first; k < last; k++)
        {
            uint32_t face = builder->sides[k].face, count = corner_count(builder, face);
            item.area += face_area(builder, face) / count;
            item.cells += is_cell(builder, face) ? face_area(builder, face) / count : 0;
            builder->edge_springs[6 * (size_t)face + builder->sides[k].edge] =
                (uint32_t)builder->count;
            cosine2 += warp_cosine2(builder, face, side.low, side.high) / (double)(last - first);
            quad = quad || is_cell(builder, face);
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
        if (corner_count(builder, face) != 4)
            continue;
        const uint32_t *corner = corners(builder, face);
        double          area = face_area(builder, face);
        for (int k = 0; k < 2; k++)
        {
            // In a rectangle the sine of the double angle is 2 dx dy / d^2.
            Candidate item = {.a = corner[k],
                              .b = corner[k + 2],
                              .area = area / 2,
                              .cells = is_cell(builder, face) ? area / 2 : 0,
                              .along = 0.5};
            double    length = length_of(builder, &item), sine = 2 * area / (length * length);
            item.turn = sine * sine;
            item.shear = item.turn > 0 ? 1 / item.turn : 0;
            builder->edge_springs[6 * (size_t)face + 4 + (size_t)k] = (uint32_t)builder->count;
            add(builder, item);
        }
    }
}

static bool emit_structural(Builder *builder, WeftSpringGraph *graph)
{
    // What the whole mesh damps at a unit rate of strain for c = 1: along warp and weft, and in shear.
    const WeftMaterial *material = builder->material;
    double              total = 0, extension = 0, shear = 0;
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
        total += face_area(builder, face);
    for (size_t k = 0; k < builder->count; k++)
    {
        const Candidate *item = &builder->items[k];
        extension += item->area * item->stretch * item->along / 2;
        shear += item->area * item->shear * item->turn / 4;
    }
    double stretch_factor = extension > 0 ? total / extension : 0;
    double shear_factor = shear > 0 ? 2 * total / shear : 0;
    for (size_t k = 0; k < builder->count; k++)
    {
        const Candidate *item = &builder->items[k];
        double           length = length_of(builder, item), inverse = 1 / (length * length);
        double           stretch = item->area * inverse * item->stretch * stretch_factor;
        double           sheared = item->area * inverse * item->shear * shear_factor;
        double           pull = item->cells * inverse * item->stretch * 2;
        double           pull_across = item->cells * inverse * item->shear * 8;
        WeftSpringKind   kind =
            item->stretch >= item->shear ? WEFT_SPRING_STRETCH : WEFT_SPRING_SHEAR;
        if (!weft_spring_graph_add(
                graph, kind, item->a, item->b, length,
                pull * material->stretch_stiffness + pull_across * material->shear_stiffness,
                stretch * material->stretch_damping + sheared * material->shear_damping, 0))
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

// The spring between two corners of a face.
static uint32_t spring_between(const Builder *builder, uint32_t face, uint32_t from, uint32_t to)
{
    const uint32_t *springs = builder->edge_springs + 6 * (size_t)face;
    uint32_t        count = corner_count(builder, face);
    if ((from + 1) % count == to)
        return springs[from];
    if ((to + 1) % count == from)
        return springs[to];
    return springs[4 + (from < to ? from : to)];
}

// The threads in the triangle of three corners of a face, which has a part of the face's strength. Too thin a one has none: it is
// next to no cloth, but would be very stiff.
static bool emit_threads(Builder *builder, WeftSpringGraph *graph, uint32_t face,
                         const uint32_t places[3], double part)
{
    WeftWeave weave;
    double    e1[3], e2[3], normal[3], warp[3], weft[3], from1[3], from2[3];
    for (uint32_t k = 0; k < 3; k++)
    {
        weave.corner[k] = corners(builder, face)[places[k]];
        weave.edge[k] = spring_between(builder, face, places[k], places[(k + 1) % 3]);
    }
    subtract(position(builder, weave.corner[1]), position(builder, weave.corner[0]), e1);
    subtract(position(builder, weave.corner[2]), position(builder, weave.corner[0]), e2);
    cross(e1, e2, normal);
    face_warp(builder, face, warp);
    double size = sqrt(dot(normal, normal)), off = dot(warp, normal) / (size * size);
    if (!(size > WEAVE_THINNEST * fmax(dot(e1, e1), dot(e2, e2))))
        return true;
    for (int axis = 0; axis < 3; axis++)
        warp[axis] -= off * normal[axis];
    cross(normal, warp, weft);
    double along = sqrt(dot(warp, warp)), unit = 1 / (size * size * along);
    if (!(along > 0))
        return true;

    // The gradients of the weights of corners 1 and 2, along warp and weft, and between.
    cross(e2, normal, from1);
    cross(normal, e1, from2);
    const double lays[2][2] = {{dot(from1, warp) * unit, dot(from2, warp) * unit},
                               {dot(from1, weft) * unit / size, dot(from2, weft) * unit / size}};
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
    return weft_spring_graph_add_weave(graph, &weave);
}

static bool emit_weave(Builder *builder, WeftSpringGraph *graph)
{
    static const uint32_t whole[3] = {0, 1, 2};
    static const uint32_t cuts[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    for (uint32_t face = 0; face < builder->mesh->face_count; face++)
    {
        bool is_quad = corner_count(builder, face) == 4;
        if (!is_quad && !emit_threads(builder, graph, face, whole, 1))
            return false;
        for (int k = 0; is_quad && !is_cell(builder, face) && k < 4; k++)
            if (!emit_threads(builder, graph, face, cuts[k], 0.5))
                return false;
    }
    return true;
}

// The corner of a face that is `step` after the start of one of its edges.
static uint32_t corner_after(const Builder *builder, Side side, uint32_t step)
{
    return corners(builder, side.face)[(side.edge + step) % corner_count(builder, side.face)];
}

// In a quad, the corner that is joined to `vertex`, an end of the edge `side`, by the edge's
// neighbour.
static uint32_t beside(const Builder *builder, Side side, uint32_t vertex)
{
    return corner_after(builder, side, 0) == vertex ? corner_after(builder, side, 3)
                                                    : corner_after(builder, side, 2);
}

static void add_bend(Builder *builder, uint32_t face, uint32_t a, uint32_t b, double area,
                     bool quad)
{
    if (a == b)
        return;
    double cosine2 = warp_cosine2(builder, face, a, b);
    add(builder, (Candidate){.a = a < b ? a : b,
                             .b = a < b ? b : a,
                             .area = area,
                             .along = cosine2 * cosine2 + (1 - cosine2) * (1 - cosine2),
                             .quad = quad});
}

// Pairs across each edge: the two opposite corners of triangles; of quads, a beam through each end
// of the edge.
static void list_bend(Builder *builder)
{
    builder->count = 0;
    for (size_t first = 0; first < builder->side_count;)
    {
        size_t last = edge_end(builder, first);
        for (size_t k = first; k + 1 < last; k++)
        {
            Side   left = builder->sides[k], right = builder->sides[k + 1];
            double areas = face_area(builder, left.face) + face_area(builder, right.face);
            bool   quads =
                corner_count(builder, left.face) == 4 && corner_count(builder, right.face) == 4;
            if (quads)
            {
                add_bend(builder, left.face, beside(builder, left, left.low),
                         beside(builder, right, left.low), areas / 4, true);
                add_bend(builder, left.face, beside(builder, left, left.high),
                         beside(builder, right, left.high), areas / 4, true);
            }
            else
                add_bend(builder, left.face, corner_after(builder, left, 2),
                         corner_after(builder, right, 2), areas / 3, false);
        }
        first = last;
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

static uint32_t place_in(const uint32_t *corner, uint32_t vertex)
{
    uint32_t at = 0;
    while (at < 3 && corner[at] != vertex)
        at++;
    return at;
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

// Beams along the diagonals of a quad mesh, through each vertex where four quads meet.
static bool list_diagonal_bend(Builder *builder)
{
    const WeftMesh *mesh = builder->mesh;
    size_t          count = 0;
    Quarter        *quarters = malloc((4 * (size_t)mesh->face_count + 1) * sizeof(*quarters));
    if (quarters == NULL)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (int corner = 0; corner < 4 && corner_count(builder, face) == 4; corner++)
            quarters[count++] = (Quarter){corners(builder, face)[corner], face};
    qsort(quarters, count, sizeof(*quarters), compare_quarters);
    for (size_t first = 0, last; first < count; first = last)
    {
        for (last = first + 1; last < count && quarters[last].vertex == quarters[first].vertex;)
            last++;
        if (last - first != 4)
            continue;
        for (size_t i = first; i < last; i++)
            for (size_t k = i + 1; k < last; k++)
            {
                const uint32_t *left = corners(builder, quarters[i].face),
                               *right = corners(builder, quarters[k].face);
                if (!are_opposite(left, right))
                    continue;
                uint32_t vertex = quarters[first].vertex;
                double   areas =
                    face_area(builder, quarters[i].face) + face_area(builder, quarters[k].face);
                add_bend(builder, quarters[i].face, left[(place_in(left, vertex) + 2) % 4],
                         right[(place_in(right, vertex) + 2) % 4], areas / 2, true);
            }
    }
    free(quarters);
    return true;
}

static int compare_candidates(const void *left, const void *right)
{
    const Candidate *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static bool emit_bend(Builder *builder, WeftSpringGraph *graph)
{
    // One spring a pair; found twice (from both sides of a vertex) it stands for both shares.
    qsort(builder->items, builder->count, sizeof(Candidate), compare_candidates);
    size_t kept = 0;
    for (size_t k = 0; k < builder->count; k++)
    {
        Candidate *item = &builder->items[k];
        if (kept > 0 && compare_candidates(&builder->items[kept - 1], item) == 0)
            builder->items[kept - 1].area += item->area;
        else
            builder->items[kept++] = *item;
    }
    builder->count = kept;

    // Energy of bending about warp and weft for c = 1, over triangles. On quads, where beams run
    // along both edges and both diagonals, c is 2/3 as on a grid.
    double covered = 0, bending = 0;
    for (size_t k = 0; k < builder->count; k++)
        if (!builder->items[k].quad)
        {
            covered += builder->items[k].area;
            bending += builder->items[k].area * builder->items[k].along / 2;
        }
    double factor = bending > 0 ? covered / bending : 0;

    const WeftMaterial *material = builder->material;
    for (size_t k = 0; k < builder->count; k++)
    {
        const Candidate *item = &builder->items[k];
        double           length = length_of(builder, item);
        if (length <= 0)
            continue;
        // 3/8 k_b kappa^2 length = 1/2 (c D) kappa^2 area
        double share = 2 * item->area / (length * length);
        if (!weft_spring_graph_add(graph, WEFT_SPRING_BEND, item->a, item->b, length,
                                   4.0 / 3 * (item->quad ? 2.0 / 3 : factor) *
                                       material->bend_stiffness * item->area / length,
                                   material->bend_damping * share,
                                   material->stretch_stiffness * share))
            return false;
    }
    return true;
}

bool weft_spring_graph_build_mesh(WeftSpringGraph *graph, const WeftMesh *mesh,
                                  const WeftCloth *cloth)
{
    Builder builder = {.mesh = mesh,
                       .material = &cloth->material,
                       .place = weft_transform_place(cloth->position, cloth->rotation)};
    bool    built = list_sides(&builder);
    if (built)
    {
        list_structural(&builder);
        built = !builder.failed && emit_structural(&builder, graph) && emit_weave(&builder, graph);
    }
    if (built)
    {
        list_bend(&builder);
        built = list_diagonal_bend(&builder) && !builder.failed && emit_bend(&builder, graph);
    }
    free(builder.sides);
    free(builder.items);
    free(builder.edge_springs);
    return built;
}
