// shader_table.h: the shaders in the program, compiled by the build. See shaders/CMakeLists.txt.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct WeftShader
{
    const char     *name; // stem of the file; NULL at the end of the table
    const uint32_t *words;
    const size_t   *bytes;
} WeftShader;

extern const WeftShader weft_shader_table[];
