// warnings.c: from the figures of a step to sentences.
#include "warnings.h"

void weft_warn_step(WeftWarnings *warnings, WeftProgress *progress, const WeftScene *scene,
                    double time, const WeftStepReport *report)
{
    if (report->unconverged_count > 0 && !warnings->unconverged)
    {
        warnings->unconverged = true;
        weft_progress_warn(
            progress,
            "at %.4g s, %u of %u systems did not converge (%u iterations, at most %d are allowed; "
            "relative residual %.2g, asked for %.2g); more may follow. A smaller step helps, a "
            "larger solver.max_iterations or, where rounding is the limit, a larger "
            "solver.tolerance or --precision double.",
            time, report->unconverged_count, report->component_count, report->iterations,
            scene->solver.max_iterations, report->worst_residual, scene->solver.tolerance);
    }
    if (report->halvings > 0 && !warnings->halved)
    {
        warnings->halved = true;
        weft_progress_warn(progress,
                           "at %.4g s a step failed and was taken again in smaller parts; more may "
                           "follow. A smaller step avoids that.",
                           time);
    }
    if (report->lost_pairs > 0 && !warnings->lost)
    {
        warnings->lost = true;
        weft_progress_warn(progress,
                           "at %.4g s there is no room for %u pairs of cloth parts that are near "
                           "each other; their particles stay where they are among the others. A "
                           "larger contact.max_pairs helps.",
                           time, report->lost_pairs);
    }
    if (report->softened_bend_springs > 0 && !warnings->softened)
    {
        warnings->softened = true;
        weft_progress_warn(progress,
                           "bend springs in slack cloth (now %u) are too stiff for this step and "
                           "push less than they "
                           "should. A smaller step gives the full stiffness.",
                           report->softened_bend_springs);
    }
}
