// balls.glsl: particles, edges and triangles as balls, and the cells of the grid that clumps of them are sorted into.

// How often the way of this step counts as reach: cloth that will touch in the next step is found in this one.
#define WAY_SHARE real(2)

// A ball around an item, and how it moves. It stands half of the way on, counted WAY_SHARE times: two parts that
// could meet are then apart by no more than their radii and half of that way against each other.
struct Ball
{
    real3 center;
    real3 way;    // m, that half: mean of its corners, against the drift
    real  radius; // m, with the distance that the cloth keeps and the ways of the corners against the mean
};

real3 drift()
{
    return real3(ENGINE.pair_ways.at[0], ENGINE.pair_ways.at[1], ENGINE.pair_ways.at[2]);
}

uint clump_count()
{
    return ENGINE.item_begin[3] / CLUMP;
}

// Clumps of edges and triangles.
uint grid_clumps()
{
    return (ENGINE.item_begin[3] - ENGINE.item_begin[1]) / CLUMP;
}

// How many corners an item has.
uint corner_count(uint item)
{
    return item < ENGINE.item_begin[1] ? 1 : item < ENGINE.item_begin[2] ? 2 : 3;
}

// Balls as they are stored: centre, radius, way.
Ball ball_load(Reals balls, uint stride, uint place)
{
    return Ball(load3(balls, stride, place), load3(balls, stride, 4 * stride + place), balls.at[3 * stride + place]);
}

void ball_store(Reals balls, uint stride, uint place, Ball ball)
{
    for (uint axis = 0; axis < 3; axis++)
    {
        balls.at[axis * stride + place] = ball.center[axis];
        balls.at[(4 + axis) * stride + place] = ball.way[axis];
    }
    balls.at[3 * stride + place] = ball.radius;
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
