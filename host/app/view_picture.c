// view_picture.c: pictures that are saved from the window.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view_state.h"

// The first weft-N.png that is not there yet.
static char *free_name(void)
{
    char name[32];
    for (int k = 1; k < 100000; k++)
    {
        snprintf(name, sizeof name, "weft-%d.png", k);
        if (access(name, F_OK) != 0)
            return strdup(name);
    }
    return NULL;
}

static WeftStatus write_picture(WeftView *view, WeftRenderTarget *target, WeftFile *file)
{
    WeftShot   shot;
    WeftPixels pixels = {target->width, target->height, target->pixels.memory};
    WEFT_TRY(weft_view_set_shot(view, &shot));
    WEFT_TRY(weft_renderer_draw(&view->renderer, target, &shot));
    // Windows like blue first, files do not.
    VkFormat format = view->renderer.format;
    bool     is_swapped = format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_B8G8R8A8_UNORM;
    for (size_t k = 0; is_swapped && k < (size_t)pixels.width * pixels.height; k++)
    {
        uint8_t blue = pixels.bytes[4 * k];
        pixels.bytes[4 * k] = pixels.bytes[4 * k + 2];
        pixels.bytes[4 * k + 2] = blue;
    }
    return weft_png_write(&pixels, file);
}

WeftStatus weft_view_save_picture(WeftView *view)
{
    WeftFile         file = {0};
    WeftRenderTarget target;
    uint32_t         width, height;
    char            *name = free_name();
    char **list = realloc(view->pictures, (view->picture_count + 1) * sizeof *view->pictures);
    view->pictures = list ? list : view->pictures;
    weft_window_size(&view->window, &width, &height);
    if (!name || !list || width == 0 || height == 0)
    {
        free(name);
        return WEFT_OK;
    }
    if (weft_file_begin(&file, name) != WEFT_OK)
    {
        fprintf(stderr, "weft: %s\n", weft_error_message());
        free(name);
        return WEFT_OK;
    }
    WeftStatus status = weft_render_target_create(&view->renderer, &target, width, height,
                                                  VK_NULL_HANDLE, VK_NULL_HANDLE);
    if (status == WEFT_OK)
    {
        status = write_picture(view, &target, &file);
        weft_render_target_destroy(&view->renderer, &target);
    }
    weft_file_abandon(&file);
    if (status != WEFT_OK)
    {
        free(name);
        return status;
    }
    view->pictures[view->picture_count++] = name;
    printf("%s\n", name);
    fflush(stdout);
    return WEFT_OK;
}
