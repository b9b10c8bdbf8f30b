// check_internal.h: what the files of the check share.
#pragma once

#include "backend_vulkan.h"
#include "check.h"
#include "sim/sim_internal.h"

struct WeftCheck
{
    WeftScene       reference_scene; // the scene, in double on the CPU; shares everything
    WeftSim        *sim, *reference;
    WeftGpuBackend *backend;
    WeftGpuCommands commands;
    size_t          largest;                                 // items of an array
    void           *device_items, *host_items, *usual_items; // one array of each engine, as doubles
    uint32_t       *words;                                   // one array of words
    uint32_t       *rows_of;  // (particle_count) rows of the system that each particle is in
    bool           *left_out; // (particle_count) decided otherwise
    uint32_t       *degrees, *contacts; // (padded_count) after the stage, on the device
    void           *kept_change;        // of the device, before the small systems are solved
    double         *before[2];          // (3 x padded_count) x and v of the device before the stage
    uint32_t        kept_findings[FOUND_COUNT];
    uint32_t        pair_count; // after the stage, on the device
    double          time;
};

/// Items of an array, of all its parts.
size_t weft_check_item_count(const WeftCheck *check, WeftArray array);

/// An array of the device, and the same of a CPU engine, as doubles.
WEFT_CHECKED WeftStatus weft_check_fetch(WeftCheck *check, WeftArray array, double *items);
void weft_check_fetch_host(const WeftCheck *check, const WeftTwin *twin, const void *engine,
                           WeftArray array, double *items);

/// Sets the verdict on errors, squared and normalised: of the device, and of the CPU engine in the device's precision.
bool weft_check_judge(const WeftCheckRow *row, double squared, double usual);

/// Buckets, items and balls after cells, and the list of pairs after near and limit. See check_pairs.c.
WEFT_CHECKED WeftStatus weft_check_cells(WeftCheck *check, WeftCheckRow *row);
WEFT_CHECKED WeftStatus weft_check_pairs(WeftCheck *check, WeftCheckRow *row);
