// pipeline_cache.c: the file of compiled pipelines: a header of weft's own with a checksum, since
// not every driver survives damaged data, then what the driver gave.
#include "pipeline_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct CacheHeader
{
    char     magic[8];
    uint64_t bytes; // behind the header
    uint64_t hash;  // of them
} CacheHeader;

static const char magic[8] = "weftpc1";

enum
{
    MOST_BYTES = 256 << 20
};

// FNV-1a.
static uint64_t hash_bytes(const void *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return hash;
}

static bool find_folder(const WeftGpu *gpu, char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int         length = 0;
    if (gpu->options.cache_folder)
        length = snprintf(folder, size, "%s", gpu->options.cache_folder);
    else if (cache && cache[0] == '/')
        length = snprintf(folder, size, "%s/weft", cache);
    else if (home && home[0] == '/')
        length = snprintf(folder, size, "%s/.cache/weft", home);
    return length > 0 && (size_t)length < size;
}

bool weft_gpu_cache_path(const WeftGpu *gpu, char *path, size_t size)
{
    char folder[3000];
    if (!find_folder(gpu, folder, sizeof(folder)))
        return false;

    // Whatever tells one driver's compiled code from another's.
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2  properties = {
         .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &ids};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    unsigned char key[3 * VK_UUID_SIZE + 3 * sizeof(uint32_t)];
    memcpy(key, ids.deviceUUID, VK_UUID_SIZE);
    memcpy(key + VK_UUID_SIZE, ids.driverUUID, VK_UUID_SIZE);
    memcpy(key + 2 * VK_UUID_SIZE, properties.properties.pipelineCacheUUID, VK_UUID_SIZE);
    const uint32_t numbers[3] = {properties.properties.vendorID, properties.properties.deviceID,
                                 properties.properties.driverVersion};
    memcpy(key + 3 * VK_UUID_SIZE, numbers, sizeof(numbers));

    int length = snprintf(path, size, "%s/pipelines_%016llx.bin", folder,
                          (unsigned long long)hash_bytes(key, sizeof(key)));
    return length > 0 && (size_t)length < size;
}

// What the file holds, if it is whole; free with free().
static void *read_file(const char *path, size_t *bytes, uint64_t *hash)
{
    FILE       *file = fopen(path, "rb");
    CacheHeader header;
    void       *data = NULL;
    if (!file)
        return NULL;
    if (fread(&header, sizeof(header), 1, file) == 1 &&
        memcmp(header.magic, magic, sizeof(magic)) == 0 && header.bytes > 0 &&
        header.bytes <= MOST_BYTES && (data = malloc(header.bytes)) != NULL)
    {
        if (fread(data, header.bytes, 1, file) != 1 || fgetc(file) != EOF ||
            hash_bytes(data, header.bytes) != header.hash)
        {
            free(data);
            data = NULL;
        }
        *bytes = header.bytes;
        *hash = header.hash;
    }
    fclose(file);
    return data;
}

WeftStatus weft_gpu_cache_load(WeftGpu *gpu)
{
    char   path[4096];
    size_t bytes = 0;
    void  *data = NULL;
    if (weft_gpu_cache_path(gpu, path, sizeof(path)))
        data = read_file(path, &bytes, &gpu->cache_hash);
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = data ? bytes : 0,
        .pInitialData = data,
    };
    VkResult result = vkCreatePipelineCache(gpu->device, &info, NULL, &gpu->cache);
    free(data);
    if (result != VK_SUCCESS && info.initialDataSize > 0)
    {
        info.initialDataSize = 0;
        info.pInitialData = NULL;
        gpu->cache_hash = 0;
        result = vkCreatePipelineCache(gpu->device, &info, NULL, &gpu->cache);
    }
    VK_TRY(result, "opening the pipeline cache");
    return WEFT_OK;
}

// Creates the folders of `path`, which ends in a file's name.
static void make_folders(char *path)
{
    for (char *c = path + 1; *c; c++)
        if (*c == '/')
        {
            *c = '\0';
            mkdir(path, 0700);
            *c = '/';
        }
}

// Under another name first: a reader never sees half a file.
static void write_file(char *path, const void *data, size_t bytes, uint64_t hash)
{
    char        temporary[4200];
    CacheHeader header = {.bytes = bytes, .hash = hash};
    memcpy(header.magic, magic, sizeof(magic));
    snprintf(temporary, sizeof(temporary), "%s.%ld.part", path, (long)getpid());
    make_folders(path);
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return;
    bool whole = fwrite(&header, sizeof(header), 1, file) == 1 && fwrite(data, bytes, 1, file) == 1;
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(temporary, path) != 0)
        remove(temporary);
}

void weft_gpu_cache_save(WeftGpu *gpu)
{
    char   path[4096];
    size_t bytes = 0;
    if (!gpu->cache || !weft_gpu_cache_path(gpu, path, sizeof(path)) ||
        vkGetPipelineCacheData(gpu->device, gpu->cache, &bytes, NULL) != VK_SUCCESS || bytes == 0 ||
        bytes > MOST_BYTES)
        return;
    void *data = malloc(bytes);
    if (data && vkGetPipelineCacheData(gpu->device, gpu->cache, &bytes, data) == VK_SUCCESS)
    {
        uint64_t hash = hash_bytes(data, bytes);
        if (hash != gpu->cache_hash)
            write_file(path, data, bytes, hash);
    }
    free(data);
}
