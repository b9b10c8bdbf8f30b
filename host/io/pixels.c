// pixels.c: PNG through libpng.
#include "io/pixels.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

WeftStatus weft_pixels_create(WeftPixels *pixels, uint32_t width, uint32_t height)
{
    *pixels = (WeftPixels){width, height, calloc((size_t)width * height + 1, 4)};
    if (pixels->bytes)
        return WEFT_OK;
    memset(pixels, 0, sizeof *pixels);
    return weft_fail(WEFT_ERROR_FAILED, "not enough memory for a picture of %ux%u pixels", width,
                     height);
}

void weft_pixels_destroy(WeftPixels *pixels)
{
    free(pixels->bytes);
    memset(pixels, 0, sizeof *pixels);
}

WeftStatus weft_png_read(WeftPixels *pixels, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    memset(pixels, 0, sizeof *pixels);
    if (!png_image_begin_read_from_file(&image, path))
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read as PNG: %s", path, image.message);
    image.format = PNG_FORMAT_RGBA;
    WeftStatus status = weft_pixels_create(pixels, image.width, image.height);
    if (status == WEFT_OK && !png_image_finish_read(&image, NULL, pixels->bytes, 0, NULL))
        status = weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read as PNG: %s", path, image.message);
    png_image_free(&image);
    if (status != WEFT_OK)
        weft_pixels_destroy(pixels);
    return status;
}

static WeftStatus encode(const WeftPixels *pixels, const uint8_t *rgb, WeftFile *file)
{
    png_image        image = {.version = PNG_IMAGE_VERSION,
                              .width = pixels->width,
                              .height = pixels->height,
                              .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t         *bytes = malloc(size);
    if (!bytes)
        return weft_fail(WEFT_ERROR_FAILED, "%s: not enough memory", file->path);
    WeftStatus status = WEFT_OK;
    if (!png_image_write_to_memory(&image, bytes, &size, 0, rgb, 0, NULL))
        status = weft_fail(WEFT_ERROR_FAILED, "%s: cannot be made: %s", file->path, image.message);
    if (status == WEFT_OK)
        status = weft_file_put(file, bytes, size);
    free(bytes);
    return status == WEFT_OK ? weft_file_commit(file) : status;
}

WeftStatus weft_png_write(const WeftPixels *pixels, WeftFile *file)
{
    size_t   count = (size_t)pixels->width * pixels->height;
    uint8_t *rgb = malloc(3 * count + 1);
    if (!rgb)
        return weft_fail(WEFT_ERROR_FAILED, "%s: not enough memory", file->path);
    for (size_t i = 0; i < count; i++)
        memcpy(rgb + 3 * i, pixels->bytes + 4 * i, 3);
    WeftStatus status = encode(pixels, rgb, file);
    free(rgb);
    return status;
}
