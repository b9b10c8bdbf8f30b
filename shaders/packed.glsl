// packed.glsl: the matrix once more, slice by slice, as WEFT_WIDE reads it.
//
// What a slice has in solve_multiply lies one behind the other, eight rows of each number: the six of the diagonal block, then alpha and u
// of every slot of the pattern; zeros where the slice has no such slot. A processor takes half the time for them that it takes for
// numbers from places that are far apart, and MULTIPLY_PACK, which puts them together, takes less than one product.
layout(constant_id = 31) const uint PASS = MULTIPLY_PRODUCT;

// What a slot of the pattern takes from the rows of a slice, whose matrix begins at `row`.
real3 pattern_product(uint k, Place row, uint slice, uint offset)
{
    uint  other = min(slice * SLICE_ROWS + offset, STRIDE - SLICE_ROWS);
    real  alpha = lane_at(row, PACKED_SLOT(k) * SLICE_ROWS);
    real3 u = lane_vector(row, SLICE_ROWS, (PACKED_SLOT(k) + 1) * SLICE_ROWS);
    real3 far = lane_vector(place_of(push.from, other), STRIDE, 0);
    return alpha * far + u * dot(u, far);
}

// The product of the eight rows of a slice, without the slots that are not in the pattern.
real3 multiply_slice(uint slice, Uints slot_flags, real3 v)
{
    Place row = place_of(push.packed, slice * SLICE_ROWS * PACKED_SLOT(PATTERN));
    real3 sum = block_multiply(lane_block(row, SLICE_ROWS), v);
#define SUBTRACT_SLOT(k) sum -= pattern_product(k, row, slice, OTHER##k)
    FOR_PATTERN(SUBTRACT_SLOT)
    return sum;
}

// Two numbers of each row.
void pack_two(Stores stores, Place to, real number, real other)
{
    store_two(stores, to, number, to + REAL_BYTES * SLICE_ROWS, other);
}

void pack_slot(uint k, Stores stores, Place row, uint slice, uint offset, uint is_mirror, uint spring_offset)
{
    bool  is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    Place block = place_of(push.springs, pattern_spring(slice, offset, is_mirror, spring_offset));
    Place to = row + REAL_BYTES * SLICE_ROWS * PACKED_SLOT(k);
    real  alpha = lane_at(block, 0);
    real3 u = lane_vector(block, SPRING_COUNT, SPRING_COUNT);
    alpha = is_there ? alpha : real(0);
    u = is_there ? u : real3(0);
    pack_two(stores, to, alpha, u.x);
    pack_two(stores, to + 2 * REAL_BYTES * SLICE_ROWS, u.y, u.z);
}

// One thread per row.
void pack_slice()
{
    uint  i = thread_index(), slice = min(known_to_all(i / SLICE_ROWS), SLICE_COUNT - 1);
    Stores stores = stores_of(i / SLICE_ROWS < SLICE_COUNT);
    Place row = place_of(push.packed, slice * SLICE_ROWS * PACKED_SLOT(PATTERN));
    Block block = lane_block(place_of(push.diagonal, slice * SLICE_ROWS), STRIDE);
    pack_two(stores, row, block.diagonal.x, block.diagonal.y);
    pack_two(stores, row + 2 * REAL_BYTES * SLICE_ROWS, block.diagonal.z, block.rest.x);
    pack_two(stores, row + 4 * REAL_BYTES * SLICE_ROWS, block.rest.y, block.rest.z);
#define PACK_SLOT(k) pack_slot(k, stores, row, slice, OTHER##k, IS_MIRROR##k, SPRING##k)
    FOR_PATTERN(PACK_SLOT)
}
