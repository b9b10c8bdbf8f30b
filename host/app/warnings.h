// warnings.h: what a user should know about a run that goes on. Each kind of trouble is told once, when it first comes up.
#pragma once

#include "progress.h"
#include "weft.h"

typedef struct WeftWarnings
{
    bool unconverged, halved, softened, lost; // told already
} WeftWarnings;

/// Looks through the report of a step that ended at `time`.
void weft_warn_step(WeftWarnings *warnings, WeftProgress *progress, const WeftScene *scene,
                    double time, const WeftStepReport *report);
