// push.h: how one struct of push constants serves C and GLSL. ADDRESS(Uints) is a buffer's address:
// a reference in GLSL, 64 bits in C.
#ifndef WEFT_PUSH_H
#define WEFT_PUSH_H

#ifdef GL_EXT_buffer_reference
#define ADDRESS(type) type
#define PUSH(type)                                                                                 \
    layout(push_constant, std430) uniform PushBlock                                                \
    {                                                                                              \
        type push;                                                                                 \
    }
#else
#include <stdint.h>
#include <sys/types.h> // uint
#define ADDRESS(type) uint64_t
#endif

#endif
