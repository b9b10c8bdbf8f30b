// drops.h: cloth that falls on cloth, and the search for parts that have passed through each other.
#pragma once

#include "support.h"

/// Pairs of triangles that cut each other.
uint64_t intersections(const Rig *rig);

/// Steps and looks for intersections every few steps. There must be something that could intersect.
void expect_no_intersections(Rig *rig, int steps);

/// A cloth of a random shape and motion, another above it, and a floor. `contact` goes on with the scene's contact, `solver` is
/// a key of the scene. Free with rig_close().
void open_drop(Rig *rig, uint32_t seed, const char *contact, const char *solver);

/// Lets such cloths fall. They must neither pass through each other nor be pressed far into the floor.
void expect_good_drop(uint32_t seed, const char *solver);
