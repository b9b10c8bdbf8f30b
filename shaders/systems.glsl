// systems.glsl: systems and tiles, and what is reported of them.

uint system_word(uint system, uint word)
{
    return ENGINE.systems.at[system * SYSTEM_WORDS + word];
}

void set_system_word(uint system, uint word, uint value)
{
    ENGINE.systems.at[system * SYSTEM_WORDS + word] = value;
}

uint tile_word(uint tile, uint word)
{
    return ENGINE.tiles.at[tile * TILE_WORDS + word];
}

uint partial_place(uint which, uint tile)
{
    return which * TILE_MOST(ENGINE.padded_count) + tile;
}

// The counts of an indirect dispatch, and how many workgroups they stand for.
void set_grid(uint place, uint groups)
{
    uint y = (groups + GRID_MOST - 1) / GRID_MOST;
    ENGINE.grids.at[place] = y > 0 ? (groups + y - 1) / y : 0;
    ENGINE.grids.at[place + 1] = y;
    ENGINE.grids.at[place + 2] = 1;
    ENGINE.grids.at[place + 3] = groups;
}

// Products of a row with a vector: 64 bits, to which each system adds once.
void found_rows(uint rows, uint times)
{
    uint high, low;
    umulExtended(rows, times, high, low);
    uint before = atomicAdd(ENGINE.findings.at[FOUND_ROWS_LOW], low);
    found_add(FOUND_ROWS_HIGH, high + (before + low < before ? 1 : 0));
}

// What a finished system leaves behind.
void report_system(uint system, uint iterations, uint products, bool converged, real gamma, real reference)
{
    set_system_word(system, SYSTEM_END, iterations);
    set_system_word(system, SYSTEM_CONVERGED, converged ? 1 : 0);
    found_rows(system_word(system, SYSTEM_ROWS), products);
    found_max(FOUND_ITERATIONS, iterations);
    found_add(FOUND_UNCONVERGED, converged ? 0 : 1);
    if (reference > 0)
        found_max(FOUND_RESIDUAL, floatBitsToUint(float(abs(gamma) / reference)));
}
