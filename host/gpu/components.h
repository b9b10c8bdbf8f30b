// components.h: connected components of a graph on the device.
#pragma once

#include "commands.h"

typedef struct WeftGpuComponents
{
    WeftGpuPipeline start;
    WeftGpuPipeline hook;
    WeftGpuPipeline jump;
    WeftGpuBuffer   grids; // of the rounds of jumping
} WeftGpuComponents;

// A graph in the device's memory, and where its labels go. Addresses of words.
typedef struct WeftGpuGraph
{
    uint64_t edges;        // (edge_count x 2) vertices
    uint64_t edge_flags;   // (edge_count)
    uint64_t vertex_flags; // (vertex_count)
    uint64_t labels;       // (vertex_count) result
    uint32_t vertex_count;
    uint32_t edge_count;
    uint32_t edge_mask;   // an edge counts if it has one of these flags
    uint32_t vertex_mask; // a vertex is a dead end if it has one of these
} WeftGpuGraph;

/// Fails with WEFT_ERROR_FAILED. Free with weft_gpu_components_destroy().
WEFT_CHECKED WeftStatus weft_gpu_components_create(WeftGpu *gpu, WeftGpuComponents *components);
void                    weft_gpu_components_destroy(WeftGpu *gpu, WeftGpuComponents *components);

/// Records: labels[v] <- the lowest index in v's component, LABEL_NONE for a dead end, through
/// which nothing is connected. Ends with a barrier; the host is not needed in between.
void weft_gpu_components_record(const WeftGpuComponents *components, WeftGpuCommands *commands,
                                const WeftGpuGraph *graph);
