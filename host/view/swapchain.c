// swapchain.c: from the window's surface to images, and back onto the screen.
#include "view/swapchain.h"

#include <string.h>

// Pixels are shown as sRGB has them. A software driver is slow at encoding, so the renderer does it.
static WeftStatus choose_format(WeftSwapchain *chain)
{
    VkSurfaceFormatKHR formats[64];
    uint32_t           count = 64;
    bool               is_slow = chain->gpu->info.kind == WEFT_GPU_SOFTWARE;
    VkFormat           blue_first = is_slow ? VK_FORMAT_B8G8R8A8_UNORM : VK_FORMAT_B8G8R8A8_SRGB;
    VkFormat           red_first = is_slow ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R8G8B8A8_SRGB;
    VkResult           result =
        vkGetPhysicalDeviceSurfaceFormatsKHR(chain->gpu->physical, chain->surface, &count, formats);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return weft_vk_fail(result, "asking the window for its colours");
    for (uint32_t k = 0; k < count; k++)
        if (formats[k].format == blue_first || formats[k].format == red_first)
        {
            chain->format = formats[k].format;
            chain->space = formats[k].colorSpace;
            return WEFT_OK;
        }
    return weft_fail(WEFT_ERROR_INPUT, "'%s' has no sRGB colours for this display",
                     chain->gpu->info.name);
}

// A new picture takes the place of one that waits, where that is possible; else each waits for the screen.
static WeftStatus choose_mode(WeftSwapchain *chain)
{
    VkPresentModeKHR modes[16];
    uint32_t         count = 16;
    VkResult         result = vkGetPhysicalDeviceSurfacePresentModesKHR(chain->gpu->physical,
                                                                        chain->surface, &count, modes);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return weft_vk_fail(result, "asking the window how it is shown");
    chain->mode = VK_PRESENT_MODE_FIFO_KHR;
    for (uint32_t k = 0; k < count; k++)
        if (modes[k] == VK_PRESENT_MODE_MAILBOX_KHR)
            chain->mode = modes[k];
    return WEFT_OK;
}

static WeftStatus create_surface(WeftSwapchain *chain)
{
    WeftGpu *gpu = chain->gpu;
    VkBool32 good = VK_FALSE;
    WEFT_TRY(weft_window_surface(chain->window, gpu, &chain->surface));
    VK_TRY(vkGetPhysicalDeviceSurfaceSupportKHR(gpu->physical, gpu->info.queue_family,
                                                chain->surface, &good),
           "asking the device about the window");
    if (!good)
        return weft_fail(WEFT_ERROR_INPUT, "'%s' cannot show pictures on this display",
                         gpu->info.name);
    return WEFT_OK;
}

static WeftStatus open_parts(WeftSwapchain *chain)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (!chain->gpu->info.presents)
        return weft_fail(WEFT_ERROR_INPUT, "'%s' cannot draw into windows", chain->gpu->info.name);
    WEFT_TRY(create_surface(chain));
    WEFT_TRY(choose_format(chain));
    WEFT_TRY(choose_mode(chain));
    VK_TRY(vkCreateFence(chain->gpu->device, &fence, NULL, &chain->acquired),
           "preparing the window to be drawn into");
    return WEFT_OK;
}

WeftStatus weft_swapchain_open(WeftSwapchain *chain, WeftGpu *gpu, const WeftWindow *window)
{
    memset(chain, 0, sizeof *chain);
    chain->gpu = gpu;
    chain->window = window;
    WeftStatus status = open_parts(chain);
    if (status != WEFT_OK)
        weft_swapchain_close(chain);
    return status;
}

static void destroy_images(WeftSwapchain *chain)
{
    for (uint32_t k = 0; k < chain->count; k++)
    {
        if (chain->renderer)
            weft_render_target_destroy(chain->renderer, &chain->targets[k]);
        vkDestroyImageView(chain->gpu->device, chain->views[k], NULL);
        chain->views[k] = VK_NULL_HANDLE;
    }
    chain->count = 0;
}

static void destroy_chain(WeftSwapchain *chain)
{
    vkDeviceWaitIdle(chain->gpu->device);
    destroy_images(chain);
    if (chain->handle)
        vkDestroySwapchainKHR(chain->gpu->device, chain->handle, NULL);
    chain->handle = VK_NULL_HANDLE;
    chain->width = chain->height = 0;
}

void weft_swapchain_close(WeftSwapchain *chain)
{
    if (!chain->gpu)
        return;
    destroy_chain(chain);
    vkDestroyFence(chain->gpu->device, chain->acquired, NULL);
    if (chain->surface)
        vkDestroySurfaceKHR(chain->gpu->instance, chain->surface, NULL);
    memset(chain, 0, sizeof *chain);
}

static WeftStatus create_images(WeftSwapchain *chain)
{
    uint32_t count = WEFT_SWAPCHAIN_MOST;
    VkResult result =
        vkGetSwapchainImagesKHR(chain->gpu->device, chain->handle, &count, chain->images);
    if (result != VK_SUCCESS)
        return weft_vk_fail(result, "taking the window's images");
    memset(chain->targets, 0, sizeof chain->targets);
    for (uint32_t k = 0; k < count; k++)
    {
        const VkImageViewCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = chain->images[k],
            .viewType = VK_IMAGE_VIEW_TYPE_2D,
            .format = chain->format,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
        };
        VK_TRY(vkCreateImageView(chain->gpu->device, &info, NULL, &chain->views[k]),
               "taking the window's images");
        chain->count = k + 1;
        WEFT_TRY(weft_render_target_create(chain->renderer, &chain->targets[k], chain->width,
                                           chain->height, chain->images[k], chain->views[k]));
    }
    return WEFT_OK;
}

