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

// The counts of an indirect dispatch of `groups` workgroups, and how many systems or tiles it is for.
void set_grid(uint place, uint groups, uint count)
{
    uint y = (groups + GRID_MOST - 1) / GRID_MOST;
    ENGINE.grids.at[place] = y > 0 ? (groups + y - 1) / y : 0;
    ENGINE.grids.at[place + 1] = y;
    ENGINE.grids.at[place + 2] = 1;
    ENGINE.grids.at[place + 3] = count;
}

void set_tile_grid(uint place, uint tiles)
{
    set_grid(place, (tiles + ENGINE.tile_units - 1) / ENGINE.tile_units, tiles);
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

// The end of a large one. `more` are products besides one an iteration. With the last, the iterations that are still recorded get
// nothing to do; before that, the list of live tiles is to be shortened.
void finish_system(uint system, uint iterations, uint more, bool converged, real gamma, real reference)
{
    report_system(system, iterations, system_word(system, SYSTEM_PRODUCTS) + iterations + more, converged, gamma,
                  reference);
    bool is_last = atomicAdd(ENGINE.grids.at[GRID_UNFINISHED], 0xFFFFFFFFu) == 1;
    ENGINE.grids.at[is_last ? GRID_LIVE : GRID_SHORTEN] = is_last ? 0 : 1;
}
