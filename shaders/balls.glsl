// balls.glsl: edges and triangles as balls, and the cells of the grid that they are sorted into.

// How often the way of this step counts as reach: cloth that will touch in the next step is found in this one.
#define WAY_SHARE real(2)

// A ball around an edge or a triangle, and how it moves. It stands half of the way on, counted WAY_SHARE times: two parts that
// could meet are then apart by no more than their radii and half of that way against each other.
struct Ball
{
    real3 center;
    real3 way;    // m, that half: mean of its corners, against the drift
    real  radius; // m, with the distance that the cloth keeps and the ways of the corners against the mean
    real  margin; // m, the part of the radius that is not the item's own size; for edges, with the distance that edges keep
};

real3 drift()
{
    return real3(ENGINE.pair_ways.at[0], ENGINE.pair_ways.at[1], ENGINE.pair_ways.at[2]);
}

Ball ball_around(uint corner[3], uint count)
{
    real          share = real(1) / real(count), away = 0, apart = 0, keep = 0;
    precise real3 center = real3(0), mean = real3(0), from[3], way[3];
    for (uint k = 0; k < count; k++)
    {
        from[k] = load3(ENGINE.kept_x, corner[k]);
        way[k] = WAY_SHARE / 2 * (load3(ENGINE.x, corner[k]) - from[k] - drift());
        center += share * from[k];
        mean += share * way[k];
    }
    for (uint k = 0; k < count; k++)
    {
        away = max(away, size_of(from[k] - center));
        apart = max(apart, size_of(way[k] - mean));
        keep = max(keep, ENGINE.radius.at[corner[k]]);
    }
    precise real radius = away + 2 * apart + RADIUS_SHARE * keep;
    precise real margin = 2 * apart + RADIUS_SHARE * (count == 2 ? EDGE_SHARE : real(1)) * keep;
    return Ball(center + mean, mean, radius, margin);
}

uint item_count()
{
    return ENGINE.edge_count + ENGINE.triangle_count;
}

// Corners of an edge or a triangle; returns their number.
uint item_corners(uint item, out uint corner[3])
{
    uint edges = ENGINE.edge_count, triangles = ENGINE.triangle_count;
    bool is_edge = item < edges;
    corner[2] = 0;
    for (uint k = 0; k < (is_edge ? 2 : 3); k++)
        corner[k] = is_edge ? ENGINE.edges.at[k * edges + item]
                            : ENGINE.corners.at[k * triangles + item - edges];
    return is_edge ? 2 : 3;
}

ivec3 cell_of(real3 x)
{
    const real most = 1000000000;
    real       size = ENGINE.cell_size.at[0];
    ivec3      cell;
    for (int axis = 0; axis < 3; axis++)
    {
        real place = x[axis] / size;
        cell[axis] = place > -most && place < most ? int(floor(place)) : 0;
    }
    return cell;
}

// The grid repeats itself after 2^bits cells along each axis.
uint bucket_of(ivec3 cell, uint bits[3])
{
    uint bucket = 0, shift = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        bucket |= (uint(cell[axis]) & ((1u << bits[axis]) - 1)) << shift;
        shift += bits[axis];
    }
    return bucket;
}

uint bucket_count()
{
    return 1u << (ENGINE.bucket_bits[0] + ENGINE.bucket_bits[1] + ENGINE.bucket_bits[2]);
}
