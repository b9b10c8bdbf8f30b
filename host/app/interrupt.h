// interrupt.h: Ctrl-C and SIGTERM ask for an orderly end; the second one kills.
#pragma once

#include <stdbool.h>

void weft_interrupt_listen(void);
bool weft_interrupted(void);
