// image.h: pictures on the device: what is drawn into, looked up in shaders, and read back.
#pragma once

#include "memory.h"

typedef struct WeftGpuImage
{
    VkImage       handle;
    VmaAllocation allocation;
    VkImageView   view; // of all layers
    VkFormat      format;
    uint32_t      width, height, layers, levels;
} WeftGpuImage;

typedef struct WeftGpuImageWish
{
    const char           *name; // in messages
    VkFormat              format;
    uint32_t              width, height;
    uint32_t              layers;  // 0 for one, whose view is then no array
    uint32_t              levels;  // of detail; 0 for one
    VkSampleCountFlagBits samples; // 0 for one
    VkImageUsageFlags     usage;
} WeftGpuImageWish;

/// Allocates an image with undefined content. Fails with WEFT_ERROR_FAILED; `image` is then zeroed.
/// Free with weft_gpu_image_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_gpu_image_create(WeftGpu *gpu, WeftGpuImage *image,
                                              const WeftGpuImageWish *wish);
void                    weft_gpu_image_destroy(WeftGpu *gpu, WeftGpuImage *image);

/// A view of one layer, to draw into. Free with vkDestroyImageView().
WEFT_CHECKED WeftStatus weft_gpu_image_layer(WeftGpu *gpu, const WeftGpuImage *image,
                                             uint32_t layer, VkImageView *view);

/// Fills an image of 4 bytes a pixel, and its coarser levels, which are means of the finer, and
/// leaves it ready for shaders. The image must be smaller than the staging buffer.
WEFT_CHECKED WeftStatus weft_gpu_image_upload(WeftGpu *gpu, const WeftGpuImage *image,
                                              const void *pixels);

/// Recording: changes the layout of all layers and levels; all work before it is done first.
void weft_gpu_image_layout(VkCommandBuffer buffer, const WeftGpuImage *image, VkImageLayout from,
                           VkImageLayout to);
