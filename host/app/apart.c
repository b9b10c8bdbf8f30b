// apart.c: a child process and a pipe.
#include "apart.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// What comes before the result.
typedef struct Verdict
{
    WeftStatus status;
    char       message[512];
} Verdict;

static bool put(int end, const void *bytes, size_t size)
{
    size_t done = 0;
    for (ssize_t now; done < size; done += (size_t)now)
        if ((now = write(end, (const char *)bytes + done, size - done)) <= 0)
            return false;
    return true;
}

static bool take(int end, void *bytes, size_t size)
{
    size_t done = 0;
    for (ssize_t now; done < size; done += (size_t)now)
        if ((now = read(end, (char *)bytes + done, size - done)) <= 0)
            return false;
    return true;
}

WeftStatus weft_run_apart(WeftApartWork work, void *context, void *result, size_t size)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return weft_fail(WEFT_ERROR_FAILED, "no pipe to a process of its own");
    pid_t child = fork();
    if (child == 0)
    {
        Verdict verdict = {.status = work(context, result)};
        if (verdict.status != WEFT_OK)
            snprintf(verdict.message, sizeof(verdict.message), "%s", weft_error_message());
        _exit(put(ends[1], &verdict, sizeof(verdict)) && put(ends[1], result, size) ? 0 : 1);
    }
    close(ends[1]);
    Verdict verdict;
    bool    complete =
        child > 0 && take(ends[0], &verdict, sizeof(verdict)) && take(ends[0], result, size);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (!complete)
        return weft_fail(WEFT_ERROR_FAILED,
                         "the process of this case ended early; there may be too little memory");
    return verdict.status == WEFT_OK ? WEFT_OK : weft_fail(verdict.status, "%s", verdict.message);
}
