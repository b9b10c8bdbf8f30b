// number.c: whole numbers and coordinates as text.
#include "io/number.h"

#include <math.h>
#include <stdio.h>

char *weft_number_unsigned(char *out, uint64_t value)
{
    char digits[20];
    int  count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

char *weft_number_coordinate(char *out, double value)
{
    if (fabs(value) > 1e9)
        return out + snprintf(out, WEFT_NUMBER_SIZE, "%.9g", value);

    int64_t scaled = llrint(value * 1e9);
    if (scaled < 0)
    {
        *out++ = '-';
        scaled = -scaled;
    }
    out = weft_number_unsigned(out, (uint64_t)scaled / 1000000000);
    uint32_t decimals = (uint32_t)(scaled % 1000000000);
    if (decimals == 0)
        return out;

    int count = 9;
    while (decimals % 10 == 0)
    {
        decimals /= 10;
        count--;
    }
    *out++ = '.';
    for (int i = count - 1; i >= 0; i--)
    {
        out[i] = (char)('0' + decimals % 10);
        decimals /= 10;
    }
    return out + count;
}
