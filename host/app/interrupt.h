// interrupt.h: Ctrl-C and SIGTERM ask for an orderly end; the second one kills. A terminal that is closed asks for it as
// well, and so does a pipe that nobody reads any more.
#pragma once

#include <stdbool.h>

void weft_interrupt_listen(void);
bool weft_interrupted(void);
