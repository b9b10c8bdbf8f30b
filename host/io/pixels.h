// pixels.h: pictures in memory and as PNG files.
#pragma once

#include <stdint.h>

#include "io/file.h"

// 8 bits each of red, green, blue and opacity, sRGB, row by row from the top.
typedef struct WeftPixels
{
    uint32_t width, height;
    uint8_t *bytes; // (height x width x 4)
} WeftPixels;

/// Allocates a black picture. Free with weft_pixels_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_pixels_create(WeftPixels *pixels, uint32_t width, uint32_t height);
void                    weft_pixels_destroy(WeftPixels *pixels);

/// Reads a PNG file of any kind. Fails with WEFT_ERROR_INPUT, naming the file; `pixels` is then zeroed.
WEFT_CHECKED WeftStatus weft_png_read(WeftPixels *pixels, const char *path);

/// Writes a picture as PNG, without opacity, to a file that was begun, and commits it.
WEFT_CHECKED WeftStatus weft_png_write(const WeftPixels *pixels, WeftFile *file);
