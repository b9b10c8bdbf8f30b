// image.c: images through VMA.
#include "image.h"

#include <string.h>

#include "commands.h"

static VkImageAspectFlags aspect_of(VkFormat format)
{
    bool is_depth = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM;
    return is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

static WeftStatus create_view(WeftGpu *gpu, const WeftGpuImage *image, VkImageViewType type,
                              uint32_t layer, uint32_t layer_count, VkImageView *view)
{
    const VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->handle,
        .viewType = type,
        .format = image->format,
        .subresourceRange =
            {
                .aspectMask = aspect_of(image->format),
                .levelCount = image->levels,
                .baseArrayLayer = layer,
                .layerCount = layer_count,
            },
    };
    VK_TRY(vkCreateImageView(gpu->device, &info, NULL, view), "making an image");
    return WEFT_OK;
}

static WeftStatus create(WeftGpu *gpu, WeftGpuImage *image, const WeftGpuImageWish *wish)
{
    image->format = wish->format;
    image->width = wish->width;
    image->height = wish->height;
    image->layers = wish->layers ? wish->layers : 1;
    image->levels = wish->levels ? wish->levels : 1;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = wish->format,
        .extent = {wish->width, wish->height, 1},
        .mipLevels = image->levels,
        .arrayLayers = image->layers,
        .samples = wish->samples ? wish->samples : VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = wish->usage,
    };
    const VmaAllocationCreateInfo where = {.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE};
    VK_TRY(vmaCreateImage(gpu->allocator, &info, &where, &image->handle, &image->allocation, NULL),
           wish->name);
    return create_view(gpu, image,
                       wish->layers ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, 0,
                       image->layers, &image->view);
}

WeftStatus weft_gpu_image_create(WeftGpu *gpu, WeftGpuImage *image, const WeftGpuImageWish *wish)
{
    memset(image, 0, sizeof(*image));
    WeftStatus status = create(gpu, image, wish);
    if (status != WEFT_OK)
        weft_gpu_image_destroy(gpu, image);
    return status;
}

void weft_gpu_image_destroy(WeftGpu *gpu, WeftGpuImage *image)
{
    if (image->view)
        vkDestroyImageView(gpu->device, image->view, NULL);
    if (image->handle)
        vmaDestroyImage(gpu->allocator, image->handle, image->allocation);
    memset(image, 0, sizeof(*image));
}

WeftStatus weft_gpu_image_layer(WeftGpu *gpu, const WeftGpuImage *image, uint32_t layer,
                                VkImageView *view)
{
    return create_view(gpu, image, VK_IMAGE_VIEW_TYPE_2D, layer, 1, view);
}

static void change_layout(VkCommandBuffer buffer, const WeftGpuImage *image, uint32_t level,
                          uint32_t level_count, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->handle,
        .subresourceRange = {aspect_of(image->format), level, level_count, 0, image->layers},
    };
    vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void weft_gpu_image_layout(VkCommandBuffer buffer, const WeftGpuImage *image, VkImageLayout from,
                           VkImageLayout to)
{
    change_layout(buffer, image, 0, image->levels, from, to);
}

// Each level from the one before it, at half its size.
static void record_levels(VkCommandBuffer buffer, const WeftGpuImage *image)
{
    int32_t width = (int32_t)image->width, height = (int32_t)image->height;
    for (uint32_t level = 1; level < image->levels; level++)
    {
        change_layout(buffer, image, level - 1, 1, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        int32_t           half_width = width > 1 ? width / 2 : 1;
        int32_t           half_height = height > 1 ? height / 2 : 1;
        const VkImageBlit blit = {
            .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1},
            .srcOffsets = {{0, 0, 0}, {width, height, 1}},
            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
            .dstOffsets = {{0, 0, 0}, {half_width, half_height, 1}},
        };
        vkCmdBlitImage(buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image->handle,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_LINEAR);
        change_layout(buffer, image, level - 1, 1, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        width = half_width;
        height = half_height;
    }
    change_layout(buffer, image, image->levels - 1, 1, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

static WeftStatus send(WeftGpuCommands *commands, const WeftGpuImage *image)
{
    WeftGpu *gpu = commands->gpu;
    WEFT_TRY(weft_gpu_commands_begin(commands));
    weft_gpu_image_layout(commands->buffer, image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkBufferImageCopy copy = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {image->width, image->height, 1},
    };
    vkCmdCopyBufferToImage(commands->buffer, gpu->staging, image->handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    record_levels(commands->buffer, image);
    WEFT_TRY(weft_gpu_commands_end(commands));
    WEFT_TRY(weft_gpu_commands_submit(commands, 1));
    return weft_gpu_commands_wait(commands);
}

WeftStatus weft_gpu_image_upload(WeftGpu *gpu, const WeftGpuImage *image, const void *pixels)
{
    size_t size = (size_t)image->width * image->height * 4;
    if (size > WEFT_GPU_STAGING_BYTES)
        return weft_fail(WEFT_ERROR_FAILED, "an image of %u x %u pixels is too large", image->width,
                         image->height);
    memcpy(gpu->staging_memory, pixels, size);
    VK_TRY(vmaFlushAllocation(gpu->allocator, gpu->staging_allocation, 0, size),
           "sending an image to the device");
    WeftGpuCommands commands;
    WEFT_TRY(weft_gpu_commands_create(gpu, &commands));
    WeftStatus status = send(&commands, image);
    weft_gpu_commands_destroy(&commands);
    return status;
}
