// mesh.glsl: the point of a mesh solid that is nearest to a place, found by its tree of boxes, and where a way first goes through
// it. All in the mesh's own coordinates.
#define TREE_DEPTH 32

// m; nearer than that to an edge or a corner the way from it has no direction.
#ifdef WEFT_DOUBLE
#define AT_EDGE 1e-10LF
#else
#define AT_EDGE 1e-5
#endif

// Part of a triangle's height by which a way may miss it and still go through.
#define HIT_MARGIN real(1e-5)

// In which part of a triangle a point is: its face, the edge from corner k to the next, or corner k.
#define IN_FACE 0u
#define ON_EDGE 1u
#define ON_CORNER 4u

struct MeshPoint
{
    uint triangle;
    uint part;
    real3 weight; // of the corners
    real3 away;   // from the point to the place
    real distance2;
};

uint mesh_word(uint solid, uint which)
{
    return ENGINE.mesh_words.at[solid * MESH_WORDS + which];
}

// Meshes that keep their shape have an array of their own; the others come with the values of the step.
real3 mesh_real3(uint place)
{
    if (place >= ENGINE.mesh_resting)
        return value3(place - ENGINE.mesh_resting + ENGINE.mesh_values);
    Reals reals = ENGINE.mesh_reals;
    return real3(reals.at[place], reals.at[place + 1], reals.at[place + 2]);
}

uvec3 mesh_corners(uint solid, uint triangle)
{
    uint at = mesh_word(solid, MESH_CORNERS) + 3 * triangle;
    return uvec3(ENGINE.mesh_words.at[at], ENGINE.mesh_words.at[at + 1], ENGINE.mesh_words.at[at + 2]);
}

// The corners of a triangle as columns.
real3x3 mesh_triangle(uint solid, uint shape, uint triangle)
{
    uint points = mesh_word(solid, shape);
    uvec3 corner = 3 * mesh_corners(solid, triangle);
    return real3x3(mesh_real3(points + corner.x), mesh_real3(points + corner.y),
                   mesh_real3(points + corner.z));
}

// Nearest point of the triangle: its foot if that is within, else the nearest of the three edges.
MeshPoint triangle_point(real3x3 t, real3 p)
{
    real3 normal = cross(t[1] - t[0], t[2] - t[0]);
    real area2 = dot(normal, normal);
    MeshPoint best = MeshPoint(0, IN_FACE, real3(0), real3(0), real(1.0 / 0.0));
    real3 heights;
    bool within = area2 > 0;
    for (uint k = 0; k < 3; k++)
    {
        uint next = (k + 1) % 3, last = (k + 2) % 3;
        heights[last] = dot(cross(t[next] - t[k], p - t[k]), normal);
        within = within && heights[last] > 0;
    }
    if (within)
    {
        best.weight = heights / area2;
        best.away = dot(p - t[0], normal) / area2 * normal;
        best.distance2 = dot(best.away, best.away);
        return best;
    }
    for (uint k = 0; k < 3; k++)
    {
        uint next = (k + 1) % 3;
        real3 along = t[next] - t[k];
        real part = clamp(dot(p - t[k], along) / dot(along, along), real(0), real(1));
        real3 away = p - t[k] - part * along;
        real distance2 = dot(away, away);
        if (!(distance2 < best.distance2))
            continue;
        best.part = part <= 0 ? ON_CORNER + k : part >= 1 ? ON_CORNER + next : ON_EDGE + k;
        best.weight = real3(0);
        best.weight[next] = part;
        best.weight[k] = 1 - part;
        best.away = away;
        best.distance2 = distance2;
    }
    return best;
}

real box_distance2(uint box, real3 p)
{
    real3 over = max(max(mesh_real3(box) - p, p - mesh_real3(box + 3)), real3(0));
    return dot(over, over);
}

// First triangle of a leaf. The product has more bits than a word; leaves are a power of two.
uint leaf_begin(uint leaf, uint leaves, uint triangles)
{
    uint high, low;
    int shift = findMSB(leaves);
    umulExtended(triangles, leaf, high, low);
    return shift == 0 ? low : high << (32 - shift) | low >> shift;
}

// The nearest point of the mesh in one of its shapes.
MeshPoint mesh_nearest(uint solid, uint shape, real3 p)
{
    uint waiting[TREE_DEPTH];
    uint count = 1, leaves = mesh_word(solid, MESH_LEAF_COUNT),
         triangles = mesh_word(solid, MESH_TRIANGLE_COUNT), boxes = mesh_word(solid, MESH_BOXES);
    MeshPoint best = MeshPoint(0, IN_FACE, real3(0), real3(0), real(1.0 / 0.0));
    waiting[0] = 0;
    while (count > 0)
    {
        uint node = waiting[--count];
        if (!(box_distance2(boxes + 6 * node, p) < best.distance2))
            continue;
        if (node + 1 < leaves)
        {
            // The nearer of the two is looked at first.
            uint first = 2 * node + 1, second = first + 1;
            bool turn = box_distance2(boxes + 6 * second, p) < box_distance2(boxes + 6 * first, p);
            waiting[count++] = turn ? first : second;
            waiting[count++] = turn ? second : first;
            continue;
        }
        uint leaf = node + 1 - leaves, end = leaf_begin(leaf + 1, leaves, triangles);
        for (uint k = leaf_begin(leaf, leaves, triangles); k < end; k++)
        {
            MeshPoint point = triangle_point(mesh_triangle(solid, shape, k), p);
            if (point.distance2 < best.distance2)
            {
                best = point;
                best.triangle = k;
            }
        }
    }
    return best;
}

