// block3.glsl: vectors and symmetric 3x3 blocks of the particles, and the filter S.
//
// Addresses are read from the engine's block once, at the start of main, and handed on: a read inside a loop costs as
// much as one of the data.

struct Block
{
    real3 diagonal; // xx yy zz
    real3 rest;     // xy xz yz
};

// An array of vectors or blocks: its entries lie `stride` apart.
struct Vectors
{
    Reals array;
    uint  stride;
};

#define VECTORS(name) Vectors(ENGINE.name, ENGINE.padded_count)

real3 vector_at(Vectors from, uint i)
{
    return real3(from.array.at[i], from.array.at[from.stride + i], from.array.at[2 * from.stride + i]);
}

void set_vector(Vectors to, uint i, real3 vector)
{
    to.array.at[i] = vector.x;
    to.array.at[to.stride + i] = vector.y;
    to.array.at[2 * to.stride + i] = vector.z;
}

Block block_at(Vectors from, uint i)
{
    return Block(vector_at(from, i), vector_at(from, i + 3 * from.stride));
}

void set_block(Vectors to, uint i, Block block)
{
    set_vector(to, i, block.diagonal);
    set_vector(to, i + 3 * to.stride, block.rest);
}

Block block_scale(Block a, real factor)
{
    return Block(a.diagonal * factor, a.rest * factor);
}

Block block_add(Block a, Block b)
{
    return Block(a.diagonal + b.diagonal, a.rest + b.rest);
}

// (a b^T + b a^T) / 2
Block block_outer(real3 a, real3 b)
{
    return Block(a * b, (a.xxy * b.yzz + a.yzz * b.xxy) / 2);
}

real3 block_multiply(Block a, real3 v)
{
    return a.diagonal * v + real3(a.rest.x * v.y + a.rest.y * v.z, a.rest.x * v.x + a.rest.z * v.z,
                                  a.rest.y * v.x + a.rest.z * v.y);
}

// The columns of the inverse are cross products of the rows over the determinant.
Block block_invert(Block a)
{
    real3 row0 = real3(a.diagonal.x, a.rest.x, a.rest.y);
    real3 row1 = real3(a.rest.x, a.diagonal.y, a.rest.z);
    real3 row2 = real3(a.rest.y, a.rest.z, a.diagonal.z);
    real3 column0 = cross(row1, row2), column1 = cross(row2, row0), column2 = cross(row0, row1);
    Block cofactors = Block(real3(column0.x, column1.y, column2.z),
                            real3(column0.y, column0.z, column1.z));
    return block_scale(cofactors, 1 / dot(row0, column0));
}

// S v: all of v, what is across the normal, what is along the line, or nothing.
real3 filtered(uint degrees, real3 direction, real3 v)
{
    if (degrees == 3)
        return v;
    real3 along = dot(v, direction) * direction;
    return degrees == 2 ? v - along : degrees == 1 ? along : real3(0);
}

// S B S
Block filtered_block(uint degrees, real3 n, Block block)
{
    if (degrees == 3)
        return block;
    real3 image = block_multiply(block, n);
    Block along = block_scale(block_outer(n, n), dot(n, image));
    if (degrees == 2)
        return block_add(block_add(block, block_scale(block_outer(n, image), -2)), along);
    return degrees == 1 ? along : Block(real3(0), real3(0));
}

// The inverse of S C S on the range of S, zero outside. On a surface: in two directions across the normal.
Block filtered_inverse(Block block, uint degrees, real3 n)
{
    if (degrees == 3)
        return block_invert(block);
    if (degrees == 1)
        return block_scale(block_outer(n, n), 1 / dot(n, block_multiply(block, n)));
    if (degrees == 0)
        return Block(real3(0), real3(0));
    real3 size = abs(n);
    real3 axis = size.x <= size.y && size.x <= size.z ? real3(1, 0, 0)
                 : size.y <= size.z                   ? real3(0, 1, 0)
                                                      : real3(0, 0, 1);
    real3 s = normalize(cross(n, axis)), t = cross(n, s);
    real3 image = block_multiply(block, s);
    real  ss = dot(s, image), st = dot(t, image), tt = dot(t, block_multiply(block, t));
    Block sum = block_add(block_scale(block_outer(s, s), tt), block_scale(block_outer(t, t), ss));
    sum = block_add(sum, block_scale(block_outer(s, t), -2 * st));
    return block_scale(sum, 1 / (ss * tt - st * st));
}
