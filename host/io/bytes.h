// bytes.h: bytes in memory on their way to a file, in the order that a format asks for.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct WeftBytes
{
    uint8_t *data;
    size_t   size;
    size_t   capacity;
    bool     failed; // out of memory
} WeftBytes;

/// Adds bytes, or formatted text, at the end; remembers a failure. Free `data`.
void weft_bytes_add(WeftBytes *bytes, const void *data, size_t size);
void weft_bytes_print(WeftBytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Four bytes, lowest first.
static inline void weft_bytes_little(uint8_t bytes[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}
static inline uint32_t weft_little_bytes(const uint8_t bytes[4])
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// Four bytes, highest first.
static inline void weft_bytes_big(uint8_t bytes[4], uint32_t value)
{
    weft_bytes_little(bytes, __builtin_bswap32(value));
}
static inline uint32_t weft_big_bytes(const uint8_t bytes[4])
{
    return __builtin_bswap32(weft_little_bytes(bytes));
}

static inline uint32_t weft_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float weft_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
