// lanes.glsl: numbers of eight rows that lie side by side, one for each thread of a slice.
//
// A software driver makes of every load one access for each thread, and a jump around it, unless it can tell that all threads read
// the same place. It can tell that of places that hang on push constants alone, outside of loops and conditions. WEFT_WIDE is for such
// a driver with eight threads side by side: there eight loads from places that are the same for all, of which each thread keeps
// its own, become a single access to a vector. What has been read from memory is made such a place by known_to_all().
// With WEFT_WIDE, whatever calls these functions must have no loop that stays one and no condition around them.
#extension GL_EXT_control_flow_attributes : require

#ifdef WEFT_WIDE
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// A number below 2^24 that is the same in all threads of a unit, put together from digits that are push constants.
uint known_to_all(uint number)
{
    uint known = 0;
    [[unroll]] for (uint digit = 0; digit < 8; digit++)
        known |= push.digits[number >> 3 * digit & 7] << 3 * digit;
    return known;
}

// array[first + lane of the slice]. The address is formed once: only what is added behind that is seen to be a step of
// one place.
#ifdef WEFT_DOUBLE
#define REAL_BYTES 8
#else
#define REAL_BYTES 4
#endif
#define LANES(type, bytes, Array, Eight, load)                                                      \
    layout(buffer_reference, std430, buffer_reference_align = bytes) buffer Eight                  \
    {                                                                                              \
        type at0, at1, at2, at3, at4, at5, at6, at7;                                               \
    };                                                                                             \
    type load(Array array, uint first)                                                             \
    {                                                                                              \
        Eight lanes = Eight(uint64_t(array) + bytes * uint64_t(first));                            \
        uint  lane = gl_SubgroupInvocationID;                                                      \
        type  at1 = lanes.at1, at2 = lanes.at2, at3 = lanes.at3, at4 = lanes.at4,                  \
              at5 = lanes.at5, at6 = lanes.at6, at7 = lanes.at7, mine = lanes.at0;                 \
        mine = lane == 1 ? at1 : mine;                                                             \
        mine = lane == 2 ? at2 : mine;                                                             \
        mine = lane == 3 ? at3 : mine;                                                             \
        mine = lane == 4 ? at4 : mine;                                                             \
        mine = lane == 5 ? at5 : mine;                                                             \
        mine = lane == 6 ? at6 : mine;                                                             \
        return lane == 7 ? at7 : mine;                                                             \
    }
LANES(real, REAL_BYTES, Reals, LaneReals, lane_at)
LANES(uint, 4, Uints, LaneUints, lane_word)
#else
#define known_to_all(number) (number)

// array[first + lane of the slice]
real lane_at(Reals array, uint first)
{
    return array.at[first + slice_lane()];
}

uint lane_word(Uints array, uint first)
{
    return array.at[first + slice_lane()];
}
#endif

real3 lane_vector(Reals array, uint stride, uint first)
{
    return real3(lane_at(array, first), lane_at(array, stride + first), lane_at(array, 2 * stride + first));
}

Block lane_block(Reals array, uint stride, uint first)
{
    return Block(lane_vector(array, stride, first), lane_vector(array, stride, 3 * stride + first));
}
