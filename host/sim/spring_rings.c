// spring_rings.c: bend springs of a mesh of any triangles and quads.
//
// Around each vertex v its neighbours j are laid flat. Weights w_j with sum_j w_j (p_j - p_v) = 0 then give the second derivative of any
// quadratic surface along a direction u as sum_j w_j (z_j - z_v); of all such weights the smallest are taken. The curvature along u is so
//   c = sum_j w_j (x_j - x_v),   and the vertex stores   A/2 sum over u of 2/3 D |c|^2,
// A its share of the area, u warp, weft and the two directions between: for all bending about one axis that is D/2 kappa^2, as on a grid,
// whatever the triangles are like. Flat cloth has no force, however it is strained within its plane. At a border only the
// curvature along it can be told; what the weights cannot tell, or only with great ones, is left out.
//
// The energy is a sum over pairs of vertices of squares of their distances. So is an upper bound of it, over the edges at v alone:
//   |c|^2 <= (sum |w|) sum_j |w_j| |x_j - x_v|^2.
// The structural springs get the bound as a tension, which the step takes implicitly; the bend springs are pushes, explicit, between all
// pairs that take back what it is too much. As the bound is not smaller than the energy, this is stable at any step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/spring_mesh.h"

// Most neighbours of a vertex that bends.
#define RING_MOST 32

// Smallest weight of a combination of curvatures that counts as told, over that of the ones told best; below, rounding of the mesh
// would be taken for curvature.
#define TOLD 0.15

// A pair of vertices that push each other apart.
typedef struct Push
{
    uint32_t a, b;
    double   rest, push, damping;
} Push;

typedef struct PushList
{
    Push  *items;
    size_t count, capacity;
} PushList;

// The faces around a vertex.
typedef struct Fan
{
    uint32_t *begin; // (vertex_count + 1)
    uint32_t *faces;
} Fan;

// The neighbours of a vertex, laid flat around it in their order.
typedef struct Ring
{
    uint32_t count;
    uint32_t vertex[RING_MOST], spring[RING_MOST];
    double   place[RING_MOST][2];
    double   area;
} Ring;

static bool list_fans(const MeshBuilder *builder, Fan *fan)
{
    const WeftMesh *mesh = builder->mesh;
    fan->begin = calloc((size_t)mesh->vertex_count + 2, sizeof(uint32_t));
    fan->faces = malloc((4 * (size_t)mesh->face_count + 1) * sizeof(uint32_t));
    if (fan->begin == NULL || fan->faces == NULL)
        return false;
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t k = 0; k < mesh_corner_count(builder, face); k++)
            fan->begin[mesh_corners(builder, face)[k] + 2]++;
    for (uint32_t i = 2; i < mesh->vertex_count + 2; i++)
        fan->begin[i] += fan->begin[i - 1];
    for (uint32_t face = 0; face < mesh->face_count; face++)
        for (uint32_t k = 0; k < mesh_corner_count(builder, face); k++)
            fan->faces[fan->begin[mesh_corners(builder, face)[k] + 1]++] = face;
    return true;
}

// The two corners of a face beside a vertex.
static void corners_beside(const MeshBuilder *builder, uint32_t face, uint32_t vertex,
                           uint32_t beside[2])
{
    uint32_t count = mesh_corner_count(builder, face), at = mesh_place_in(builder, face, vertex);
    beside[0] = mesh_corners(builder, face)[(at + 1) % count];
    beside[1] = mesh_corners(builder, face)[(at + count - 1) % count];
}

// How many of the faces have a corner beside the vertex.
static int faces_at(const MeshBuilder *builder, const uint32_t *faces, uint32_t count,
                    uint32_t vertex, uint32_t corner)
{
    int found = 0;
    for (uint32_t k = 0; k < count; k++)
    {
        uint32_t beside[2];
        corners_beside(builder, faces[k], vertex, beside);
        found += beside[0] == corner || beside[1] == corner;
    }
    return found;
}

