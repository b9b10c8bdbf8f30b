// swapchain.h: the images of a window, drawn into in turn. They follow the window's size, and come back when the window
// system takes them away.
//
//   WEFT_TRY(weft_swapchain_open(&chain, gpu, &window));        // chain.format is then known: make the renderer
//   ...
//   WEFT_TRY(weft_swapchain_show(&chain, &renderer, &shot, &shown));
#pragma once

#include "render/renderer.h"
#include "view/window.h"

enum
{
    WEFT_SWAPCHAIN_MOST = 8 // images
};

typedef struct WeftSwapchain
{
    WeftGpu          *gpu;
    const WeftWindow *window;
    VkFormat          format;
    VkColorSpaceKHR   space;
    VkPresentModeKHR  mode;
    VkSurfaceKHR      surface;
    VkSwapchainKHR    handle; // none while the window has no size
    uint32_t          width, height, count;
    bool              is_stale; // the window has changed
    VkImage           images[WEFT_SWAPCHAIN_MOST];
    VkImageView       views[WEFT_SWAPCHAIN_MOST];
    WeftRenderTarget  targets[WEFT_SWAPCHAIN_MOST];
    WeftRenderer     *renderer; // that the targets are for
    VkFence           acquired;
} WeftSwapchain;

/// Finds out how the device shows pictures in the window. Fails with WEFT_ERROR_INPUT if it cannot. Free with
/// weft_swapchain_close(), before renderer, window and device; it also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_swapchain_open(WeftSwapchain *chain, WeftGpu *gpu,
                                            const WeftWindow *window);
void                    weft_swapchain_close(WeftSwapchain *chain);

/// The images are left in this layout by the renderer that draws into them.
#define WEFT_SWAPCHAIN_LAYOUT VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL

/// Draws a picture and shows it; always with the same renderer. *shown is false if there is nothing to draw into just now: the window is minimised, or
/// changed its size at this moment.
WEFT_CHECKED WeftStatus weft_swapchain_show(WeftSwapchain *chain, WeftRenderer *renderer,
                                            const WeftShot *shot, bool *shown);
