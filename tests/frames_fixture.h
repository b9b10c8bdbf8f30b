// frames_fixture.h: what tests of frame files share: a stand-in for the simulation, whose state the
// tests set, and a folder of their own for every test.
#pragma once

#include <unity.h>

#include "io/writer.h"

struct WeftSim
{
    size_t   cloth_count;
    WeftMesh meshes[2];
    double  *positions[2];
};

// A quad and a triangle in the first cloth, and a chain of three in the second; at first there is
// only the first.
extern double    sheet_positions[5 * 3];
extern double    chain_positions[3 * 3];
extern WeftCloth cloths[2];
extern WeftScene scene;
extern WeftSim   sim;
extern char      folder[];

/// Visible files in the folder.
size_t count_files(void);

/// The bytes of a file in the folder, with a zero after them; valid until the next call.
char *read_file(const char *name, size_t *size);

/// Writes the present state `count` times.
void write_frames(WeftFormat format, int count);

/// Writes frames in which corner 2 of the sheet rises by a quarter of a metre a frame.
void write_rising_frames(WeftFormat format, int count);
