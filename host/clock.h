// clock.h: time that only goes on.
#pragma once

/// Seconds since some moment in the past.
double weft_clock_seconds(void);
