// device_choice.c: from what the user wrote after --device to one device of the list.
#include "device_list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *weft_gpu_kind_name(WeftGpuKind kind)
{
    static const char *const names[WEFT_GPU_KIND_COUNT] = {
        "discrete GPU", "integrated GPU", "virtual GPU", "other", "software",
    };
    return kind < WEFT_GPU_KIND_COUNT ? names[kind] : "?";
}

// What there is to choose from, for the end of an error message.
static const char *describe(const WeftGpuList *list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (list->count == 0)
        snprintf(text, size, "%s", list->notice[0] ? list->notice : "there is no Vulkan device");
    for (uint32_t i = 0; i < list->count && used < size; i++)
    {
        const WeftGpuInfo *info = &list->infos[i];
        used += (size_t)snprintf(
            text + used, size - used, "%s%u '%s'%s%s%s", i ? ", " : "there is ", i, info->name,
            info->problem[0] ? " (unusable: " : "", info->problem, info->problem[0] ? ")" : "");
    }
    return text;
}

// The best usable device whose kind is not worse than `worst`; -1 if there is none.
static int find_best(const WeftGpuList *list, WeftGpuKind worst)
{
    int best = -1;
    for (uint32_t i = 0; i < list->count; i++)
    {
        const WeftGpuInfo *info = &list->infos[i];
        if (!info->problem[0] && info->kind <= worst &&
            (best < 0 || info->kind < list->infos[best].kind))
            best = (int)i;
    }
    return best;
}

static bool contains_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

static bool is_number(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isdigit((unsigned char)*c))
            return false;
    return *text && strlen(text) < 9;
}

// INDEX or NAME to a device, usable or not.
static WeftStatus find_named(const WeftGpuList *list, const char *wanted, int *index)
{
    char     text[1500];
    uint32_t number = 0;
    if (is_number(wanted) && sscanf(wanted, "%u", &number) == 1)
    {
        if (number >= list->count)
            return weft_fail(WEFT_ERROR_INPUT, "device %u does not exist: %s", number,
                             describe(list, text, sizeof(text)));
        *index = (int)number;
        return WEFT_OK;
    }

    int found = -1;
    for (uint32_t i = 0; *wanted && i < list->count; i++)
    {
        if (!contains_word(list->infos[i].name, wanted))
            continue;
        if (found >= 0)
            return weft_fail(WEFT_ERROR_INPUT,
                             "device '%s' could be several; give more of the name or the index: %s",
                             wanted, describe(list, text, sizeof(text)));
        found = (int)i;
    }
    if (found < 0)
        return weft_fail(WEFT_ERROR_INPUT, "no device is called '%s': %s", wanted,
                         describe(list, text, sizeof(text)));
    *index = found;
    return WEFT_OK;
}

WeftStatus weft_gpu_choose(const WeftGpuList *list, const char *wanted, int *index)
{
    char text[1500];
    *index = -1;
    if (strcasecmp(wanted, "cpu") == 0)
        return WEFT_OK;
    if (strcasecmp(wanted, "auto") == 0)
    {
        *index = find_best(list, WEFT_GPU_INTEGRATED);
        return WEFT_OK;
    }
    if (strcasecmp(wanted, "gpu") == 0)
    {
        *index = find_best(list, WEFT_GPU_SOFTWARE);
        if (*index < 0)
            return weft_fail(WEFT_ERROR_INPUT, "no device can be used: %s",
                             describe(list, text, sizeof(text)));
        return WEFT_OK;
    }

    WEFT_TRY(find_named(list, wanted, index));
    const WeftGpuInfo *info = &list->infos[*index];
    if (info->problem[0])
    {
        *index = -1;
        return weft_fail(WEFT_ERROR_INPUT, "device '%s' cannot be used: %s", info->name,
                         info->problem);
    }
    return WEFT_OK;
}
