// number.h: numbers as text, much faster than printf.
#pragma once

#include <stdint.h>

enum
{
    WEFT_NUMBER_SIZE = 32 // room that a number may take
};

/// Both write at `out`, without a zero at the end, and return where the text ends.
char *weft_number_unsigned(char *out, uint64_t value);

/// A coordinate in metres to the nanometre, without the zeros at the end.
char *weft_number_coordinate(char *out, double value);