// *lost says that the surface itself is gone.
static WeftStatus create_chain(WeftSwapchain *chain, bool *lost)
{
    VkSurfaceCapabilitiesKHR can;
    VkResult                 result =
        vkGetPhysicalDeviceSurfaceCapabilitiesKHR(chain->gpu->physical, chain->surface, &can);
    *lost = result == VK_ERROR_SURFACE_LOST_KHR;
    if (result != VK_SUCCESS)
        return *lost ? WEFT_OK : weft_vk_fail(result, "asking the window for its size");

    // Where the surface leaves the size to us, it is that of the window.
    weft_window_size(chain->window, &chain->width, &chain->height);
    if (chain->width == 0 || chain->height == 0)
        return WEFT_OK;
    if (can.currentExtent.width != UINT32_MAX)
    {
        chain->width = can.currentExtent.width;
        chain->height = can.currentExtent.height;
    }
    if (chain->width == 0 || chain->height == 0)
        return WEFT_OK;
    uint32_t count = can.minImageCount + 1;
    if (can.maxImageCount > 0 && count > can.maxImageCount)
        count = can.maxImageCount;
    VkCompositeAlphaFlagBitsKHR alpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    if (!(can.supportedCompositeAlpha & alpha))
        alpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (chain->renderer->quality.keeps_ground)
        usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = chain->surface,
        .minImageCount = count,
        .imageFormat = chain->format,
        .imageColorSpace = chain->space,
        .imageExtent = {chain->width, chain->height},
        .imageArrayLayers = 1,
        .imageUsage = usage,
        .imageSharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .preTransform = can.currentTransform,
        .compositeAlpha = alpha,
        .presentMode = chain->mode,
        .clipped = VK_TRUE,
    };
    result = vkCreateSwapchainKHR(chain->gpu->device, &info, NULL, &chain->handle);
    *lost = result == VK_ERROR_SURFACE_LOST_KHR;
    if (result != VK_SUCCESS)
        return *lost ? WEFT_OK : weft_vk_fail(result, "preparing the window to be drawn into");
    return create_images(chain);
}

// Brings the images in line with the window; without success there is no handle.
static WeftStatus renew(WeftSwapchain *chain)
{
    bool lost;
    destroy_chain(chain);
    WEFT_TRY(create_chain(chain, &lost));
    if (!lost)
        return WEFT_OK;
    vkDestroySurfaceKHR(chain->gpu->instance, chain->surface, NULL);
    chain->surface = VK_NULL_HANDLE;
    WEFT_TRY(create_surface(chain));
    WEFT_TRY(create_chain(chain, &lost));
    return lost ? weft_fail(WEFT_ERROR_FAILED, "the window is lost") : WEFT_OK;
}

// Takes what the window system says of an image; *good if it can be used.
static WeftStatus judge(WeftSwapchain *chain, VkResult result, const char *what, bool *good)
{
    *good = result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR;
    if (result == VK_SUCCESS)
        return WEFT_OK;
    chain->is_stale = true;
    if (*good || result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_ERROR_SURFACE_LOST_KHR)
        return WEFT_OK;
    return weft_vk_fail(result, what);
}

static WeftStatus acquire(WeftSwapchain *chain, uint32_t *image, bool *good)
{
    VkDevice device = chain->gpu->device;
    VkResult result = vkAcquireNextImageKHR(device, chain->handle, UINT64_MAX, VK_NULL_HANDLE,
                                            chain->acquired, image);
    WEFT_TRY(judge(chain, result, "taking an image of the window", good));
    if (!*good)
        return WEFT_OK;
    VK_TRY(vkWaitForFences(device, 1, &chain->acquired, VK_TRUE, UINT64_MAX),
           "waiting for an image of the window");
    VK_TRY(vkResetFences(device, 1, &chain->acquired), "waiting for an image of the window");
    return WEFT_OK;
}

// From what the renderer leaves to what a window shows.
static void record_present(VkCommandBuffer buffer, VkImage image)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = WEFT_SWAPCHAIN_LAYOUT,
        .newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static WeftStatus draw(WeftSwapchain *chain, uint32_t image, const WeftShot *shot)
{
    WeftGpuCommands *commands = &chain->renderer->commands;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    weft_renderer_record(chain->renderer, commands, &chain->targets[image], shot);
    record_present(commands->buffer, chain->images[image]);
    WEFT_TRY(weft_gpu_commands_end(commands));
    WEFT_TRY(weft_gpu_commands_submit(commands, 1));
    return weft_gpu_commands_wait(commands);
}

WeftStatus weft_swapchain_show(WeftSwapchain *chain, WeftRenderer *renderer, const WeftShot *shot,
                               bool *shown)
{
    uint32_t width, height, image;
    *shown = false;
    chain->renderer = renderer;
    weft_window_size(chain->window, &width, &height);
    if (width == 0 || height == 0)
        return WEFT_OK;
    if (!chain->handle || chain->is_stale || width != chain->width || height != chain->height)
    {
        WEFT_TRY(renew(chain));
        chain->is_stale = false;
    }
    if (!chain->handle)
        return WEFT_OK;
    WEFT_TRY(acquire(chain, &image, shown));
    if (!*shown)
        return WEFT_OK;
    WEFT_TRY(draw(chain, image, shot));
    const VkPresentInfoKHR present = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .swapchainCount = 1,
        .pSwapchains = &chain->handle,
        .pImageIndices = &image,
    };
    return judge(chain, vkQueuePresentKHR(chain->gpu->queue, &present), "showing a picture", shown);
}
