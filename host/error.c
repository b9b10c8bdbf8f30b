// error.c: the thread-local message behind weft_fail().
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[2048];

WeftStatus weft_fail(WeftStatus status, const char *format, ...)
{
    // Format into a second buffer: the arguments may point at the old message.
    char    text[sizeof(message)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof(message));
    return status;
}

const char *weft_error_message(void)
{
    return message;
}
