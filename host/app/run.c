// run.c: `weft run`: scene in; frames, report and a few lines of summary out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "interrupt.h"
#include "io/writer.h"
#include "progress.h"
#include "report_json.h"
#include "run_options.h"
#include "sim/intersections.h"
#include "warnings.h"

typedef struct Run
{
    WeftRunOptions options;
    WeftScene      scene;
    WeftSim       *sim;
    bool           writes_frames;
    WeftWriter     writer;
    WeftFile       report_file; // begun before the run, so that a bad name is found early
    uint32_t       frame_count; // to be simulated
    uint32_t       frame;       // simulated so far
    uint64_t       step;
    WeftProgress   progress;
    WeftWarnings   warnings;
    WeftCuts       cuts;
    WeftSizesSum   sizes;
} Run;

// How often the cloths cut each other in this frame, if that is asked for. A start in which they do is told in any case.
static WeftStatus count_cuts(Run *run)
{
    bool     is_start = run->frame == 0;
    uint64_t count;
    if (!run->options.count_intersections && !(is_start && run->scene.contact.cloth))
        return WEFT_OK;
    WEFT_TRY(weft_count_intersections(run->sim, &count));
    if (is_start && count > 0 && run->scene.contact.cloth)
        weft_progress_warn(&run->progress,
                           "the cloths cut each other in %llu places before they move; contact "
                           "keeps them as they are there, it does not part them.",
                           (unsigned long long)count);
    run->cuts.start = is_start ? count : run->cuts.start;
    run->cuts.end = count;
    run->cuts.most = count > run->cuts.most ? count : run->cuts.most;
    run->cuts.frames_with += count > 0;
    return WEFT_OK;
}

// How large the components are in this frame, if there will be a report.
static WeftStatus count_sizes(Run *run)
{
    WeftComponentSizes sizes;
    if (!run->options.report)
        return WEFT_OK;
    WEFT_TRY(weft_sim_component_sizes(run->sim, &sizes));
    run->sizes.frame_count++;
    run->sizes.held += sizes.held;
    for (int k = 0; k < WEFT_SIZE_CLASSES; k++)
    {
        run->sizes.components[k] += sizes.components[k];
        run->sizes.particles[k] += sizes.particles[k];
    }
    return WEFT_OK;
}

// All frames, or as many as there is time for until a signal.
static WeftStatus simulate(Run *run)
{
    uint32_t steps_per_frame = weft_sim_steps_per_frame(run->sim);
    run->progress = weft_progress_start(run->options.quiet, run->frame_count,
                                        (uint64_t)run->frame_count * steps_per_frame);
    if (run->writes_frames)
        WEFT_TRY(weft_writer_frame(&run->writer, run->sim));
    WEFT_TRY(count_cuts(run));
    while (run->frame < run->frame_count)
    {
        for (uint32_t done = 0, left = steps_per_frame; left > 0; left -= done)
        {
            if (weft_interrupted())
                return WEFT_OK;
            WeftStepReport report;
            WEFT_TRY(weft_sim_advance(run->sim, left, &done, &report));
            run->step += done;
            weft_warn_step(&run->warnings, &run->progress, &run->scene, weft_sim_time(run->sim),
                           &report);
            weft_progress_update(&run->progress, run->frame, run->step);
        }
        run->frame++;
        if (run->writes_frames)
            WEFT_TRY(weft_writer_frame(&run->writer, run->sim));
        WEFT_TRY(count_cuts(run));
        WEFT_TRY(count_sizes(run));
    }
    return WEFT_OK;
}

static void print_summary(const Run *run, const WeftRunFacts *facts, FILE *stream)
{
    const WeftRunReport *report = &facts->report;
    double               steps = report->step_count ? report->step_count : 1;
    fprintf(stream, "%s: %u particles, %u frames, %u steps on %s\n",
            run->scene.name ? run->scene.name : facts->scene, facts->particle_count, run->frame,
            report->step_count, strcmp(facts->device, "cpu") == 0 ? "the CPU" : facts->device);
    fprintf(stream, "  %.3g s of motion in %.3g s: %.3g ms a step, %.3g x real time\n",
            report->simulated_seconds, report->wall_seconds, 1e3 * report->wall_seconds / steps,
            report->wall_seconds > 0 ? report->simulated_seconds / report->wall_seconds : 0);
    fprintf(
        stream,
        "  %.3g CG iterations a step (at most %u); %.3g components (at most %u), the largest of "
        "%u particles\n",
        report->iterations_mean, report->iterations_max, report->components_mean,
        report->components_max, report->largest_component);
    fprintf(stream, "  largest stretch %.4g", report->largest_stretch);
    if (report->unconverged_steps > 0)
        fprintf(stream, "; %u steps did not converge", report->unconverged_steps);
    if (report->halvings > 0)
        fprintf(stream, "; steps were halved %u times", report->halvings);
    if (facts->has_cuts)
        fprintf(stream, "; triangles cut each other in %u frames",
                (unsigned)facts->cuts.frames_with);
    fputc('\n', stream);
    if (run->writes_frames)
        fprintf(stream, "  frames: %s (%s)\n", run->scene.output.folder,
                weft_scene_choice_word("output.format", run->scene.output.format));
    if (run->options.report && strcmp(run->options.report, "-") != 0)
        fprintf(stream, "  report: %s\n", run->options.report);
}

