#version 450
// guard: lengths of the stretch and shear springs, the largest stretch, and whether all positions
// are finite. Reads x. Writes spring length; largest_stretch, finite. One thread per spring, or for several; with WEFT_WIDE per
// particle, for the springs that it owns.
// Phase 1 is one thread that ends the step: it decides whether the step has failed and leaves the findings to the host.
#extension GL_GOOGLE_include_directive : require
#ifdef WEFT_WIDE
#define ENGINE_PUSH GuardPush
#endif
#include "engine.glsl"
#include "tally.glsl"
#ifdef WEFT_WIDE
#include "block3.glsl"
#include "lanes.glsl"
#include "pattern.glsl"
#include "owned.glsl"
#endif

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints spring_flags, ends;
Reals positions, lengths, rests;
uint  stride;

uint stretch_bits, odd_count;

void end_step()
{
    Uints found = ENGINE.findings;
    real stretch = real(uintBitsToFloat(found.at[FOUND_STRETCH]));
    bool good = found.at[FOUND_NOT_FINITE] == 0 && stretch <= value(VALUE_STRETCH_LIMIT) &&
                found.at[FOUND_UNFINISHED] == 0 && found.at[FOUND_STUCK] == 0;
    found.at[FOUND_TOUCHING] = ENGINE.pair_counts.at[PAIR_TOUCHING];
    found.at[FOUND_JOINING] = ENGINE.pair_counts.at[PAIR_JOINING];
    found.at[FOUND_PAIRS] = ENGINE.pair_counts.at[PAIR_COUNT];
    found.at[FOUND_LOST] = ENGINE.pair_counts.at[PAIR_LOST];
    found.at[FOUND_CUT] = ENGINE.pair_counts.at[PAIR_CUT];
    found.at[FOUND_FAILED] = good ? 0 : 1;
    uint step = ENGINE.clock.at[0], place = step % ENGINE.ring_count * FOUND_COUNT;
    for (uint k = 0; k < FOUND_COUNT; k++)
        ENGINE.results.at[place + k] = found.at[k];
    ENGINE.clock.at[0] = step + 1;
    ENGINE.clock.at[1] = good ? 0 : 1;
}

// The length of a spring from end to end.
real length_of(real3 from, real3 to)
{
    precise real3 d = to - from;
    precise real  square = d.x * d.x + d.y * d.y + d.z * d.z;
    return sqrt(square);
}

void note_length(uint spring, real size, real rest)
{
    lengths.at[spring] = size;
    float stretch = float(size / rest);
    stretch_bits = max(stretch_bits, stretch > 0 ? floatBitsToUint(stretch) : 0);
}

void measure(uint spring)
{
    if ((spring_flags.at[spring] & SPRING_PRESENT) == 0)
        return;
    uint a = ends.at[2 * spring], b = ends.at[2 * spring + 1];
    note_length(spring, length_of(load3(positions, stride, a), load3(positions, stride, b)), rests.at[spring]);
}

// A number minus itself is zero only if it is finite.
void look_at(real3 position)
{
    precise real3 odd = position - position;
    odd_count += odd == real3(0) ? 0 : 1;
}

#ifdef WEFT_WIDE
// The eight springs of a slot that the rows of a slice own.
void measure_pattern(uint k, uint slice, bool is_row, uint other, uint is_mirror, uint spring_offset, real3 near)
{
    if (is_mirror != 0)
        return;
    uint  first = pattern_spring(slice, other, is_mirror, spring_offset);
    uint  far = min(slice * SLICE_ROWS + other, STRIDE - SLICE_ROWS);
    bool  is_there = push.regular.at[slice * PATTERN + k] != NO_SLOT;
    uint  flags = lane_word(word_place(push.flags, first), 0);
    real3 end = lane_vector(place_of(push.x, far), STRIDE, 0);
    real  rest = lane_at(place_of(push.rests, first), 0), size = length_of(near, end);
    if (is_row && is_there && (flags & SPRING_PRESENT) != 0)
        note_length(first + gl_SubgroupInvocationID, size, rest);
}
#endif

void main()
{
    uint i = thread_index(), particles = ENGINE.particle_count;
    spring_flags = ENGINE.s_flags;
    ends = ENGINE.s_ends;
    positions = ENGINE.x;
    lengths = ENGINE.s_length;
    rests = ENGINE.s_rest;
    stride = ENGINE.padded_count;
    stretch_bits = odd_count = 0;
#ifdef WEFT_WIDE
    uint first_slice = known_to_all(i / SLICE_ROWS) * COUNTED_SLICES;
    bool is_going = !has_failed();
    [[unroll]] for (uint round = 0; round < COUNTED_SLICES; round++)
    {
        uint  slice = min(first_slice + round, SLICE_COUNT - 1);
        bool  is_row = is_going && first_slice + round < SLICE_COUNT;
        real3 near = lane_vector(place_of(push.x, slice * SLICE_ROWS), STRIDE, 0);
#define MEASURE(k) measure_pattern(k, slice, is_row, OTHER##k, IS_MIRROR##k, SPRING##k, near)
        FOR_PATTERN(MEASURE)
        if (is_row && slice * SLICE_ROWS + i % SLICE_ROWS < particles)
            look_at(near);
    }
    uint last_slice = is_going ? min(first_slice + COUNTED_SLICES, SLICE_COUNT) : 0;
    FOR_ODD_SPRINGS(min(first_slice, last_slice), last_slice, i % SLICE_ROWS, measure)
#else
    if (has_failed())
        return;
    if (push.phase == 1)
    {
        if (i == 0)
            end_step();
        return;
    }
    uint springs = ENGINE.structural_count, threads = thread_count();
    for (uint k = i; k < springs; k += threads)
        measure(k);
    for (uint k = i; k < particles; k += threads)
        look_at(load3(positions, stride, k));
#endif
    tally_max(FOUND_STRETCH, stretch_bits);
    tally_add(FOUND_NOT_FINITE, odd_count);
}
