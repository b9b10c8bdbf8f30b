// vma.cpp: the implementation of the Vulkan Memory Allocator, the one part of weft in C++. Its
// interface is plain C: see memory.c.
#include <volk.h>

// volk hands over the entry points.
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
