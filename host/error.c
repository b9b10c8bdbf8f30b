// error.c: the thread-local message behind weft_fail().
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[2048];

// A message is one line: what names and texts of the input bring along must not break it.
static void make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

WeftStatus weft_fail(WeftStatus status, const char *format, ...)
{
    // Format into a second buffer: the arguments may point at the old message.
    char    text[sizeof(message)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    make_printable(text);
    memcpy(message, text, sizeof(message));
    return status;
}

const char *weft_error_message(void)
{
    return message;
}
