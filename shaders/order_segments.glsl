// order_segments.glsl: order as WEFT_WIDE does it, by segments: particles side by side that have the same label.
//
// Sorting is by counting, as in kernels/order.c, but the segments are looked at eight at a time: the rows of one come behind those of
// the earlier ones of its component, and these behind all components with lower labels. A component's first segment begins
// with the particle that is its label, so that segments meet components in order.
#include "alone.glsl"

// Arrays in `scratch`. The first three have a word for each segment; the others go by label, with the last place for what is held.
#define SEGMENT_BEGIN 0u
#define SEGMENT_SHIFT 1u // from a particle to its row; at first, the component's rows before it
#define SEGMENT_TILE 2u  // the component's tiles before those that it begins
#define LABEL_ROWS 3u    // of the segments so far; then the component's first row
#define LABEL_TILES 4u   // the same of the tiles; NO_TILE if it is not a large one
#define LABEL_END 5u     // place of the last tile so far; then the number of the system

#define NO_TILE 0xFFFFFFFFu
#define NO_KEY 0xFFFFFFFFu
#define NO_LABEL 0xFFFFFFFEu // nor LABEL_NONE

// Of a segment, among the tiles before it: an earlier one has begun the tile that it begins in.
#define IS_SHARED 0x80000000u

Uints scratch;
uint  lane, stride, held_key, segment_count;

uint word_at(uint array, uint k)
{
    return scratch.at[array * stride + k];
}

void set_word(uint array, uint k, uint word)
{
    scratch.at[array * stride + k] = word;
}

// Whether a segment begins at the particle; `last` is the label before the eight.
bool begins_at(uint particle, inout uint last)
{
    uint own = particle < particle_count ? labels.at[particle] : NO_LABEL;
    uint before = from_before(own, last);
    return own != NO_LABEL && own != before;
}

void find_segments()
{
    uint last = NO_LABEL;
    segment_count = 0;
    for (uint first = 0; first < particle_count; first += SLICE_ROWS)
    {
        bool is_begin = begins_at(first + lane, last);
        uint segment = add_before(is_begin ? 1 : 0, segment_count);
        if (is_begin)
            set_word(SEGMENT_BEGIN, segment, first + lane);
    }
    if (lane == 0)
        set_word(SEGMENT_BEGIN, segment_count, particle_count);
}

struct Segment
{
    bool is_there, is_root; // the first of its component
    uint begin, size, key;
    uint first_tile, last_tile; // places
};

Segment segment_at(uint k)
{
    bool is_there = k < segment_count;
    uint at = min(k, segment_count - 1), begin = word_at(SEGMENT_BEGIN, at), end = word_at(SEGMENT_BEGIN, at + 1);
    uint label = labels.at[begin], key = label == LABEL_NONE ? held_key : label;
    return Segment(is_there, is_there && label == begin, begin, is_there ? end - begin : 0, is_there ? key : NO_KEY,
                   begin / tile_rows, (end - 1) / tile_rows);
}

void begin_key(uint key)
{
    set_word(LABEL_ROWS, key, 0);
    set_word(LABEL_TILES, key, 0);
    set_word(LABEL_END, key, NO_TILE);
}

// Rows and tiles of each component, and how many come before each segment.
void count_rows()
{
    if (lane == 0)
        begin_key(held_key);
    for (uint first = 0; first < segment_count; first += SLICE_ROWS)
    {
        Segment own = segment_at(first + lane);
        if (own.is_root)
            begin_key(own.key);
        end_pass();
        uint rows = 0, tiles = 0, last_tile = NO_TILE;
        if (own.is_there)
        {
            rows = word_at(LABEL_ROWS, own.key);
            tiles = word_at(LABEL_TILES, own.key);
            last_tile = word_at(LABEL_END, own.key);
        }

        // Then the earlier ones of the eight.
        [[unroll]] for (uint other = 0; other + 1 < SLICE_ROWS; other++)
        {
            bool is_same = subgroupShuffle(own.key, other) == own.key;
            uint tile = subgroupShuffle(own.last_tile, other);
            last_tile = is_same && other < lane ? tile : last_tile;
        }
        bool is_shared = last_tile == own.first_tile, is_last = own.is_there;
        uint begun = own.last_tile - own.first_tile + (is_shared ? 0 : 1);
        [[unroll]] for (uint other = 0; other < SLICE_ROWS; other++)
        {
            bool is_same = subgroupShuffle(own.key, other) == own.key;
            uint other_size = subgroupShuffle(own.size, other), other_begun = subgroupShuffle(begun, other);
            rows += is_same && other < lane ? other_size : 0;
            tiles += is_same && other < lane ? other_begun : 0;
            is_last = is_last && !(is_same && other > lane);
        }
        end_pass();
        if (own.is_there)
        {
            set_word(SEGMENT_SHIFT, first + lane, rows);
            set_word(SEGMENT_TILE, first + lane, tiles | (is_shared ? IS_SHARED : 0));
        }
        if (is_last)
        {
            set_word(LABEL_ROWS, own.key, rows + own.size);
            set_word(LABEL_TILES, own.key, tiles + begun);
            set_word(LABEL_END, own.key, own.last_tile);
        }
    }
}

