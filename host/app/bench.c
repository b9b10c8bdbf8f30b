#include "commands.h"
int weft_command_bench(int argc, char **argv) { (void)argc; (void)argv; return 0; }
