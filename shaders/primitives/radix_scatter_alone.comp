#version 450
// radix_scatter_alone: moves the items of each tile to where their digit goes, in the order in which they come.
// Reads keys, from, counts (prefix sums). Writes to, places; changes counts. One thread per tile: radix_count_alone says why.
#extension GL_GOOGLE_include_directive : require
#include "gpu.glsl"
#include "primitives/primitives.h"
#include "primitives/radix.glsl"

void main()
{
    Uints counts = push.counts, to = push.to, places = push.places;
    uint  tile = thread_index(), tile_count = push.tile_count;
    bool  is_last = push.is_last != 0;
    if (tile >= tile_count)
        return;

    // `next` is the place of the next item with the digit `last`.
    uint first = tile * push.tile_items, end = min(first + push.tile_items, push.count);
    uint last = 0, next = counts.at[tile];
    for (uint place = first; place < end; place++)
    {
        uint item = radix_item(place), digit = radix_digit(item);
        if (digit != last)
        {
            counts.at[last * tile_count + tile] = next;
            next = counts.at[digit * tile_count + tile];
            last = digit;
        }
        to.at[next] = item;
        if (is_last)
            places.at[item] = next;
        next++;
    }
}
