// film.h: a film from pictures, by way of the program ffmpeg.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/pixels.h"

typedef struct WeftFilm
{
    char    *path, *temporary;
    pid_t    child;    // 0 if there is none
    int      input;    // where pictures go
    int      messages; // what ffmpeg says, in a file without a name
    uint32_t width, height;
    void (*pipe_handler)(int); // of the signal that a broken pipe sends, before the film began
} WeftFilm;

/// Starts an MP4 film. Fails with WEFT_ERROR_INPUT if the file cannot be written, a side is odd (which the format cannot
/// hold) or ffmpeg is not installed. On failure `film` is zeroed. End with weft_film_commit() or weft_film_abandon().
WEFT_CHECKED WeftStatus weft_film_begin(WeftFilm *film, const char *path, uint32_t width,
                                        uint32_t height, double frames_per_second);

/// Adds a picture of the film's size. Fails with WEFT_ERROR_FAILED and ffmpeg's own words.
WEFT_CHECKED WeftStatus weft_film_put(WeftFilm *film, const WeftPixels *pixels);

/// Waits for ffmpeg and gives the film its name. On failure nothing is left behind.
WEFT_CHECKED WeftStatus weft_film_commit(WeftFilm *film);

/// Stops ffmpeg and removes what was written. Accepts a zeroed film.
void weft_film_abandon(WeftFilm *film);
