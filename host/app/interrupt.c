// interrupt.c: signals that end a command.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

// A signal that the parent chose to ignore stays ignored.
static void listen_for(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction present;
    if (sigaction(number, NULL, &present) == 0 && present.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void weft_interrupt_listen(void)
{
    listen_for(SIGINT);
    listen_for(SIGTERM);
    listen_for(SIGHUP);
    listen_for(SIGPIPE);
}

bool weft_interrupted(void)
{
    return interrupted;
}
