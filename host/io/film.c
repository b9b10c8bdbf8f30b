// film.c: ffmpeg as a child process that is fed raw pictures.
//
// It runs in a process group of its own, so that Ctrl-C reaches weft alone, which then ends it and removes the file.
#include "io/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static WeftStatus start_child(WeftFilm *film, char *const *arguments, int reading_end)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attributes;
    sigset_t                   defaults;
    int                        reason = posix_spawn_file_actions_init(&files);
    if (reason != 0)
        return weft_fail(WEFT_ERROR_FAILED, "ffmpeg cannot be started: %s", strerror(reason));
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&files, reading_end, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, film->messages, STDERR_FILENO);
    reason = posix_spawnp(&film->child, "ffmpeg", &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (reason == 0)
        return WEFT_OK;
    film->child = 0;
    if (reason == ENOENT)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s: films are made by ffmpeg, which is not installed (tools/setup demo "
                         "installs it); a picture.png needs none",
                         film->path);
    return weft_fail(WEFT_ERROR_FAILED, "ffmpeg cannot be started: %s", strerror(reason));
}

static WeftStatus begin(WeftFilm *film, double frames_per_second)
{
    // The folder is tried before ffmpeg, whose words for it are less clear.
    int file = open(film->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", film->path,
                         strerror(errno));
    close(file);
    film->messages = memfd_create("weft_film", MFD_CLOEXEC);
    int ends[2];
    if (film->messages < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return weft_fail(WEFT_ERROR_FAILED, "ffmpeg cannot be started: %s", strerror(errno));
    film->input = ends[1];

    char size[32], rate[32];
    snprintf(size, sizeof size, "%ux%u", film->width, film->height);
    snprintf(rate, sizeof rate, "%.9g", frames_per_second);
    char *const arguments[] = {"ffmpeg",
                               "-hide_banner",
                               "-loglevel",
                               "error",
                               "-nostdin",
                               "-y",
                               "-f",
                               "rawvideo",
                               "-pix_fmt",
                               "rgba",
                               "-s",
                               size,
                               "-r",
                               rate,
                               "-i",
                               "pipe:0",
                               "-an",
                               "-c:v",
                               "libx264",
                               "-crf",
                               "18",
                               "-vf",
                               "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                               "-colorspace",
                               "bt709",
                               "-color_primaries",
                               "bt709",
                               "-color_trc",
                               "bt709",
                               "-movflags",
                               "+faststart",
                               "-f",
                               "mp4",
                               film->temporary,
                               NULL};
    WeftStatus  status = start_child(film, arguments, ends[0]);
    close(ends[0]);
    return status;
}

WeftStatus weft_film_begin(WeftFilm *film, const char *path, uint32_t width, uint32_t height,
                           double frames_per_second)
{
    *film = (WeftFilm){.input = -1, .messages = -1, .width = width, .height = height};
    film->path = strdup(path);
    if (asprintf(&film->temporary, "%s.part", path) < 0)
        film->temporary = NULL;
    WeftStatus status = WEFT_OK;
    if (!film->path || !film->temporary)
        status = weft_fail(WEFT_ERROR_FAILED, "%s: not enough memory", path);
    else if (width % 2 || height % 2)
        status = weft_fail(WEFT_ERROR_INPUT,
                           "%s: the sides of a film have to be even, not %u and %u pixels", path,
                           width, height);
    film->pipe_handler = signal(SIGPIPE, SIG_IGN);
    if (status == WEFT_OK)
        status = begin(film, frames_per_second);
    if (status != WEFT_OK)
        weft_film_abandon(film);
    return status;
}

// What ffmpeg had to say, on one line.
static WeftStatus fail_film(WeftFilm *film)
{
    char    words[512] = "it ended before the film did";
    ssize_t count = pread(film->messages, words, sizeof words - 1, 0);
    if (count > 0)
        words[count] = '\0';
    words[strcspn(words, "\n")] = '\0';
    return weft_fail(WEFT_ERROR_FAILED, "%s: ffmpeg failed: %s", film->path, words);
}

WeftStatus weft_film_put(WeftFilm *film, const WeftPixels *pixels)
{
    const uint8_t *bytes = pixels->bytes;
    size_t         left = 4 * (size_t)pixels->width * pixels->height;
    while (left > 0)
    {
        ssize_t count = write(film->input, bytes, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_film(film);
        bytes += count;
        left -= (size_t)count;
    }
    return WEFT_OK;
}

static int wait_for(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return state;
}

static void release(WeftFilm *film)
{
    if (film->path)
        signal(SIGPIPE, film->pipe_handler);
    if (film->input >= 0)
        close(film->input);
    if (film->messages >= 0)
        close(film->messages);
    free(film->path);
    free(film->temporary);
    memset(film, 0, sizeof *film);
}

WeftStatus weft_film_commit(WeftFilm *film)
{
    close(film->input);
    film->input = -1;
    int state = wait_for(film->child);
    film->child = 0;
    WeftStatus status = WEFT_OK;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        status = fail_film(film);
    else if (rename(film->temporary, film->path) != 0)
        status =
            weft_fail(WEFT_ERROR_INPUT, "%s: cannot be written: %s", film->path, strerror(errno));
    if (status != WEFT_OK)
        unlink(film->temporary);
    release(film);
    return status;
}

void weft_film_abandon(WeftFilm *film)
{
    if (!film->path && !film->temporary)
        return;
    if (film->child > 0)
    {
        kill(film->child, SIGKILL);
        wait_for(film->child);
    }
    if (film->temporary)
        unlink(film->temporary);
    release(film);
}
