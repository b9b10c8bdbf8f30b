// main.c: the program `weft`: finds the command and hands over to it.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "commands.h"
#include "weft.h"

typedef struct Command
{
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} Command;

static const Command commands[] = {
    {"run", weft_command_run, "simulate a scene; write frames and a report"},
    {"render", weft_command_render, "draw a scene: a picture, a strip of moments or a film"},
    {"view", weft_command_view, "show a scene in a window, to watch, to touch and to change"},
    {"check", weft_command_check, "compare the GPU engine with the CPU engine, stage by stage"},
    {"bench", weft_command_bench, "measure the speed of the stages"},
    {"devices", weft_command_devices, "list what weft can compute on"},
    {"keys", weft_command_keys, "list every key that a scene file knows"},
    {"stages", weft_command_stages, "list the stages of a step, in order"},
};

enum
{
    COMMAND_COUNT = sizeof commands / sizeof commands[0]
};

static void print_usage(FILE *stream)
{
    fputs("weft simulates cloth.\n\nUsage: weft COMMAND [OPTION...]\n\n", stream);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].help);
    fputs("  help     explain a command: weft help COMMAND\n\n"
          "Try 'weft run', or 'weft --version'.\n",
          stream);
}

static int unknown_command(const char *word)
{
    const char *names[COMMAND_COUNT + 2] = {NULL};
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    names[COMMAND_COUNT] = "help";

    const char *nearest = weft_nearest_word(word, names);
    fprintf(stderr, "weft: unknown command '%s'", word);
    if (nearest)
        fprintf(stderr, " (did you mean '%s'?)", nearest);
    fputs("\n\n", stderr);
    print_usage(stderr);
    return WEFT_EXIT_WRONG_USE;
}

static const Command *find_command(const char *word)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int help(int argc, char **argv)
{
    if (argc < 2)
    {
        print_usage(stdout);
        return 0;
    }
    const Command *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    char *arguments[] = {argv[1], "--help", NULL};
    return command->run(2, arguments);
}

// A full disk or closed pipe at the very end must not look like success.
static int finish(int status)
{
    if (fflush(stdout) == 0 || status != 0)
        return status;
    perror("weft: the output cannot be written");
    return WEFT_EXIT_WRONG_USE;
}

// A file must not get the number of a closed stream: what is told there would be written into it. Writing to what
// stands in for the stream fails, as it does where it is closed.
static void occupy_streams(void)
{
    for (int stream = 0; stream < 3; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
            return;
}

int main(int argc, char **argv)
{
    occupy_streams();
    if (argc < 2)
    {
        print_usage(stderr);
        return WEFT_EXIT_WRONG_USE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0)
    {
        puts("weft " WEFT_VERSION);
        return finish(0);
    }
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return finish(help(argc - 1, argv + 1));
    const Command *command = find_command(word);
    return finish(command ? command->run(argc - 1, argv + 1) : unknown_command(word));
}
