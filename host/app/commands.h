// commands.h: the commands of the program. Each takes its own name as argv[0], knows --help, and
// returns the exit status: 0 all went well, 1 a run that failed, 2 wrong use or bad input.
#pragma once

int weft_command_run(int argc, char **argv);
int weft_command_render(int argc, char **argv);
int weft_command_view(int argc, char **argv);
int weft_command_check(int argc, char **argv);
int weft_command_bench(int argc, char **argv);
int weft_command_devices(int argc, char **argv);
int weft_command_keys(int argc, char **argv);
int weft_command_stages(int argc, char **argv);

enum
{
    WEFT_EXIT_WRONG_USE = 2,
    WEFT_EXIT_INTERRUPTED = 130,
};
