#version 450
// order: rows sorted by component and cut into groups.
// Reads label. Writes systems (in order of their labels) and tiles: the rows of one large system among a number of
// particles that lie side by side. One thread per particle. Particles have been sorted by label (primitives/radix_*), so that a
// component begins at the place of its lowest particle, which is its label. ORDER_COUNT counts what begins in
// the rows of each thread and workgroup; ORDER_LIST numbers and describes it. With WEFT_WIDE eight threads do it all, the sorting
// too: order_segments.glsl.
#extension GL_GOOGLE_include_directive : require
#include "engine.glsl"
#include "systems.glsl"

#ifndef WEFT_WIDE
#define CHUNK 16

// Among a thread's counts: a component begins or ends in its rows, or a tile begins. In most rows of large components nothing does.
#define HAS_ANY 0x80000000u

shared uvec4 lanes[gl_WorkGroupSize.x];
shared uvec4 chunks[gl_WorkGroupSize.x / CHUNK];
shared uint heads;
#endif

// Read at the start of main: inside of conditions an address costs as much as what stands there.
Uints labels, rows, position;
uint  particle_count, tile_rows;

#ifndef WEFT_WIDE
// What the threads before this one hold, added up; `total` is the sum of all.
uvec4 group_scan4(uvec4 value, out uvec4 total)
{
    uint lane = gl_LocalInvocationID.x;
    lanes[lane] = value;
    barrier();
    if (lane < gl_WorkGroupSize.x / CHUNK)
    {
        uvec4 sum = uvec4(0);
        for (uint k = lane * CHUNK; k < (lane + 1) * CHUNK; k++)
        {
            uvec4 next = lanes[k];
            lanes[k] = sum;
            sum += next;
        }
        chunks[lane] = sum;
    }
    barrier();
    uvec4 before = lanes[lane];
    total = uvec4(0);
    for (uint k = 0; k < gl_WorkGroupSize.x / CHUNK; k++)
    {
        before += k < lane / CHUNK ? chunks[k] : uvec4(0);
        total += chunks[k];
    }
    barrier();
    return before;
}

// Whether the row is one of the component's.
bool is_in(uint label, uint row)
{
    return row < particle_count && labels.at[rows.at[row]] == label;
}

// What begins at a row: a system; a tile of a large one; a system of few rows; another small one.
struct Row
{
    uint  label, first;
    bool  is_head; // of a component
    bool  is_last; // of a large one
    uvec4 begins;
};

// A walk from row to row: the particles around the present row, and what is known of the component that it was in last.
struct Walk
{
    uint before, particle, next;
    uint label, next_label;
    uint known, first; // the component, and its first row
    bool is_large;
};

void look_ahead(inout Walk walk, uint row)
{
    bool is_row = row < particle_count;
    walk.next = is_row ? rows.at[row] : 0;
    walk.next_label = is_row ? labels.at[walk.next] : LABEL_NONE;
}

// Before the first row of a thread.
Walk walk_to(uint row)
{
    Walk walk = Walk(0, 0, 0, LABEL_NONE, LABEL_NONE, LABEL_NONE, 0, false);
    if (row > 0 && row <= particle_count)
        walk.particle = rows.at[row - 1];
    look_ahead(walk, row);
    return walk;
}

// Goes on to `row`, the one behind the last.
Row look_at(uint row, inout Walk walk)
{
    Row found = Row(LABEL_NONE, 0, false, false, uvec4(0));
    walk.before = walk.particle;
    walk.particle = walk.next;
    walk.label = walk.next_label;
    look_ahead(walk, row + 1);
    if (walk.label == LABEL_NONE)
        return found;
    if (walk.label != walk.known)
    {
        walk.known = walk.label;
        walk.first = position.at[walk.label];
        walk.is_large = is_in(walk.label, walk.first + SMALL_COMPONENT);
    }
    bool goes_on = walk.next_label == walk.label;
    found.label = walk.label;
    found.first = walk.first;
    found.is_head = row == walk.first;
    if (walk.is_large)
    {
        found.is_last = !goes_on;
        found.begins.y =
            found.is_head || walk.particle / tile_rows != walk.before / tile_rows ? 1 : 0;
    }
    if (found.is_head && goes_on)
    {
        bool is_more = is_in(walk.label, row + FEW_ROWS);
        found.begins.x = 1;
        found.begins.z = is_more ? 0 : 1;
        found.begins.w = is_more && !walk.is_large ? 1 : 0;
    }
    return found;
}

