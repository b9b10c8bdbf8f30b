// keys.c: `weft keys`: every key that a scene file knows.
#include "arguments.h"
#include "commands.h"
#include "scene/scene.h"

int weft_command_keys(int argc, char **argv)
{
    static const char usage[] = "Usage: weft keys [--markdown]\n\n"
                                "Lists every key of a scene file with its default, unit and "
                                "meaning.\n\n"
                                "  --markdown  as tables for a web page\n";
    bool              markdown = false;
    int               status = weft_read_markdown(argc, argv, usage, &markdown);
    if (status >= 0)
        return status;
    weft_scene_print_keys(stdout, markdown);
    return 0;
}