Surface mesh_surface(uint solid, uint shape, real3 p)
{
    MeshPoint point = mesh_nearest(solid, shape, p);
    if (point.part == IN_FACE)
    {
        real3x3 t = mesh_triangle(solid, shape, point.triangle);
        real3 normal = normalize(cross(t[1] - t[0], t[2] - t[0]));
        return Surface(dot(p - t[0], normal), normal);
    }
    uint at = mesh_word(solid, shape) + 3 * mesh_word(solid, MESH_POINT_COUNT);
    if (point.part >= ON_CORNER)
        at += 3 * mesh_corners(solid, point.triangle)[point.part - ON_CORNER];
    else
        at += 3 * (mesh_word(solid, MESH_POINT_COUNT) +
                   ENGINE.mesh_words.at[mesh_word(solid, MESH_EDGES) + 3 * point.triangle + point.part - ON_EDGE]);
    real3 outward = mesh_real3(at);
    real away = sqrt(point.distance2), side = dot(point.away, outward) < 0 ? -1 : 1;
    return Surface(side * away, away > AT_EDGE ? side * point.away / away : outward);
}

// How far the point of the surface that is nearest to p moves in the step, as the mesh changes its shape.
real3 mesh_move(uint solid, real3 p)
{
    MeshPoint point = mesh_nearest(solid, MESH_BEFORE, p);
    real3x3 moves = mesh_triangle(solid, MESH_AFTER, point.triangle) -
                    mesh_triangle(solid, MESH_BEFORE, point.triangle);
    return moves * point.weight;
}

// A way through a triangle from its front, before `time`; both move in the step.
bool way_through(uint solid, uint triangle, real3 from, real3 to, inout real time, inout Surface surface)
{
    real3x3 before = mesh_triangle(solid, MESH_BEFORE, triangle),
            after = mesh_triangle(solid, MESH_AFTER, triangle);
    real3 front = cross(before[1] - before[0], before[2] - before[0]),
          normal = cross(after[1] - after[0], after[2] - after[0]);
    if (front == real3(0) || normal == real3(0))
        return false;
    normal = normalize(normal);
    real height = dot(from - before[0], normalize(front)), depth = dot(after[0] - to, normal);
    if (!(height >= 0 && depth > 0 && height < time * (height + depth)))
        return false;
    real when = height / (height + depth);
    real3x3 there = before + when * (after - before);
    real3 place = mix(from, to, when) - there[0], u = there[1] - there[0], v = there[2] - there[0];

    // place = second * u + third * v, by least squares.
    real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), pu = dot(place, u), pv = dot(place, v);
    real whole = uu * vv - uv * uv, second = vv * pu - uv * pv, third = uu * pv - uv * pu;
    if (!(min(second, third) >= -HIT_MARGIN * whole && second + third <= (1 + HIT_MARGIN) * whole))
        return false;
    time = when;
    surface = Surface(-depth, normal);
    return true;
}

// The first triangle that the way goes through from its front; the surface is its plane at the end of the step.
bool mesh_crossing(uint solid, real3 from, real3 to, inout Surface surface)
{
    uint waiting[TREE_DEPTH];
    uint count = 1, leaves = mesh_word(solid, MESH_LEAF_COUNT),
         triangles = mesh_word(solid, MESH_TRIANGLE_COUNT), boxes = mesh_word(solid, MESH_BOXES);
    real3 low = min(from, to), high = max(from, to);
    real time = 1;
    bool found = false;
    waiting[0] = 0;
    while (count > 0)
    {
        uint node = waiting[--count];
        if (any(greaterThan(low, mesh_real3(boxes + 6 * node + 3))) ||
            any(lessThan(high, mesh_real3(boxes + 6 * node))))
            continue;
        if (node + 1 < leaves)
        {
            waiting[count++] = 2 * node + 2;
            waiting[count++] = 2 * node + 1;
            continue;
        }
        uint leaf = node + 1 - leaves, end = leaf_begin(leaf + 1, leaves, triangles);
        for (uint k = leaf_begin(leaf, leaves, triangles); k < end; k++)
            if (way_through(solid, k, from, to, time, surface))
                found = true;
    }
    return found;
}
