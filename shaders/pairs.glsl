// pairs.glsl: the nearest points of a particle and a triangle, or of two edges; pairs of them in the list.
// After Ericson, Real-Time Collision Detection 2005, sections 5.1.5 and 5.1.9. `precise`: who is listed hangs on it.

// Part of a triangle beside it that still counts as over it, so that nothing slips in between two.
#define BESIDE PER_CENT(5)

// The distance that edges keep, in parts of what particles keep from triangles.
#define EDGE_SHARE real(0.5)

// Part of the radius that counts as reach.
#define RADIUS_SHARE real(1.25)

#define INFINITE real(3.0e38)

struct Nearest
{
    real4 weight; // of the corners, negative on the second side
    real3 normal; // unit, towards the first side
    real  gap;
    bool  faces; // a triangle: the particle lies over it, not beside it
};

real inner(real3 a, real3 b)
{
    precise real sum = a.x * b.x + a.y * b.y + a.z * b.z;
    return sum;
}

real size_of(real3 v)
{
    return sqrt(inner(v, v));
}

// Within 0 and 1; what is not a number stays none.
real part_of_one(real number)
{
    return number < 0 ? real(0) : number > 1 ? real(1) : number;
}

// Parts of the corners b and c at the point of the triangle a b c that is nearest to p, or, `straight`, of its plane if p faces
// the triangle.
void nearest_on_triangle(real3 p, real3 a, real3 b, real3 c, bool straight, out real v, out real w,
                         out bool faces)
{
    real3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    real  d1 = inner(ab, ap), d2 = inner(ac, ap), d3 = inner(ab, bp), d4 = inner(ac, bp),
         d5 = inner(ab, cp), d6 = inner(ac, cp);
    precise real va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    precise real sum = va + vb + vc;
    faces = sum > 0 && min(min(va, vb), vc) > -BESIDE * sum;
    v = vb / sum;
    w = vc / sum;
    if (straight && faces)
        return;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1, w = 0;
    else if (d6 >= 0 && d5 <= d6)
        v = 0, w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3), w = 0;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        v = 0, w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
}

// Where the edges a b and c d are nearest, as parts of their lengths.
void nearest_on_edges(real3 a, real3 b, real3 c, real3 d, out real s, out real t)
{
    real3 first = b - a, second = d - c, r = a - c;
    real  ff = inner(first, first), ss = inner(second, second), fs = inner(first, second);
    real  fr = inner(first, r), sr = inner(second, r);
    precise real across = ff * ss - fs * fs, ahead = fs * sr - fr * ss;
    s = across > real(1) / 1000000 * ff * ss ? part_of_one(ahead / across) : real(0.5);
    precise real along = (fs * s + sr) / ss;
    t = part_of_one(along);
    if (along < 0)
        s = part_of_one(-fr / ff);
    else if (along > 1)
        s = part_of_one((fs - fr) / ff);
}

Nearest nearest_points(bool is_edges, bool straight, real3 x[4])
{
    Nearest found;
    real    v, w;
    found.faces = true;
    if (is_edges)
    {
        nearest_on_edges(x[0], x[1], x[2], x[3], v, w);
        found.weight = real4(1 - v, v, w - 1, -w);
    }
    else
    {
        nearest_on_triangle(x[0], x[1], x[2], x[3], straight, v, w, found.faces);
        found.weight = real4(1, -(1 - v - w), -v, -w);
    }
    // Differences to one corner: places are large, gaps are small.
    precise real3 way = found.weight.y * (x[1] - x[0]) + found.weight.z * (x[2] - x[0]) +
                        found.weight.w * (x[3] - x[0]);
    found.gap = size_of(way);
    found.normal = found.gap > 0 ? way / found.gap : real3(0);
    return found;
}

// Corners of the first side: the others are of the second.
uint pair_split(uint pair)
{
    return (ENGINE.pair_flags.at[pair] & PAIR_EDGES) != 0 ? 2 : 1;
}

uint pair_corner(uint pair, uint corner)
{
    return ENGINE.pair_corner.at[corner * ENGINE.pair_capacity + pair];
}

void pair_places(uint pair, Reals at, out real3 x[4])
{
    for (uint k = 0; k < 4; k++)
        x[k] = load3(at, pair_corner(pair, k));
}

real3 pair_normal(uint pair)
{
    return load3(ENGINE.pair_normal, ENGINE.pair_capacity, pair);
}

// The distance that the two sides of a pair keep.
real pair_distance(uint pair)
{
    uint split = pair_split(pair);
    real side[2] = real[2](INFINITE, INFINITE);
    for (uint k = 0; k < 4; k++)
    {
        uint which = k < split ? 0 : 1;
        side[which] = min(side[which], ENGINE.radius.at[pair_corner(pair, k)]);
    }
    return (side[0] + side[1]) * (split == 2 ? EDGE_SHARE : real(1));
}

// A grid of pair_grids with a thread for each of `count` pairs.
void set_pair_grid(uint place, uint count)
{
    uint groups = (count + PAIR_THREADS - 1) / PAIR_THREADS, y = (groups + GRID_MOST - 1) / GRID_MOST;
    ENGINE.pair_grids.at[place] = y > 0 ? (groups + y - 1) / y : 0;
    ENGINE.pair_grids.at[place + 1] = y;
    ENGINE.pair_grids.at[place + 2] = 1;
}
