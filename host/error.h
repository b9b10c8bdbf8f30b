// error.h: how every fallible function of weft reports, and where the message is kept.
// The library never prints and never exits: it returns a status and leaves one sentence behind.
#pragma once

typedef enum WeftStatus
{
    WEFT_OK = 0,
    WEFT_ERROR_FAILED = 1, // a run or a check that could not be completed
    WEFT_ERROR_INPUT = 2,  // wrong use, bad input, a file that cannot be read or written
} WeftStatus;

#define WEFT_CHECKED __attribute__((warn_unused_result))

/// Returns from the calling function if `call` did not give WEFT_OK.
#define WEFT_TRY(call)                                                                             \
    do                                                                                             \
    {                                                                                              \
        WeftStatus weft_try_status = (call);                                                       \
        if (weft_try_status != WEFT_OK)                                                            \
            return weft_try_status;                                                                \
    } while (0)

/// Stores a message for this thread and returns `status`, so that one can write
/// `return weft_fail(WEFT_ERROR_INPUT, "%s: no such file", path);`.
WEFT_CHECKED WeftStatus weft_fail(WeftStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The message of the last weft_fail() on this thread; "" if there was none.
const char *weft_error_message(void);
