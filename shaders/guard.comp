#version 450
// guard: lengths of the stretch and shear springs, the largest stretch, and whether all positions
// are finite. Reads x. Writes spring length; largest_stretch, finite. One thread per spring, or for several.
// Phase 1 is one thread that ends the step: it decides whether the step has failed and leaves the findings to the host.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "tally.glsl"

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

void main()
{
    Uints spring_flags = ENGINE.s_flags, ends = ENGINE.s_ends;
    Reals positions = ENGINE.x, lengths = ENGINE.s_length, rests = ENGINE.s_rest;
    uint  first = thread_index(), stride = ENGINE.padded_count;
    if (has_failed())
        return;
    if (push.phase == 1)
    {
        if (first == 0)
            end_step();
        return;
    }
    uint springs = ENGINE.structural_count, particles = ENGINE.particle_count;
    uint threads = thread_count(), stretch_bits = 0, odd_count = 0;
    for (uint k = first; k < springs; k += threads)
    {
        if ((spring_flags.at[k] & SPRING_PRESENT) == 0)
            continue;
        precise real3 d = load3(positions, stride, ends.at[2 * k + 1]) -
                          load3(positions, stride, ends.at[2 * k]);
        precise real square = d.x * d.x + d.y * d.y + d.z * d.z;
        real size = sqrt(square);
        lengths.at[k] = size;
        float stretch = float(size / rests.at[k]);
        stretch_bits = max(stretch_bits, stretch > 0 ? floatBitsToUint(stretch) : 0);
    }
    for (uint k = first; k < particles; k += threads)
    {
        // A number minus itself is zero only if it is finite.
        precise real3 x = load3(positions, stride, k);
        precise real3 odd = x - x;
        odd_count += odd == real3(0) ? 0 : 1;
    }
    tally_max(FOUND_STRETCH, stretch_bits);
    tally_add(FOUND_NOT_FINITE, odd_count);
}
