// devices.c: `weft devices`: what weft can compute on, and what each device is capable of.
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "gpu/device_list.h"
#include "sim/pool.h"

static const char usage[] =
    "Usage: weft devices\n\n"
    "Lists what weft can compute on. --device of other commands takes an index, a part\n"
    "of a name, cpu, gpu (the best Vulkan device of any kind) or auto (a discrete or\n"
    "integrated GPU if there is one, else the CPU engine).\n\n"
    "WEFT_VALIDATE=1 in the environment has Vulkan's validation layers watch every call\n"
    "and look into the shaders; WEFT_VALIDATE=calls leaves the shaders alone.\n";

// A number of bytes in the largest unit that leaves it at least 1.
static const char *bytes_text(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double                   value = (double)bytes;
    int                      unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(text, 32, "%.*f %s", value < 10 && unit > 0 ? 1 : 0, value, units[unit]);
    return text;
}

static void print_details(uint32_t index, const WeftGpuInfo *info)
{
    char a[32], b[32];
    printf("\n%u: %s\n", index, info->name);
    printf("  usable        %s%s\n", info->problem[0] ? "no: " : "yes", info->problem);
    printf("  driver        %s\n", info->driver[0] ? info->driver : "unknown");
    printf("  Vulkan        %u.%u.%u\n", info->vulkan[0], info->vulkan[1], info->vulkan[2]);
    printf("  memory        %s, a buffer at most %s\n", bytes_text(info->memory, a),
           bytes_text(info->max_allocation, b));
    printf("  workgroup     %u threads along x, %u in all, %s shared\n", info->max_group_size,
           info->max_group_invocations, bytes_text(info->shared_memory, a));
    printf("  dispatch      %u workgroups along x\n", info->max_group_count);
    printf("  subgroup      %u threads%s\n", info->subgroup_size,
           info->has_subgroup_arithmetic ? ", with arithmetic" : "");
    printf("  float64       %s\n", info->has_float64 ? "yes" : "no");
    printf("  int64         %s\n", info->has_int64 ? "yes" : "no");
    if (info->timestamp_bits)
        printf("  timestamps    %u bits, a tick is %g ns\n", info->timestamp_bits,
               1e9 * info->timestamp_period);
    else
        printf("  timestamps    no\n");
}

// Returns -1 to go on, else the exit status.
static int read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":h", options, NULL)) != -1;)
    {
        if (found != 'h')
            return weft_wrong_option(argv[0], found, argv, options);
        fputs(usage, stdout);
        return 0;
    }
    if (optind < argc)
        return weft_wrong_use(argv[0], "'%s' is one argument too many", argv[optind]);
    return -1;
}

int weft_command_devices(int argc, char **argv)
{
    int status = read_options(argc, argv);
    if (status >= 0)
        return status;

    WeftGpuList list;
    if (weft_gpu_list_create(&list) != WEFT_OK)
    {
        fprintf(stderr, "weft devices: %s\n", weft_error_message());
        return WEFT_EXIT_WRONG_USE;
    }
    printf("%-6s %-16s %-9s %s\n", "index", "kind", "usable", "device");
    printf("%-6s %-16s %-9s CPU engine, %d threads\n", "cpu", "CPU", "yes", weft_pool_core_count());
    for (uint32_t i = 0; i < list.count; i++)
        printf("%-6u %-16s %-9s %s\n", i, weft_gpu_kind_name(list.infos[i].kind),
               list.infos[i].problem[0] ? "no" : "yes", list.infos[i].name);
    if (list.count == 0)
        printf("\nNo GPU: %s.\n", list.notice);
    for (uint32_t i = 0; i < list.count; i++)
        print_details(i, &list.infos[i]);

    int chosen = -1;
    if (weft_gpu_choose(&list, "auto", &chosen) == WEFT_OK)
        printf("\n--device auto takes %s.\n",
               chosen < 0 ? "the CPU engine" : list.infos[chosen].name);
    weft_gpu_list_destroy(&list);
    return 0;
}