static WeftStatus write_report(Run *run, const WeftRunFacts *facts)
{
    char *text = weft_report_json(facts);
    if (!text)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the report");
    WeftStatus status = WEFT_OK;
    if (strcmp(run->options.report, "-") == 0)
        fputs(text, stdout);
    else
    {
        status = weft_file_put(&run->report_file, text, strlen(text));
        if (status == WEFT_OK)
            status = weft_file_commit(&run->report_file);
    }
    free(text);
    return status;
}

// Everything that can be refused before the first step.
static WeftStatus prepare(Run *run)
{
    const WeftRunOptions *options = &run->options;
    WEFT_TRY(weft_scene_load(&run->scene, options->scene, (const char *const *)options->settings,
                             options->setting_count));
    size_t frames =
        options->has_frame_count ? options->frame_count : weft_scene_frame_count(&run->scene);
    if (frames > UINT32_MAX)
        return weft_fail(WEFT_ERROR_INPUT, "%zu frames are too many: shorten the duration", frames);
    run->frame_count = (uint32_t)frames;
    WEFT_TRY(weft_sim_create(&run->sim, &run->scene));
    if (options->report && (weft_is_same_file(options->scene, options->report) ||
                            weft_scene_reads(&run->scene, options->report)))
        return weft_fail(
            WEFT_ERROR_INPUT,
            "%s: the scene is read from this file, which would be lost; choose another "
            "name for the report",
            options->report);
    if (options->report && strcmp(options->report, "-") != 0)
        WEFT_TRY(weft_file_begin(&run->report_file, options->report));
    if (run->scene.output.folder)
    {
        WEFT_TRY(weft_writer_open(&run->writer, run->scene.output.folder, run->scene.output.format,
                                  &run->scene, run->sim));
        run->writes_frames = true;
    }
    return WEFT_OK;
}

static int complain(WeftStatus status)
{
    fprintf(stderr, "weft: %s\n", weft_error_message());
    return (int)status;
}

// The run itself and what is told of it.
static int carry_out(Run *run)
{
    WeftStatus status = simulate(run);
    bool       was_interrupted = run->frame < run->frame_count && status == WEFT_OK;
    weft_progress_finish(&run->progress, run->frame, run->step);

    // A later failure must not hide this message.
    char *failed = NULL;
    if (status != WEFT_OK)
    {
        complain(status);
        failed = strdup(weft_error_message());
    }
    int exit_status = was_interrupted ? WEFT_EXIT_INTERRUPTED : (int)status;

    WeftStatus closed = weft_writer_close(&run->writer, true);
    if (closed != WEFT_OK)
        exit_status = complain(closed);

    const WeftSolver *solver = &run->scene.solver;
    WeftRunFacts      facts = {
             .scene = run->options.scene ? run->options.scene : "built-in",
             .device = weft_sim_device(run->sim),
             .precision = weft_scene_choice_word("solver.precision", solver->precision),
             .threads = weft_sim_threads(run->sim),
             .interrupted = was_interrupted,
             .failed = failed,
             .has_cuts = run->options.count_intersections,
             .cuts = run->cuts,
             .sizes = run->sizes,
             .particle_count = weft_sim_particle_count(run->sim),
             .report = weft_sim_report(run->sim),
    };
    if (was_interrupted)
        fprintf(stderr, "weft: interrupted after frame %u of %u; what was written is complete\n",
                run->frame, run->frame_count);
    bool to_stdout = run->options.report && strcmp(run->options.report, "-") == 0;
    if (!run->options.quiet)
        print_summary(run, &facts, to_stdout ? stderr : stdout);
    if (run->options.report)
    {
        WeftStatus reported = write_report(run, &facts);
        if (reported != WEFT_OK)
            exit_status = complain(reported);
    }
    free(failed);
    return exit_status;
}

int weft_command_run(int argc, char **argv)
{
    Run run = {0};
    int exit_status = weft_run_options_read(&run.options, argc, argv);
    if (exit_status < 0)
    {
        // Before the first file is begun: from then on there is something to clear away.
        weft_interrupt_listen();
        WeftStatus status = prepare(&run);
        exit_status = status == WEFT_OK ? carry_out(&run) : complain(status);
    }
    weft_file_abandon(&run.report_file);
    weft_sim_destroy(run.sim);
    weft_scene_destroy(&run.scene);
    weft_run_options_destroy(&run.options);
    return exit_status;
}
