// triad.h: the memory bandwidth of this machine, as STREAM's triad measures it (McCalpin 1995).
#pragma once

/// Best of several runs of a[i] = b[i] + s c[i] on arrays far larger than the caches, in bytes a second (12 a float element).
/// 0 if there is no memory for the arrays.
double weft_triad_bandwidth(int threads);
