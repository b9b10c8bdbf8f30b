// intersections.c: all pairs of triangles: those whose boxes overlap, found by sweeping along x.
// Two triangles cut each other if an edge of one passes through the other (Moeller and Trumbore 1997); what meets exactly is
// taken to one side, so that cloths that cross along their vertices are found, too.
//
// Flat cloth has all of its triangles in one plane, where rounding would decide. So places are whole numbers, of which a billion
// reach across all of the cloth, and what is calculated with them is exact.
#include "sim/intersections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim_internal.h"

#define PLACE_BITS 30 // the product of two differences fits in 64 bits, of three in 128
typedef int64_t                Place;
__extension__ typedef __int128 Volume;

typedef struct Face
{
    Place    low[3], high[3];
    uint32_t corner[3];
} Face;

static int compare_faces(const void *a, const void *b)
{
    const Face *left = a, *right = b;
    if (left->low[0] != right->low[0])
        return left->low[0] < right->low[0] ? -1 : 1;
    return memcmp(left->corner, right->corner, sizeof(left->corner));
}

// Six times the volume of the tetrahedron a b c d: its sign says on which side of abc d lies.
static Volume side_of(const Place *a, const Place *b, const Place *c, const Place *d)
{
    Place u[3], v[3], w[3];
    for (int axis = 0; axis < 3; axis++)
    {
        u[axis] = b[axis] - a[axis];
        v[axis] = c[axis] - a[axis];
        w[axis] = d[axis] - a[axis];
    }
    return (Volume)u[0] * (v[1] * w[2] - v[2] * w[1]) + (Volume)u[1] * (v[2] * w[0] - v[0] * w[2]) +
           (Volume)u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// On which side of the line p q the edge a b passes. Where they meet, the edge's direction decides, so that a line through an edge
// is found to pass through one of the two triangles at it.
static bool is_left(const Place *p, const Place *q, const Place *a, const Place *b)
{
    Volume side = side_of(p, q, a, b);
    return side != 0 ? side > 0 : a < b;
}

// Whether the edge p q passes through abc. An end that lies in its plane counts as being above.
static bool passes(const Place *p, const Place *q, const Place *a, const Place *b, const Place *c)
{
    if ((side_of(a, b, c, p) < 0) == (side_of(a, b, c, q) < 0))
        return false;
    bool first = is_left(p, q, a, b);
    return is_left(p, q, b, c) == first && is_left(p, q, c, a) == first;
}

static bool is_corner(const Face *face, uint32_t i)
{
    return face->corner[0] == i || face->corner[1] == i || face->corner[2] == i;
}

static bool edge_passes(const Place *x, const Face *from, const Face *through)
{
    const Place *a = x + 3 * (size_t)through->corner[0], *b = x + 3 * (size_t)through->corner[1],
                *c = x + 3 * (size_t)through->corner[2];
    for (int k = 0; k < 3; k++)
    {
        uint32_t p = from->corner[k], q = from->corner[(k + 1) % 3];
        if (!is_corner(through, p) && !is_corner(through, q) &&
            passes(x + 3 * (size_t)p, x + 3 * (size_t)q, a, b, c))
            return true;
    }
    return false;
}

static bool boxes_meet(const Face *a, const Face *b)
{
    for (int axis = 1; axis < 3; axis++)
        if (a->low[axis] > b->high[axis] || b->low[axis] > a->high[axis])
            return false;
    return true;
}

static void list_faces(const WeftSim *sim, const Place *x, Face *faces)
{
    const WeftModel *model = &sim->model;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
    {
        const WeftMesh *mesh = &model->meshes[cloth];
        for (uint32_t k = 0; k < mesh->triangle_count; k++, faces++)
            for (int corner = 0; corner < 3; corner++)
            {
                uint32_t i =
                    model->first_vertex[cloth] + mesh->triangles[3 * (size_t)k + (size_t)corner];
                faces->corner[corner] = i;
                for (int axis = 0; axis < 3; axis++)
                {
                    Place place = x[3 * (size_t)i + (size_t)axis];
                    if (corner == 0 || place < faces->low[axis])
                        faces->low[axis] = place;
                    if (corner == 0 || place > faces->high[axis])
                        faces->high[axis] = place;
                }
            }
    }
}

// The places as whole numbers: multiples of a power of two, so that most floats stay what they are.
static void find_places(const WeftSim *sim, double *positions, Place *x)
{
    const WeftModel *model = &sim->model;
    double           farthest = 0;
    int              exponent;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
        weft_sim_positions(sim, cloth, positions + 3 * (size_t)model->first_vertex[cloth]);
    for (size_t k = 0; k < 3 * (size_t)model->particle_count; k++)
        farthest = fmax(farthest, fabs(positions[k]));
    frexp(farthest, &exponent); // farthest < 2^exponent
    for (size_t k = 0; k < 3 * (size_t)model->particle_count; k++)
        x[k] = llrint(ldexp(positions[k], PLACE_BITS - 1 - exponent));
}

WeftStatus weft_count_intersections(const WeftSim *sim, uint64_t *count)
{
    const WeftModel *model = &sim->model;
    size_t           face_count = 0;
    *count = 0;
    for (size_t cloth = 0; cloth < model->cloth_count; cloth++)
        face_count += model->meshes[cloth].triangle_count;
    double *positions = malloc(3 * ((size_t)model->particle_count + 1) * sizeof(double));
    Place  *x = malloc(3 * ((size_t)model->particle_count + 1) * sizeof(Place));
    Face   *faces = malloc((face_count + 1) * sizeof(Face));
    if (positions == NULL || x == NULL || faces == NULL)
    {
        free(positions);
        free(x);
        free(faces);
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory to count intersections");
    }
    find_places(sim, positions, x);
    free(positions);
    list_faces(sim, x, faces);
    qsort(faces, face_count, sizeof(Face), compare_faces);
    for (size_t k = 0; k < face_count; k++)
        for (size_t m = k + 1; m < face_count && faces[m].low[0] <= faces[k].high[0]; m++)
            if (boxes_meet(&faces[k], &faces[m]) &&
                (edge_passes(x, &faces[k], &faces[m]) || edge_passes(x, &faces[m], &faces[k])))
                ++*count;
    free(x);
    free(faces);
    return WEFT_OK;
}
