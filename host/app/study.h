// study.h: ways to solve the same scene, side by side: what implicit-explicit steps, the preconditioner, decomposition,
// threads and devices bring. Section 6 of Boxerman and Ascher 2004 measures the same; what it found stands beside.
//
// All variants of a scene run in one process, a few steps of each in turn: what else the machine does then hits them alike, and what
// counts are the ratios.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "progress.h"
#include "weft.h"

enum
{
    WEFT_VARIANT_MOST = 4,
    WEFT_VARIANT_SETTINGS = 3,
    WEFT_CUT_COUNT = 3
};

// One way to solve a scene; the first of a study is what the others are compared with.
typedef struct WeftVariant
{
    const char *name;
    const char *settings[WEFT_VARIANT_SETTINGS]; // as for --set; NULL: none
} WeftVariant;

typedef struct WeftStudyCase
{
    const char *name;
    const char *text;    // the scene, or NULL: `name` is a file
    const char *setting; // as for --set; NULL: none
    double      scale;   // grids have so many times as many springs along both ways
    double      pace;    // and steps are so many times shorter
    double      seconds; // of motion; 0: the scene's duration
} WeftStudyCase;

typedef struct WeftStudy
{
    const char          *name;
    const char          *what;  // is measured
    const char          *paper; // what the paper found
    WeftVariant          variants[WEFT_VARIANT_MOST];
    const WeftStudyCase *cases;     // ended by a name of NULL
    bool                 is_apart;  // every case in a process of its own
    bool                 is_of_cpu; // means nothing on a GPU
    bool needs_device;  // its last variant runs on a Vulkan device, the others on the CPU
    bool is_of_contact; // of cloth with cloth, which the paper does not measure
} WeftStudy;

// What cuts the cloth into components at one moment. Of all stretch and shear springs some are slack, some explicit, some end
// at a held particle; the others couple their ends.
typedef struct WeftCouplings
{
    uint32_t slack, by_explicit, at_held, coupling;
    uint32_t components
        [WEFT_CUT_COUNT]; // there would be if only slack springs cut; explicit ones, too; held particles, too
    uint32_t largest[WEFT_CUT_COUNT]; // particles of the largest of them
} WeftCouplings;

typedef struct WeftStudyFrame
{
    double             time;  // s
    double             apart; // m, mean distance of the particles from those of the first variant
    uint64_t           multiplies; // of a row with a vector, since the frame before
    WeftComponentSizes sizes;
    WeftCouplings      couplings;
} WeftStudyFrame;

// A variant of a case, measured.
typedef struct WeftStudyRow
{
    const char *study;
    char        scene[256];
    const char *variant;
    char        device[64];
    double      scale, seconds;
    uint32_t    particle_count, spring_count, step_count, unconverged_steps;
    double      step_ms, solve_ms,
        order_ms,   // a step; solve: from precondition on; order: label and order
        contact_ms; // finding near cloth, its springs, and keeping it apart
    double          stage_ms[WEFT_STAGE_COUNT];
    double          iterations; // mean a step
    double          multiplies; // of a row with a vector, in all
    double          implicit_springs, components;
    double          apart;        // m, as in a frame, at the end
    double          memory_bytes; // a particle; only where a case has a process of its own
    WeftStudyFrame *frames;       // owned
    size_t          frame_count;
} WeftStudyRow;

// What a study was asked to do besides its own.
typedef struct WeftStudyOptions
{
    const char **settings; // as for --set
    size_t       setting_count;
    const char  *device; // NULL: the CPU, or where a study compares devices any Vulkan device
} WeftStudyOptions;

// How far all cases together are.
typedef struct WeftStudyProgress
{
    WeftProgress bar;
    uint32_t     number;       // of the case
    double       done, weight; // work of the cases before it, and its own
} WeftStudyProgress;

/// The studies, ended by a name of NULL.
extern const WeftStudy weft_studies[];

/// Loads the scene of a variant of a case.
WEFT_CHECKED WeftStatus weft_study_load(WeftScene *scene, const WeftStudy *study, int variant,
                                        const WeftStudyCase *item, const WeftStudyOptions *options);

/// Measures all variants on a case; fills a row for each, to be freed with weft_study_row_destroy().
WEFT_CHECKED WeftStatus weft_study_measure(const WeftStudy *study, const WeftStudyCase *item,
                                           const WeftStudyOptions *options,
                                           WeftStudyProgress *progress, WeftStudyRow *rows,
                                           int *row_count);
void                    weft_study_row_destroy(WeftStudyRow *row);

/// Mean of what a frame's springs do, in parts of all springs, and of the components that are left; see WeftCouplings.
typedef struct WeftCouplingsMean
{
    double slack, by_explicit, at_held, coupling;
    double components[WEFT_CUT_COUNT],
        largest[WEFT_CUT_COUNT]; // largest: in parts of all particles
    double held;                 // the same
} WeftCouplingsMean;
WeftCouplingsMean weft_study_couplings_mean(const WeftStudyRow *row);

/// How time grows with the number of particles: the exponent that fits best, by least squares; NaN without two sizes.
typedef struct WeftStudyFit
{
    double step, iteration; // of the time of a step, and of a step's CG over its iterations
    double contact;         // of the time for contact of cloth
} WeftStudyFit;
WeftStudyFit weft_study_fit(const WeftStudyRow *rows, size_t row_count);

/// The rows of a case as a table: figures, and behind them what they are against the first variant's; and that fit in words.
void weft_study_print_rows(const WeftStudyRow *rows, int count);
void weft_study_print_fit(const WeftStudyRow *rows, size_t row_count);
void weft_study_print_contact(const WeftStudyRow *rows, size_t row_count);

/// All rows as JSON or as a table, with machine, version and date in the former.
WEFT_CHECKED WeftStatus weft_study_write_json(const char *path, const WeftStudyRow *rows,
                                              size_t row_count);
WEFT_CHECKED WeftStatus weft_study_write_csv(const char *path, const WeftStudyRow *rows,
                                             size_t row_count);

/// `weft bench compare OLD NEW`: what became slower or quicker, as ratios.
int weft_study_compare(const char *old_path, const char *new_path);

/// `weft bench STUDY [SCENE...]`; all studies if `study` is NULL.
int weft_command_study(const WeftStudy *study, int argc, char **argv);
