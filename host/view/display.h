// display.h: what becomes of a window that is taken away. X's own answer is to end the program on the spot.
#pragma once

#include <stdbool.h>

/// From now on weft_display_took_window() tells whether another program has destroyed the window. If the display itself goes, a
/// sentence says so, `on_lost` clears up what must not stay behind, and the program ends with status 1. Call it after the
/// window is open.
void weft_display_watch(void (*on_lost)(void *user), void *user);
bool weft_display_took_window(void);
