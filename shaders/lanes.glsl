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
#extension GL_KHR_shader_subgroup_basic : require

// A number below 2^24 that is the same in all threads of a unit, put together from digits that are push constants.
uint known_to_all(uint number)
{
    uint known = 0;
    [[unroll]] for (uint digit = 0; digit < 8; digit++)
        known |= push.digits[number >> 3 * digit & 7] << 3 * digit;
    return known;
}

// Where eight numbers begin that lie side by side. It is found once: what lies a constant further on then costs no more than
// what lies there.
#define Place uint64_t
#ifdef WEFT_DOUBLE
#define REAL_BYTES 8
#else
#define REAL_BYTES 4
#endif
#define LANES(type, bytes, Array, Eight, place_of, load)                                           \
    layout(buffer_reference, std430, buffer_reference_align = bytes) buffer Eight                  \
    {                                                                                              \
        type at0, at1, at2, at3, at4, at5, at6, at7;                                               \
    };                                                                                             \
    Place place_of(Array array, uint first)                                                        \
    {                                                                                              \
        return uint64_t(array) + bytes * uint64_t(first);                                          \
    }                                                                                              \
    type load(Place place, uint further)                                                           \
    {                                                                                              \
        Eight lanes = Eight(place + bytes * uint64_t(further));                                    \
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
LANES(real, REAL_BYTES, Reals, LaneReals, place_of, lane_at)
LANES(uint, 4, Uints, LaneUints, word_place, lane_word)
#else
#define known_to_all(number) (number)

struct Place
{
    Reals array;
    uint  first;
};

struct WordPlace
{
    Uints array;
    uint  first;
};

#define place_of(array, first) Place(array, first)
#define word_place(array, first) WordPlace(array, first)

// The number of a thread's lane among the eight that begin `further` behind a place.
real lane_at(Place place, uint further)
{
    return place.array.at[place.first + further + slice_lane()];
}

uint lane_word(WordPlace place, uint further)
{
    return place.array.at[place.first + further + slice_lane()];
}
#endif

real3 lane_vector(Place place, uint stride, uint further)
{
    return real3(lane_at(place, further), lane_at(place, stride + further),
                 lane_at(place, 2 * stride + further));
}

Block lane_block(Place place, uint stride)
{
    return Block(lane_vector(place, stride, 0), lane_vector(place, stride, 3 * stride));
}

// Stores of rows of a slice. A store is one access for each thread whatever its size, so that floats of two neighbouring rows
// go together where both are to be stored: of two vectors, half of the threads take one each.
#if defined(WEFT_WIDE) && !defined(WEFT_DOUBLE)
#define PAIRED_STORES
#extension GL_KHR_shader_subgroup_shuffle : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer LanePair
{
    uint64_t at;
};

struct Stores
{
    uint first;     // of the two rows that the thread stores
    bool is_pair;   // whether it stores them
    bool is_single; // whether its own row is stored, but not the neighbour's
};

Stores stores_of(bool is_row)
{
    uint word = is_row ? 1 : 0, first = 2 * (gl_SubgroupInvocationID & 3u);
    uint both = subgroupShuffle(word, first) & subgroupShuffle(word, first + 1);
    uint neighbour = subgroupShuffle(word, gl_SubgroupInvocationID ^ 1u);
    return Stores(first, both != 0, is_row && neighbour == 0);
}

void store_two(Stores stores, Place to, real number, Place to_other, real other)
{
    bool  is_other = gl_SubgroupInvocationID >= 4;
    vec2  pair = vec2(subgroupShuffle(number, stores.first), subgroupShuffle(number, stores.first + 1));
    vec2  pair_other = vec2(subgroupShuffle(other, stores.first), subgroupShuffle(other, stores.first + 1));
    Place place = (is_other ? to_other : to) + REAL_BYTES * uint64_t(stores.first);
    if (stores.is_pair)
        LanePair(place).at = packUint2x32(floatBitsToUint(is_other ? pair_other : pair));
}
#elif defined(WEFT_WIDE)
#define Stores bool
#define stores_of(is_row) (is_row)

void store_two(bool is_row, Place to, real number, Place to_other, real other)
{
    Place further = REAL_BYTES * uint64_t(gl_SubgroupInvocationID);
    if (is_row)
    {
        LaneReals(to + further).at0 = number;
        LaneReals(to_other + further).at0 = other;
    }
}
#endif

#ifdef WEFT_WIDE
void store_two_vectors(Stores stores, Place to, real3 vector, Place to_other, real3 other, uint stride)
{
    [[unroll]] for (uint axis = 0; axis < 3; axis++)
    {
        Place further = REAL_BYTES * uint64_t(axis * stride);
        store_two(stores, to + further, vector[axis], to_other + further, other[axis]);
    }
}

void store_vector(Stores stores, Place to, real3 vector, uint stride)
{
    Place y = to + REAL_BYTES * uint64_t(stride), z = y + REAL_BYTES * uint64_t(stride);
    store_two(stores, to, vector.x, y, vector.y);
    store_two(stores, z, vector.z, z, vector.z);
}
#endif
