// cache.c: reads point caches. Their layouts are told in writer_pc2.c and writer_mdd.c.
#include "io/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/bytes.h"
#include "scene/obj_read.h"

enum
{
    PC2_HEADER_SIZE = 32,
    MDD_HEADER_SIZE = 8
};

static WeftStatus out_of_memory(const char *path)
{
    return weft_fail(WEFT_ERROR_FAILED, "%s: out of memory", path);
}

static WeftStatus read_all(const WeftCache *cache, uint64_t offset, uint8_t *bytes, size_t size)
{
    while (size > 0)
    {
        ssize_t count = pread(cache->descriptor, bytes, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be read: %s", cache->path,
                             strerror(errno));
        if (count == 0)
            return weft_fail(WEFT_ERROR_INPUT, "%s: ends after %llu bytes, before it is complete",
                             cache->path, (unsigned long long)offset);
        bytes += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return WEFT_OK;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

static WeftStatus read_pc2_header(WeftCache *cache)
{
    uint8_t header[PC2_HEADER_SIZE];
    WEFT_TRY(read_all(cache, 0, header, sizeof header));
    if (memcmp(header, "POINTCACHE2", 12) != 0)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s: is not a PC2 point cache: it does not begin with POINTCACHE2",
                         cache->path);
    uint32_t version = weft_little_bytes(header + 12);
    if (version != 1)
        return weft_fail(WEFT_ERROR_INPUT, "%s: is PC2 of version %u; weft reads version 1",
                         cache->path, version);
    cache->vertex_count = weft_little_bytes(header + 16);
    cache->first_frame = (double)weft_bits_float(weft_little_bytes(header + 20));
    cache->frame_step = (double)weft_bits_float(weft_little_bytes(header + 24));
    cache->frame_count = weft_little_bytes(header + 28);
    cache->frames = PC2_HEADER_SIZE;
    return WEFT_OK;
}

static WeftStatus read_mdd_header(WeftCache *cache)
{
    uint8_t header[MDD_HEADER_SIZE];
    WEFT_TRY(read_all(cache, 0, header, sizeof header));
    cache->big_endian = true;
    cache->frame_step = 1;
    cache->frame_count = weft_big_bytes(header);
    cache->vertex_count = weft_big_bytes(header + 4);
    cache->frames = MDD_HEADER_SIZE + 4 * (uint64_t)cache->frame_count;
    return WEFT_OK;
}

// Whether the counts are sound and the file has just the size that they ask for.
static WeftStatus check_size(const WeftCache *cache, uint64_t size)
{
    if (cache->vertex_count == 0 || cache->vertex_count > WEFT_PARTICLE_LIMIT)
        return weft_fail(WEFT_ERROR_INPUT,
                         "%s: says that it has %u points; from 1 to %d can be read", cache->path,
                         cache->vertex_count, WEFT_PARTICLE_LIMIT);
    if (cache->frame_count == 0)
        return weft_fail(WEFT_ERROR_INPUT, "%s: holds no frame", cache->path);

    // At most 2^32 frames of 6e8 bytes: no overflow.
    uint64_t expected = cache->frames + 12 * (uint64_t)cache->vertex_count * cache->frame_count;
    if (size == expected)
        return WEFT_OK;
    return weft_fail(
        WEFT_ERROR_INPUT, "%s: has %llu bytes, but %u frames of %u points take %llu; it is %s",
        cache->path, (unsigned long long)size, cache->frame_count, cache->vertex_count,
        (unsigned long long)expected, size < expected ? "cut off or damaged" : "damaged");
}

static WeftStatus open_file(WeftCache *cache)
{
    // Pipes would block and cannot be read at an offset.
    cache->descriptor = open(cache->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    cache->is_open = cache->descriptor >= 0;
    struct stat info;
    if (!cache->is_open || fstat(cache->descriptor, &info) != 0)
        return weft_fail(WEFT_ERROR_INPUT, "%s: cannot be opened: %s", cache->path,
                         strerror(errno));
    if (!S_ISREG(info.st_mode))
        return weft_fail(WEFT_ERROR_INPUT, "%s: is not a file; name a point cache", cache->path);

    WEFT_TRY(has_ending(cache->path, ".mdd") ? read_mdd_header(cache) : read_pc2_header(cache));
    WEFT_TRY(check_size(cache, (uint64_t)info.st_size));
    cache->bytes = malloc(12 * (size_t)cache->vertex_count);
    return cache->bytes ? WEFT_OK : out_of_memory(cache->path);
}

WeftStatus weft_cache_open(WeftCache *cache, const char *path)
{
    memset(cache, 0, sizeof *cache);
    cache->path = strdup(path);
    WeftStatus status = cache->path ? open_file(cache) : out_of_memory(path);
    if (status != WEFT_OK)
        weft_cache_close(cache);
    return status;
}

WeftStatus weft_cache_mesh(const WeftCache *cache, WeftMesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    const char *slash = strrchr(cache->path, '/'), *dot = strrchr(slash ? slash : cache->path, '.');
    size_t      length = dot ? (size_t)(dot - cache->path) : strlen(cache->path);
    char       *path = NULL;
    if (asprintf(&path, "%.*s.obj", (int)length, cache->path) < 0)
        return out_of_memory(cache->path);
    WeftStatus status = weft_obj_read(mesh, path, 1, false);
    if (status == WEFT_OK && mesh->vertex_count != cache->vertex_count)
        status = weft_fail(WEFT_ERROR_INPUT,
                           "%s: has %u points, but %s has %u vertices; they do not belong together",
                           cache->path, cache->vertex_count, path, mesh->vertex_count);
    free(path);
    if (status != WEFT_OK)
        weft_mesh_destroy(mesh);
    return status;
}

WeftStatus weft_cache_read(WeftCache *cache, uint32_t frame, double *positions)
{
    size_t size = 12 * (size_t)cache->vertex_count;
    WEFT_TRY(read_all(cache, cache->frames + (uint64_t)frame * size, cache->bytes, size));
    for (size_t i = 0; i < 3 * (size_t)cache->vertex_count; i++)
    {
        const uint8_t *bytes = cache->bytes + 4 * i;
        uint32_t       bits = cache->big_endian ? weft_big_bytes(bytes) : weft_little_bytes(bytes);
        positions[i] = weft_bits_float(bits);
        if (!isfinite(positions[i]))
            return weft_fail(WEFT_ERROR_INPUT,
                             "%s: point %zu of frame %u has a coordinate that is not finite",
                             cache->path, i / 3, frame);
    }
    return WEFT_OK;
}

void weft_cache_close(WeftCache *cache)
{
    if (cache->is_open)
        close(cache->descriptor);
    free(cache->path);
    free(cache->bytes);
    memset(cache, 0, sizeof *cache);
}
