// study_table.c: the rows of a case as a table on the terminal.
#include <math.h>
#include <stdio.h>

#include "study.h"

void weft_study_print_rows(const WeftStudyRow *rows, int count)
{
    const WeftStudyRow *first = &rows[0], *last = &rows[count - 1];
    printf("  %-21s %9s %9s %7s %7s %10s %9s %7s | %6s %6s %6s %6s %8s\n", "", "ms a step", "ms CG",
           "order %", "iterat.", "multiplies", "implicit", "compon.", "time", "CG", "iter.",
           "mult.", "apart, m");
    for (int k = 0; k < count; k++)
    {
        const WeftStudyRow *row = &rows[k];
        printf("  %-21s %9.3f %9.3f %7.2f %7.1f %10.3g %9.0f %7.0f |", row->variant, row->step_ms,
               row->solve_ms, row->step_ms > 0 ? 100 * row->order_ms / row->step_ms : 0,
               row->iterations, row->multiplies, row->implicit_springs, row->components);
        if (k > 0)
            printf(" %5.2fx %5.2fx %5.2fx %5.2fx %8.2g", row->step_ms / first->step_ms,
                   row->solve_ms / first->solve_ms, row->iterations / first->iterations,
                   row->multiplies / first->multiplies, row->apart);
        if (row->memory_bytes > 0)
            printf("  %.0f bytes a particle", row->memory_bytes);
        printf("\n");
    }

    // What cuts the cloth, in the last variant.
    WeftCouplingsMean mean = weft_study_couplings_mean(last);
    if (last->frame_count > 0)
        printf("  %s: %.0f %% of the springs are slack, %.0f %% explicit, %.0f %% end at held "
               "particles, %.0f %% couple\n"
               "  components (the largest) where slack springs cut: %.0f (%.0f %%), explicit ones, "
               "too: %.0f (%.0f %%), held particles, too: %.0f (%.0f %%; %.0f %% are held)\n",
               last->variant, 100 * mean.slack, 100 * mean.by_explicit, 100 * mean.at_held,
               100 * mean.coupling, mean.components[0], 100 * mean.largest[0], mean.components[1],
               100 * mean.largest[1], mean.components[2], 100 * mean.largest[2], 100 * mean.held);
}

void weft_study_print_fit(const WeftStudyRow *rows, size_t row_count)
{
    WeftStudyFit fit = weft_study_fit(rows, row_count);
    if (isfinite(fit.step + fit.iteration))
        printf("\nThe time of a step grows with the particles to the power of %.2f, that of a CG "
               "iteration to the power of %.2f\n",
               fit.step, fit.iteration);
}

void weft_study_print_contact(const WeftStudyRow *rows, size_t row_count)
{
    printf("\nContact of cloth with cloth:\n");
    for (size_t k = 0; k < row_count; k++)
        printf("  %7u particles, %.3g s of motion: %8.3f ms, %4.1f %% of a step; %4.1f %% to find "
               "what is near\n",
               rows[k].particle_count, rows[k].seconds, rows[k].contact_ms,
               100 * rows[k].contact_ms / rows[k].step_ms,
               100 * (rows[k].stage_ms[WEFT_STAGE_cells] + rows[k].stage_ms[WEFT_STAGE_near]) /
                   rows[k].step_ms);

    // Of those that run as long as the first: what is folded costs more than what falls.
    size_t alike = 0;
    while (alike < row_count && fabs(rows[alike].seconds - rows[0].seconds) < 1e-3)
        alike++;
    WeftStudyFit fit = weft_study_fit(rows, alike);
    if (isfinite(fit.contact))
        printf("  its time grows with the particles to the power of %.2f\n", fit.contact);
}