// Components of one particle make no system: they take one product each.
void report_components(uint components, uint systems)
{
    if (components == 0)
        return;
    found_add(FOUND_COMPONENTS, components);
    found_max(FOUND_LARGEST, 1);
    if (components > systems)
    {
        found_rows(components - systems, 1);
        found_max(FOUND_ITERATIONS, 1);
    }
}

void list_systems()
{
    uvec4 next = uvec4(0); // systems, tiles of large ones, systems of few rows, other small ones
    uint  next_row = 0, components = 0;
    for (uint first = 0; first < segment_count; first += SLICE_ROWS)
    {
        Segment own = segment_at(first + lane);
        uint row_count = 0, tile_count = 0;
        if (own.is_root)
        {
            row_count = word_at(LABEL_ROWS, own.key);
            tile_count = word_at(LABEL_TILES, own.key);
        }
        bool is_system = row_count > 1, is_large = row_count > SMALL_COMPONENT;
        bool is_few = is_system && row_count <= FEW_ROWS, is_other = is_system && !is_few && !is_large;
        add_before(own.is_root ? 1 : 0, components);
        uint row = add_before(row_count, next_row), system = add_before(is_system ? 1 : 0, next.x);
        uint tile = add_before(is_large ? tile_count : 0, next.y);
        uint few = add_before(is_few ? 1 : 0, next.z), other = add_before(is_other ? 1 : 0, next.w);
        if (is_system)
            set_system(system, own.key, row, row_count, tile);
        if (is_large)
            set_system_word(system, SYSTEM_TILE_END, tile + tile_count);
        if (is_few)
            ENGINE.small.at[few] = system;
        if (is_other)
            ENGINE.small.at[SYSTEM_MOST(ENGINE.padded_count) + other] = system;
        if (own.is_root)
        {
            set_word(LABEL_ROWS, own.key, row);
            set_word(LABEL_TILES, own.key, is_large ? tile : NO_TILE);
            set_word(LABEL_END, own.key, system);
        }
    }
    if (lane == 0)
    {
        set_word(LABEL_ROWS, held_key, next_row);
        set_word(LABEL_TILES, held_key, NO_TILE);
        report_components(components, next.x);
        finish(next);
    }
}

// Where the segments' rows lie, and the tiles that they begin.
void place_segments()
{
    for (uint first = 0; first < segment_count; first += SLICE_ROWS)
    {
        Segment own = segment_at(first + lane);
        if (!own.is_there)
            continue;
        uint tile = word_at(LABEL_TILES, own.key), system = word_at(LABEL_END, own.key);
        uint before = word_at(SEGMENT_TILE, first + lane), place = own.first_tile + (before & IS_SHARED) / IS_SHARED;
        uint end = tile == NO_TILE ? place : own.last_tile + 1;
        for (tile += before & ~IS_SHARED; place < end; place++, tile++)
            set_tile(tile, system, place);
        set_word(SEGMENT_SHIFT, first + lane,
                 word_at(LABEL_ROWS, own.key) + word_at(SEGMENT_SHIFT, first + lane) - own.begin);
    }
}

void place_rows()
{
    uint last = NO_LABEL, begun = 0;
    for (uint first = 0; first < particle_count; first += SLICE_ROWS)
    {
        uint particle = first + lane, begin = begins_at(particle, last) ? 1 : 0;
        uint segment = add_before(begin, begun) + begin - 1;
        if (particle >= particle_count)
            continue;
        uint row = particle + word_at(SEGMENT_SHIFT, segment);
        position.at[particle] = row;
        rows.at[row] = particle;
    }
}

void order_segments()
{
    scratch = ENGINE.scratch;
    lane = lane_of_eight();
    held_key = ENGINE.padded_count;
    stride = ENGINE.padded_count + 1;
    find_segments();
    end_pass();
    count_rows();
    end_pass();
    list_systems();
    end_pass();
    place_segments();
    end_pass();
    place_rows();
}
