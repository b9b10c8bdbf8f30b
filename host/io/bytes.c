// bytes.c: a block of bytes that grows.
#include "io/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void weft_bytes_add(WeftBytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->capacity)
    {
        size_t   capacity = 2 * bytes->capacity + size + 4096;
        uint8_t *grown = bytes->failed ? NULL : realloc(bytes->data, capacity);
        if (!grown)
        {
            bytes->failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void weft_bytes_print(WeftBytes *bytes, const char *format, ...)
{
    char   *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
    {
        bytes->failed = true;
        return;
    }
    weft_bytes_add(bytes, text, (size_t)length);
    free(text);
}
