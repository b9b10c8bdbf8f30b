// progress.c: how far a run is.
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

static const double bar_interval = 0.1; // s
static const double line_interval = 5;  // s

WeftProgress weft_progress_start(bool quiet, uint32_t frame_count, uint64_t step_count)
{
    const char  *terminal = getenv("TERM");
    WeftProgress progress = {
        .quiet = quiet,
        .item = "frame",
        .unit = "step",
        .bar = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
        .frame_count = frame_count,
        .step_count = step_count,
        .start = weft_clock_seconds(),
    };
    progress.last = progress.start;
    return progress;
}

static void format_time(char *text, size_t size, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 3600)
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

static void show(WeftProgress *progress, uint32_t frame, uint64_t step, double now)
{
    double part = progress->step_count ? (double)step / (double)progress->step_count : 1;
    double elapsed = now - progress->start;
    char   left[32];
    format_time(left, sizeof left, part > 0 ? elapsed * (1 - part) / part : 0);
    char text[160], rate[48] = "";
    if (progress->unit)
        snprintf(rate, sizeof rate, "  %.3g ms a %s", step ? 1e3 * elapsed / (double)step : 0,
                 progress->unit);
    snprintf(text, sizeof text, "%3d %%  %s %u/%u%s  %s left", (int)(100 * part), progress->item,
             frame, progress->frame_count, rate, left);

    if (progress->bar)
    {
        // A line as wide as the terminal would wrap, so it is cut.
        enum
        {
            BAR_WIDTH = 16,
            LEAST_COLUMNS = 20
        };
        struct winsize window;
        int            columns = 80;
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= LEAST_COLUMNS)
            columns = window.ws_col;
        char line[256];
        int  filled = (int)(part * BAR_WIDTH);
        snprintf(line, sizeof line, "[%.*s%.*s] %s", filled, "################", BAR_WIDTH - filled,
                 "................", text);
        fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
        progress->bar_visible = true;
    }
    else
        fprintf(stderr, "%s\n", text + strspn(text, " "));
    fflush(stderr);
    progress->last = now;
}

void weft_progress_update(WeftProgress *progress, uint32_t frame, uint64_t step)
{
    if (progress->quiet)
        return;
    double now = weft_clock_seconds();
    if (now - progress->last >= (progress->bar ? bar_interval : line_interval))
        show(progress, frame, step, now);
}

void weft_progress_finish(WeftProgress *progress, uint32_t frame, uint64_t step)
{
    if (progress->quiet)
        return;
    show(progress, frame, step, weft_clock_seconds());
    if (progress->bar)
        fputc('\n', stderr);
    progress->bar_visible = false;
}

void weft_progress_clear(WeftProgress *progress)
{
    if (progress->bar_visible)
        fputs("\r\033[K", stderr);
    progress->bar_visible = false;
}

void weft_progress_warn(WeftProgress *progress, const char *format, ...)
{
    weft_progress_clear(progress);
    fputs("weft: warning: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
