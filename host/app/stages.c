// stages.c: `weft stages`: the step in its order, from stages.def.
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "sim/report.h"

int weft_command_stages(int argc, char **argv)
{
    static const char usage[] = "Usage: weft stages [--markdown]\n\n"
                                "Lists the stages of a step in their order.\n\n"
                                "  --markdown  as a table for a web page\n";
    bool              markdown = false;
    int               status = weft_read_markdown(argc, argv, usage, &markdown);
    if (status >= 0)
        return status;

    fputs(markdown ? "| stage | one thread per | what it does |\n| --- | --- | --- |\n"
                   : "stage            one thread per   what it does\n",
          stdout);
    for (int i = 0; i < WEFT_STAGE_COUNT; i++)
        printf(markdown ? "| %s | %s | %s |\n" : "%-16s %-16s %s\n", weft_stage_name(i),
               weft_stage_per(i), weft_stage_help(i));
    return 0;
}