// Behind the last row of a component.
uint find_end(uint label, uint first)
{
    uint low = first + 1, high = particle_count;
    while (low < high)
    {
        uint middle = low + (high - low) / 2;
        if (is_in(label, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
#endif

// Without the end of its tiles, which its last row knows.
void set_system(uint system, uint label, uint first, uint row_count, uint tile)
{
    set_system_word(system, SYSTEM_LABEL, label);
    set_system_word(system, SYSTEM_FIRST, first);
    set_system_word(system, SYSTEM_ROWS, row_count);
    set_system_word(system, SYSTEM_TILE, tile);
    set_system_word(system, SYSTEM_END, UNFINISHED);
    set_system_word(system, SYSTEM_CONVERGED, 0);
    set_system_word(system, SYSTEM_PRODUCTS, 0);
    set_system_word(system, SYSTEM_ARRIVED, 0);
    found_max(FOUND_LARGEST, row_count);
}

void set_tile(uint tile, uint system, uint place)
{
    ENGINE.tiles.at[tile * TILE_WORDS + TILE_SYSTEM] = system;
    ENGINE.tiles.at[tile * TILE_WORDS + TILE_PLACE] = place;
    ENGINE.live.at[tile] = tile;
}

#ifndef WEFT_WIDE
// All that begins at a row; `next` are the numbers to give.
void list_row(uint row, Row found, uint particle, uvec4 next)
{
    // The system of a row that begins none is the last that has begun.
    uint system = next.x - (found.is_head ? 0 : 1);
    if (found.begins.x != 0)
        set_system(system, found.label, row, find_end(found.label, row) - row, next.y);
    if (found.begins.y != 0)
        set_tile(next.y, system, particle / tile_rows);
    if (found.is_last)
        set_system_word(system, SYSTEM_TILE_END, next.y + found.begins.y);
    if (found.begins.z != 0)
        ENGINE.small.at[next.z] = system;
    if (found.begins.w != 0)
        ENGINE.small.at[SYSTEM_MOST(ENGINE.padded_count) + next.w] = system;
}
#endif

void set_grids(uvec4 total)
{
    set_grid(GRID_FEW, total.z, total.z);
    set_grid(GRID_SMALL, total.w, total.w);
    set_tile_grid(GRID_TILES, total.y);
    set_tile_grid(GRID_LIVE, total.y);
    set_tile_grid(GRID_CHOICE, 0);
    set_grid(GRID_SHORTEN, 1, 0);
    ENGINE.grids.at[GRID_SHORTEN] = 0;
    ENGINE.grids.at[GRID_UNFINISHED] = total.x - total.z - total.w;
}

void finish(uvec4 total)
{
    found_add(FOUND_SYSTEMS, total.x);
    found_add(FOUND_SMALL, total.z + total.w);
    found_add(FOUND_TILES, total.y);
    set_grids(total);
}

#ifdef WEFT_WIDE
#include "order_segments.glsl"
#else
// With decomposition off, every row is in the one system, also those that are held.
void order_whole()
{
    uint row = thread_index(), count = particle_count;
    if (row >= count)
        return;
    rows.at[row] = row;
    position.at[row] = row;
    if (row % tile_rows == 0)
        set_tile(row / tile_rows, 0, row / tile_rows);
    if (row == 0)
    {
        uint tiles = (count + tile_rows - 1) / tile_rows;
        set_system(0, 0, 0, count, 0);
        set_system_word(0, SYSTEM_TILE_END, tiles);
        found_add(FOUND_COMPONENTS, 1);
        finish(uvec4(1, tiles, 0, 0));
    }
}

// The counts of what begins, or what that is.
void order_rows()
{
    uint group = group_index(), lane = gl_LocalInvocationID.x;
    uint first = (group * gl_WorkGroupSize.x + lane) * ORDER_ITEMS;
    Uints counts = ENGINE.scratch;

    // What begins in the rows of each thread stands behind the counts of the workgroups.
    uvec4 sum = uvec4(0), total;
    uint  head_count = 0, rows_of_group = gl_WorkGroupSize.x * ORDER_ITEMS;
    uint  mine = 4 * ((particle_count + rows_of_group - 1) / rows_of_group + thread_index());
    bool  is_count = push.phase == ORDER_COUNT, is_group = group * rows_of_group < particle_count;
    heads = 0;
    Walk walk = walk_to(first);
    uint any = 0;
    if (is_count)
        for (uint row = first; row < first + ORDER_ITEMS; row++)
        {
            Row found = look_at(row, walk);
            sum += found.begins;
            any |= found.is_head || found.is_last || found.begins.y != 0 ? HAS_ANY : 0;
        }
    else if (is_group)
    {
        for (uint k = 0; k < 4; k++)
            sum[k] = counts.at[mine + k];
        any = sum.x & HAS_ANY;
        sum.x -= any;
    }
    uvec4 next = group_scan4(sum, total);
    if (is_count)
    {
        for (uint k = 0; k < 4 && is_group; k++)
            counts.at[mine + k] = sum[k] | (k == 0 ? any : 0);
        if (lane < 4 && is_group)
            counts.at[4 * group + lane] = total[lane];
        return;
    }

    // What begins in earlier workgroups.
    uvec4 earlier = uvec4(0), before;
    for (uint k = lane; k < group; k += gl_WorkGroupSize.x)
        earlier += uvec4(counts.at[4 * k], counts.at[4 * k + 1], counts.at[4 * k + 2], counts.at[4 * k + 3]);
    group_scan4(earlier, before);
    next += before;
    for (uint row = first; any != 0 && row < first + ORDER_ITEMS; row++)
    {
        Row found = look_at(row, walk);
        list_row(row, found, walk.particle, next);
        next += found.begins;
        head_count += found.is_head ? 1 : 0;
    }

    // Components of one particle make no system: they take one product each.
    atomicAdd(heads, head_count);
    barrier();
    if (lane == 0 && heads > 0)
    {
        found_add(FOUND_COMPONENTS, heads);
        found_max(FOUND_LARGEST, 1);
        if (heads > total.x)
        {
            found_rows(heads - total.x, 1);
            found_max(FOUND_ITERATIONS, 1);
        }
    }
    uint last = (ENGINE.particle_count - 1) / (gl_WorkGroupSize.x * ORDER_ITEMS);
    if (lane == 0 && group == last)
        finish(before + total);
}
#endif

void main()
{
    labels = ENGINE.label;
    rows = ENGINE.rows;
    position = ENGINE.position;
    particle_count = ENGINE.particle_count;
    tile_rows = ENGINE.tile_rows;

    // After a failed step the solver gets nothing to do.
    if (has_failed())
    {
        if (thread_index() == 0)
            set_grids(uvec4(0));
        return;
    }
#ifdef WEFT_WIDE
    order_segments();
#else
    if (push.phase == ORDER_WHOLE)
        order_whole();
    else
        order_rows();
#endif
}
