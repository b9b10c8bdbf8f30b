// study.h: ways to solve the same scene, side by side: what implicit-explicit steps, the preconditioner, decomposition and
// threads bring. Section 6 of Boxerman and Ascher 2004 measures the same; what it found stands beside.
//
// All variants of a scene run in one process, a step of each in turn: what else the machine does then hits them alike, and what
// counts are the ratios.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft.h"

enum
{
    WEFT_VARIANT_MOST = 4
};

// One way to solve a scene; the first of a study is what the others are compared with.
typedef struct WeftVariant
{
    const char *name;
    const char *settings[2]; // as for --set; NULL: none
} WeftVariant;

typedef struct WeftStudyCase
{
    const char *name;
    const char *text; // the scene, or NULL: `name` is a file
} WeftStudyCase;

typedef struct WeftStudy
{
    const char          *name;
    const char          *what;  // is measured
    const char          *paper; // what the paper found
    WeftVariant          variants[WEFT_VARIANT_MOST];
    const WeftStudyCase *cases; // ended by a name of NULL
} WeftStudy;

// A variant of a case, measured.
typedef struct WeftStudyRow
{
    const char *study;
    char        scene[256];
    const char *variant;
    uint32_t    particle_count;
    uint32_t    step_count;
    double      step_ms, solve_ms,
        order_ms;      // a step; solve: from precondition on; order: label and order
    double iterations; // mean a step
    double multiplies; // of a row with a vector, in all
    double implicit_springs, components;
    double apart; // m, mean distance of the particles from those of the first variant at the end
    double memory_bytes; // a particle; only where a variant has a process of its own
} WeftStudyRow;

/// The studies, ended by a name of NULL.
extern const WeftStudy weft_studies[];

/// Measures all variants on a case for `seconds` of motion; fills a row for each. `settings` come before the variants' own.
WEFT_CHECKED WeftStatus weft_study_measure(const WeftStudy *study, const WeftStudyCase *item,
                                           const char **settings, size_t setting_count,
                                           double seconds, WeftStudyRow *rows, int *row_count);

/// All rows as JSON, with machine, version and date.
WEFT_CHECKED WeftStatus weft_study_write(const char *path, const WeftStudyRow *rows,
                                         size_t row_count);

/// `weft bench compare OLD NEW`: what became slower or quicker, as ratios.
int weft_study_compare(const char *old_path, const char *new_path);

/// `weft bench STUDY [SCENE...]`.
int weft_command_study(const WeftStudy *study, int argc, char **argv);