static double angle_between(const MeshBuilder *builder, uint32_t vertex, uint32_t a, uint32_t b)
{
    double to_a[3], to_b[3];
    mesh_subtract(mesh_position(builder, a), mesh_position(builder, vertex), to_a);
    mesh_subtract(mesh_position(builder, b), mesh_position(builder, vertex), to_b);
    double cosine = mesh_dot(to_a, to_b) / sqrt(mesh_dot(to_a, to_a) * mesh_dot(to_b, to_b));
    return acos(fmax(-1, fmin(1, cosine)));
}

static void add_neighbour(const MeshBuilder *builder, Ring *ring, uint32_t vertex, uint32_t face,
                          uint32_t corner, double angle)
{
    uint32_t at = ring->count++;
    ring->vertex[at] = corner;
    ring->spring[at] = weft_mesh_spring_between(builder, face, mesh_place_in(builder, face, vertex),
                                                mesh_place_in(builder, face, corner));
    ring->place[at][0] = weft_mesh_distance(builder, vertex, corner);
    ring->place[at][1] = angle;
}

// Walks around a vertex from face to face; false where its faces are not one fan. Places are distance and angle at first.
static bool walk_ring(const MeshBuilder *builder, const Fan *fan, uint32_t vertex, Ring *ring)
{
    const uint32_t *around = fan->faces + fan->begin[vertex];
    uint32_t        count = fan->begin[vertex + 1] - fan->begin[vertex], at = 0, first;
    uint32_t        faces[RING_MOST], beside[2];
    if (count == 0 || 2 * count + 1 > RING_MOST)
        return false;
    memcpy(faces, around, count * sizeof(uint32_t));

    // From a border if there is one.
    corners_beside(builder, faces[0], vertex, beside);
    first = beside[0];
    bool closed = true;
    for (uint32_t k = 0; k < count; k++)
    {
        corners_beside(builder, faces[k], vertex, beside);
        for (int side = 0; side < 2; side++)
        {
            int meeting = faces_at(builder, faces, count, vertex, beside[side]);
            if (meeting > 2)
                return false;
            if (meeting == 1)
            {
                closed = false;
                first = beside[side];
            }
        }
    }

    uint32_t from = first;
    double   angle = 0;
    ring->count = 0;
    ring->area = 0;
    while (at < count)
    {
        uint32_t next = at;
        for (; next < count; next++)
        {
            corners_beside(builder, faces[next], vertex, beside);
            if (beside[0] == from || beside[1] == from)
                break;
        }
        if (next == count)
            return false;
        uint32_t face = faces[next], to = beside[0] == from ? beside[1] : beside[0];
        faces[next] = faces[at];
        faces[at++] = face;
        if (ring->count == 0)
            add_neighbour(builder, ring, vertex, face, from, 0);
        uint32_t corner_count = mesh_corner_count(builder, face);
        if (corner_count == 4)
        {
            uint32_t across = mesh_corners(
                builder, face)[(mesh_place_in(builder, face, vertex) + 2) % corner_count];
            add_neighbour(builder, ring, vertex, face, across,
                          angle + angle_between(builder, vertex, from, across));
        }
        angle += angle_between(builder, vertex, from, to);
        ring->area += weft_mesh_face_area(builder, face) / corner_count;
        if (to != first)
            add_neighbour(builder, ring, vertex, face, to, angle);
        from = to;
    }

    // What does not lie flat by itself is pressed flat.
    const double turn = closed ? 2 * 3.14159265358979323846 / angle : 1;
    for (uint32_t k = 0; k < ring->count; k++)
    {
        double distance = ring->place[k][0], way = ring->place[k][1] * turn;
        ring->place[k][0] = distance * cos(way);
        ring->place[k][1] = distance * sin(way);
    }
    return closed == (from == first);
}

