// pattern.glsl: the slots that most slices have, built into the shader.
//
// On a grid most slices have the same slots: the far ends lie `OTHER` behind the rows, and the springs at places that follow from
// their owners' (kernels/data.h). Nothing has to be looked up for these but whether a slice has them.
layout(constant_id = 2) const uint PATTERN = 0; // slots
layout(constant_id = 3) const uint TILE_GAP = 0;
#define SLOT_CONSTANTS(k)                                                                          \
    layout(constant_id = 4 + 3 * k) const uint OTHER##k = 0;                                       \
    layout(constant_id = 5 + 3 * k) const uint IS_MIRROR##k = 0;                                   \
    layout(constant_id = 6 + 3 * k) const uint SPRING##k = 0
SLOT_CONSTANTS(0);
SLOT_CONSTANTS(1);
SLOT_CONSTANTS(2);
SLOT_CONSTANTS(3);
SLOT_CONSTANTS(4);
SLOT_CONSTANTS(5);
SLOT_CONSTANTS(6);
SLOT_CONSTANTS(7);
layout(constant_id = 28) const uint STRIDE = 0;       // padded_count
layout(constant_id = 29) const uint SPRING_COUNT = 0; // in storage
layout(constant_id = 30) const uint SLICE_COUNT = 1;

// Does `act` with the number of each slot of the pattern.
#define FOR_PATTERN(act)                                                                           \
    if (PATTERN > 0)                                                                               \
        act(0);                                                                                    \
    if (PATTERN > 1)                                                                               \
        act(1);                                                                                    \
    if (PATTERN > 2)                                                                               \
        act(2);                                                                                    \
    if (PATTERN > 3)                                                                               \
        act(3);                                                                                    \
    if (PATTERN > 4)                                                                               \
        act(4);                                                                                    \
    if (PATTERN > 5)                                                                               \
        act(5);                                                                                    \
    if (PATTERN > 6)                                                                               \
        act(6);                                                                                    \
    if (PATTERN > 7)                                                                               \
        act(7);

// The first of the eight springs of a slot, or, where the slice has no such slot, others.
uint pattern_spring(uint slice, uint other, uint is_mirror, uint spring_offset)
{
    uint owner = slice * SLICE_ROWS + (is_mirror != 0 ? other : 0);
    return min(owner + owner / CPU_TILE * TILE_GAP + spring_offset, SPRING_COUNT - SLICE_ROWS);
}
