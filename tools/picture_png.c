// picture_png.c: writes the image as PNG.
#include "picture.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

WeftStatus weft_picture_png_write(const PictureImage *image, const char *path)
{
    // In the same folder, as a rename does not cross file systems.
    size_t room = strlen(path) + 32;
    char  *temporary = weft_picture_resize(NULL, room, 1);
    snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());

    png_image  description = {.version = PNG_IMAGE_VERSION,
                              .width = (png_uint_32)image->width,
                              .height = (png_uint_32)image->height,
                              .format = PNG_FORMAT_RGB,
                              .flags = PNG_IMAGE_FLAG_FAST};
    WeftStatus status = WEFT_OK;
    FILE      *file = fopen(temporary, "wb");
    if (!file)
    {
        status = weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", path, strerror(errno));
        free(temporary);
        return status;
    }
    int written = png_image_write_to_stdio(&description, file, 0, image->pixels, 0, NULL);
    int closed = fclose(file);
    if (!written)
        status =
            weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", path, description.message);
    else if (closed != 0 || rename(temporary, path) != 0)
        status = weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (status != WEFT_OK)
        remove(temporary);
    free(temporary);
    return status;
}