// Eigenvalues and vectors (columns) of a symmetric matrix, by Jacobi's rotations.
static void find_eigen(double matrix[3][3], double vectors[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            vectors[i][k] = i == k;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
            {
                if (fabs(matrix[p][q]) < 1e-300)
                    continue;
                double theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++)
                {
                    double kp = matrix[k][p], kq = matrix[k][q];
                    matrix[k][p] = c * kp - s * kq;
                    matrix[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; k++)
                {
                    double pk = matrix[p][k], qk = matrix[q][k];
                    matrix[p][k] = c * pk - s * qk;
                    matrix[q][k] = s * pk + c * qk;
                }
                for (int k = 0; k < 3; k++)
                {
                    double kp = vectors[k][p], kq = vectors[k][q];
                    vectors[k][p] = c * kp - s * kq;
                    vectors[k][q] = s * kp + c * kq;
                }
            }
}

// The weights of the curvatures xx, yy and sqrt(2) xy of a ring, 1/m^2; false where there are none.
static bool find_weights(const Ring *ring, double weights[3][RING_MOST])
{
    uint32_t n = ring->count;
    double   size2 = 0, rows[5][RING_MOST], light[RING_MOST];
    for (uint32_t k = 0; k < n; k++)
        size2 +=
            (ring->place[k][0] * ring->place[k][0] + ring->place[k][1] * ring->place[k][1]) / n;
    if (!(size2 > 0))
        return false;

    // Slopes and second derivatives in units of the ring's size. Far neighbours count less.
    for (uint32_t k = 0; k < n; k++)
    {
        double x = ring->place[k][0] / sqrt(size2), y = ring->place[k][1] / sqrt(size2);
        if (!(x * x + y * y > 0))
            return false;
        light[k] = 1 / (x * x + y * y);
        const double entries[5] = {x, y, x * x / 2, y * y / 2, x * y * sqrt(0.5)};
        for (int row = 0; row < 5; row++)
            rows[row][k] = light[k] * entries[row];
    }

    // Rows 2 to 4 without what slopes have in them.
    for (int row = 0; row < 5; row++)
    {
        for (int earlier = 0; earlier < (row < 2 ? row : 2); earlier++)
        {
            double along = 0;
            for (uint32_t k = 0; k < n; k++)
                along += rows[row][k] * rows[earlier][k];
            for (uint32_t k = 0; k < n; k++)
                rows[row][k] -= along * rows[earlier][k];
        }
        double square = 0;
        for (uint32_t k = 0; k < n; k++)
            square += rows[row][k] * rows[row][k];
        if (row < 2 && !(square > 1e-6))
            return false;
        for (uint32_t k = 0; row < 2 && k < n; k++)
            rows[row][k] /= sqrt(square);
    }

    // The smallest weights: rows^T (rows rows^T)^-1, on the combinations that the ring can tell.
    double product[3][3] = {{0}}, vectors[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (uint32_t j = 0; j < n; j++)
                product[i][k] += rows[2 + i][j] * rows[2 + k][j];
    find_eigen(product, vectors);
    memset(weights, 0, 3 * sizeof(weights[0]));
    bool any = false;
    for (int e = 0; e < 3; e++)
    {
        if (!(product[e][e] > TOLD * TOLD))
            continue;
        any = true;
        for (uint32_t j = 0; j < n; j++)
        {
            double along = 0;
            for (int i = 0; i < 3; i++)
                along += vectors[i][e] * rows[2 + i][j];
            for (int i = 0; i < 3; i++)
                weights[i][j] += vectors[i][e] * along * light[j] / product[e][e] / size2;
        }
    }
    return any;
}

static bool add_push(PushList *list, uint32_t a, uint32_t b, double rest, double push,
                     double damping)
{
    if (list->count == list->capacity)
    {
        size_t larger = list->capacity * 2 + 4096;
        Push  *items = realloc(list->items, larger * sizeof(*items));
        if (items == NULL)
            return false;
        list->items = items;
        list->capacity = larger;
    }
    list->items[list->count++] = (Push){a < b ? a : b, a < b ? b : a, rest, push, damping};
    return true;
}

// The bending of a vertex: tension in its edges, and pushes between all pairs.
static bool add_vertex(const MeshBuilder *builder, const Ring *ring, uint32_t vertex,
                       WeftSpringGraph *graph, PushList *list)
{
    const double half = sqrt(0.5),
                 directions[4][3] = {{1, 0, 0}, {0, 1, 0}, {0.5, 0.5, half}, {0.5, 0.5, -half}};
    const WeftMaterial *material = builder->material;
    double              basis[3][RING_MOST], energy[RING_MOST + 1][RING_MOST + 1] = {{0}};
    double              tension[RING_MOST] = {0}, pushes = 0;
    uint32_t            n = ring->count;
    if (!find_weights(ring, basis))
        return true;
    for (int direction = 0; direction < 4; direction++)
    {
        double w[RING_MOST + 1] = {0}, sum = 0, scale = 2.0 / 3 * material->bend_stiffness;
        for (uint32_t j = 0; j < n; j++)
        {
            for (int i = 0; i < 3; i++)
                w[j] += directions[direction][i] * basis[i][j];
            sum += fabs(w[j]);
            w[n] -= w[j];
        }
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t j = 0; j <= n; j++)
                energy[i][j] += scale * ring->area * w[i] * w[j];
        for (uint32_t j = 0; j < n; j++)
            tension[j] += scale * ring->area * sum * fabs(w[j]);
    }

    // Damping goes to those who push most, as much in all as on a grid.
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            pushes += fmax(energy[i][j], 0);
    for (uint32_t i = 0; i < n; i++)
    {
        WeftSpring *edge = &graph->structural[ring->spring[i]];
        edge->base += tension[i];
        if (!add_push(list, vertex, ring->vertex[i], edge->rest, tension[i] + energy[i][n], 0))
            return false;
        for (uint32_t j = 0; j < i; j++)
        {
            double dx = ring->place[i][0] - ring->place[j][0],
                   dy = ring->place[i][1] - ring->place[j][1];
            double part = pushes > 0 ? fmax(energy[i][j], 0) / pushes : 0;
            if (!add_push(list, ring->vertex[i], ring->vertex[j], sqrt(dx * dx + dy * dy),
                          energy[i][j], 2 * material->bend_damping * part))
                return false;
        }
    }
    return true;
}

static int compare_pushes(const void *left, const void *right)
{
    const Push *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    // So that sums do not depend on how a sort treats equals.
    if (a->push != b->push)
        return a->push < b->push ? -1 : 1;
    return a->rest < b->rest ? -1 : a->rest > b->rest;
}

// One spring for a pair, whichever vertices it bends around.
static bool emit(PushList *list, WeftSpringGraph *graph)
{
    double strongest = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(Push), compare_pushes);
    for (size_t k = 0; k < list->count; k++)
        strongest = fmax(strongest, fabs(list->items[k].push));
    for (size_t first = 0, last; first < list->count; first = last)
    {
        Push sum = list->items[first];
        for (last = first + 1;
             last < list->count && list->items[last].a == sum.a && list->items[last].b == sum.b;
             last++)
        {
            sum.push += list->items[last].push;
            sum.damping += list->items[last].damping;
        }
        // What is left of a difference of equals is no spring.
        if (fabs(sum.push) < 1e-9 * strongest || sum.a == sum.b)
            continue;
        if (!weft_spring_graph_add(graph, WEFT_SPRING_BEND,
                                   (WeftSpring){.a = sum.a,
                                                .b = sum.b,
                                                .rest = sum.rest,
                                                .damping = (float)sum.damping,
                                                .base = sum.push}))
            return false;
    }
    return true;
}

bool weft_mesh_add_rings(const MeshBuilder *builder, WeftSpringGraph *graph)
{
    Fan      fan = {0};
    PushList list = {0};
    bool     built = list_fans(builder, &fan);
    for (uint32_t vertex = 0; built && vertex < builder->mesh->vertex_count; vertex++)
    {
        Ring ring;
        if (walk_ring(builder, &fan, vertex, &ring))
            built = add_vertex(builder, &ring, vertex, graph, &list);
    }
    built = built && emit(&list, graph);
    free(fan.begin);
    free(fan.faces);
    free(list.items);
    return built;
}
