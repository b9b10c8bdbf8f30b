// picture_words.c: sizes and colour modes as words.
#include "picture_words.h"

#include <stdio.h>
#include <string.h>

#include "arguments.h"

static const char *const show_words[WEFT_SHOW_COUNT] = {"fabric", "components", "stretch",
                                                        "wireframe"};

const char *weft_read_size(const char *text, uint32_t *width, uint32_t *height)
{
    static const char wanted[] = "WIDTHxHEIGHT, each from 16 to 16384";
    char              word[32];
    const char       *cross = strchr(text, 'x');
    unsigned long     wide, high;
    if (!cross)
        return wanted;
    snprintf(word, sizeof word, "%.*s", (int)(cross - text), text);
    if (!weft_read_count(word, 16384, &wide) || !weft_read_count(cross + 1, 16384, &high) ||
        wide < 16 || high < 16)
        return wanted;
    *width = (uint32_t)wide;
    *height = (uint32_t)high;
    return NULL;
}

const char *weft_read_show(const char *text, WeftShow *show)
{
    for (int k = 0; k < WEFT_SHOW_COUNT; k++)
        if (strcmp(text, show_words[k]) == 0)
        {
            *show = (WeftShow)k;
            return NULL;
        }
    return "fabric, components, stretch or wireframe";
}

const char *weft_show_word(WeftShow show)
{
    return show_words[show];
}
